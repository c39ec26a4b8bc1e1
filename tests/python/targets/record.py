#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the Python that runs this says of the programs in the files given: record.py FILE... prints
JSON. record.py --merge RECORDED... writes NAME.dump beside each NAME.py, the oldest Python first."""

import ast
import json
import os
import re
import sys
import warnings


def programs(text):
    """What stands between the lines of dashes, without the head."""
    return [p.lstrip("\n") for p in re.split(r"(?m)^# ----$\n?", text)[1:]]


def error_of(e):
    if isinstance(e, SyntaxError):
        places = [e.lineno, e.offset, e.end_lineno, e.end_offset]
        return [type(e).__name__, *(p or 0 for p in places), e.msg]
    return [type(e).__name__, 0, 0, 0, 0, str(e)]


def say(program):
    """The lines that tell of a program."""
    try:
        tree = ast.parse(program.encode())
        found = ["tree\t" + ast.dump(tree, include_attributes=True)]
    except (SyntaxError, ValueError) as e:
        return ["parser\t" + "\t".join(map(str, error_of(e)))]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            compile(program.encode(), "<program>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as e:
            return found + ["compiler\t" + "\t".join(map(str, error_of(e)))]
    told = sorted({(w.lineno, w.category.__name__, str(w.message)) for w in caught})
    return found + ["warning\t%d\t%s\t%s" % w for w in told]


def record(paths):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        said = {}
        for path in paths:
            with open(path, encoding="utf-8") as f:
                said[os.path.basename(path)] = [say(p) for p in programs(f.read())]
    return {"target": "3.%d" % sys.version_info[1], "said": said}


def merge(recorded):
    """One text for each file; what the version before said in the same words is not said again."""
    for name in recorded[0]["said"]:
        out = []
        for i in range(len(recorded[0]["said"][name])):
            out.append("# %d" % (i + 1))
            before = None
            for one in recorded:
                lines = one["said"][name][i]
                out += [one["target"] + "\t" + x for x in (["same"] if lines == before else lines)]
                before = lines
        here = os.path.dirname(os.path.abspath(__file__))
        with open(os.path.join(here, name[:-3] + ".dump"), "w", encoding="utf-8") as f:
            f.write("\n".join(out) + "\n")


def main(arguments):
    if arguments[:1] == ["--merge"]:
        found = []
        for path in arguments[1:]:
            with open(path, encoding="utf-8") as f:
                found.append(json.load(f))
        merge(found)
    else:
        print(json.dumps(record(arguments)))


if __name__ == "__main__":
    main(sys.argv[1:])
