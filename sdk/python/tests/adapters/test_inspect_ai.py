# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import exact
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import SandboxEnvironmentSpec, sandbox
from inspect_ai.util._sandbox.self_check import *  # noqa: F403  # Inspect's public tests for sandboxes

from glovebox_sandbox.adapters.inspect_ai import GloveboxConfig, GloveboxSandboxEnvironment

# By Inspect's names, and why.
CANNOT = {
    **dict.fromkeys(("test_exec_as_user", "test_exec_as_root"), "commands run as one user"),
}


@pytest.fixture
async def sandbox_env(request: Any) -> AsyncIterator[Any]:
    if request.node.originalname in CANNOT:
        request.node.add_marker(pytest.mark.xfail(reason=CANNOT[request.node.originalname], strict=True))
    made = await GloveboxSandboxEnvironment.sample_init("test", None, {})
    yield made["default"]
    await GloveboxSandboxEnvironment.sample_cleanup("test", None, made, False)


@solver
def looks_around() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        result = await sandbox().exec(["bash", "-c", "cat in.txt; echo $((6 * 7)) > out.txt"])
        state.output = ModelOutput.from_content("none", result.stdout + await sandbox().read_file("out.txt"))
        return state

    return solve


def test_a_task() -> None:
    where = SandboxEnvironmentSpec("glovebox", GloveboxConfig(memory="512m"))
    samples = [Sample(input="?", target=f"sample {n}\n42\n", files={"in.txt": f"sample {n}\n"}) for n in range(3)]
    task = Task(dataset=samples, solver=looks_around(), scorer=exact(), sandbox=where)
    with tempfile.TemporaryDirectory() as logs:
        [log] = eval(task, model="mockllm/model", display="none", log_dir=logs)
    assert log.status == "success", log.error
    assert log.results and log.results.scores[0].metrics["mean"].value == 1
