# SPDX-License-Identifier: Apache-2.0
class Stop(BaseException):
    pass


print("x")
raise Stop("not an Exception")
