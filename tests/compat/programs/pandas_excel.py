# SPDX-License-Identifier: Apache-2.0
import pandas as pd
pd.DataFrame({"name": ["x", "y"], "n": [1, 2]}).to_excel("book.xlsx", sheet_name="data", index=False)
print(pd.read_excel("book.xlsx", sheet_name="data"))
