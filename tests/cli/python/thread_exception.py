# SPDX-License-Identifier: Apache-2.0
import threading


def work():
    raise ValueError("in a thread")


t = threading.Thread(target=work, name="worker")
t.start()
t.join()
print("main goes on")
