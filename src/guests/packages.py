# SPDX-License-Identifier: Apache-2.0
# Python was started with -S: `site` does its work when something first asks for more than the standard library. In
# one text with what runs a program, cells or cases.
import sys
from _thread import RLock

# Other systems' modules, which the standard library tries first: no package has them.
ELSEWHERE = ("msvcrt", "nt", "org", "vms_lib", "winreg", "_winapi", "_winreg")

site_lock, site_begun = RLock(), []


def load_site():
    with site_lock:
        if site_begun:
            return
        site_begun.append(True)
        # Python does this before the program's folder is in the path, so no file of that is imported here.
        first, sys.path[:1] = sys.path[:1], []
        import site
        site.main()
        sys.path[:0] = first
        sys.meta_path[:] = [f for f in sys.meta_path if f is not PackageFinder]


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
