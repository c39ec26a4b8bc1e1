/* SPDX-License-Identifier: Apache-2.0
 *
 * Errors as interpreters tell them, and what is advised, word by word.
 */
#ifndef FEEDBACK_ADVISED_H
#define FEEDBACK_ADVISED_H

#include <stddef.h>

#include "explain/feedback_advice.h"
#include "policy/package_words.h"

static const struct {
    const char *language, *type, *message, *advice;
} advised[] = {
    {"python", "NameError", "name 'pritn' is not defined. Did you mean: 'print'?",
     "'pritn' is not defined, but 'print' is: 'pritn' is probably a misspelling."},
    {"python", "NameError", "name 'json' is not defined",
     "'json' is a module of the standard library. Add 'import json' at the top."},
    {"python", "NameError", "name 'np' is not defined. Did you mean: 'map'?",
     "'np' is used but not imported. Add 'import numpy as np' at the top."},
    {"python", "NameError", "name 'true' is not defined. Did you mean: 'True'?",
     "Python has no 'true': write True."},
    {"python", "UnboundLocalError",
     "cannot access local variable 'n' where it is not associated with a value",
     "'n' is assigned somewhere in this function, so all of the function treats it as local, and "
     "here it has no value yet. Assign a value first, or declare it 'global' or 'nonlocal'."},
    {"python", "TypeError", "f() missing 2 required positional arguments: 'a' and 'b'",
     "f() was called without 'a' and 'b'. Compare the call with the definition."},
    {"python", "TypeError", "f() takes 1 positional argument but 2 were given",
     "f() was called with too many arguments (it takes 1). For a method, count 'self', and check "
     "that the definition has it."},
    {"python", "TypeError", "can only concatenate str (not \"int\") to str",
     "Text and int cannot be joined with +. Use str(...) or an f-string."},
    {"python", "TypeError", "unsupported operand type(s) for +: 'int' and 'str'",
     "+ does not work between int and str. Convert one of them first."},
    {"python", "KeyError", "'a'",
     "The dict has no key 'a'. Use .get(key, default), test with 'in', or print the keys that "
     "there are."},
    {"python", "IndexError", "list index out of range",
     "The list is shorter than the index. Valid ones go from 0 to len - 1; print both before this "
     "line."},
    {"python", "json.decoder.JSONDecodeError", "Expecting ',' delimiter: line 3 column 5 (char 20)",
     "The text is not valid JSON at its line 3, column 5 (char 20). Print that part of it."},
    {"python", "subprocess.CalledProcessError",
     "Command '['/usr/bin/python3', '-m', 'pip', 'install', 'numpy']' returned non-zero exit "
     "status "
     "1.",
     "Packages cannot be installed inside; " PACKAGE_WAYS "."},
    {"bash", "", "ERROR: No matching distribution found for numpy",
     "Packages cannot be installed inside; " PACKAGE_WAYS "."},
    {"python", "UnicodeDecodeError", "'utf-8' codec can't decode byte 0xff in position 0: x",
     "The bytes are not utf-8. Open binary data with 'rb'; give text its encoding "
     "(encoding='latin-1') or errors='replace'."},
    {"python", "ModuleNotFoundError", "No module named 'pandas'",
     "Module 'pandas' is not installed, and a program cannot install packages. Use csv, "
     "collections and statistics; " PACKAGE_WAYS "."},
    {"python", "ModuleNotFoundError", "No module named 'own_thing'",
     "Module 'own_thing' is not installed, and a program cannot install packages. Use the "
     "standard library; a module of your own comes with --file; " PACKAGE_WAYS "."},
    {"python", "ModuleNotFoundError", "No module named 'jsno'",
     "Module 'jsno' does not exist, but 'json' does: the name is probably misspelled."},
    {"python", "ModuleNotFoundError", "No module named 'data'",
     "Module 'data' is not installed, and a program cannot install packages. Use the standard "
     "library; a module of your own comes with --file; " PACKAGE_WAYS "."},
    {"python", "FileNotFoundError", "[Errno 2] No such file or directory: 'in.csv'",
     "There is no in.csv inside. Inputs come into the working folder with --file; the program sees "
     "nothing else of the host's files."},
    {"python", "EOFError", "EOF when reading a line",
     "input() found no more text: no person types input here. Give the input with --stdin, or put "
     "the values into the program."},
    {"python", "OSError", "[Errno 28] No space left on device",
     "The disk is full: workspace and $TMPDIR share --disk. Write less, delete what is not needed "
     "any "
     "more, or allow more."},
    {"python", "AssertionError", "",
     "The program's own assertion does not hold: the values on this "
     "line are not as expected. Print them."},
    {"python", "AssertionError", "sum is 3",
     "The program's own assertion does not hold (sum is 3). Compare what was computed with what is "
     "asserted."},
    {"python", "Exception", "whatever", NULL},
    {"javascript", "TypeError", "Cannot read properties of undefined (reading 'bar')",
     "The value before .bar is undefined. Look where it comes from, or write ?.bar."},
    {"javascript", "Error", "Cannot find module 'lodash'",
     "Module 'lodash' is not installed, and no package can be installed inside. Use node's own "
     "modules, or show the host's folder with --ro."},
    {"javascript", "Error", "Cannot find module './util'",
     "There is no file ./util in the workspace. Give it with --file."},
    {"javascript", "Error", "ENOENT: no such file or directory, open 'in.csv'",
     "There is no in.csv inside. Inputs come into the working folder with --file; the program sees "
     "nothing else of the host's files."},
    {"r", "Error", "object 'y' not found",
     "'y' was never assigned where this call can see it. Check the spelling, and the columns of "
     "the data."},
    {"bash", "CommandNotFound", "jq: command not found",
     "There is no command 'jq' inside, and none can be installed. Use what is there, or show the "
     "host's program with --ro."},
    {"sh", "UnboundVariable", "nope: parameter not set",
     "$nope has no value, and 'set -u' forbids that. Assign it, or write a default: ${nope:-}."},
};

/* What helps depends on where the program ran. */
static const struct {
    struct advice_place place;
    const char *type, *message, *advice;
} placed[] = {
    {{.installs = true},
     "ModuleNotFoundError",
     "No module named 'yaml'",
     "Module 'yaml' (of the package PyYAML) is not installed, and a program cannot install "
     "packages. Use json; --pip=pyyaml installs it."},
    {{.installs = true},
     "ModuleNotFoundError",
     "No module named 'made_up'",
     "Module 'made_up' is not installed, and a program cannot install packages. Use the "
     "standard library; a module of your own comes with --file; --pip installs packages."},
    {{.net = true},
     "ModuleNotFoundError",
     "No module named 'httpx'",
     "Module 'httpx' is not installed, and a program cannot install packages. Use "
     "urllib.request; " PACKAGE_WAYS "."},
    {{.net = true}, "OSError", "[Errno 101] Network is unreachable", NULL},
    {{.net = false},
     "OSError",
     "[Errno 101] Network is unreachable",
     "There is no network inside. " OPENS_NET},
};

#endif
