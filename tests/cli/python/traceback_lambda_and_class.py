# SPDX-License-Identifier: Apache-2.0
class A:
    def __init__(self):
        self.f = lambda: [x.nope for x in (1, 2)]

    @property
    def p(self):
        return self.f()


A().p
