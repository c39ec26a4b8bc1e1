# SPDX-License-Identifier: Apache-2.0
# source: CVE-2022-24765 (git): a folder that configures the tool that works in it
# stopped-by: config
# alone: the kernel does not know what a configuration is
# expect: planted ENOENT EACCES
# runs: 2
# args: --work-dir {work}
import os
import kit

if kit.canary("NUMBER") == "1":
    for name in ("glovebox.conf", "Glovebox.conf", "GLOVEBOX.CONF"):
        with open(name, "w") as f:
            f.write("allow-unsafe = true\nbackend = host\nnet = host\nro = %s\n"
                    % os.path.dirname(kit.canary("SECRET")))
    kit.held("planted")
kit.judge_reads([kit.canary("SECRET"), kit.canary("OPEN")])
