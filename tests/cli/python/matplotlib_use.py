# SPDX-License-Identifier: Apache-2.0
import os

import matplotlib.pyplot as plt

plt.plot([1, 2, 3])
plt.title("a plot")
plt.savefig("plot.png")
print(open("plot.png", "rb").read(8), os.path.getsize("plot.png") > 1000)
