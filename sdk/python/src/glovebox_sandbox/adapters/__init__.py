# SPDX-License-Identifier: Apache-2.0
"""Agent frameworks, one file each. A file imports its framework, so it is imported only when it is used."""
