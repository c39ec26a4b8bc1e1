# SPDX-License-Identifier: Apache-2.0
# beside: beside/broken.py
import broken
