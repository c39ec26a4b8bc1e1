# SPDX-License-Identifier: Apache-2.0
import copy
import pickle


class Point:
    def __init__(self, x):
        self.x = x


p = pickle.loads(pickle.dumps(Point(3)))
print(p.x, type(p) is Point, Point.__module__)
print(copy.deepcopy(p).x)
