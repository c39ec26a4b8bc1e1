# SPDX-License-Identifier: Apache-2.0
"""Open files of one process, core dumps, and the other small limits of the kernel."""

OPEN = """
import os, errno
fds = []
try:
    while len(fds) < 5000: fds.append(os.open('/dev/null', os.O_RDONLY))
except OSError as e:
    print(errno.errorcode[e.errno], max(fds) + 1)
"""


def test(tap, user):
    for allowed in (32, 1024):
        r = user.run(OPEN, "--open-files", str(allowed))
        tap.equal(r.stdout, f"EMFILE {allowed}\n", f"{user.name}: {allowed} descriptors, no more", r)
    r = user.run("import resource as r\n"
                 "print(r.getrlimit(r.RLIMIT_CORE))\n"
                 "try: r.setrlimit(r.RLIMIT_NOFILE, (64, 4096))\n"
                 "except (ValueError, OSError): print('no way back')", "--open-files", "32")
    tap.equal(r.stdout, "(1, 1)\nno way back\n", f"{user.name}: no core dumps, and no limit can be raised", r)
    r = user.run("kill -ABRT $$", lang="sh")
    tap.ok(r.signal == 6 and r.exit_code == 134 and not r.files,
           f"{user.name}: a crash leaves no core file", r)
