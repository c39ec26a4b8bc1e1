# SPDX-License-Identifier: Apache-2.0
import sys
import threading


def work():
    print("in a thread")
    sys.exit(9)


t = threading.Thread(target=work)
t.start()
t.join()
print("main goes on")
