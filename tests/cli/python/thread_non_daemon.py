# SPDX-License-Identifier: Apache-2.0
import threading
import time


def work():
    time.sleep(0.1)
    print("thread done")


threading.Thread(target=work).start()
print("main done")
