# SPDX-License-Identifier: Apache-2.0
class A:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("del", self.name)


one = A("one")
_two = A("two")
three = A("three")
four = [A("four")]
print("end")
