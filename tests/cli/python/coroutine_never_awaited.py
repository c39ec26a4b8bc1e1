# SPDX-License-Identifier: Apache-2.0
async def nobody_waits():
    pass


c = nobody_waits()
print("end")
