# SPDX-License-Identifier: Apache-2.0
import pandas as pd

df = pd.DataFrame({"a": [1, 2, 3], "b": list("xyx")})
print(df.groupby("b").sum())
df.to_csv("out.csv", index=False)
print(pd.read_csv("out.csv").equals(df))
