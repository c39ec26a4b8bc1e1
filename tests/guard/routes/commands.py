# SPDX-License-Identifier: Apache-2.0
# profile: standard
# Commands and programs, reached by name, alias, and from-import.
# ----
import os
os.system("ls")  # expect: shell-command
# ----
import os as o
o.system("ls")  # expect: shell-command
# ----
import os as o, json
p = o
q = p
q.system("ls")  # expect: shell-command
# ----
from os import system  # expect: shell-command
system("ls")  # expect: shell-command
# ----
from os import system as s  # expect: shell-command
s("ls")  # expect: shell-command
# ----
from os import popen as run, path  # expect: shell-command
run("id").read()  # expect: shell-command
# ----
from os import *
system("ls")  # expect: shell-command
# ----
import os.path
os.system("ls")  # expect: shell-command
# ----
import posix  # expect: low-level-module
posix.system("ls")  # expect: shell-command
# ----
import subprocess  # expect: process-module
subprocess.run(["ls"])  # expect: process-start
# ----
import subprocess as sp  # expect: process-module
sp.run("ls", shell=True)  # expect: shell-command
# ----
from subprocess import Popen as P, call  # expect: process-module
P(["ls"])  # expect: process-start
call(["ls"])  # expect: process-start
# ----
from subprocess import check_output, getoutput  # expect: process-module
check_output(["id"])  # expect: process-start
getoutput("id")  # expect: shell-command
# ----
import os
os.execv("/bin/sh", ["sh"])  # expect: process-start
# ----
import os
os.execl("/bin/sh", "sh")  # expect: process-start
# ----
import os
os.spawnlp(os.P_WAIT, "ls", "ls")  # expect: process-start
# ----
import os
os.posix_spawn("/bin/ls", ["ls"], {})  # expect: process-start
# ----
import pty  # expect: process-module
pty.spawn("/bin/sh")  # expect: process-start
# ----
import os
if os.fork() == 0:  # expect: fork-call
    pass
# ----
import os
while True:  # expect: endless-loop
    os.fork()  # expect: fork-loop
# ----
import os
for i in range(100):
    pid = os.fork()  # expect: fork-loop
# ----
import os
f = os.system  # expect: shell-command
f("ls")  # expect: shell-command
# ----
import os
run = [os.system][0]  # expect: shell-command
run("ls")  # expect: shell-command
# ----
import os
commands = {"go": os.system}  # expect: shell-command
commands["go"]("ls")  # expect: shell-command
# ----
import os
list(map(os.system, ["ls", "id"]))  # expect: shell-command
# ----
import functools
import os
functools.partial(os.system, "ls")()  # expect: shell-command
# ----
import os
(lambda c: os.system(c))("ls")  # expect: shell-command
# ----
import os
os.environ["PATH"]  # expect: env-access
# ----
import os
os.getenv("SECRET")  # expect: env-access
# ----
from os import environ as e, getenv  # expect: env-access
print(e)  # expect: env-access
getenv("HOME")  # expect: env-access
# ----
import asyncio


async def main():
    await asyncio.create_subprocess_shell("ls")  # expect: shell-command


asyncio.run(main())
# ----
import multiprocessing  # expect: process-module
multiprocessing.Process(target=print).start()  # expect: process-start
# ----
from concurrent.futures import ProcessPoolExecutor  # expect: thread-module, process-start
ProcessPoolExecutor().submit(print)  # expect: process-start
# ----
import commands_of_mine
import os, sys
def helper():
    import os as deep
    return deep.system("id")  # expect: shell-command
