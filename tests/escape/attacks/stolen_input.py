# SPDX-License-Identifier: Apache-2.0
# source: proc(5): /proc/self/fd/0 opened anew is another open file: rewind it, write to it
# stopped-by: descriptors
# alone: input and output are pipes of the supervisor's, whatever the caller's are
# stdin: the caller's input
# expect: pipes
import os
import stat
import kit

for fd in range(3):
    if not stat.S_ISFIFO(os.fstat(fd).st_mode):
        kit.escaped("descriptor", fd, "is no pipe")
if kit.attempt(os.lseek, 0, 0, os.SEEK_SET) >= 0:
    kit.escaped("rewound the input")
kit.held("pipes")
