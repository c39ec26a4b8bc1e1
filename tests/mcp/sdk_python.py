# SPDX-License-Identifier: Apache-2.0
"""The Python SDK as a client: sdk_python.py GLOVEBOX. A line "ok NAME" or "not ok NAME" for each check."""

import asyncio
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def check(good, name):
    print(f"{'' if good else 'not '}ok python: {name}")


def member(result, name):
    """A member of a result, by the name that this version of the SDK has for it."""
    snake = "".join("_" + c.lower() if c.isupper() else c for c in name)
    return getattr(result, name, None) if hasattr(result, name) else getattr(result, snake)


async def main():
    server = StdioServerParameters(command=sys.argv[1], args=["mcp"], env=dict(os.environ))
    async with stdio_client(server) as (reader, writer), ClientSession(reader, writer) as session:
        await session.initialize()
        check(len((await session.list_tools()).tools) == 10, "tools")
        done = await session.call_tool("execute_code", {"code": "print(6 * 7)\nopen('a', 'w').write('x')"})
        check(member(done, "structuredContent")["stdout"] == "42\n" and not member(done, "isError"), "a program")
        failed = await session.call_tool("execute_code", {"code": "1 / 0"})
        check(member(failed, "isError"), "a failure is a result")
        listed = (await session.list_resources()).resources
        check((await session.read_resource(listed[0].uri)).contents[0].text == "x", "a resource")
        many = await asyncio.gather(*[session.call_tool("run_command", {"command": f"echo {n}"}) for n in range(20)])
        check([member(r, "structuredContent")["stdout"] for r in many] == [f"{n}\n" for n in range(20)], "calls at once")


asyncio.run(main())
