# SPDX-License-Identifier: Apache-2.0
import io
import pandas as pd
df = pd.read_csv(io.StringIO("date,value\n2024-01-01,1.5\n2024-01-02,\n2024-01-03,4.5\n"), parse_dates=["date"])
df["value"] = df["value"].interpolate()
df.to_csv("out.csv", index=False)
print(open("out.csv").read())
print(df.dtypes)
