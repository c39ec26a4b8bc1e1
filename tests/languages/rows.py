# SPDX-License-Identifier: Apache-2.0
"""Languages of the config file, and what is refused."""
import shutil

OWN = """[language.own]
extension = .own
compile = ["gcc", "-x", "c", "-o", "{out}", "{file}"]
errors = ["{file}:{line}:{column}: error: {message}"]
heap = "OWN_HEAP={heap}"

[language.told]
command = sh
args = ["{file}"]
extension = .told
heap = ["TOLD={heap} {cpus}"]
errors = ["<Alarm>ALARM {file} {line}: {message}"]
needs = ["%s"]
"""


def test(tap, box):
    box.config(OWN % box.write("needed/file", "needed\n"))
    if shutil.which("gcc"):
        r = box.run("a.own", "int main(void) { return 5; }\n")
        tap.equal((r.exit_code, r.language, r.compile["cached"]), (5, "own", False), "a compiled language of the user's", r)
        r = box.run("a.own", "int main(void) {\n    return x;\n}\n")
        tap.equal((r.exception["type"], r.exception["line"]), ("CompileError", 2), "with the form of its errors", r)
    r = box.run("a.told", "echo \"$TOLD\"; cat %s; echo \"ALARM $0 1: bad thing\" >&2; exit 3\n" % box.write("needed/file", "needed\n"),
                "--memory", "512m", "--cpus", "2")
    tap.equal(r.stdout, "384 2\nneeded\n", "limits and folders that it needs", r)
    tap.equal((r.exception["type"], r.exception["message"], r.exception["line"]), ("Alarm", "bad thing", 1), "its errors", r)
    r = box.run("a.told", "echo \"$TOLD\"\n", "--memory", "0")
    tap.equal(r.stdout, "\n", "without a limit, nothing is told", r)

    r = box.command("repl", "--lang", "c", stdin=b"1\n")
    tap.ok(r.status == 125 and "sessions in c are not supported" in r.err, "sessions of compiled languages are refused in words", r)
    empty = {"PATH": "/nonexistent"}
    for name in ("c", "java", "ruby", "typescript", "csharp", "kotlin", "haskell", "julia", "swift", "powershell"):
        r = box.command("run", "--lang", name, "-c", "x", env=empty)
        tap.ok(r.status not in (0, 1) and "no %s on this machine" % name in r.err, name + " is not installed, which is said", r)
    doctor = box.command("doctor", "--json")
    names = [language["name"] for language in doctor.json["languages"]]
    tap.ok({"c", "cpp", "go", "rust", "java", "typescript", "csharp", "ruby", "php", "perl", "lua", "sql", "own"} <= set(names), "doctor lists them", names)
