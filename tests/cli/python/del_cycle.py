# SPDX-License-Identifier: Apache-2.0
class Node:
    def __init__(self, name):
        self.name = name
        self.other = None

    def __del__(self):
        print("del", self.name)


a, b = Node("a"), Node("b")
a.other, b.other = b, a
del a, b
c = Node("c")
c.other = c
print("end")
