# SPDX-License-Identifier: Apache-2.0
import asyncio

async def worker(queue, done):
    while True:
        item = await queue.get()
        done.append(item * item)
        queue.task_done()

async def main():
    queue, done = asyncio.Queue(), []
    workers = [asyncio.create_task(worker(queue, done)) for _ in range(3)]
    for i in range(10):
        queue.put_nowait(i)
    await queue.join()
    for w in workers:
        w.cancel()
    await asyncio.gather(*workers, return_exceptions=True)
    print(sorted(done))

asyncio.run(main())
