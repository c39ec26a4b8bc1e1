# SPDX-License-Identifier: Apache-2.0
import pandas as pd
df = pd.DataFrame({"price": [1.0]})
try:
    df["prize"]
except KeyError as e:
    print("no column", e)
print(df.iloc[0].to_json())
