# SPDX-License-Identifier: Apache-2.0
import pandas as pd
df = pd.DataFrame({"a": [1, 2, 3]})
print(pd.to_datetime(pd.Series(["01/02/2024", "2024-13-01"]), errors="coerce"))
print(df.astype({"a": "category"}).memory_usage(deep=False)["a"] > 0)
