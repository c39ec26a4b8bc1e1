# SPDX-License-Identifier: Apache-2.0
"""The models that the programs of docs/python name, as scripted ones: page -> (what to replace, names that the page leaves
to the reader, what the programs print)."""

from __future__ import annotations

from functools import partial
from typing import Any, Callable

from scripted import langchain_model, smolagents_model

FIBONACCI = "a, b = 0, 1\nfor _ in range(20):\n    a, b = b, a + b\n"
Replace = Callable[[str, Any], None]


def smolagents(replace: Replace) -> tuple[dict[str, Any], str]:
    replace("smolagents.InferenceClientModel", lambda: smolagents_model(FIBONACCI + "final_answer(a)"))
    return {"tools": [], "model": smolagents_model()}, "6765\n"


def openai_agents(replace: Replace) -> tuple[dict[str, Any], str]:
    import agents
    import agents.sandbox
    from agents.testing import ScriptedModel, assistant_message, function_call

    code = function_call("code_interpreter", {"code": FIBONACCI + "print(a)"}, call_id="1")
    shell = function_call("exec_command", {"cmd": "echo one two | wc -w"}, call_id="1")
    replace("agents.Agent", partial(agents.Agent, model=ScriptedModel([[code], [assistant_message("It is 6765.")]])))
    coder = ScriptedModel([[shell], [assistant_message("It counts 2 words.")]])
    replace("agents.sandbox.SandboxAgent", partial(agents.sandbox.SandboxAgent, model=coder))
    return {}, "It is 6765.\nIt counts 2 words.\n"


def langchain(replace: Replace) -> tuple[dict[str, Any], str]:
    from langchain import agents

    def create_agent(model: str, tools: Any, make: Any = agents.create_agent) -> Any:
        return make(langchain_model((tools[0].name, {"code": FIBONACCI + "print(a)"}), "It is 6765."), tools=tools)

    replace("langchain.agents.create_agent", create_agent)
    return {}, "It is 6765.\n"


def deepagents(replace: Replace) -> tuple[dict[str, Any], str]:
    import deepagents

    def create_deep_agent(model: str, backend: Any, make: Any = deepagents.create_deep_agent) -> Any:
        return make(model=langchain_model(("execute", {"command": "echo one two | wc -w"}), "Done."), backend=backend)

    replace("deepagents.create_deep_agent", create_deep_agent)
    return {}, ""


def google_adk(replace: Replace) -> tuple[dict[str, Any], str]:
    return {}, ""


MODELS: dict[str, Callable[[Replace], tuple[dict[str, Any], str]]] = {
    "smolagents": smolagents, "openai-agents": openai_agents, "langchain": langchain, "deepagents": deepagents,
    "google-adk": google_adk}
