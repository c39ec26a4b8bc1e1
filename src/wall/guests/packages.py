# SPDX-License-Identifier: Apache-2.0
# Python was started with -S: `site` does its work when the program first needs more than the standard library. In
# one text with the code that runs a program, cells or cases.
import sys
from _operator import itemgetter
from _thread import RLock
from posix import environ

# Modules of other systems, which the standard library tries first: no package has them.
ELSEWHERE = ("msvcrt", "nt", "org", "vms_lib", "winreg", "_winapi", "_winreg")

site_lock, site_begun = RLock(), []


def load_site():
    with site_lock:
        if site_begun:
            return
        site_begun.append(True)
        # Python does this before the program's folder is in the path, so no file of that folder is imported here.
        first, sys.path[:1] = sys.path[:1], []
        import site
        site.main()
        sys.path[:0] = first
        sys.meta_path[:] = [f for f in sys.meta_path if f is not PackageFinder]


# Libraries pass the interpreter's flags to their child processes (subprocess._args_from_interpreter_flags). They must
# not pass our -S, -s and -I, or the children would find no package. No instance of the real type can be made.
def ordinary_flags():
    real = sys.flags
    ours = {"no_site"} if b"PYTHONNOUSERSITE" in environ else {"no_site", "no_user_site"}
    if real.isolated:
        ours |= {"isolated", "ignore_environment", "safe_path"}
    names = [field.partition("=")[0] for field in repr(real)[len("sys.flags("):-1].split(", ")]
    members = {name: property(itemgetter(at)) for at, name in enumerate(names)}
    members.update((name, getattr(real, name)) for name in ("n_fields", "n_sequence_fields", "n_unnamed_fields"))
    members.update(__slots__=(), __module__="sys", __match_args__=tuple(names), __repr__=lambda self: (
        "sys.flags(%s)" % ", ".join("%s=%r" % field for field in zip(names, self))))
    return type("flags", (tuple,), members)(
        type(value)(0) if name in ours else value for name, value in zip(names, real))


sys.flags = ordinary_flags()


class PackageFinder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if path is not None or name in ELSEWHERE:
            return None
        load_site()
        from importlib.machinery import PathFinder
        return PathFinder.find_spec(name, path, target)

    @staticmethod
    def find_distributions(context=None):
        load_site()
        from importlib.metadata import MetadataPathFinder
        return MetadataPathFinder.find_distributions(context)
