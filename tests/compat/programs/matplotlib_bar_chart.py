# SPDX-License-Identifier: Apache-2.0
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
fig, ax = plt.subplots(figsize=(4, 3))
bars = ax.bar(["a", "b", "c"], [3, 7, 5])
ax.set_title("Counts")
fig.tight_layout()
fig.savefig("chart.png", dpi=80)
plt.close(fig)
print([bar.get_height() for bar in bars], open("chart.png", "rb").read(8))
