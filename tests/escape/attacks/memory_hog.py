# SPDX-License-Identifier: Apache-2.0
# source: judges' lore: one process, all the memory
# stopped-by: memory
# alone: where there are no cgroups the supervisor watches
# ends: oom_killed
# args: --memory 64m --timeout 8s
held = []
for _ in range(64):
    held.append(bytearray(b"x") * (16 << 20))
print("ESCAPED 1 GiB")
