# SPDX-License-Identifier: Apache-2.0
"""What the Python attacks share; laid beside each of them in the workspace.

An attack prints one verdict line and ends:

    HELD EPERM            the wall held, and how the kernel said no
    ESCAPED read ...      the wall did not hold, and what was got

Raw system calls are made by number, because libc hides some and changes others.
"""
import ctypes
import errno
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long

# x86-64, arm64; -1 where the architecture never had it.
_NUMBERS = {
    "acct": (163, 89), "add_key": (248, 217), "adjtimex": (159, 171), "bpf": (321, 280),
    "capset": (126, 91), "chmod": (90, -1), "chown": (92, -1), "chroot": (161, 51),
    "clock_settime": (227, 112), "clone": (56, 220), "delete_module": (176, 106),
    "execveat": (322, 281), "fallocate": (285, 47), "fanotify_init": (300, 262),
    "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452), "fchown": (93, 55),
    "fchownat": (260, 54), "file_setattr": (469, 469), "finit_module": (313, 273),
    "fremovexattr": (199, 16), "fsetxattr": (190, 7), "fsmount": (432, 432),
    "fsopen": (430, 430), "futimesat": (261, -1), "getpid": (39, 172), "init_module": (175, 105),
    "io_uring_setup": (425, 425), "ioperm": (173, -1), "iopl": (172, -1),
    "kcmp": (312, 272), "kexec_file_load": (320, 294), "kexec_load": (246, 104),
    "keyctl": (250, 219), "lchown": (94, -1), "lookup_dcookie": (212, 18),
    "lremovexattr": (198, 15), "lsetxattr": (189, 6), "memfd_create": (319, 279),
    "memfd_secret": (447, 447), "modify_ldt": (154, -1), "mount": (165, 40),
    "mount_setattr": (442, 442), "move_mount": (429, 429), "mq_open": (240, 180),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "open_tree": (428, 428),
    "perf_event_open": (298, 241), "personality": (135, 92), "pidfd_getfd": (438, 438),
    "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424), "pivot_root": (155, 41),
    "prctl": (157, 167), "process_madvise": (440, 440), "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271), "ptrace": (101, 117), "quotactl": (179, 60),
    "reboot": (169, 142), "removexattr": (197, 14), "removexattrat": (466, 466),
    "request_key": (249, 218), "sched_setscheduler": (144, 119),
    "seccomp": (317, 277), "sethostname": (170, 161), "setns": (308, 268),
    "settimeofday": (164, 170), "setxattr": (188, 5), "setxattrat": (463, 463),
    "swapoff": (168, 225),
    "swapon": (167, 224), "syslog": (103, 116), "umount2": (166, 39), "unshare": (272, 97),
    "truncate": (76, 45), "userfaultfd": (323, 282), "utime": (132, -1), "utimensat": (280, 88),
    "utimes": (235, -1), "vhangup": (153, 58),
}
AT_FDCWD = -100
_ARCH = {"x86_64": 0, "aarch64": 1}[os.uname().machine]


def name_of(error):
    return errno.errorcode.get(error, "E%d" % error)


def call(name, *args):
    """A raw system call: its result, or the negative errno."""
    values = [ctypes.c_char_p(a) if isinstance(a, bytes)
              else a if isinstance(a, ctypes.Array) or hasattr(a, "_obj")
              else ctypes.c_long(0 if a is None else a) for a in args]
    result = libc.syscall(ctypes.c_long(_NUMBERS[name][_ARCH]), *values)
    return result if result >= 0 else -ctypes.get_errno()


def attempt(function, *args, **named):
    """function(...): what it returned, as a number >= 0 where it worked, or the negative errno."""
    try:
        result = function(*args, **named)
    except OSError as e:
        return -(e.errno or errno.EIO)
    except ValueError:
        return -errno.EPERM
    return result if isinstance(result, int) and result >= 0 else 0


def held(*reasons):
    print("HELD", *reasons, flush=True)
    os._exit(0)


def escaped(*what):
    print("ESCAPED", *what, flush=True)
    os._exit(0)


def judge(**tries):
    """Each try by name, as call() or attempt() gave it: any that worked is an escape."""
    for name, result in tries.items():
        if result >= 0:
            escaped(name)
    held(*sorted({name_of(-result) for result in tries.values()}))


def canary(name):
    """What the runner tells of its canaries: a path, a number, a name."""
    return os.environ["CANARY_" + name]


def view():
    """The folder that --ro shows: as /data, or the host's own path where there is no root."""
    return "/data" if os.path.isdir("/data") else canary("VIEW")


def read(path, size=65536):
    """The bytes of a file, or the negative errno."""
    try:
        with open(path, "rb", buffering=0) as f:
            return f.read(size) or b""
    except OSError as e:
        return -(e.errno or errno.EIO)


def is_secret(found):
    return isinstance(found, bytes) and b"CANARY" + b"-" in found


def judge_reads(paths):
    """Reads each path: a canary in one of them is an escape, an errno from all is the wall."""
    errors = set()
    for path in paths:
        found = read(path)
        if is_secret(found):
            escaped("read", path)
        errors.add("nothing" if isinstance(found, bytes) else name_of(-found))
    held(*sorted(errors))


def judge_writes(paths, data=b"overwritten\n"):
    """Opens each path for writing and writes: success anywhere is an escape."""
    errors = set()
    for path in paths:
        try:
            fd = os.open(path, os.O_WRONLY)
            os.write(fd, data)
            escaped("wrote", path)
        except OSError as e:
            errors.add(name_of(e.errno))
    held(*sorted(errors))


sys.stdout.reconfigure(line_buffering=True)
