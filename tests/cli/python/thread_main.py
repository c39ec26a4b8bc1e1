# SPDX-License-Identifier: Apache-2.0
import threading

print(threading.current_thread() is threading.main_thread(), threading.active_count())
print(threading.current_thread().name, threading.main_thread().is_alive())
local = threading.local()
local.x = 1
print(local.x)
