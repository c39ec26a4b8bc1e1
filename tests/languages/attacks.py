# SPDX-License-Identifier: Apache-2.0
"""What a hostile program may try while it is compiled, and with what was compiled. A shell script stands for a compiler
that the program controls: it can do whatever a compiler could be made to do."""
import os
import shutil
import socket

CONFIG = """[language.evil]
extension = .evil
compile = "sh {file} {out}"
compile_timeout = 5s
compile_memory = 128m
compile_pids = 20
"""
SECRET = "c4nary-0f-the-h0st"
MAKE = "\nprintf '#!/bin/sh\\necho made\\n' > \"$1\"; chmod +x \"$1\"\n"


def has_failed(tap, box, name, script, *words, says="", options=()):
    """The program does not compile, nothing is kept, and nothing of the host is seen."""
    before = box.entries()
    r = box.run("attack.evil", script, *options)
    tap.ok(r.compile and not r.compile["success"] and r.exception["type"] == "CompileError" and r.error is None, name + ": it does not compile", r)
    tap.ok(says in str(r.compile) + str(r.exception), name + ": why", says, r)
    tap.ok(SECRET not in r.out.decode(), name + ": nothing of the host", r)
    tap.equal((box.entries(), box.unfinished()), (before, []), name + ": nothing is kept")
    return r


def test_product(tap, box, secret):
    """What the compiler leaves in the product's place."""
    before = box.size()
    for name, script, says in (
        ("a link to a file of the host", f"ln -s {secret} \"$1\"", "no program"),
        ("a link to a folder", "ln -s / \"$1\"", "no program"),
        ("a link in place of the product's folder", "cd /tmp; d=$(dirname \"$1\"); rm -rf \"$d\"; ln -s /etc \"$d\"", "no program"),
        ("a pipe", "mkfifo \"$1\"", "no program"),
        ("a socket", "perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 1)' \"$1\"", "no program"),
        ("nothing", "true", "no program"),
        ("an empty file", ": > \"$1\"", "empty program"),
        ("an empty folder", "mkdir \"$1\"", "program"),
        ("ten gigabytes", "head -c 10g /dev/zero > \"$1\"", ""),
        ("a million files", "mkdir \"$1\"; i=0; while [ $i -lt 1000000 ]; do i=$((i + 1)); : > \"$1/$i\" || exit 1; done", ""),
    ):
        has_failed(tap, box, name, script, says=says)
    tap.ok(box.size() - before < 64 << 20, "the host keeps nothing large", before, box.size())
    r = box.run("attack.evil", "ln -s /etc/passwd \"$(dirname \"$1\")/link\"; ln / \"$1.hard\"; mkfifo \"$1.pipe\"" + MAKE)
    tap.equal(r.stdout, "made\n", "links and pipes beside the product are left out", r)
    links = [f for e in box.entries() for folder, names, files in os.walk(os.path.join(box.cache, e)) for f in names + files
             if os.path.islink(os.path.join(folder, f))]
    tap.equal(links, [], "and are not kept")
    r = box.run("attack.evil", MAKE + "chmod 4755 \"$1\"; touch \"$(dirname \"$1\")/../about\"\n")
    modes = {os.lstat(os.path.join(box.cache, e, "out", "program")).st_mode & 0o7000 for e in box.entries()}
    tap.equal(modes, {0}, "nothing is set-uid")
    deep = "d=\"$1\"; mkdir \"$d\"; cd \"$d\"; i=0; while [ $i -lt 400 ]; do i=$((i + 1)); mkdir d && cd d; done; echo x > x"
    r = box.run("attack.evil", deep)
    tap.ok(r.status != 0 and r.json, "a tree that is too deep", r)


def test_limits(tap, box):
    has_failed(tap, box, "no end", "while :; do :; done", says="not done after 5s")
    has_failed(tap, box, "memory", "perl -e 'my @a; push @a, \"x\" x (1 << 20) . @a while 1'", says="more memory than 128m")
    r = has_failed(tap, box, "processes", "i=0; while [ $i -lt 40 ]; do i=$((i + 1)); sleep 30 & done; wait", says="")
    tap.ok("fork" in r.compile["stderr"] or "not done" in r.exception["message"], "processes have a ceiling", r)
    r = has_failed(tap, box, "output", "while :; do echo 0123456789012345678901234567890123456789; done", says="")
    tap.ok(len(r.compile["stderr"]) < 1 << 20, "what it prints has a ceiling", len(r.compile["stderr"]))


def test_host(tap, box, secret):
    """What a compiler sees of the host, of the network and of the run."""
    has_failed(tap, box, "a file of the host", f"cat {secret}; exit 1")
    has_failed(tap, box, "the cache", f"ls -lR {box.cache}; cat {box.cache}/*/about; exit 1", says="No such file")
    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]
    connect = f"perl -MIO::Socket::INET -e 'exit(IO::Socket::INET->new(PeerAddr => \"127.0.0.1:{port}\") ? 0 : 9)' || exit 9" + MAKE
    has_failed(tap, box, "the network", connect, options=("--net", "host"), says="9")
    server.close()
    r = box.run("attack.evil", "{ echo '#!/bin/sh'; echo 'cat <<E'; env; echo E; } > \"$1\"; chmod +x \"$1\"", "--env", "TOKEN=" + SECRET)
    tap.ok("HOME=" in r.stdout and SECRET not in r.stdout, "variables of the program are not the compiler's", r)
    r = box.run("attack.evil", "{ echo '#!/bin/sh'; echo 'cat <<E'; cat; echo E; } > \"$1\"; chmod +x \"$1\"", stdin=SECRET.encode())
    tap.ok(SECRET not in r.stdout, "nor its input", r)


def test_run(tap, box):
    """A run cannot change what was compiled."""
    box.run("attack.evil", MAKE)
    text = ("\ncat > \"$1\" <<'E'\n#!/bin/sh\nd=$(dirname \"$0\")\np=$(readlink /proc/$$/fd/10 2>/dev/null || echo \"$0\")\n"
            "for f in $(find / -xdev -name program 2>/dev/null; grep -o '/[^ ]*/out' /proc/self/mountinfo); do\n"
            "  for t in \"$f\" \"$f/program\" \"$f/more\"; do\n"
            "    chmod 777 \"$t\"; echo evil > \"$t\"; rm -rf \"$t\"; mv \"$t\" /tmp/x; ln -sf /tmp/x \"$t\"; mount -o remount,rw \"$f\"\n"
            "  done\ndone 2>/dev/null\necho tried\nE\nchmod +x \"$1\"\n")
    first = box.run("attack.evil", text)
    tap.equal(first.stdout, "tried\n", "it tries", first)
    before = box.content()
    for _ in range(2):
        r = box.run("attack.evil", text, "--env", "X=1")
        tap.equal((r.stdout, r.compile["cached"]), ("tried\n", True), "the kept program runs", r)
    tap.equal(box.content(), before, "each product is as it was")


def test_languages(tap, box, secret):
    """What the languages themselves can be made to read and run."""
    cases = []
    if shutil.which("gcc"):
        cases += [("C: #include", "attack.c", f"#include \"{secret}\"\nint main(void) {{ return 0; }}\n"),
                  ("C: .incbin", "attack.c", f"__asm__(\".incbin \\\"{secret}\\\"\");\nint main(void) {{ return 0; }}\n"),
                  ("C: /proc", "attack.c", "#include \"/proc/1/environ\"\n#include \"/proc/1/root/etc/shadow\"\nint main(void) { return 0; }\n")]
    if shutil.which("g++"):
        cases.append(("C++: endless templates", "attack.cpp", "template<int N> struct A { A<N + 1> a; };\nA<0> a;\nint main() {}\n"))
    if shutil.which("rustc"):
        cases.append(("Rust: include_str!", "attack.rs", f"fn main() {{ print!(\"{{}}\", include_str!(\"{secret}\")); }}\n"))
    if shutil.which("go"):
        cases += [("Go: cgo", "attack.go", f"package main\n\n// #cgo CFLAGS: -include {secret}\nimport \"C\"\n\nfunc main() {{}}\n"),
                  ("Go: embed", "attack.go", f"package main\n\nimport _ \"embed\"\n\n//go:embed {secret}\nvar s string\n\nfunc main() {{ print(s) }}\n")]
    if shutil.which("esbuild"):
        cases.append(("TypeScript: import", "attack.ts", f"import x from '{secret}';\nconsole.log(x);\n"))
    for name, file, text in cases:
        r = box.run(file, text)
        tap.ok(r.compile and not r.compile["success"] and SECRET not in r.out.decode(), name, r)
    if shutil.which("go"):
        mark = os.path.join(box.dir, "generated")
        r = box.run("attack.go", f"package main\n\n//go:generate touch {mark}\n\nfunc main() {{ print(1) }}\n")
        tap.ok(r.success and not os.path.exists(mark), "Go: generate is not run", r)
    if shutil.which("javac"):
        box.write("META-INF/services/javax.annotation.processing.Processor", "Evil\n")
        box.write("Evil.java", "import javax.annotation.processing.*;\nimport java.util.*;\nimport javax.lang.model.element.*;\n"
                  "public class Evil extends AbstractProcessor {\n  public boolean process(Set<? extends TypeElement> a, RoundEnvironment r) "
                  "{ throw new Error(\"ran\"); }\n}\n")
        r = box.run("Main.java", "class Main { public static void main(String[] a) { System.out.println(1); } }\n", "--file", "META-INF", "--file", "Evil.java")
        tap.ok(r.stdout == "1\n" and "ran" not in r.compile["stderr"], "Java: an annotation processor is not run", r)


def test(tap, box):
    box.config(CONFIG)
    secret = box.write("secret/file", f"{SECRET}\n")
    test_product(tap, box, secret)
    test_limits(tap, box)
    test_host(tap, box, secret)
    test_run(tap, box)
    test_languages(tap, box, secret)
