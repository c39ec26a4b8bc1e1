# SPDX-License-Identifier: Apache-2.0
def parse(rows):
    return [int(row) for row in rows]

print("start")
parse(["1", "two"])
