# SPDX-License-Identifier: Apache-2.0
"""The licence texts of the libraries in a wheel, from the packages of the machine that built it (Debian and what is made
from it). make-wheel puts them into the wheel's dist-info/licenses."""

import glob
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMMON = "/usr/share/common-licenses/"


class Missing(Exception):
    """A library has no licence text on this machine."""


def output_of(*argv):
    return subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          timeout=60, check=False).stdout


def archives():
    """The libraries that the Makefile links into the programs: the text of a wheel does not show them."""
    with open(os.path.join(ROOT, "Makefile"), encoding="utf-8") as file:
        names = re.search(r"^PROGRAM_LIBS := (.*)$", file.read(), re.M)[1].replace("-l", "").split()
    found = [output_of("cc", f"-print-file-name=lib{name}.a").strip() for name in [*names, "c", "gcc"]]
    return [path for path in found if os.path.isabs(path)]


def shared(programs, folder):
    """The originals of the libraries that auditwheel copied into `folder` under names with a hash."""
    paths = re.findall(r" => (/\S+)", "".join(output_of("ldd", path) for path in programs))
    linked = {os.path.basename(name): path for path in paths for name in (path, os.path.realpath(path))}
    names = [re.sub(r"-[0-9a-f]{8}(?=\.)", "", os.path.basename(path)) for path in glob.glob(folder + "/*")]
    lost = [name for name in names if name not in linked]
    if lost:
        raise Missing(f"{lost[0]} is in the wheel, but no program links it; its licence is unknown")
    return [linked[name] for name in names]


def package_of(library):
    for path in (library, os.path.realpath(library), os.path.realpath(library).replace("/usr/lib/", "/lib/", 1)):
        owner = output_of("dpkg", "-S", path).partition(": ")[0].partition(":")[0]
        if owner:
            return owner
    raise Missing(f"no package of this machine has {library}; build the wheel where it comes from a package of Debian")


def copyright_of(package):
    path = os.path.realpath(f"/usr/share/doc/{package}/copyright")
    if not os.path.isfile(path):
        raise Missing(f"{path} is missing: an image without documents? Install {package} with its documents")
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def texts(libraries):
    """The licence texts by their names in the wheel: what each package says, and the licences that these refer to."""
    found = {f"{package}.txt": copyright_of(package) for package in sorted({package_of(path) for path in libraries})}
    for name in sorted(set(re.findall(COMMON + r"([A-Za-z0-9.+-]*[A-Za-z0-9])", "".join(found.values())))):
        with open(COMMON + name, encoding="utf-8") as file:
            found[f"common-licenses/{name}"] = file.read()
    return found


def add(info, found):
    """Writes the texts into the unpacked wheel's folder of metadata, and lists them in METADATA."""
    for name, text in found.items():
        path = os.path.join(info, "licenses", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    with open(os.path.join(info, "METADATA"), encoding="utf-8") as file:
        head, gap, body = file.read().partition("\n\n")
    with open(os.path.join(info, "METADATA"), "w", encoding="utf-8") as file:
        file.write("\n".join([head, *(f"License-File: {name}" for name in found)]) + gap + body)
