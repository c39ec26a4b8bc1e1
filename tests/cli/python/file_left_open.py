# SPDX-License-Identifier: Apache-2.0
import os

f = open("left.txt", "w")
f.write("unflushed")
pid = os.fork()
if pid == 0:
    os._exit(0)
os.waitpid(pid, 0)
print("written", os.path.getsize("left.txt"))
