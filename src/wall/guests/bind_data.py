# SPDX-License-Identifier: Apache-2.0
# bind(): a JSON file becomes a variable of the program that runs next. The dict `program` has its names. Typed JSON is
# read by cells_decode.py, which comes before in the same text if a file needs it.


def bind(name, file, typed):
    import sys
    from posix import unlink
    with open(folder + file, encoding="utf-8") as f:
        text = f.read()
    unlink(folder + file)
    if typed:
        read = data_reader()
    else:
        from json import loads as read
    if not hasattr(sys, "set_int_max_str_digits"):
        program[name] = read(text)
        return
    most = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    program[name] = read(text)
    sys.set_int_max_str_digits(most)
