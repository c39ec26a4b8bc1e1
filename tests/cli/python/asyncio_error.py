# SPDX-License-Identifier: Apache-2.0
import asyncio


async def fail():
    await asyncio.sleep(0)
    raise ValueError("in a task")


async def main():
    async with asyncio.TaskGroup() as group:
        group.create_task(fail())


asyncio.run(main())
