# SPDX-License-Identifier: Apache-2.0
#
# Runs in a jail with a network: downloads the wheels that the arguments ask for, with pip, into the
# workspace, and writes facts.json about this Python.
import glob
import json
import os
import runpy
import shutil
import sys
import sysconfig


def facts():
    scheme = {"base": "", "platbase": "", "installed_base": "", "installed_platbase": ""}
    return {
        "version": "%d.%d.%d" % sys.version_info[:3],
        "tag": sys.implementation.cache_tag,
        "kind": sysconfig.get_config_var("SOABI") or sys.implementation.cache_tag,
        "purelib": sysconfig.get_path("purelib", "posix_prefix", scheme).strip("/"),
    }


def has_pip():
    try:
        import pip  # noqa: F401
        return True
    except ImportError:
        pass
    try:
        import ensurepip
        places = [os.path.join(os.path.dirname(ensurepip.__file__), "_bundled")]
    except ImportError:
        places = []
    for place in places + ["/usr/share/python-wheels"]:
        found = sorted(glob.glob(os.path.join(place, "pip-*.whl")))
        if found:
            sys.path.insert(0, found[-1])
            return True
    return False


class Told:
    """pip's output, with the lines that tell about progress marked for the user."""
    def __init__(self, out):
        self.out = out

    def write(self, text):
        for line in text.splitlines(True):
            word = line.strip()
            if word.startswith(("Downloading ", "Processing ")):
                word = word.split()
                self.out.write("> %s %s\n" % (word[0].lower(), " ".join(word[1:]).rsplit("/", 1)[-1]))
            self.out.write(line)
        return len(text)

    def __getattr__(self, name):
        return getattr(self.out, name)


def copy_stored(link, location):
    """Copies a wheel that the store has, if its hash is the one that the index names."""
    stored = os.path.join("/mnt/wheels", str(link.hash), link.filename)
    if link.hash_name != "sha256" or not os.path.isfile(stored):
        return None
    return shutil.copy(stored, os.path.join(location, link.filename)), "application/zip"


def use_stored():
    """Makes pip take from the store what it would download. Another pip may have other names for
    this; then it downloads the wheel again."""
    try:
        from pip._internal.network.download import Downloader
        download = Downloader.__call__
        Downloader.__call__ = lambda self, link, location: \
            copy_stored(link, location) or download(self, link, location)
    except (ImportError, AttributeError):
        pass


def main(wanted):
    with open("facts.json", "w") as f:
        json.dump(facts(), f)
    if not wanted:
        return
    if not has_pip():
        print("glovebox: no pip")
        sys.exit(3)
    use_stored()
    sys.stdout = Told(sys.stdout)
    sys.argv = ["pip", "download", "--dest", ".", "--only-binary", ":all:", "--no-cache-dir",
                "--progress-bar", "off", "--no-input", "--disable-pip-version-check", *wanted]
    runpy.run_module("pip", run_name="__main__", alter_sys=True)


main(sys.argv[1:])
