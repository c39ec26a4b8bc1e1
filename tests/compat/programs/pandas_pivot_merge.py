# SPDX-License-Identifier: Apache-2.0
import pandas as pd
left = pd.DataFrame({"key": ["a", "b", "c"], "x": [1, 2, 3]})
right = pd.DataFrame({"key": ["a", "c", "d"], "y": [4.0, 5.0, 6.0]})
print(left.merge(right, on="key", how="outer", indicator=True))
long = pd.DataFrame({"d": ["mon", "mon", "tue"], "k": ["p", "q", "p"], "v": [1, 2, 3]})
print(long.pivot_table(index="d", columns="k", values="v", fill_value=0))
