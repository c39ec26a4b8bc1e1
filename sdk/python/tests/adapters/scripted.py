# SPDX-License-Identifier: Apache-2.0
"""Models that say what a test wrote down: no network, no key."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class Script:
    """Replies in order. What the model was asked is kept, so that a test can look at it."""

    def __init__(self, replies: Iterable[Any]) -> None:
        self._replies = list(replies)
        self.asked: list[Any] = []

    def next(self, asked: Any) -> Any:
        self.asked.append(asked)
        if not self._replies:
            raise AssertionError("the script has ended, and the model was asked once more")
        return self._replies.pop(0)

    @property
    def ended(self) -> bool:
        return not self._replies


def smolagents_model(*codes: str) -> Any:
    """A model of smolagents that writes one program after the other."""
    from smolagents.models import ChatMessage, MessageRole, Model

    class Scripted(Model):
        def __init__(self) -> None:
            super().__init__(model_id="scripted")
            self.script = Script(codes)

        def generate(self, messages: Any, **_: Any) -> ChatMessage:
            code = self.script.next([text_of(message) for message in messages])
            return ChatMessage(role=MessageRole.ASSISTANT, content=f"Thought: next.\n<code>\n{code}\n</code>")

    return Scripted()


def text_of(message: Any) -> str:
    content = message.content
    return content if isinstance(content, str) else " ".join(str(part.get("text", "")) for part in content or ())


def langchain_model(*replies: Any) -> Any:
    """A chat model of LangChain. A reply is a text, or the name of a tool and its arguments."""
    from langchain_core.language_models.chat_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage
    from langchain_core.outputs import ChatGeneration, ChatResult

    script = Script(replies)

    class Scripted(BaseChatModel):
        @property
        def _llm_type(self) -> str:
            return "scripted"

        @property
        def script(self) -> Script:
            return script

        def bind_tools(self, tools: Any, **_: Any) -> Any:
            return self

        def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
            reply = script.next(messages)
            if isinstance(reply, str):
                message = AIMessage(content=reply)
            else:
                call = {"name": reply[0], "args": reply[1], "id": f"call-{len(script.asked)}"}
                message = AIMessage(content="", tool_calls=[call])
            return ChatResult(generations=[ChatGeneration(message=message)])

    return Scripted()
