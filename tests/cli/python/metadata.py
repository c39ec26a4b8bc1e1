# SPDX-License-Identifier: Apache-2.0
import importlib.metadata as m

print(m.version("numpy"))
print(m.distribution("numpy").metadata["Name"])
print("numpy" in {d.metadata["Name"] for d in m.distributions()})
try:
    m.version("surely-not-installed")
except m.PackageNotFoundError as e:
    print(e)
