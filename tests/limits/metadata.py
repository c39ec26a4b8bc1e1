# SPDX-License-Identifier: Apache-2.0
"""Mode, owner and times of the guest's own files can be changed, by every program, in every wall: pid 1 makes
these changes where there is no private root. Attributes are as on a file system without them: what copies files
goes on."""
WALLS = {
    "the whole wall": (),
    "no private root": ("--without", "root", "--allow-unsafe"),
    "no private root and no pid namespace": ("--without", "root,pidns", "--allow-unsafe"),
    "no private root and no user namespace": ("--without", "root,userns", "--allow-unsafe"),
    "no namespaces": ("--without", "namespaces,root", "--allow-unsafe"),
}

HONEST = r"""
import concurrent.futures, os, shutil, stat, subprocess, tarfile, tempfile, zipfile

def mode(path): return stat.S_IMODE(os.lstat(path).st_mode)
def check(what, good):
    if not good: print("not", what)

os.makedirs("d/e")
for name in ("d/a", "d/e/b", "x y"): open(name, "w").write(name)
os.symlink("a", "d/link")
os.chmod("d/a", 0o751); check("chmod", mode("d/a") == 0o751)
os.chmod(os.path.abspath("d/e/b"), 0o640); check("chmod, absolute", mode("d/e/b") == 0o640)
os.chmod("d/link", 0o711); check("chmod, by a link", mode("d/a") == 0o711)
os.utime("d/a", (5, 7)); check("utime", os.stat("d/a").st_mtime == 7)
os.utime("d/a"); check("utime, now", os.stat("d/a").st_mtime > 7)
os.utime("d/link", (3, 4), follow_symlinks=False)
check("utime of a link", os.lstat("d/link").st_mtime == 4 and os.stat("d/a").st_mtime > 7)
fd = os.open("d/a", os.O_RDONLY)
os.fchmod(fd, 0o604); os.utime(fd, ns=(1, 2)); os.fchown(fd, os.getuid(), -1)
check("by descriptor", mode("d/a") == 0o604 and os.stat("d/a").st_mtime_ns == 2)
os.chmod("/proc/self/fd/%d" % fd, 0o600); check("by /proc/self/fd", mode("d/a") == 0o600)
os.unlink("d/a"); os.fchmod(fd, 0o611); check("without a name", stat.S_IMODE(os.fstat(fd).st_mode) == 0o611)
open("d/a", "w").close()
folder = os.open("d", os.O_RDONLY)
os.chmod("a", 0o705, dir_fd=folder); os.utime("a", (1, 9), dir_fd=folder); os.chown("a", -1, -1, dir_fd=folder)
check("from a folder", mode("d/a") == 0o705 and os.stat("d/a").st_mtime == 9)
os.chdir("d"); os.chmod("e", 0o700); os.chdir(".."); check("from another current folder", mode("d/e") == 0o700)
os.chown("d/a", os.getuid(), os.getgid()); os.lchown("d/link", -1, os.getgid())
for bad, error in ((lambda: os.chmod("none", 0o600), FileNotFoundError), (lambda: os.fchmod(99, 0o600), OSError),
                   (lambda: os.utime("d/a/b"), NotADirectoryError), (lambda: os.chmod("/usr/bin/env", 0o777), OSError)):
    try: bad(); check("an error", False)
    except error: pass
with tempfile.NamedTemporaryFile() as f:
    os.chmod(f.name, 0o644); os.utime(f.name, (1, 1)); check("a temporary file", mode(f.name) == 0o644)
os.truncate("x y", 2); check("truncate", os.path.getsize("x y") == 2)
with open("x y", "r+") as f: f.truncate(1)
open("x y", "w").close()
shutil.copy2("d/a", "copy"); check("copy2", mode("copy") == 0o705 and os.stat("copy").st_mtime == 9)
shutil.copytree("d", "tree", symlinks=True); check("copytree", mode("tree/a") == 0o705)
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    names = list(pool.map(lambda i: shutil.copy2("d/a", "thread%d" % i), range(40)))
check("threads", all(mode(n) == 0o705 for n in names))
with tarfile.open("t.tar", "w") as t: t.add("d")
with tarfile.open("t.tar") as t: t.extractall("untarred")
check("tarfile", mode("untarred/d/a") == 0o705 and os.stat("untarred/d/a").st_mtime == 9)
with zipfile.ZipFile("z.zip", "w") as z: z.write("x y")
with zipfile.ZipFile("z.zip") as z: z.extractall("unzipped")

def sh(*words):
    r = subprocess.run(words, capture_output=True, text=True)
    check(" ".join(words) + ": " + r.stderr, r.returncode == 0 and not r.stderr)
sh("cp", "-a", "d", "d2"); check("cp -a", mode("d2/a") == 0o705 and os.stat("d2/a").st_mtime == 9)
sh("tar", "cpf", "u.tar", "d"); os.mkdir("u"); sh("tar", "xpf", "u.tar", "-C", "u")
check("tar", mode("u/d/a") == 0o705 and os.stat("u/d/a").st_mtime == 9)
sh("touch", "-d", "2001-02-03", "d/a"); sh("chmod", "-R", "u+rwX,go-w", "d"); sh("install", "-m", "755", "x y", "bin")
moved = tempfile.gettempdir() + "/moved"
sh("mkdir", "-m", "700", "m"); sh("mv", "d/a", moved); sh("chmod", "600", moved)
print("done")
"""


def test(tap, user):
    for wall, options in WALLS.items():
        r = user.run(HONEST, "--no-check", "--timeout", "60s", *options)
        tap.ok(r.stdout == "done\n" and r.success, f"{user.name}, {wall}: own files are changed as usual", r)
