# SPDX-License-Identifier: Apache-2.0
# source: CVE-2022-0492, Felix Wilhelm's escape: release_agent is run by the kernel as root outside
# stopped-by: root
# expect: ENOENT EPERM EACCES
# then: landlock
import glob
import kit

tries = {"mount cgroup": kit.call("mount", b"none", b"/tmp", b"cgroup", 0, b"rdma")}
for path in ["/sys/fs/cgroup/release_agent", "/sys/fs/cgroup/memory/release_agent",
             *glob.glob("/sys/fs/cgroup/*/release_agent"), *glob.glob("/sys/fs/cgroup/*/tasks"),
             "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/pids/cgroup.procs"]:
    tries[path] = kit.attempt(open, path, "w")
kit.judge(**tries)
