# SPDX-License-Identifier: Apache-2.0
# source: CVE-2021-30465 (runc): the second container meets what the first left in the shared folder
# stopped-by: collector
# alone: no layer of the kernel's
# expect: planted ENOENT
# runs: 2
# args: --work-dir {work}
import os
import kit

if kit.canary("NUMBER") == "1":
    os.symlink(os.path.dirname(kit.canary("OPEN")), "link")
    os.symlink(kit.canary("SECRET"), "file")
    open("hollow", "w").close()
    kit.held("planted")
# The links, were they kept, are replaced by a folder with files: written through a link they would
# lie in the host's folder.
for name in ("link", "file"):
    if os.path.islink(name):
        os.unlink(name)
    os.mkdir(name)
with open("link/created", "w") as f:
    f.write("through the link")
with open("link/writable", "w") as f:
    f.write("through the link")
kit.held("planted")
