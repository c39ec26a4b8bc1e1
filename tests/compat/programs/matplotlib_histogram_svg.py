# SPDX-License-Identifier: Apache-2.0
import matplotlib.pyplot as plt
import numpy as np
counts, edges, _ = plt.hist(np.arange(100) ** 0.5, bins=5)
plt.xlabel("value")
plt.savefig("hist.svg")
plt.close()
print(counts, edges.round(2), "<svg" in open("hist.svg").read())
