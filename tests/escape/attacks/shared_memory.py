# SPDX-License-Identifier: Apache-2.0
# source: sysvipc(7): System V segments have no path, only a number, so no root hides them
# stopped-by: ipcns
# expect: ENOENT EINVAL
# alone: without an ipc namespace only the segment's own mode guards it (this one is for all)
# bare: yes
import kit

key = int(kit.canary("SHM_KEY"))
identifier = kit.libc.shmget(key, 0, 0)
tries = {"by key": identifier if identifier >= 0 else -kit.ctypes.get_errno()}
for number in range(64):  # and by counting: identifiers are small numbers
    if kit.libc.shmctl(number, 2, kit.ctypes.create_string_buffer(256)) >= 0:
        kit.escaped("segment", number)
tries["by number"] = -kit.ctypes.get_errno()
kit.judge(**tries)
