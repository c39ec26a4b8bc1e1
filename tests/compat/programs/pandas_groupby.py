# SPDX-License-Identifier: Apache-2.0
import pandas as pd
df = pd.DataFrame({"city": ["Oslo", "Bergen", "Oslo", "Bergen"], "sales": [10, 20, 30, 40]})
summary = df.groupby("city").agg(total=("sales", "sum"), mean=("sales", "mean")).reset_index()
print(summary)
print(summary.to_dict("records"))
