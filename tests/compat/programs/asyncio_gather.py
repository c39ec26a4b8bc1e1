# SPDX-License-Identifier: Apache-2.0
import asyncio

async def fetch(name, delay):
    await asyncio.sleep(delay)
    return name.upper()

async def main():
    results = await asyncio.gather(fetch("a", 0.02), fetch("b", 0.01), fetch("c", 0))
    print(results)
    try:
        await asyncio.wait_for(asyncio.sleep(5), timeout=0.01)
    except asyncio.TimeoutError:
        print("timed out")

asyncio.run(main())
