# SPDX-License-Identifier: Apache-2.0
# beside: beside/helper.py
import importlib

from helper import *

import helper

print(VALUE)
helper.VALUE = 1
importlib.reload(helper)
print(helper.VALUE)
