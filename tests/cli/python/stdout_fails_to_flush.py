# SPDX-License-Identifier: Apache-2.0
import sys


class Stream:
    def write(self, text):
        return len(text)

    def flush(self):
        raise OSError("cannot flush")


sys.stdout = Stream()
print("lost")
