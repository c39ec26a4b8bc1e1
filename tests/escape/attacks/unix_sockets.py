# SPDX-License-Identifier: Apache-2.0
# source: container lore: /run/docker.sock is root on the host; D-Bus and ssh-agent are nearly that
# stopped-by: root
# expect: ENOENT
# then: seccomp
# expect-then: EAFNOSUPPORT
# denied-then: socket(AF_UNIX)
# bare: yes
import glob
import socket
import kit


def reach(path):
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(path)


paths = ["/run/docker.sock", "/var/run/docker.sock", "/run/containerd/containerd.sock",
         "/run/podman/podman.sock", "/run/dbus/system_bus_socket", "/run/systemd/private",
         "/run/user/0/bus", "/tmp/.X11-unix/X0", *glob.glob("/tmp/ssh-*/agent.*")]
kit.judge(**{path: kit.attempt(reach, path) for path in [kit.canary("SOCKET")] + paths})
