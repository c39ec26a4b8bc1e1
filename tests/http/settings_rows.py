# SPDX-License-Identifier: Apache-2.0
"""The rows of src/runs/request/request.def and the verbs of src/runs/request/verbs.def, as the tests read them."""

import json
import os
import re

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "runs", "request")
# A value that is not the default: as an option, and as JSON.
OF_KIND = {"OPT_DURATION": ("7s", 7000), "OPT_SIZE": ("33m", 33 << 20), "OPT_INT": ("3", 3),
           "OPT_MILLI": ("0.5", 0.5), "OPT_FLAG": (None, True), "OPT_NEGATION": (None, True)}
OF_ID = {"cwd": (".", "."), "cell_cwd": (".", "."), "retries": ("3", 3), "net": ("host", "host"), "target": ("3.12", "3.12"), "value": ("last", "last"),
         "env": ("A=b", {"A": "b"}), "profile": ("strict", "strict"), "backend": ("host", "host"), "pids": ("70", 70),
         "inodes": ("70", 70), "open_files": ("70", 70), "forks": ("70", 70), "compare": ("tokens", "tokens"), "calls": ("blocks", "blocks"),
         "style": ("adk", "adk"), "require": ("seccomp", ["seccomp"]), "without": ("ipcns", ["ipcns"]),
         "writable": ("/app", ["/app"]), "check": (None, True), "preload": ("json,math", ["json", "math"]), "log": ("off", "off"),
         "pause_after": ("never", 0), "python": ("3", "3"), "lang": ("python", "python"), "file": ("a", ["a"]), "ro": ("a", ["a"])}
FILES = ("prelude", "tools", "dockerfile")  # whose text is sent
MACROS = "SETTING|LOCAL|FIELD|TEXT|DOCUMENT|BOTH|NEGATION|LIMIT|INTO|AGAIN"
# Where the arguments of a macro are: the option's name, the field's.
PLACES = {"SETTING": (1, 2), "LOCAL": (1, None), "FIELD": (None, 1), "TEXT": (1, 2), "DOCUMENT": (None, 1), "BOTH": (1, 2),
          "NEGATION": (1, 2), "LIMIT": (1, 2), "INTO": (1, 2), "AGAIN": (1, 2)}


def source(name):
    with open(os.path.join(SOURCE, name)) as f:
        return f.read()


def verbs():
    """{"FIX": (bit, command, operationId, path)}"""
    found = re.findall(r'^(VERB|SERVED|TASK)\((\w+), "?([\w -]+)"?(?:, "(\w+)", "([^"]+)")?', source("verbs.def"), re.M)
    return {name: (1 << i, command, *((command, "/v1/" + command) if macro == "TASK" else (operation or None, path or None)))
            for i, (macro, name, command, operation, path) in enumerate(found)}


def tasks():
    """The names of the tasks for a model."""
    return set(re.findall(r"^TASK\((\w+),", source("verbs.def"), re.M))


def masks():
    """{"V_RUNS": bits}, also of the groups in setting.h."""
    known = {"V_" + name: bit for name, (bit, *_) in verbs().items()}
    text = re.search(r"^enum verb_mask \{(.*?)^\};", source("setting.h"), re.S | re.M).group(1)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S).replace("VERB_COUNT", str(len(known)))
    for name, value in re.findall(r"(V_\w+) = ([^,#]+),", text):
        known[name] = eval(value, {}, known)
    return known


class Row:
    def __init__(self, table, macro, text, known):
        words = [w.strip().strip('"') for w in text.split("(", 1)[0].split(",")]
        at = lambda i: None if i is None or words[i] == "NULL" else words[i]
        self.macro, self.table, self.id = macro, table, words[0]
        self.name, self.field = (at(i) for i in PLACES[macro])
        found = re.search(r"OPT_(DURATION|SIZE|INT|MILLI|FLAG|STRING|LIST|CHOICE)\b", text)
        self.kind = "OPT_STRING" if macro == "TEXT" else found.group(0) if found else "OPT_NEGATION"
        self.json = macro in ("DOCUMENT", "BOTH")  # the field has another kind than the option
        self.conf = macro == "LIMIT" or "OPT_CONF" in text
        found = re.search(r"REMOTE_\w+", text)
        self.remote = "REMOTE_SENT" if macro == "LIMIT" else found.group(0) if found else "REMOTE_BY_HAND"
        self.permit = "PERMIT_" in text
        if macro == "LIMIT":
            self.verbs = self.bits(re.search(r"OF_(?:JAIL\(\w+\)|RESULT), ([V_A-Z |&~()]+),", text).group(1), known)
        else:
            self.verbs = self.mask("verbs", text, known)
        self.option_of = self.mask("option_of", text, known)
        self.field_of = self.mask("field_of", text, known)

    @staticmethod
    def bits(text, known):
        return eval(text, {}, known)

    def mask(self, member, text, known):
        found = re.search(r"\.%s = ([V_A-Z |&~()]+?)(?:,|\)*$)" % member, text, re.M)
        if not found:
            return 0
        words = found.group(1)
        return self.bits(words + "()"[1] * (words.count("(") - words.count(")")), known)

    def sample(self, folder):
        if self.id in FILES:
            path = os.path.join(folder, self.id + ".py")
            with open(path, "w") as f:
                f.write("def f(x):\n    return x\n")
            return path, "def f(x):\n    return x\n"
        if self.id == "data":
            path = os.path.join(folder, "data.json")
            with open(path, "w") as f:
                f.write("[1]")
            return "a=" + path, {"a": [1]}
        value = OF_ID.get(self.id) or OF_KIND.get(self.kind)
        return value or ("a", ["a"] if self.kind == "OPT_LIST" else "a")

    def option(self, folder):
        text = self.sample(folder)[0]
        return ["--" + self.name] + ([text] if text is not None else [])

    def config(self, folder):
        text = self.sample(folder)[0]
        return "%s = %s\n" % (self.name, json.dumps("true" if text is None else text))


def rows():
    known = masks()
    text = source("request.def")
    text = text[text.index("*/") + 2:]  # the head's comment shows the forms
    text = text.replace('#include "request/task.def"', source("task.def"))
    return [Row(table, *row, known)
            for table, part in re.findall(r"^TABLE\((\w+)\)$(.*?)^TABLE_END$", text, re.S | re.M)
            for row in re.findall(r"^(%s)\((.*?)\)\)$" % MACROS, part, re.S | re.M)]
