# SPDX-License-Identifier: Apache-2.0
"""How the time of a run grows with the files that go in and come out."""

import os

import cold
import common


def data(name, sizes):
    place = os.path.join(common.folder, name)
    os.mkdir(place)
    for i, size in enumerate(sizes):
        with open(os.path.join(place, "%d.bin" % i), "wb") as f:
            f.write(os.urandom(size))
    return place


def workspace():
    box = [common.BOX, "run", "--no-daemon", "--log", "off", "--memory", "1g"]
    rows = []
    for mib in (0, 1, 16, 64):
        files = data("data%d" % mib, [mib << 20])
        rows.append(("--file with %d MiB" % mib, [*box, "--file", files + ":in", common.ONE], 1))
    rows.append(("--file with 1000 small files", [*box, "--file", data("many", [4] * 1000) + ":in", common.ONE], 1))
    write = os.path.join(common.folder, "write.py")
    with open(write, "w") as f:
        f.write('open("out.bin", "wb").write(b"x" * (64 << 20))\n')
    rows.append(("64 MiB written, collected and hashed", [*box, write], 1))
    cold.interleave("How a cold run grows with the workspace", rows, rounds=common.ROUNDS // 5 + 1)
