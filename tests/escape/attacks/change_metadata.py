# SPDX-License-Identifier: Apache-2.0
# source: landlock(7), "Current limitations": chmod, chown, utime and setxattr are not mediated
# args: --ro {data}
# stopped-by: root
# then: seccomp
# expect: ENOENT EROFS EPERM ENOTSUP ENOSYS ENOTTY
# expect-then: ENOENT EPERM ENOTSUP ENOSYS ENOTTY EACCES
# denied-then: chmod, fchmod, utimensat, fchownat
# bare: yes
import ctypes
import fcntl
import os
import struct
import kit

AT, NOFOLLOW, EMPTY, HERE = kit.AT_FDCWD, 0x100, 0x1000, b"user.canary"
kit.libc.syscall.argtypes = None
mine = [os.getuid(), os.getgid()]
times = struct.pack("=qqqq", 1, 0, 1, 0)
one = ctypes.create_string_buffer(b"1")
described = struct.pack("=QII", ctypes.addressof(one), 1, 0)
tries = {}


def by_path(kind, path, dirfd=AT):
    """Every call that takes a path. A link of our own may be changed itself."""
    p, own = os.fsencode(path), kind.startswith("link") and path == kind
    for name, args in {
            "chmod": (p, 0o666), "fchmodat": (dirfd, p, 0o666), "fchmodat2": (dirfd, p, 0o666, 0),
            "chown": (p, *mine), "lchown": (p, *mine), "fchownat": (dirfd, p, *mine, 0), "utime": (p, times),
            "utimes": (p, times), "futimesat": (dirfd, p, times), "utimensat": (dirfd, p, times, 0),
            "setxattr": (p, HERE, one, 1, 0), "lsetxattr": (p, HERE, one, 1, 0),
            "setxattrat": (dirfd, p, 0, HERE, described, 16), "removexattr": (p, HERE), "lremovexattr": (p, HERE),
            "removexattrat": (dirfd, p, 0, HERE), "file_setattr": (dirfd, p, bytes(32), 24, 0)}.items():
        if not own or name != "lchown":
            tries[kind + "-" + name] = kit.call(name, *args)
    if own:
        return
    tries[kind + "-nofollow"] = kit.call("fchmodat2", dirfd, p, 0o666, NOFOLLOW)
    tries[kind + "-times-nofollow"] = kit.call("utimensat", dirfd, p, times, NOFOLLOW)


def by_descriptor(kind, fd):
    for name, args in {
            "fchmod": (fd, 0o666), "fchown": (fd, *mine), "utimensat": (fd, None, times, 0),
            "fsetxattr": (fd, HERE, one, 1, 0), "fremovexattr": (fd, HERE),
            "fchmodat2": (fd, b"", 0o666, EMPTY), "fchownat": (fd, b"", *mine, EMPTY),
            "setxattrat": (fd, b"", EMPTY, HERE, described, 16)}.items():
        tries[kind + "-" + name] = kit.call(name, *args)
    tries[kind + "-times-empty"] = kit.call("utimensat", fd, b"", times, EMPTY)
    for request in (0x40086602, 0x401c5820):  # FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR
        tries["%s-%x" % (kind, request)] = kit.attempt(fcntl.ioctl, fd, request, bytes(32))
    for link in ("/proc/self/fd/%d", "/proc/thread-self/fd/%d", "/dev/fd/%d"):
        tries[kind + link] = kit.attempt(os.chmod, link % fd, 0o666)
        tries[kind + link + "t"] = kit.attempt(os.utime, link % fd, (1, 1))


outside, view = kit.canary("WRITABLE"), kit.canary("VIEW")
if not os.path.exists(view):
    view = "/data"
for kind, path in (("file", outside), ("folder", os.path.dirname(kit.canary("SECRET"))), ("view", view + "/data")):
    by_path(kind, path)
    link = "link-" + kind
    os.symlink(path, link)
    by_path(link, link)
    by_path(link + "-cwd", os.path.relpath(path, os.getcwd()))
    try:
        held = os.open(path, os.O_PATH)
    except OSError:
        continue
    by_descriptor(kind + "-path", held)
    folder = os.open(os.path.dirname(path), os.O_PATH)
    by_path(kind + "-at", os.path.basename(path), folder)
for kind, path in (("view", view + "/data"), ("view-folder", view)):
    by_descriptor(kind + "-read", os.open(path, os.O_RDONLY))
# The C library's chmod that follows no link goes through /proc/self/fd; those calls of no file at all answer so.
kit.judge(**{name.replace("-", "_").replace("/", "_").replace("%", "_"): result for name, result in tries.items()
             if result not in (-2, -20, -9) or name.startswith("file")})
