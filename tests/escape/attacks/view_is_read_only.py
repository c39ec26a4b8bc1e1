# SPDX-License-Identifier: Apache-2.0
# source: docker -v ...:ro: a folder that is shown must not be changed through any call
# stopped-by: root
# expect: EROFS EACCES EPERM EXDEV
# then: landlock
# expect-then: EACCES EPERM EXDEV
# args: --ro {data}
import os
import kit

data = kit.view() + "/data"
if len(kit.read(data)) < 100:
    kit.held("the view is empty")
kit.judge(open=kit.attempt(os.open, data, os.O_WRONLY), unlink=kit.attempt(os.unlink, data),
          truncate=kit.attempt(os.truncate, data, 0), chmod=kit.attempt(os.chmod, data, 0o666)
          if os.path.isdir("/box") else -1,
          make=kit.attempt(os.open, kit.view() + "/new", os.O_CREAT | os.O_WRONLY),
          rename=kit.attempt(os.rename, data, "data"), link=kit.attempt(os.link, data, "data"))
