# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import asyncio
from collections.abc import Iterator

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
