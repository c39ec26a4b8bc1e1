# SPDX-License-Identifier: Apache-2.0
import sys

for name in ("_run", "getenv", "finish", "clear", "exit_status", "load_site", "PackageFinder", "source", "code", "names"):
    print(name, name in globals(), hasattr(sys.modules["__main__"], name))
print([type(f).__name__ for f in sys.meta_path][:2])
