# SPDX-License-Identifier: Apache-2.0
# beside: beside/helper.py
import helper
from helper import VALUE

print(helper.VALUE, VALUE, helper.__name__, helper.__doc__)
print(helper.__file__)
print("done")
