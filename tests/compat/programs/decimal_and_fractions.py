# SPDX-License-Identifier: Apache-2.0
from decimal import Decimal, getcontext
from fractions import Fraction
getcontext().prec = 30
print(Decimal(1) / Decimal(7), Fraction(1, 3) + Fraction(1, 6), round(Decimal("2.675"), 2))
