# SPDX-License-Identifier: Apache-2.0
# bind(): a JSON file becomes a variable of the program that runs next, whose names are the dict `program`.


def bind(name, file):
    import json
    import sys
    from posix import unlink
    with open(folder + file, encoding="utf-8") as f:
        text = f.read()
    unlink(folder + file)
    if not hasattr(sys, "set_int_max_str_digits"):
        program[name] = json.loads(text)
        return
    most = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    program[name] = json.loads(text)
    sys.set_int_max_str_digits(most)
