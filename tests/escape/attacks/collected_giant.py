# SPDX-License-Identifier: Apache-2.0
# source: "42.zip" without the zip: a file that is large and costs nothing, where the copy would
# stopped-by: collector
# alone: no layer of the kernel's: where there is a private root, --disk limits content and not lengths
# expect: planted
# args: --disk 64m
import os
import signal
import kit

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with open("giant", "wb") as f:
    result = kit.attempt(os.truncate, f.fileno(), 1 << 42)
kit.held(kit.name_of(-result) if result < 0 else "planted")
