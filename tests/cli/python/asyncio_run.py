# SPDX-License-Identifier: Apache-2.0
import asyncio


async def tick(n):
    await asyncio.sleep(0.01 * n)
    return n


async def main():
    print(await asyncio.gather(*(tick(n) for n in range(4))))
    p = await asyncio.create_subprocess_exec("echo", "from a child", stdout=-1)
    print((await p.communicate())[0])
    async with asyncio.timeout(1):
        print(await asyncio.to_thread(sum, [1, 2]))


asyncio.run(main())
