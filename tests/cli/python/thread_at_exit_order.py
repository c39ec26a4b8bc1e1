# SPDX-License-Identifier: Apache-2.0
import atexit
import threading
import time

atexit.register(print, "atexit after threads")
threading.Thread(target=lambda: (time.sleep(0.05), print("thread"))).start()
print("main")
