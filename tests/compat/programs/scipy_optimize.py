# SPDX-License-Identifier: Apache-2.0
from scipy import optimize
result = optimize.minimize(lambda v: (v[0] - 1) ** 2 + (v[1] + 2) ** 2, [0, 0])
print(result.success, result.x.round(3))
print(round(optimize.brentq(lambda x: x ** 3 - 2, 0, 2), 9))
