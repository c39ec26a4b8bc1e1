# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from typing import Any

import pytest
from deepagents import create_deep_agent
from deepagents.backends.protocol import FileDownloadResponse, FileUploadResponse
from langchain_tests.integration_tests import SandboxIntegrationTests
from scripted import langchain_model

from glovebox_sandbox.adapters.deepagents import GloveboxBackend
from glovebox_sandbox.core import Box


class TestConformance(SandboxIntegrationTests):
    """The public tests of Deep Agents for sandboxes, as they are."""

    @pytest.fixture(scope="class")
    def sandbox(self) -> Iterator[GloveboxBackend]:
        with GloveboxBackend() as backend:
            yield backend


@pytest.fixture
def backend() -> Iterator[GloveboxBackend]:
    with GloveboxBackend(timeout="20s") as it:
        yield it


def test_a_command(backend: GloveboxBackend) -> None:
    answer = backend.execute("echo out; echo err >&2; exit 3")
    assert answer.exit_code == 3 and not answer.truncated
    assert "out" in answer.output and "err" in answer.output


def test_a_timeout_says_so(backend: GloveboxBackend) -> None:
    answer = backend.execute("sleep 60", timeout=1)
    assert answer.exit_code == 124 and "time" in answer.output.lower()
    assert backend.execute("echo alive").output.strip() == "alive"


def test_nothing_of_the_host_is_there(backend: GloveboxBackend) -> None:
    assert "GLOVEBOX_PROGRAM" not in backend.execute("env").output
    assert backend.execute("cat /etc/shadow").exit_code != 0


def test_one_bad_file_does_not_stop_the_others(backend: GloveboxBackend) -> None:
    assert backend.upload_files([("relative", b"x"), ("/tmp/a", b"1")]) == [
        FileUploadResponse(path="relative", error="invalid_path"), FileUploadResponse(path="/tmp/a", error=None)]
    assert backend.download_files(["/tmp/none", "/tmp/a"]) == [
        FileDownloadResponse(path="/tmp/none", content=None, error="file_not_found"),
        FileDownloadResponse(path="/tmp/a", content=b"1", error=None)]


def test_event_loops_share_a_backend(backend: GloveboxBackend) -> None:
    async def several() -> list[str]:
        answers = await asyncio.gather(*(backend.aexecute(f"echo {n}") for n in range(8)))
        return [answer.output.strip() for answer in answers]

    for _ in range(2):
        assert asyncio.run(several()) == [str(n) for n in range(8)]


def test_a_box_of_ones_own_stays_open() -> None:
    with Box() as box:
        with GloveboxBackend(box) as backend:
            assert backend.execute("true").exit_code == 0
        assert box.status() == "running"
    with pytest.raises(ValueError, match="either a box or its options"):
        GloveboxBackend(box, memory="1g")


NUMBERS = "seq 1 200000; exit 3"


@pytest.mark.parametrize("options, kept", [({}, True), ({"writable": ["/app"]}, True), (None, False)])
def test_a_large_output_stays_inside(options: dict[str, Any] | None, kept: bool) -> None:
    """The model gets its two ends and the place of the rest; without such a place, the output as it is."""
    with Box() as box, GloveboxBackend(box) if options is None else GloveboxBackend(**options) as backend:
        model = langchain_model(("execute", {"command": NUMBERS}), "Done.")
        answer = create_deep_agent(model=model, backend=backend).invoke({"messages": [("user", "Count.")]})
        said = answer["messages"][-2].content
        assert ("1\n2\n" in said) and "200000" in said and "exit code 3" in said
        if hasattr(GloveboxBackend, "execute_with_offload"):  # Deep Agents 0.7
            assert (len(said) < 20_000) is kept
            if kept:
                file = re.search(r"/large_tool_results/\S+?(?=[\s'`.,)]|$)", said)
                assert file and backend.read(file[0], offset=150_000, limit=1).file_data["content"].strip() == "150001"


@pytest.mark.skipif(not hasattr(GloveboxBackend, "execute_with_offload"), reason="this release keeps no output of commands")
def test_outputs_that_are_kept(backend: GloveboxBackend) -> None:
    def kept(command: str, most: int = 1000, **more: Any) -> Any:
        return backend.execute_with_offload(command, "/large_tool_results/a", max_inline_bytes=most, **more)

    small = kept("echo 'it''s'; printf %s \"$HOME\"; cd /; (exit 7)")
    assert not small.offloaded and small.response.exit_code == 7 and small.response.output.startswith("its\n")
    assert backend.execute("cat /large_tool_results/a").exit_code != 0, "what was small is no file"
    long = kept("head -c 3000000 /dev/zero | tr '\\0' x; exit 5")
    assert long.offloaded and long.response.exit_code == 5 and len(long.response.output) < 20_000
    assert backend.execute("wc -c < /large_tool_results/a").output == "3000000\n"
    assert kept("yes | head -n 100000", max_capture_bytes=5000).offloaded
    assert int(backend.execute("wc -c < /large_tool_results/a").output) <= 5000
    late = kept("echo begun; sleep 60", timeout=1)
    assert late.response.exit_code == 124


def test_an_agent(backend: GloveboxBackend) -> None:
    model = langchain_model(
        ("write_file", {"file_path": "/tmp/count.py", "content": "print(len('a b c'.split()))"}),
        ("execute", {"command": "python3 /tmp/count.py"}),
        "There are 3 words.",
    )
    agent = create_deep_agent(model=model, backend=backend)
    answer = agent.invoke({"messages": [("user", "Count the words of 'a b c'.")]})
    assert answer["messages"][-1].content == "There are 3 words."
    assert "3" in answer["messages"][-2].content
