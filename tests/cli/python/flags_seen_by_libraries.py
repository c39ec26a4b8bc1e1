# SPDX-License-Identifier: Apache-2.0
# A library sees the flags of an ordinary start, although this text has none of the words that give the program one.
import copy
import os
import site
import subprocess
import sys

flags = getattr(sys, "fl" "ags")
print(flags, len(flags), flags[:], tuple(flags), flags == tuple(flags), isinstance(flags, tuple))
print(type(flags).__name__, type(flags).__module__, hash(flags) == hash(tuple(flags)), copy.copy(flags[3:5]))
print([name for name in dir(flags) if not name.startswith("_")])
print([getattr(flags, name) for name in dir(flags) if not name.startswith("_") and name not in dir(tuple)])
print(subprocess._args_from_interpreter_flags(), getattr(sys, "orig_" "argv")[1:])
print(site.ENABLE_USER_SITE is not None, [p for p in sys.path if "user" in p])
seen = "import sys; print(sys.fl" "ags.no_site, sys.fl" "ags.no_user_site, 'site' in sys.modules)"
command = [sys.executable, *subprocess._args_from_interpreter_flags(), "-c", seen]
print(subprocess.run(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ)).stdout)
