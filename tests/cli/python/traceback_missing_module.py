# SPDX-License-Identifier: Apache-2.0
import surely_not_installed.anywhere
