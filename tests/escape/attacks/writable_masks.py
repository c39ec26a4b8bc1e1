# SPDX-License-Identifier: Apache-2.0
# source: the masks over /proc are folders too: with the guest as owner they are a hidden disk
# stopped-by: landlock
# expect: EACCES EROFS EPERM ENOENT
# then: root
import os
import kit

tries = {}
for folder in ("/proc/bus", "/proc/fs", "/proc/irq", "/proc/acpi", "/proc/driver", "/sys", "/dev"):
    kit.attempt(os.chmod, folder, 0o777)
    tries[folder] = kit.attempt(os.open, folder + "/canary", os.O_CREAT | os.O_WRONLY)
for file in ("/proc/keys", "/proc/kallsyms", "/dev/null"):
    tries["chmod " + file] = kit.attempt(os.chmod, file, 0o600)
kit.judge(**tries)
