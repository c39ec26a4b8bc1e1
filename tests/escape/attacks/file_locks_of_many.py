# SPDX-License-Identifier: Apache-2.0
# source: as file_locks, by several processes; and one that shares its descriptors (CLONE_FILES) takes locks and is
#     gone, so that /proc/locks, which names processes, shows them no more
# stopped-by: seccomp
# alone: nothing else counts them
# expect: ENOLCK EPERM
# denied: clone(CLONE_FILES), fcntl(F_SETLK)
# args: --timeout 60s
import fcntl
import os
import struct
import kit

CLONE_FILES, SIGCHLD, MOST, ROUNDS = 0x400, 17, 20000, 3
EACH = 500  # of a file: the kernel walks a list of them
fds = [os.open("locked-%d" % i, os.O_RDWR | os.O_CREAT, 0o600) for i in range(ROUNDS * MOST // EACH)]


def lock(start, count):
    for i in range(start, start + count):
        try:
            fcntl.fcntl(fds[i // EACH], fcntl.F_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 2 * i, 1, 0))
        except OSError as e:
            return i - start, e.errno
    return count, 0


held, refused = 0, set()
for turn in range(ROUNDS):
    out, into = os.pipe()
    child = kit.call("clone", CLONE_FILES | SIGCHLD, 0, 0, 0, 0)
    if child == 0:
        count, error = lock(turn * MOST, MOST // 2)
        os.write(into, struct.pack("ii", count, error))
        os._exit(0)
    if child < 0:
        refused.add(kit.name_of(-child))
        count, error = lock(turn * MOST, MOST)
    else:
        count, error = struct.unpack("ii", os.read(out, 8))
        os.waitpid(child, 0)
    held += count
    if error:
        refused.add(kit.name_of(error))
if held > MOST or "ENOLCK" not in refused:
    kit.escaped(held, "locks")
kit.held(*sorted(refused))
