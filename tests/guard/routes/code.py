# SPDX-License-Identifier: Apache-2.0
# profile: standard
# Text that becomes code.
# ----
exec("x = 1")  # expect: exec-call
# ----
eval("1 + 1")  # expect: eval-call
# ----
compile("1", "<x>", "eval")  # expect: compile-call
# ----
__import__("os")  # expect: import-call
# ----
__import__("os").system("ls")  # expect: import-call, shell-command
# ----
__import__("o" + "s").popen("ls")  # expect: import-call, shell-command
# ----
f = eval  # expect: code-reference
# ----
f = eval  # expect: code-reference
f("1")  # expect: eval-call
# ----
list(map(eval, ["1", "2"]))  # expect: code-reference
# ----
table = {"run": exec}  # expect: code-reference
# ----
def run(code, how=exec):  # expect: code-reference
    return how(code)  # expect: exec-call
# ----
(lambda f=eval: f("1"))()  # expect: code-reference
# ----
@exec  # expect: exec-call
@lambda f: "print(1)"
def code():
    pass
# ----
@eval  # expect: eval-call
@input
class Anything:
    pass
# ----
class Runner:
    go = eval  # expect: code-reference

    def run(self, code):
        return self.go(code)  # expect: eval-call
# ----
class Runner:
    exec("x = 1")  # expect: exec-call
# ----
import base64
exec(base64.b64decode("cHJpbnQoMSk="))  # expect: exec-decoded
# ----
from base64 import b64decode as d
exec(d(b"cHJpbnQoMSk=").decode())  # expect: exec-decoded
# ----
import base64
payload = base64.b64decode("cHJpbnQoMSk=")
code = payload.decode()
exec(code)  # expect: exec-decoded
# ----
import codecs
exec(codecs.decode("cevag(1)", "rot13"))  # expect: exec-decoded
# ----
import codecs
exec(codecs.getdecoder("hex")("7072696e74")[0])  # expect: exec-call
# ----
exec(bytes.fromhex("7072696e742831290a"))  # expect: exec-decoded
# ----
import binascii
exec(binascii.unhexlify("7072696e742831290a"))  # expect: exec-decoded
# ----
import zlib, base64
exec(zlib.decompress(base64.b64decode("eJwrKMrMK9Ew1ATRAB9XBBM=")))  # expect: exec-decoded
# ----
import marshal
exec(marshal.loads(b"\xe3"))  # expect: exec-decoded, marshal-load
# ----
import lzma, gzip, bz2
eval(gzip.decompress(b"x"))  # expect: exec-decoded
exec(lzma.decompress(b"x"))  # expect: exec-decoded
exec(bz2.decompress(b"x"))  # expect: exec-decoded
# ----
exec("".join(chr(c) for c in [112, 114, 105, 110, 116]))  # expect: exec-call
# ----
exec("".join(map(chr, [112, 114, 105, 110, 116])))  # expect: exec-call
# ----
exec("tnirp"[::-1])  # expect: exec-call
# ----
exec(f"pri{'nt'}(1)")  # expect: exec-call
# ----
exec(open("other.py").read())  # expect: exec-call
# ----
import urllib.request  # expect: network-module
exec(urllib.request.urlopen("http://example.org/x").read())  # expect: exec-call
# ----
import marshal
marshal.loads(b"")  # expect: marshal-load
# ----
import types
types.FunctionType(types.CodeType(), {})  # expect: code-object
# ----
from types import CodeType as C
C(0, 0, 0, 0, 0, 0, b"", (), (), (), "", "", 0, b"")  # expect: code-object
# ----
def f():
    pass


f.__code__ = (lambda: 1).__code__  # expect: code-object
# ----
def f():
    pass


f.__code__.replace(co_consts=())  # expect: function-internals
# ----
import code  # expect: code-interpreter
code.interact()  # expect: code-interpreter
# ----
from code import InteractiveConsole  # expect: code-interpreter
InteractiveConsole().push("1")  # expect: code-interpreter
# ----
import runpy  # expect: run-module
runpy.run_path("x.py")  # expect: run-module
# ----
import timeit
timeit.timeit("print(1)")  # expect: exec-by-library
# ----
import cProfile, pdb
cProfile.run("f()")  # expect: exec-by-library
pdb.run("f()")  # expect: exec-by-library
# ----
type("X", (), {"a": 1})  # expect: dynamic-type
# ----
X = type("X", (object,), {})  # expect: dynamic-type
# ----
t = type
t("X", (), {})  # expect: dynamic-type
# ----
import types
types.new_class("X")  # expect: dynamic-type
# ----
breakpoint()  # expect: breakpoint-call
# ----
import pdb
pdb.set_trace()  # expect: breakpoint-call
