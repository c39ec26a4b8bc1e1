#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The network by name (--net allow:), in namespaces of the test's own: run.py [PART...]. reach: what is reached and
refused. tricks: rebinding, redirects, fronting, slow peers, many connections, a proxy that dies. sessions: with a daemon. user: the same as an
ordinary user."""
import importlib
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "python")]

from tap import run_parts  # noqa: E402

PARTS = {"reach": ("reach", False), "tricks": ("tricks", False), "sessions": ("sessions", False), "user": ("reach", True)}
INSIDE = "NET_INSIDE"


def part(world, name, as_user):
    module = importlib.import_module(name)

    def test(t):
        world.as_user = as_user
        for key, function in list(vars(module).items()):
            if key.startswith("test_"):
                function(t, world)

    test.__module__ = name
    return test


def main():
    if INSIDE not in os.environ:
        if os.geteuid() != 0:
            print("ok 1 - namespaces # SKIP needs root, to make a network of its own\n1..1")
            return 0
        os.execvpe("unshare", ["unshare", "--net", "--mount", sys.executable, os.path.abspath(__file__), *sys.argv[1:]], {**os.environ, INSIDE: "1"})
    import world
    world.make()
    here = world.World(os.environ.get("GLOVEBOX", os.path.join(os.path.dirname(os.path.dirname(HERE)), "build", "glovebox")))
    return run_parts({name: part(here, *PARTS[name]) for name in sys.argv[1:] or PARTS})


if __name__ == "__main__":
    sys.exit(main())
