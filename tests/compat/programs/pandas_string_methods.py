# SPDX-License-Identifier: Apache-2.0
import pandas as pd
names = pd.Series([" Ada Lovelace", "grace hopper ", None])
clean = names.str.strip().str.title()
print(clean.tolist(), clean.str.split().str[-1].tolist(), clean.isna().sum())
