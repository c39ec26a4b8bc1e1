# SPDX-License-Identifier: Apache-2.0
# profile: standard
# Imports by other means, and modules that are doors.
# ----
import importlib
importlib.import_module("os").system("ls")  # expect: dynamic-import, shell-command
# ----
import importlib
importlib.import_module("o" + "s")  # expect: dynamic-import
# ----
from importlib import import_module as load
load("subprocess").run("ls")  # expect: dynamic-import, process-start
# ----
import importlib
importlib.import_module(input())  # expect: computed-import
# ----
import importlib
importlib.__import__("os")  # expect: dynamic-import
# ----
__import__(input())  # expect: import-call
# ----
import importlib.util
importlib.util.spec_from_file_location("x", "/tmp/x.py")  # expect: import-machinery
# ----
import importlib.machinery  # expect: import-machinery
importlib.machinery.SourceFileLoader("x", "/tmp/x.py").load_module()  # expect: import-machinery
# ----
import sys
sys.meta_path.insert(0, object())  # expect: import-machinery
# ----
import sys
sys.path_hooks.append(print)  # expect: import-machinery
# ----
import imp  # expect: import-machinery
imp.load_source("x", "x.py")  # expect: import-machinery
# ----
import pkgutil
pkgutil.get_loader("os")  # expect: import-machinery
# ----
__loader__.load_module("os")  # expect: import-machinery
# ----
__spec__.loader  # expect: import-machinery
# ----
import ctypes  # expect: native-code
ctypes.CDLL(None).system(b"ls")  # expect: native-code
# ----
from ctypes import CDLL, cdll  # expect: native-code
CDLL("libc.so.6")  # expect: native-code
# ----
import cffi  # expect: native-code
# ----
import _ctypes  # expect: native-code
# ----
import _posixsubprocess  # expect: low-level-module
_posixsubprocess.fork_exec()  # expect: process-start
# ----
import pickle
pickle.loads(b"")  # expect: unpickle
# ----
import pickle as p
p.load(open("x", "rb"))  # expect: unpickle
# ----
from pickle import loads as l, Unpickler  # expect: unpickle
l(b"")  # expect: unpickle
Unpickler(None).load()  # expect: unpickle
# ----
import shelve
shelve.open("x")  # expect: unpickle
# ----
import joblib
joblib.load("x")  # expect: unpickle
# ----
import dill, cloudpickle  # expect: unpickle
dill.loads(b"")  # expect: unpickle
cloudpickle.loads(b"")  # expect: unpickle
# ----
import pandas
pandas.read_pickle("x")  # expect: unpickle
# ----
import numpy as np
np.load("x", allow_pickle=True)  # expect: unpickle
# ----
import yaml
yaml.load("x")  # expect: unsafe-yaml
# ----
import yaml
yaml.load("x", Loader=yaml.UnsafeLoader)  # expect: unsafe-yaml
# ----
import os


class Bomb:
    def __reduce__(self):  # expect: reduce-method
        return (os.system, ("ls",))  # expect: reduce-payload
# ----
class Bomb:
    def __reduce_ex__(self, version):  # expect: reduce-method
        return (eval, ("1",))  # expect: reduce-payload
# ----
import threading  # expect: thread-module
threading.Thread(target=print).start()  # expect: thread-start
# ----
import _thread  # expect: thread-module
_thread.start_new_thread(print, ())  # expect: thread-start
# ----
from concurrent.futures import ThreadPoolExecutor
ThreadPoolExecutor().submit(print)  # expect: thread-start
# ----
import socket  # expect: network-module
socket.socket().connect(("10.0.0.1", 80))  # expect: network-use
# ----
import urllib.request  # expect: network-module
urllib.request.urlopen("http://example.org")  # expect: network-use
# ----
from urllib.request import urlopen as u  # expect: network-module
u("http://example.org")  # expect: network-use
# ----
import http.client  # expect: network-module
http.client.HTTPConnection("example.org")  # expect: network-use
# ----
import requests  # expect: network-module
requests.get("http://example.org")  # expect: network-use
# ----
import ftplib, smtplib, telnetlib  # expect: network-module
# ----
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)  # expect: signal-handler
# ----
import signal
signal.alarm(0)  # expect: signal-handler
signal.setitimer(signal.ITIMER_REAL, 1)  # expect: signal-handler
# ----
import os, signal
os.kill(1, 9)  # expect: process-kill
os.killpg(0, signal.SIGKILL)  # expect: process-kill
# ----
import signal, threading  # expect: thread-module
signal.pthread_kill(threading.get_ident(), 9)  # expect: process-kill
# ----
import sys
sys.setrecursionlimit(10**9)  # expect: limit-change
# ----
import resource
resource.setrlimit(resource.RLIMIT_AS, (-1, -1))  # expect: limit-change
# ----
import sys
sys.settrace(print)  # expect: trace-hook
sys.setprofile(print)  # expect: trace-hook
sys.addaudithook(print)  # expect: trace-hook
# ----
import atexit
atexit.register(print)  # expect: exit-hook
# ----
import os
os._exit(0)  # expect: hard-exit
# ----
import os
os.setuid(0)  # expect: privilege-change
os.chroot("/tmp")  # expect: privilege-change
os.unshare(0)  # expect: privilege-change
# ----
import gc
gc.get_objects()  # expect: gc-objects
# ----
from gc import get_referrers as g  # expect: gc-objects
g(1)  # expect: gc-objects
# ----
import csv
import operator, os
operator.attrgetter("__class__.__base__")(os)  # expect: attrgetter-walk
operator.methodcaller("__reduce__")(1)  # expect: attrgetter-walk
