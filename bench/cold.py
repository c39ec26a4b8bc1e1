# SPDX-License-Identifier: Apache-2.0
"""Whole commands: what `glovebox run` takes from its start to its end, beside bare Python and other sandboxes."""

import os
import shutil
import subprocess
import threading
import time

import common
import others


def interleave(title, rows, rounds=common.ROUNDS, before=()):
    """rows: [(name, command, each so many rounds)]. {name: (p50, p99)}; the first is what ratios are of."""
    words = [word for name, command, every in rows for word in (str(every), name, " ".join(command))]
    said = subprocess.run([*before, common.program("bench/interleave"), str(rounds), *words], env=common.ENV,
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    table, found = common.Table(title, "p50 ms", "p99 ms", "cpu ms", "ratio"), {}
    for line in said.splitlines():
        name, _, half, most, cpu, *failed = line.split("\t")
        found[name] = (float(half), float(most))
        base = next(iter(found.values()))[0]
        table.row(name, *map(float, (half, most, cpu)), "%.2f" % (float(half) / base), note=" ".join(failed))
    return found


ROWS = [
    ("python3 -I -c 'print(1)'", others.bare(), 1),
    ("python3 -I -S -c 'print(1)'", others.bare("-S"), 1),
    ("glovebox run, every layer, log on", [common.BOX, "run", "--no-daemon", common.ONE], 1),
    ("glovebox run, every layer, --log off", [common.BOX, "run", "--no-daemon", "--log", "off", common.ONE], 1),
]


def beside(table_rows, with_docker=True):
    rows, missing = list(table_rows), []
    for name, command, why, every in others.all_commands():
        if name.startswith("docker") and not with_docker:
            continue
        if command:
            rows.append((name, command, every))
        else:
            missing.append(why)
    return rows, missing


def summary(found, where):
    box = found["glovebox run, every layer, log on"]
    bare, small = found[ROWS[0][0]], found[ROWS[1][0]]
    rest = ", ".join("%s %.2f x" % (name.split()[0].strip(","), half / bare[0]) for name, (half, _) in found.items()
                     if "glovebox" not in name and "python3" not in name)
    common.budget("cold run%s" % where, "1.00 x python3 -I",
                  "%.2f x (%s ms)" % (box[0] / bare[0], common.figure(box[0])), box[0] <= bare[0], rest)
    common.budget("", "1.25 x python3 -I -S", "%.2f x" % (box[0] / small[0]), box[0] <= 1.25 * small[0])


def cold():
    rows, missing = beside(ROWS)
    found = interleave("Cold run of print(1), whole commands in turn (ratio: of the first row)", rows)
    for why in missing:
        common.Table.remark(why)
    summary(found, "")


def without_pth():
    """On a host whose Python has no .pth files: they are hidden in a mount namespace."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        print("\nWithout .pth files: needs root to hide them")
        return
    text = "import os, site; print(*filter(os.path.isdir, site.getsitepackages()))"
    folders = subprocess.run([common.PYTHON, "-S", "-c", text], stdout=subprocess.PIPE, text=True).stdout.split()
    hide = 'for folder in %s; do mount -t tmpfs none "$folder"; done; exec "$@"' % " ".join(folders)
    rows, _ = beside(ROWS, with_docker=False)
    found = interleave("The same where Python has no .pth files and no packages", rows,
                       before=("unshare", "-m", "sh", "-c", hide, "sh"))
    summary(found, ", no .pth files")


def commands_for(seconds, at_once, command):
    """How many whole commands end in that time, so many at once."""
    until, counts = time.monotonic() + seconds, []

    def work():
        n = 0
        while time.monotonic() < until:
            common.spawn(command)
            n += 1
        counts.append(n)
    threads = [threading.Thread(target=work) for _ in range(at_once)]
    begin = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.monotonic() - begin)


def parallel():
    table = common.Table("Cold runs a second, --log off", "runs/s")
    command = [common.BOX, "run", "--no-daemon", "--log", "off", common.ONE]
    for at_once in (1, 2):
        table.row("%d at a time" % at_once, commands_for(3, at_once, command))
