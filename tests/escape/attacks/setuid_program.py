# SPDX-License-Identifier: Apache-2.0
# source: CVE-2021-4034 (pkexec), CVE-2021-3156 (sudo): the host's setuid programs
# stopped-by: root
# expect: powerless
# then: no_new_privs
# needs: setuid-program
# args: --ro {data}
# bare: yes
import os
import subprocess
import kit

said = subprocess.run([kit.view() + "/euid"], capture_output=True, text=True).stdout
if said == "euid 0\n":
    kit.escaped("the rights of root")
if said != "euid %d\n" % os.getuid():
    kit.held("it did not run: " + repr(said))
kit.held("powerless")
