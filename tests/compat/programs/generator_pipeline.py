# SPDX-License-Identifier: Apache-2.0
def read(lines):
    for line in lines:
        yield line.strip()

def numbers(lines):
    for line in lines:
        if line.isdigit():
            yield int(line)

total = sum(numbers(read([" 1", "x", "22 ", ""])))
print(total, f"{total:>8,}|{total / 7:.3f}|{total!r:^6}|{total:#x}")
