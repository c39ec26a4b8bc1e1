# SPDX-License-Identifier: Apache-2.0
# beside: beside/package
import package.nothing
