# SPDX-License-Identifier: Apache-2.0
# source: CWE-400: files without content still cost the kernel a kilobyte each
# stopped-by: root
# alone: without a private root the files lie on the host's disk, and nothing counts them
# expect: ENOSPC
# args: --inodes 2000 --memory 64m --timeout 8s
import os
import kit

try:
    for number in range(60000):
        os.close(os.open("%s/%d" % (os.environ["TMPDIR"], number), os.O_CREAT | os.O_WRONLY))
except OSError as e:
    kit.held(kit.name_of(e.errno))
kit.escaped("60000 files")
