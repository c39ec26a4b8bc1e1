# SPDX-License-Identifier: Apache-2.0
# source: CVE-2018-15664 (docker cp): not a link in the folder, but a link in place of the folder
# stopped-by: root
# then: landlock, collector
# expect: EBUSY EROFS EPERM EACCES
# expect-then: EACCES; planted
import os
import kit

work = os.getcwd()
folder = os.path.dirname(work)
os.chdir("/")
kit.attempt(os.makedirs, folder + "/spare", 0o777, True)
moved = kit.attempt(os.rename, work, folder + "/moved")
if moved < 0:
    moved = kit.attempt(os.rmdir, work)
if moved < 0:
    kit.held(kit.name_of(-moved))
os.symlink(os.path.dirname(kit.canary("OPEN")), work)
kit.held("planted")
