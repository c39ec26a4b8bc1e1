# SPDX-License-Identifier: Apache-2.0
# source: CVE-2020-8835, CVE-2021-3490 and others: the verifier of eBPF
# stopped-by: seccomp
# expect: EPERM
# then: capabilities
# denied: bpf
import ctypes
import kit

array = (ctypes.c_uint32 * 32)(2, 4, 4, 1)  # BPF_MAP_CREATE of an array of one word
program = (ctypes.c_uint64 * 16)()
kit.judge(map=kit.call("bpf", 0, array, 128), program=kit.call("bpf", 5, program, 128))
