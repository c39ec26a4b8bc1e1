# SPDX-License-Identifier: Apache-2.0
from tabulate import tabulate
print(tabulate([["apple", 1.5], ["pear", 22.25]], headers=["fruit", "price"], tablefmt="github"))
