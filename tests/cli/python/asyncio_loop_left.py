# SPDX-License-Identifier: Apache-2.0
import asyncio


async def forever():
    await asyncio.sleep(1000)


loop = asyncio.new_event_loop()
task = loop.create_task(forever())
loop.run_until_complete(asyncio.sleep(0.01))
print("end")
