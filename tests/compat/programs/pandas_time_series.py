# SPDX-License-Identifier: Apache-2.0
import pandas as pd
index = pd.date_range("2024-01-01", periods=90, freq="D")
series = pd.Series(range(90), index=index)
print(series.resample("MS").sum())
print(series.rolling(7).mean().tail(3))
print(series.loc["2024-02"].describe())
