# SPDX-License-Identifier: Apache-2.0
import csv
with open("people.csv", "w", newline="") as f:
    writer = csv.DictWriter(f, ["name", "age"])
    writer.writeheader()
    writer.writerows([{"name": "Ada", "age": 36}, {"name": "Alan, M.", "age": 41}])
with open("people.csv", newline="") as f:
    rows = list(csv.DictReader(f))
print(rows, sum(int(r["age"]) for r in rows))
