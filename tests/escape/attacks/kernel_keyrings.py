# SPDX-License-Identifier: Apache-2.0
# source: CVE-2016-0728 and others in keys; keyrings(7) are in no namespace, so two jails could meet
# stopped-by: seccomp
# expect: EPERM
# alone: nothing else knows keyrings; as root each jail at least has a uid of its own
# denied: add_key, keyctl, request_key
# bare: yes
import kit

SESSION, USER = -3, -4
kit.judge(add=kit.call("add_key", b"user", b"glovebox-canary", b"x", 1, USER),
          join=kit.call("keyctl", 1, b"glovebox-canary"), get=kit.call("keyctl", 0, USER, 1),
          request=kit.call("request_key", b"user", b"glovebox-canary", 0, SESSION))
