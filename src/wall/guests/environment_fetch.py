# SPDX-License-Identifier: Apache-2.0
#
# Runs in a jail with a network: downloads the wheels that the arguments ask for into the workspace, and
# writes facts.json about this Python. The first argument is the path of uv, which then finds the
# versions; if it is empty, pip does all.
import glob
import json
import os
import re
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


def run_pip(wanted):
    if not has_pip():
        print("glovebox: no pip")
        sys.exit(3)
    use_stored()
    sys.stdout = Told(sys.stdout)
    sys.argv = ["pip", "download", "--dest", ".", "--only-binary", ":all:", "--no-cache-dir",
                "--progress-bar", "off", "--no-input", "--disable-pip-version-check", *wanted]
    runpy.run_module("pip", run_name="__main__", alter_sys=True)


# ---- uv ----

def translate_settings():
    """pip's settings, for uv and for urllib, unless the user has set theirs."""
    for theirs, ours in (("PIP_INDEX_URL", "UV_DEFAULT_INDEX"), ("PIP_EXTRA_INDEX_URL", "UV_INDEX"),
                         ("PIP_TRUSTED_HOST", "UV_INSECURE_HOST"), ("PIP_CERT", "SSL_CERT_FILE"),
                         ("PIP_PROXY", "HTTPS_PROXY"), ("PIP_PROXY", "HTTP_PROXY")):
        if os.environ.get(theirs):
            os.environ.setdefault(ours, os.environ[theirs])
    os.environ.update(UV_NO_CONFIG="1", UV_CACHE_DIR="/tmp/uv", UV_PYTHON_DOWNLOADS="never")


def suits(wheel):
    """The order of wheels that this Python can use: uv lists no others."""
    _, python, abi, platform = wheel[0].rsplit("/", 1)[-1][:-len(".whl")].rsplit("-", 3)
    kind = 3 if abi.startswith("cp") else 2 if "abi3" in abi else platform != "any"
    return kind, [int(n) for n in re.findall("[0-9]+", python)], [int(n) for n in re.findall("[0-9]+", platform)]


def find_wheels(uv, wanted):
    """(address, SHA-256) of each wheel, by the lock that uv writes."""
    import subprocess
    with open("/tmp/wanted.txt", "w") as f:
        f.write("\n".join(wanted) + "\n")
    links = [w for word in os.environ.get("PIP_FIND_LINKS", "").split()[1:] for w in ("--find-links", word)]
    command = [uv, "pip", "compile", "--format", "pylock.toml", "--no-build", "--no-progress", "--color", "never",
               "--python", sys.executable, *links, "--output-file", "/tmp/pylock.toml", "/tmp/wanted.txt"]
    done = subprocess.run(command, stdout=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(done.returncode)
    with open("/tmp/pylock.toml") as f:
        packages = f.read().split("[[packages]]")[1:]
    found = [re.findall(r'\{ (?:name = "[^"]*", )?(?:url|path) = "([^"]+\.whl)"[^{}]*'
                        r'hashes = \{ sha256 = "([0-9a-f]{64})" \} \}', package) for package in packages]
    return [max(wheels, key=suits) for wheels in found if wheels]


def download(address, sha256):
    import hashlib
    import time
    import urllib.parse
    import urllib.request
    name = urllib.parse.unquote(address.rsplit("/", 1)[-1])
    stored = os.path.join("/mnt/wheels", sha256, name)
    if os.path.isfile(stored):
        shutil.copy(stored, name)
        return
    print("> downloading %s" % name, flush=True)
    if "://" not in address:
        address = "file://" + os.path.abspath(address)
    for attempt in range(3):
        try:
            hash = hashlib.sha256()
            with urllib.request.urlopen(address, timeout=60) as source, open(name, "wb") as out:
                for piece in iter(lambda: source.read(1 << 18), b""):
                    hash.update(piece)
                    out.write(piece)
            break
        except OSError as e:
            if attempt == 2:
                sys.exit("error: cannot download %s: %s" % (name, e))
            time.sleep(attempt + 1)
    if hash.hexdigest() != sha256:
        sys.exit("error: %s has another SHA-256 than the index says" % name)


def run_uv(uv, wanted):
    from concurrent.futures import ThreadPoolExecutor
    translate_settings()
    wheels = find_wheels(uv, wanted)
    with ThreadPoolExecutor(8) as pool:
        for _ in pool.map(download, *zip(*wheels)):
            pass


def main(uv, wanted):
    with open("facts.json", "w") as f:
        json.dump(facts(), f)
    if wanted and uv:
        run_uv(uv, wanted)
    elif wanted:
        run_pip(wanted)


main(sys.argv[1], sys.argv[2:])
