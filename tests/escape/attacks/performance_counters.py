# SPDX-License-Identifier: Apache-2.0
# source: CVE-2013-2094, CVE-2023-5717: perf_event_open, and side channels for the patient
# stopped-by: seccomp
# expect: EPERM
# alone: kernel.perf_event_paranoid is the host's choice, and 2 lets a program count itself
# denied: perf_event_open
# bare: yes
import ctypes
import kit

attributes = (ctypes.c_uint32 * 32)(1, 128, 1)  # a software event: the processor's clock
attributes[10] = 0b1100000  # exclude_kernel, exclude_hv
kit.judge(own=kit.call("perf_event_open", attributes, 0, -1, -1, 0))
