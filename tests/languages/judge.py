# SPDX-License-Identifier: Apache-2.0
"""`glovebox test` with cases of input and output, in each language that is here: compiled once for all cases."""
import json

from programs import LANGUAGES
from usual import missing

# Kotlin, Haskell and others take a second or more for each program.
FAST = ("c", "cpp", "rust", "java", "typescript", "csharp", "ruby", "php", "perl", "lua")


def test(tap, box):
    cases = [{"stdin": f"{i}\n22\n", "args": ["x"], "expected_stdout": f"{i + 22} x\n"} for i in range(3)]
    cases.append({"stdin": "1\n", "args": ["x"], "expected_stdout": "2 x\n"})
    path = box.write("cases.json", json.dumps(cases))
    for language in LANGUAGES:
        if language.name not in FAST or missing(language):
            continue
        entries = len(box.entries())
        file = box.write(language.file, language.hello.replace("7", "0"))
        r = box.command("test", "--json", "--cases", path, file)
        outcomes = [case["outcome"] for case in r.json["test_results"]] if r.json.get("test_results") else None
        tap.equal(outcomes, ["passed"] * 3 + ["wrong"], language.name + ": three cases hold, one does not", r)
        if language.compiled:
            tap.equal(len(box.entries()), entries + 1, language.name + ": it was compiled once", r)
            box.write(language.file, language.wrong[0])
            r = box.command("test", "--json", "--cases", path, file)
            outcomes = {case["outcome"] for case in r.json["test_results"]} if r.json.get("test_results") else None
            tap.ok(outcomes and "passed" not in outcomes and "CompileError" in r.out.decode(),
                   language.name + ": a program that does not compile", r)
