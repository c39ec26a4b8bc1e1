# SPDX-License-Identifier: Apache-2.0
# source: CVE-2025-5120, CVE-2025-9959 (smolagents): out of a filter in the language, by its objects
# stopped-by: root
# then: landlock
# expect: ENOENT
# expect-then: EACCES
# bare: yes
import kit

found = [c for c in ().__class__.__base__.__subclasses__() if c.__name__ == "_wrap_close"]
system = found[0].__init__.__globals__["popen"]
out = system("cat %s %s 2>&1" % (kit.canary("SECRET"), kit.canary("OPEN"))).read()
if "CANARY" + "-" in out:
    kit.escaped("read by way of a shell")
words = {"Permission denied": "EACCES", "No such file": "ENOENT"}
kit.held(*{error for text, error in words.items() if text in out} or {"nothing"})
