# SPDX-License-Identifier: Apache-2.0
"""The Python SDK as a client: sdk_python.py GLOVEBOX [ADDRESS TOKEN]. A line "ok NAME" or "not ok NAME" for each check."""

import asyncio
import contextlib
import importlib.util
import inspect
import json
import os
import pathlib
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def check(good, name):
    print(f"{'' if good else 'not '}ok python: {name}")


def member(result, name):
    """A member of a result, by the name that this version of the SDK has for it."""
    snake = "".join("_" + c.lower() if c.isupper() else c for c in name)
    return getattr(result, name, None) if hasattr(result, name) else getattr(result, snake)


def http_streams(address, token):
    """By the name and the arguments that this version of the SDK has for it."""
    from mcp.client import streamable_http
    headers = {"Authorization": "Bearer " + token}
    open_it = getattr(streamable_http, "streamable_http_client", None) or streamable_http.streamablehttp_client
    if "headers" in inspect.signature(open_it).parameters:
        return open_it(address, headers=headers)
    httpx = importlib.import_module("httpx2" if importlib.util.find_spec("httpx2") else "httpx")
    return open_it(address, http_client=httpx.AsyncClient(headers=headers, timeout=60))


@contextlib.asynccontextmanager
async def connect(*more, **callbacks):
    streams = http_streams(*sys.argv[2:4]) if len(sys.argv) > 2 else stdio_client(
        StdioServerParameters(command=sys.argv[1], args=["mcp", *json.loads(os.environ["SERVER_WORDS"]), *more], env=dict(os.environ)))
    async with streams as (reader, writer, *_), ClientSession(reader, writer, **callbacks) as session:
        yield session


async def check_running(session):
    steps = []

    async def on_progress(progress, _total, _message):
        steps.append(progress)

    await session.call_tool("execute_code", {"code": "import time\ntime.sleep(3.5)"}, progress_callback=on_progress)
    check(len(steps) >= 2, f"progress {steps}")
    with contextlib.suppress(Exception):
        async with asyncio.timeout(1):
            await session.call_tool("execute_code", {"code": "import time\ntime.sleep(60)"})
    again = await session.call_tool("execute_code", {"code": "print(1)"})
    check(member(again, "structuredContent")["stdout"] == "1\n", "after a call that was given up")


async def main():
    async with connect() as session:
        await session.initialize()
        check(len((await session.list_tools()).tools) == 10, "tools")
        done = await session.call_tool("execute_code", {"code": "print(6 * 7)\nopen('a', 'w').write('x')"})
        check(member(done, "structuredContent")["stdout"] == "42\n" and not member(done, "isError"), "a program")
        failed = await session.call_tool("execute_code", {"code": "1 / 0"})
        check(member(failed, "isError"), "a failure is a result")
        listed = (await session.list_resources()).resources
        check((await session.read_resource(listed[0].uri)).contents[0].text == "x", "a resource")
        many = await asyncio.gather(*[session.call_tool("run_command", {"command": f"echo {n}"}) for n in range(50)])
        check([member(r, "structuredContent")["stdout"] for r in many] == [f"{n}\n" for n in range(50)], "50 calls at once")
        await check_running(session)


async def check_roots(folder):
    """The client's folders, by the SDK's own callback."""
    from mcp import types
    asked = []

    async def list_roots(_context):
        asked.append(1)
        return types.ListRootsResult(roots=[types.Root(uri=pathlib.Path(folder).as_uri(), name="mine")])

    async with connect("--roots", "ro", list_roots_callback=list_roots) as session:
        await session.initialize()
        about = (await session.list_tools()).tools[0].description
        check(asked and folder in about and "mine" in about, "roots: asked for them, and shown")
        done = await session.call_tool("execute_code", {"code": f"print(open({folder + '/a b.txt'!r}).read())"})
        check(member(done, "structuredContent")["stdout"] == "of the project\n", "roots: a program reads a file")
        await session.send_roots_list_changed()
        done = await session.call_tool("execute_code", {"code": f"import os\nprint(os.listdir({folder!r}))"})
        check(len(asked) == 2 and not member(done, "isError"), f"roots: asked again after a change {asked}")


asyncio.run(main())
if len(sys.argv) < 3 and os.environ["SERVER_WORDS"] == "[]":
    project = pathlib.Path("project & more").absolute()
    project.mkdir()
    (project / "a b.txt").write_text("of the project")
    asyncio.run(check_roots(str(project)))
