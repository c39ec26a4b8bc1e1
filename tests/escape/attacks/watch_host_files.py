# SPDX-License-Identifier: Apache-2.0
# source: inotify(7): without reading it, learn when the host opens a file, or other guests one that all see; how many
#     may watch is counted for the user who made the namespaces, up to the host's root
# stopped-by: seccomp
# expect: ENOSYS
# then: root
# expect-then: ENOENT
# bare: yes
import kit

IN_ALL_EVENTS = 0xfff
watcher = kit.libc.inotify_init()
no_watcher = -kit.ctypes.get_errno()


def watch(path):
    if watcher < 0:
        return no_watcher
    result = kit.libc.inotify_add_watch(watcher, path.encode(), IN_ALL_EVENTS)
    return result if result >= 0 else -kit.ctypes.get_errno()


kit.judge(secret=watch(kit.canary("SECRET")), open=watch(kit.canary("OPEN")))
