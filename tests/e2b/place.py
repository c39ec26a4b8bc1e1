# SPDX-License-Identifier: Apache-2.0
"""The place of a sandbox: namespaces with a home and a /tmp of its own, no network, and no process after its end."""

import ctypes
import fcntl
import os
import signal
import socket
import stat
import struct

NEWNS, NEWIPC, NEWUSER, NEWPID, NEWNET = 0x20000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
BIND, REC, PRIVATE = 0x1000, 0x4000, 0x40000
PR_SET_PDEATHSIG, PR_CAPBSET_DROP = 1, 24
CONTAINERS = {0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31}  # numbers of capabilities
MOUNT_SETATTR, AT_RECURSIVE, RDONLY = 442, 0x8000, 1  # the number is the same everywhere
OWN = ("root", "home", "tmp")  # folders of the sandbox in place of the host's
USER, HOME, UID = "user", "/home/user", 1000
TOOLS = "/home/.standin/bin"
PATH = TOOLS + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PASSWD = "root:x:0:0:root:/root:/bin/bash\nuser:x:%d:%d::/home/user:/bin/bash\n" % (UID, UID)
GROUP = "root:x:0:\nuser:x:%d:\n" % UID

libc = ctypes.CDLL(None, use_errno=True)


def check(result, what):
    if result:
        error = ctypes.get_errno()
        raise OSError(error, "%s: %s" % (what, os.strerror(error)))


def mount(source, target, kind, flags):
    check(libc.mount(source.encode(), target.encode(), kind and kind.encode(), ctypes.c_ulong(flags), None),
          "mount " + target)


def end_with_parent():
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def write(path, text, mode=0o644):
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)


def map_users(process, root):
    """Root's namespace has all users; anybody else's has only themselves, as `user`."""
    every = "0 0 4294967295"
    texts = [("uid_map", every), ("gid_map", every)] if root else [
        ("setgroups", "deny"), ("uid_map", "%d %d 1" % (UID, os.geteuid())),
        ("gid_map", "%d %d 1" % (UID, os.getegid()))]
    for name, text in texts:
        with open("/proc/%d/%s" % (process, name), "w") as f:
            f.write(text)


def new_user(root):
    """A user namespace in which this process may mount. A child from outside writes the map of all users."""
    process, (waits, tells) = os.getpid(), os.pipe()
    child = os.fork()
    if not child:
        os.close(tells)
        os.read(waits, 1)
        if root:
            map_users(process, root)
        os._exit(0)
    check(libc.unshare(NEWUSER | NEWNS | NEWIPC | NEWPID | NEWNET), "unshare")
    os.close(tells)
    os.waitpid(child, 0)
    if not root:
        map_users(process, root)


def loopback_up():
    """SIOCSIFFLAGS of `lo`: up and running."""
    with socket.socket() as s:
        fcntl.ioctl(s, 0x8914, struct.pack("16sH14x", b"lo", 0x41))


def protect_host():
    """The root of a sandbox is no root of this machine: its files are read-only."""
    own = [("/" + name, 0, RDONLY, 0) for name in OWN]
    for path, added, removed, flags in [("/", RDONLY, 0, AT_RECURSIVE), *own]:
        attributes = (ctypes.c_uint64 * 4)(added, removed, 0, 0)
        check(libc.syscall(MOUNT_SETATTR, -100, path.encode(), flags, attributes, 32), "mount_setattr")


def furnish(folder, tools, root):
    """The folder's content, unless it is a copy that has it already."""
    for name in ("home/user", "home/.standin/bin", "root", "tmp"):
        os.makedirs(os.path.join(folder, name), exist_ok=True)
    os.chmod(folder, 0o755)
    os.chmod(folder + "/tmp", stat.S_ISVTX | 0o777)
    write(folder + "/passwd", PASSWD)
    write(folder + "/group", GROUP)
    for name, text in tools.items():
        write(os.path.join(folder, "home/.standin/bin", name), text, 0o755)
    if root:
        os.chown(folder + "/home/user", UID, UID)


def move_in(folder, tools, plain=False):
    """Makes this process's child the first of a sandbox in `folder`; returns in it, and never in the parent."""
    root = os.geteuid() == 0
    furnish(folder, tools, root)
    os.umask(0o022)
    new_user(root)
    mount("none", "/", None, REC | PRIVATE)
    for name, target in [(n, "/etc/" + n) for n in ("passwd", "group")] + [(n, "/" + n) for n in OWN]:
        mount(os.path.join(folder, name), target, None, BIND | REC)
    protect_host()
    mount("shm", "/dev/shm", "tmpfs", 0)
    child = os.fork()
    if child:
        os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 255)
    end_with_parent()
    try:
        mount("proc", "/proc", "proc", 0)
    except OSError:  # where /proc is partly hidden: the host's, seen from outside
        pass
    loopback_up()
    if plain:
        take_root()
        become_container()
    os.chdir(HOME)


def take_root():
    """A root folder in which new folders can be made, over the same content."""
    root = "/tmp/.root"
    os.mkdir(root)
    mount("root", root, "tmpfs", 0)
    for name in os.listdir("/"):
        path = "/" + name
        if os.path.islink(path):
            os.symlink(os.readlink(path), root + path)
        elif os.path.isdir(path):
            os.mkdir(root + path)
            mount(path, root + path, None, BIND if name == "tmp" else BIND | REC)
    os.chroot(root)


def become_container():
    """Its root has the capabilities of a usual container: it mounts nothing and makes no namespaces."""
    for capability in set(range(41)) - CONTAINERS:
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    with open("/proc/sys/user/max_user_namespaces", "w") as f:
        f.write("0")


def home_of(user):
    return "/root" if user == "root" else HOME


def give(path, user):
    """Files belong to the user who sent them."""
    if os.geteuid() == 0 and user != "root":
        os.chown(path, UID, UID)


def make_folders(path, user):
    """Those that are missing on the way to `path`, and that itself."""
    if not os.path.isdir(path):
        make_folders(os.path.dirname(path), user)
        os.mkdir(path)
        give(path, user)


def as_user(user):
    """Arguments of subprocess.Popen."""
    if os.geteuid() or user == "root":
        return {}
    return {"user": UID, "group": UID, "extra_groups": []}
