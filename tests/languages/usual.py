# SPDX-License-Identifier: Apache-2.0
"""The checks that are the same in each language."""
import shutil


def missing(language):
    """The tools that this machine lacks."""
    return [names for names in language.tools if not any(shutil.which(name) for name in names.split("|"))]


def has_place(result, line):
    return result.exception and result.exception["line"] == line and result.exception["file"] is None


def check_hello(tap, box, language):
    args = ["a b", "c"] if language.takes_args else []
    r = box.run(language.file, language.hello, args=args, stdin=b"20\n22\n")
    tap.equal((r.exit_code, r.stdout, r.exception), (language.status, "42 " + ("a b" if language.takes_args else "-") + "\n", None),
              "input, arguments and status", r)
    tap.ok(bool(r.compile) == language.compiled, "the compilation is in the result", r)
    if language.compiled:
        tap.ok(r.compile["success"] and not r.compile["cached"] and r.compile["exit_code"] == 0, "it is new", r)
        again = box.run(language.file, language.hello, args=args, stdin=b"20\n22\n")
        tap.equal((again.exit_code, again.stdout, again.compile["cached"]), (r.exit_code, r.stdout, True), "then it is known", again)
        tap.equal(again.compile["stderr"], r.compile["stderr"], "with the same messages")
    tap.equal(r.files, [], "nothing is left in the workspace")
    tap.equal(r.denied, [], "no system call was refused")


def check_exception(tap, box, language):
    if not language.raises:
        return
    text, kind, message, line = language.raises
    r = box.run(language.file, text)
    tap.ok(r.exit_code not in (0, None) and r.exception and r.exception["type"] == kind and message in (None, r.exception["message"]),
           f"an exception: {kind}: {message}", r)
    if line:
        tap.ok(has_place(r, line), f"in line {line}", r)


def check_wrong(tap, box, language):
    text, line = language.wrong
    r = box.run(language.file, text)
    tap.ok(r.exit_code not in (0, None) and r.stdout == "" and r.exception, "an error of the compiler, or of its parser", r)
    tap.ok(has_place(r, line), f"in line {line}", r)
    if language.compiled:
        tap.equal((r.compile["success"], r.exception["type"], r.error, r.error_type), (False, "CompileError", None, "guest"),
                  "is the program's", r)
        tap.ok(r.compile["stderr"] and r.compile["stderr"] in r.stderr, "and is on its error stream", r)
        again = box.run(language.file, text)
        tap.equal(again.compile["cached"], False, "a failure is not kept", again)


def check_limits(tap, box, language):
    r = box.run(language.file, language.endless, "--timeout", "1s")
    tap.ok(r.timed_out and r.exit_code == 124, "a program that does not end", r)
    if language.greedy:
        r = box.run(language.file, language.greedy, "--memory", "256m", "--timeout", "60s")
        by_itself = language.out_of_memory and language.out_of_memory in r.stderr
        tap.ok(r.exit_code not in (0, None) and not r.timed_out and (r.oom_killed if not language.out_of_memory else by_itself),
               f"too much memory: {language.out_of_memory or 'it is killed'}", r)


def part_of(box, language):
    def test(tap):
        lacks = missing(language)
        if lacks:
            tap.skip(language.name, "missing here: " + ", ".join(lacks))
            return
        for check in (check_hello, check_exception, check_wrong, check_limits):
            check(tap, box, language)

    return test
