# SPDX-License-Identifier: Apache-2.0
from scipy import stats
a, b = [5.1, 4.9, 6.2, 5.8], [6.5, 7.1, 6.9, 7.4]
test = stats.ttest_ind(a, b)
print(round(test.statistic, 6), round(test.pvalue, 6))
print(stats.linregress([1, 2, 3], [2, 4, 6.1]).slope)
