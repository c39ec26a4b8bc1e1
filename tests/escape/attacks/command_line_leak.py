# SPDX-License-Identifier: Apache-2.0
# source: proc(5): the supervisor's command line would hold --env K=V and the paths of the host
# stopped-by: environment
# alone: the helper gets its orders through a descriptor, and has no arguments but one
# expect: clean
import os
import kit

lines = [kit.read("/proc/%s/cmdline" % p) for p in os.listdir("/proc") if p.isdigit()]
mine = kit.read("/proc/self/cmdline")
if any(isinstance(l, bytes) and l != mine and kit.canary("FOLDER").encode() in l for l in lines):
    kit.escaped("the host's paths")
kit.held("clean")
