# SPDX-License-Identifier: Apache-2.0
import re
log = "2024-01-05 ERROR disk full\n2024-01-06 INFO ok\n2024-02-01 ERROR timeout"
for m in re.finditer(r"(?P<date>[\d-]+) ERROR (?P<what>.+)", log):
    print(m.groupdict(), m.span())
print(re.sub(r"(\w+)@(\w+)\.com", r"\2:\1", "ada@math.com"))
