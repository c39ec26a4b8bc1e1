# SPDX-License-Identifier: Apache-2.0
"""The same without any wall, from a Python that is kept running: a line of standard input says what, a line of
microseconds answers.

    fork N     fork, compile and run a line, wait for it, so often
    cell N     a line of code to a live interpreter over a pipe and its answer back
    state M    hold M MiB from now on (answers nothing)
    alive N    fork with that state, until the child has told that it runs
"""
import gc
import os
import sys
import time

NULL = os.open(os.devnull, os.O_WRONLY)
held = []


def fork_once():
    start = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        os.dup2(NULL, 1)
        sys.stdout = open(1, "w", closefd=False)
        exec(compile("print(1)", "<line>", "exec"), {})
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(pid, 0)
    return time.perf_counter() - start


def start_interpreter():
    """Reads a line of code, runs it, answers; like a cell, without anything around it."""
    ours, theirs = os.pipe(), os.pipe()
    if os.fork() == 0:
        os.close(ours[1])
        names = {}
        while True:
            code = os.read(ours[0], 65536)
            if not code:
                os._exit(0)
            exec(compile(code, "<cell>", "exec"), names)
            os.write(theirs[1], b"done\n")
    os.close(ours[0])
    return ours[1], theirs[0]


def cell_once():
    start = time.perf_counter()
    os.write(interpreter[0], b"x = 1")
    os.read(interpreter[1], 100)
    return time.perf_counter() - start


def alive_once():
    ours, theirs = os.pipe()
    start = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        os.write(theirs, b"x")
        os._exit(0)
    os.read(ours, 1)
    took = time.perf_counter() - start
    os.close(ours)
    os.close(theirs)
    os.waitpid(pid, 0)
    return took


interpreter = start_interpreter()
exec(compile("print", "<line>", "exec"))
gc.collect()
gc.freeze()
for line in sys.stdin:
    what, number = line.split()[0], int(line.split()[1])
    if what == "state":
        held[:] = [bytearray(b"x") * (1 << 20) for _ in range(number)]
        gc.collect()
        gc.freeze()
        continue
    once = {"fork": fork_once, "cell": cell_once, "alive": alive_once}[what]
    print(*["%.1f" % (once() * 1e6) for _ in range(number)], flush=True)
