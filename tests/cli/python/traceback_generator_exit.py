# SPDX-License-Identifier: Apache-2.0
raise GeneratorExit("bare")
