# SPDX-License-Identifier: Apache-2.0
import sys
from tqdm import tqdm
total = sum(tqdm(range(5), disable=None, file=sys.stdout))
print(total)
