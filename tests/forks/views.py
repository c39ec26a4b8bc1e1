# SPDX-License-Identifier: Apache-2.0
"""What is shown below the guest's own folders, such as a project below /tmp, in a session and its forks."""

import os
import shutil
import tempfile

from family import Families, nothing_left

# What a guest may have at the place, or on the way to it, when it is forked.
TRAPS = {
    "a link to a folder of its own": "os.makedirs('/box/work/evil/shown'); os.symlink('/box/work/evil', way)",
    "a link to a system folder": "os.symlink('/etc', way)",
    "a link to /proc": "os.symlink('/proc/self', way)",
    "a link to where the views are kept": "os.symlink('/box/view', way)",
    "a link that leads up": "os.symlink('../../../../..', way)",
    "a file": "open(way, 'w').close()",
    "a pipe": "os.mkfifo(way)",
    "a folder that it may not enter": "os.mkdir(way, 0)",
    "another file at the place": "os.mkdir(way); open(way + '/shown', 'w').close()",
    "a link at the place": "os.mkdir(way); os.symlink('/etc', way + '/shown')",
    "nothing": "pass",
}
MOUNTS = "sorted(line.split()[4] for line in open('/proc/self/mountinfo') if line.split()[4].startswith(('/box/work/', '/etc', '/proc/')))"
LOOK = "[open(%r).read(), os.path.exists(%r)]"


def test_shown(tap, d, shown):
    s = d.open(ro=[shown])
    beside = os.path.join(os.path.dirname(shown), "beside")
    tap.equal(s.value(f"open({beside!r}, 'w').write('own'); " + LOOK % (shown + "/file", beside)), ["shown", True], "a session sees it, and has files beside it")
    f = s.fork()
    g = f.fork()
    for name, member in (("its fork", f), ("a fork of that", g)):
        tap.equal(member.value(LOOK % (shown + "/file", beside)), ["shown", True], f"so does {name}")
        for path in (shown + "/new", "/box/view/new"):
            tap.ok("Read-only" in str(member.value(f"open({path!r}, 'w')")) or "No such" in str(member.value(f"open({path!r}, 'w')")),
                   f"{name}: it is read-only: {path}", member.value(f"open({path!r}, 'w')"))
    tap.equal(f.value(f"open({beside!r}, 'w').write('fork'); 1") and s.value(f"open({beside!r}).read()"), "own", "the files beside it are a copy")
    tap.equal(os.listdir(shown), ["file"], "nothing was made on the host")


def test_traps(tap, d, shown):
    way = os.path.dirname(shown)
    for name, code in TRAPS.items():
        s = d.open(ro=[shown])
        before = s.value(MOUNTS)
        s.run(f"way = {way!r}; os.rename(way, way + '-moved'); {code}")
        r = s.ask_fork()
        if not tap.equal(r.status, 201, f"{name} on the way: it is forked", r):
            continue
        f = type(s)(d, r.json["id"])
        tap.equal(f.value(MOUNTS), before, "... and nothing is mounted elsewhere")
        tap.equal(f.value("6 * 7"), 42, "... and it works")
        f.close()
        s.close()


def test(tap):
    top = tempfile.mkdtemp(prefix="gbforks-", dir="/tmp")
    os.chmod(top, 0o755)
    shown = os.path.join(top, "way", "shown")
    os.makedirs(shown)
    with open(os.path.join(shown, "file"), "w") as f:
        f.write("shown")
    try:
        with Families("--allow", "host-files") as d:
            test_shown(tap, d, shown)
            test_traps(tap, d, shown)
            nothing_left(tap, d, "views")
    finally:
        shutil.rmtree(top)
