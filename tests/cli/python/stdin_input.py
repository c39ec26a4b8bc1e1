# SPDX-License-Identifier: Apache-2.0
# stdin: "first\nsecond\n"
print(input("name? "))
print(repr(input()))
try:
    input("more? ")
except EOFError as e:
    print("EOF:", e)
