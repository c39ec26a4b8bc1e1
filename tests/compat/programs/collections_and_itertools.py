# SPDX-License-Identifier: Apache-2.0
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from functools import lru_cache, reduce
from itertools import accumulate, combinations, groupby
words = "the cat the dog the end".split()
print(Counter(words).most_common(2), list(accumulate([1, 2, 3])), list(combinations("abc", 2)))
print({k: list(g) for k, g in groupby(sorted(words), key=len)}, reduce(lambda a, b: a * b, range(1, 6)))
print(deque([1, 2, 3], maxlen=2), OrderedDict(a=1), namedtuple("P", "x y")(1, 2), defaultdict(list))
