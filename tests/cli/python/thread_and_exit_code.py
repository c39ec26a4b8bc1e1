# SPDX-License-Identifier: Apache-2.0
import sys
import threading
import time

threading.Thread(target=lambda: (time.sleep(0.05), print("late"))).start()
sys.exit(3)
