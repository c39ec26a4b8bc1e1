# SPDX-License-Identifier: Apache-2.0
"""Defaults hold without being asked for, and 0 takes each of them away."""
import resource


def test(tap, user):
    r = user.command("run", "--print-config")
    for name, value in [("timeout", "30s"), ("memory", "512m"), ("cpus", "1"), ("pids", "64"),
                        ("disk", "256m"), ("inodes", "65536"), ("open-files", "768"),
                        ("output-limit", "1m"), ("net", "none")]:
        line = next((x for x in r.out.splitlines() if x.split("=")[0].strip() == name), "")
        given = line.partition("=")[2].partition("#")[0].strip().strip('"')
        tap.ok(given in (value, value + ".0"), f"{user.name}: --print-config: {name} is {value}", line, r.out)
    r = user.run("import os, resource as r\ns = os.statvfs('/tmp')\n"
                 "print(s.f_blocks * s.f_frsize >> 20, s.f_files, r.getrlimit(r.RLIMIT_NOFILE)[0])")
    tap.equal(r.stdout, "256 65536 768\n", f"{user.name}: that is what the program finds", r)
    r = user.run("x = b'x' * (600 << 20)")
    tap.ok(r.oom_killed, f"{user.name}: 512 MiB of memory hold unasked", r)
    r = user.run("import socket\ntry: socket.create_connection(('1.1.1.1', 53), 2)\n"
                 "except OSError: print('no network')")
    tap.equal(r.stdout, "no network\n", f"{user.name}: there is no network", r)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    wanted = 2000 if most == resource.RLIM_INFINITY else min(most - 10, 2000)
    r = user.run(f"""
import os, threading, time
fds = [os.open('/dev/null', os.O_RDONLY) for _ in range({wanted})]
threads = [threading.Thread(target=time.sleep, args=(0.3,)) for _ in range(150)]
for t in threads: t.start()
for t in threads: t.join()
open('f', 'wb').write(b'x' * (300 << 20))
print('all of it')
""", *(f"--{name}=0" for name in ("timeout", "cpu-time", "memory", "cpus", "pids", "disk", "inodes",
                                  "open-files", "output-limit")))
    tap.ok(r.success and r.stdout == "all of it\n" and not r.limits, f"{user.name}: 0 is no limit", r)
