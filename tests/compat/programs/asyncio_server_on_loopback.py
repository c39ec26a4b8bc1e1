# SPDX-License-Identifier: Apache-2.0
import asyncio

async def answer(reader, writer):
    line = await reader.readline()
    writer.write(line[::-1].strip() + b"\n")
    await writer.drain()
    writer.close()

async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"hello\n")
    print(await reader.readline())
    writer.close()
    server.close()

asyncio.run(main())
