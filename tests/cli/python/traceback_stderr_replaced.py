# SPDX-License-Identifier: Apache-2.0
import sys


class Writer:
    def write(self, text):
        sys.stdout.write(text.replace("line", "LINE"))


sys.stderr = Writer()
raise ValueError("loud")
