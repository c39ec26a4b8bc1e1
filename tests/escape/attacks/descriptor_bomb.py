# SPDX-License-Identifier: Apache-2.0
# source: CWE-769: descriptors until there are none; a dup costs nothing
# stopped-by: rlimits
# alone: fs.file-max and the memory limit are behind it
# expect: EMFILE
# args: --open-files 100
import os
import resource
import kit

result = kit.attempt(resource.setrlimit, resource.RLIMIT_NOFILE, (100000, 100000))
if result >= 0:
    kit.escaped("a higher limit")
try:
    for count in range(5000):
        os.dup(0)
except OSError as e:
    kit.held(kit.name_of(e.errno))
kit.escaped(count, "descriptors")
