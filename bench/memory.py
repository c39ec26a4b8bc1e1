# SPDX-License-Identifier: Apache-2.0
"""What an idle session costs: private memory and page tables of its processes, and what its control group is
charged, as the kernel tells."""

import os
import re

import common
import fork
from daemon import Daemon

COUNT = 20
NAMESPACE = "import os\nprint(os.readlink('/proc/self/ns/pid'))"


def in_kib(text, pattern):
    return sum(int(number) for number in re.findall(pattern, text, re.M))


def read(path):
    try:
        with open(path) as f:
            return f.read()
    except OSError:
        return ""


class Cost:
    """In KiB: of the guest, of its init, and of their control group."""

    def __init__(self, pids):
        self.guest, self.init, self.tables, self.group = 0, 0, 0, None
        for pid in pids:
            private = in_kib(read("/proc/%d/smaps_rollup" % pid), r"^Private_(?:Clean|Dirty|Hugetlb): *(\d+)")
            status = read("/proc/%d/status" % pid)
            tables = in_kib(status, r"^VmPTE:\s*(\d+)")
            if re.search(r"^NSpid:.*\s1$", status, re.M):
                self.init += private + tables
            else:
                self.guest += private
                self.tables += tables
            self.group = self.group or charge(pid)


def charge(pid):
    """KiB that the memory controller holds against this process's group."""
    for line in read("/proc/%d/cgroup" % pid).splitlines():
        _, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            used = read("/sys/fs/cgroup/memory%s/memory.usage_in_bytes" % path)
        elif not controllers:
            used = read("/sys/fs/cgroup%s/memory.current" % path)
        else:
            continue
        if used and "glovebox" in path:
            return int(used) // 1024
    return None


def costs(daemon):
    """{pid namespace: Cost} of all that the daemon has at this moment."""
    found = {}
    for pid, _ in daemon.descendants():
        try:
            found.setdefault(os.readlink("/proc/%d/ns/pid" % pid), []).append(pid)
        except OSError:
            pass
    return {name: Cost(pids) for name, pids in found.items()}


def mean(values):
    values = [v for v in values if v is not None]
    return sum(values) / len(values) if values else None


def row(table, name, found, namespaces, daemon_kib=None):
    found = [found[n] for n in namespaces if n in found]
    private = mean([c.guest for c in found])
    table.row(name, private, mean([c.tables for c in found]), mean([c.init for c in found]),
              mean([c.group for c in found]), daemon_kib)
    return private


def forks(daemon, table):
    """What a fork of a session with 64 MiB of state has for itself."""
    original = daemon.session(forks=1, memory_bytes=1 << 30)
    daemon.cell(original, "held = [bytearray(b'x') * (1 << 20) for _ in range(64)]")
    status, doc, _ = daemon.ask("POST", original + "/fork", {})
    if status != 201:
        table.remark("forks: " + fork.reason(status, doc))
        return
    other = "/v1/sessions/" + doc["id"]
    before = costs(daemon)
    namespace = daemon.cell(other, NAMESPACE)[0]["stdout"].strip()
    row(table, "an idle fork of one with 64 MiB", before, [namespace])


def memory():
    table = common.Table("An idle Python session, KiB, mean of %d on one daemon" % COUNT,
                         "private", "its tables", "its init", "group", "daemon")
    with Daemon() as daemon:
        daemon.ask("DELETE", daemon.session())
        before = daemon.resident()
        sessions = [daemon.session() for _ in range(COUNT)]
        grown = (daemon.resident() - before) / 1024 / COUNT
        fresh = costs(daemon)
        namespaces = [daemon.cell(s, NAMESPACE)[0]["stdout"].strip() for s in sessions]
        private = row(table, "as opened", fresh, namespaces, grown)
        row(table, "after a first cell", costs(daemon), namespaces)
        common.budget("idle session, private memory", "768 KiB", common.figure(private, " KiB"), private <= 768,
                      "25 MiB: a VM's, by report")
        forks(daemon, table)
    for line in ("private: what the guest's process shares with nobody; its tables: its page tables",
                 "its init: pid 1 of its jail, with tables; daemon: what the daemon itself grew by",
                 "group: all that its memory group is charged, the kernel's included"):
        table.remark(line)
