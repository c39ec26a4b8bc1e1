# SPDX-License-Identifier: Apache-2.0
# source: ATT&CK T1574.006: a line in /etc/ld.so.preload is code in every program of the host
# stopped-by: root
# expect: EROFS EACCES ENOENT
# then: landlock
# expect-then: EACCES ENOENT
import os
import kit

kit.judge(**{path: kit.attempt(os.open, path, os.O_CREAT | os.O_WRONLY | os.O_EXCL)
             for path in ("/etc/ld.so.preload", "/etc/ld.so.conf.d/canary.conf",
                          "/etc/profile.d/canary.sh", "/etc/cron.d/canary")})
