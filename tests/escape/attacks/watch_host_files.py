# SPDX-License-Identifier: Apache-2.0
# source: inotify(7): without reading it, learn when the host opens a file
# stopped-by: root
# expect: ENOENT
# alone: Landlock does not know inotify_add_watch; without a private root a file that may be read by
#     the caller can be watched (see README.md)
# bare: yes
import os
import kit

IN_ALL_EVENTS = 0xfff
watcher = kit.libc.inotify_init()


def watch(path):
    result = kit.libc.inotify_add_watch(watcher, path.encode(), IN_ALL_EVENTS)
    return result if result >= 0 else -kit.ctypes.get_errno()


kit.judge(secret=watch(kit.canary("SECRET")), open=watch(kit.canary("OPEN")))
