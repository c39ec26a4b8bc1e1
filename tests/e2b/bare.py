# SPDX-License-Identifier: Apache-2.0
"""A sandbox that is a plain container: it permits no namespaces and no mounts, and is the only wall. The helper
(build/glovebox-jail) is spoken to directly, in a root folder of its own, as root without CAP_SYS_ADMIN."""

import os
import struct
import subprocess

from frames import FRAMES
from product import ROOT

HELPER = os.path.join(ROOT, "build", "glovebox-jail")
PLAN, HELD, FAILED, OUT, LIMIT, ENDED, OVER = (FRAMES[name] for name in "PLAN HELD FAILED OUT LIMIT ENDED OVER".split())
SECCOMP, ISOLATING = 1 << 11, 0b111101  # the layers user, mount, net, ipc, uts
CONTAINER = """set -e
mount --make-rprivate /
mount -t tmpfs tmpfs /mnt
cd /mnt
mkdir usr etc dev proc tmp
for folder in usr etc dev; do mount --rbind /$folder $folder; done
mount -t proc proc proc || mount --rbind /proc proc
for link in bin lib lib64 sbin; do ln -s usr/$link $link; done
chmod 1777 tmp
cat > helper
chmod 755 helper
exec chroot . setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin sh -c 'exec /helper --contained-apart "$@" <&3' sh "$@"
"""


def text(s):
    return struct.pack("<I", len(s)) + s.encode()


def words(*list_of):
    return struct.pack("<I", len(list_of)) + b"".join(map(text, list_of))


def plan(argv, cpu_ms):
    return (text(argv[0]) + words(*argv) + words("PATH=/usr/bin:/bin") + text("") + struct.pack("<III", 0, 0, 0) +
            text("") + struct.pack("<II", 0, 0) + text("") + struct.pack("<QQQII", 64 << 20, 1000, cpu_ms, 256, 0))


def run(*argv, memory=0, pids=64, cpu_ms=0):
    """The frames of a run, by kind."""
    give, take = os.pipe()[::-1]
    numbers = [str(n) for n in (0, 64 << 20, 1000, memory, pids)]
    with open(HELPER, "rb") as helper:
        process = subprocess.Popen(["unshare", "--mount", "sh", "-c", "exec 3<&%d; %s" % (take, CONTAINER), "sh", *numbers],
                                   stdin=helper, stdout=subprocess.PIPE, pass_fds=[take])
    os.close(take)
    body = plan(argv, cpu_ms)
    os.write(give, struct.pack("<II", PLAN, len(body)) + body)
    frames = {}
    while OVER not in frames and FAILED not in frames:
        head = process.stdout.read(8)
        if len(head) < 8:
            break
        kind, n = struct.unpack("<II", head)
        frames[kind] = frames.get(kind, b"") + process.stdout.read(n)
    os.close(give)
    process.wait(60)
    return frames


def test_runs(tap):
    r = run("sh", "-c", "id -u; pwd; touch made && ls; grep -c '^Cap.*:.*[1-9a-f]' /proc/self/status")
    lines = r.get(OUT, b"").decode().split()
    tap.ok(len(lines) == 4 and int(lines[0]) >= 0x60000000, "a program runs as a user of its own", r)
    tap.equal(lines[1:], ["/box/work", "made", "0"], "in its workspace, without capabilities", r)
    held = struct.unpack("<I", r.get(HELD, bytes(4))[-4:])[0]
    tap.ok(held & SECCOMP and not held & ISOLATING, "the layers are those that hold", hex(held))


def test_ends(tap):
    r = run("sh", "-c", "setsid sleep 4321 & echo up")
    left = subprocess.run(["pgrep", "-f", "^sleep 4321$"], capture_output=True).stdout
    tap.equal((r.get(OUT), left), (b"up\n", b""), "what it has started ends with it", r)


def test_limits(tap):
    r = run("python3", "-c", "x = bytearray(300 << 20)\nimport time\ntime.sleep(20)", memory=100 << 20)
    tap.equal(r.get(LIMIT), b"\x04\0\0\0", "a limit of memory", r)
    r = run("python3", "-c", "while True: pass", cpu_ms=300)
    tap.equal(r.get(LIMIT), b"\x02\0\0\0", "of processor time", r)
    r = run("python3", "-c", "open('big', 'wb').write(b'x' * (100 << 20))")
    tap.equal(r.get(ENDED, b"")[:4], b"\0\1\0\0", "of a file's size", r)


def test(tap):
    if os.geteuid() != 0:
        return tap.skip("a sandbox that is a plain container", "only root can make one")
    for function in (test_runs, test_ends, test_limits):
        function(tap)
