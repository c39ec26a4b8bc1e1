# SPDX-License-Identifier: Apache-2.0
"""Answers as the three protocols have them, and a way to run `glovebox generate` against a scripted server."""

import atexit
import json
import os
import shutil
import subprocess
import tempfile

import elsewhere
from server import PATIENCE, Answer, Server

HERE = os.path.dirname(os.path.abspath(__file__))
GLOVEBOX = os.path.abspath(os.environ.get("GLOVEBOX") or os.path.join(HERE, "..", "..", "build", "glovebox"))
KEY = "sk-a-key-of-the-tests-0123456789"
CODE = "print('caf\u00e9')"
REPLY = "Here it is:\n\n```python\n%s\n```\n" % CODE


def sse(events, end="\n\n", done=True):
    """The bytes of a stream."""
    lines = ["data: %s%s" % (json.dumps(e, ensure_ascii=False) if not isinstance(e, str) else e, end) for e in events]
    return "".join(lines + (["data: [DONE]" + end] if done else [])).encode()


class OpenAI:
    name, variable, url_variable, model = "openai", "OPENAI_API_KEY", "OPENAI_BASE_URL", "gpt-test"
    path, stream_path, suffix = "/v1/chat/completions", "/v1/chat/completions", "/v1"

    @staticmethod
    def whole(text=REPLY, finish="stop"):
        return {"id": "x", "object": "chat.completion", "choices": [
            {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 40}}}

    @staticmethod
    def calls(arguments, text=None):
        """An answer that calls execute_code; each of the arguments is an object or, where the protocol has it, a text."""
        made = OpenAI.whole(text, "tool_calls")
        made["choices"][0]["message"]["tool_calls"] = [
            {"id": "c%d" % i, "type": "function", "function": {"name": "execute_code", "arguments": a if isinstance(a, str) else json.dumps(a)}}
            for i, a in enumerate(arguments)]
        return made

    @staticmethod
    def call_stream(arguments):
        """The same as a stream, with the arguments in small pieces."""
        def chunk(delta, finish=None):
            return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
        made = [chunk({"role": "assistant", "content": None})]
        for i, a in enumerate(arguments):
            text = json.dumps(a)
            made.append(chunk({"tool_calls": [{"index": i, "id": "c%d" % i, "type": "function", "function": {"name": "execute_code", "arguments": ""}}]}))
            made += [chunk({"tool_calls": [{"index": i, "function": {"arguments": text[n:n + 5]}}]}) for n in range(0, len(text), 5)]
        return sse(made + [chunk({}, "tool_calls"), {"choices": [], "usage": OpenAI.whole()["usage"]}])

    @staticmethod
    def results(request):
        """The texts that went back for the calls of the last answer."""
        messages = request.json["messages"]
        return [m["content"] for m in messages[max(i for i, m in enumerate(messages) if m["role"] == "assistant"):] if m["role"] == "tool"]

    @staticmethod
    def last_text(request):
        return request.json["messages"][-1]["content"]

    @staticmethod
    def events(text=REPLY, finish="stop", size=7):
        def chunk(delta, finish=None):
            return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
        pieces = [text[i:i + size] for i in range(0, len(text), size)]
        return [chunk({"role": "assistant", "content": ""})] + [chunk({"content": p}) for p in pieces] + [
            chunk({}, finish), {"choices": [], "usage": OpenAI.whole()["usage"]}]

    @staticmethod
    def stream(text=REPLY):
        return sse(OpenAI.events(text))

    @staticmethod
    def key_of(request):
        return request.headers.get("authorization", "").removeprefix("Bearer ")


class Anthropic:
    name, variable, url_variable, model = "anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "claude-test"
    path, stream_path, suffix = "/v1/messages", "/v1/messages", ""

    @staticmethod
    def whole(text=REPLY, finish="end_turn"):
        return {"id": "x", "type": "message", "role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": text}],
            "stop_reason": finish, "usage": {"input_tokens": 60, "cache_read_input_tokens": 40, "output_tokens": 20}}

    @staticmethod
    def calls(arguments, text="I run it."):
        made = Anthropic.whole(text, "tool_use")
        made["content"] += [{"type": "tool_use", "id": "c%d" % i, "name": "execute_code", "input": a} for i, a in enumerate(arguments)]
        return made

    @staticmethod
    def call_stream(arguments):
        made = Anthropic.events("I run it.", "tool_use")
        blocks = []
        for i, a in enumerate(arguments, 1):
            text = json.dumps(a)
            blocks.append({"type": "content_block_start", "index": i, "content_block": {"type": "tool_use", "id": "c%d" % i, "name": "execute_code", "input": {}}})
            blocks += [{"type": "content_block_delta", "index": i, "delta": {"type": "input_json_delta", "partial_json": text[n:n + 5]}}
                       for n in range(0, len(text), 5)]
            blocks.append({"type": "content_block_stop", "index": i})
        return b"".join(b"event: %s\n" % e["type"].encode() + sse([e], done=False) for e in made[:-2] + blocks + made[-2:])

    @staticmethod
    def results(request):
        return [b["content"] for b in request.json["messages"][-1]["content"] if b["type"] == "tool_result"]

    @staticmethod
    def last_text(request):
        return request.json["messages"][-1]["content"][-1]["text"]

    @staticmethod
    def events(text=REPLY, finish="end_turn", size=7):
        pieces = [text[i:i + size] for i in range(0, len(text), size)]
        return [{"type": "message_start", "message": {"usage": dict(Anthropic.whole()["usage"], output_tokens=1)}},
                {"type": "ping"}, {"type": "something_new", "x": [1]},
                {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}] + [
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": p}} for p in pieces] + [
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": finish}, "usage": {"output_tokens": 20}},
            {"type": "message_stop"}]

    @staticmethod
    def stream(text=REPLY):
        return b"".join(b"event: %s\n" % e["type"].encode() + sse([e], done=False) for e in Anthropic.events(text))

    @staticmethod
    def key_of(request):
        return request.headers.get("x-api-key")


class Gemini:
    name, variable, url_variable, model = "gemini", "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL", "gemini-test"
    path, stream_path = "/v1beta/models/gemini-test:generateContent", "/v1beta/models/gemini-test:streamGenerateContent?alt=sse"
    suffix = ""

    @staticmethod
    def whole(text=REPLY, finish="STOP"):
        return {"candidates": [{"content": {"role": "model", "parts": [{"text": "hm", "thought": True}, {"text": text}]},
                                "finishReason": finish, "index": 0}],
                "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 15, "thoughtsTokenCount": 5,
                                  "cachedContentTokenCount": 40}}

    @staticmethod
    def calls(arguments, text="I run it."):
        made = Gemini.whole(text)
        made["candidates"][0]["content"]["parts"] += [
            {"functionCall": {"name": "execute_code", "args": a}, "thoughtSignature": "s"} for a in arguments]
        return made

    @staticmethod
    def call_stream(arguments):
        parts = [[{"functionCall": {"name": "execute_code", "args": a}, "thoughtSignature": "s"}] for a in arguments]
        made = [{"candidates": [{"content": {"role": "model", "parts": p}, "index": 0}]} for p in parts]
        return sse(made + Gemini.events("")[-1:], end="\r\n\r\n", done=False)

    @staticmethod
    def results(request):
        parts = request.json["contents"][-1]["parts"]
        return [(p["functionResponse"]["response"].get("output") or p["functionResponse"]["response"].get("error"))
                for p in parts if "functionResponse" in p]

    @staticmethod
    def last_text(request):
        return request.json["contents"][-1]["parts"][-1]["text"]

    @staticmethod
    def events(text=REPLY, finish="STOP", size=7):
        pieces = [text[i:i + size] for i in range(0, len(text), size)]
        made = [{"candidates": [{"content": {"role": "model", "parts": [{"text": p}]}, "index": 0}]} for p in pieces]
        last = dict(Gemini.whole("", finish))
        last["candidates"][0].pop("content")
        return made + [last]

    @staticmethod
    def stream(text=REPLY):
        return sse(Gemini.events(text), end="\r\n\r\n", done=False)

    @staticmethod
    def key_of(request):
        return request.headers.get("x-goog-api-key")


PROTOCOLS = [OpenAI, Anthropic, Gemini]


class Place:
    """A home of its own, and runs of glovebox in it. Each output is searched for the key."""

    def __init__(self, tap):
        self.tap = tap
        self.folder = tempfile.mkdtemp(prefix="glovebox-llm-")
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        self.config = os.path.join(self.folder, "home", ".config", "glovebox")
        os.makedirs(self.config)
        self.work = os.path.join(self.folder, "work")
        os.mkdir(self.work)

    def path(self, name):
        return os.path.join(self.work, name)

    def write(self, name, text):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())
        return path

    def env(self, extra):
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": os.path.join(self.folder, "home"), "LANG": "C.UTF-8",
               "TMPDIR": self.folder, "GLOVEBOX_SOCKET": "unix:" + self.path("none"), "GLOVEBOX_LOG": "off",
               **elsewhere.variables()}
        env.update(extra)
        return {name: value for name, value in env.items() if value is not None}

    def run(self, *args, env=(), stdin=b""):
        done = subprocess.run([GLOVEBOX, *args], env=self.env(dict(env)), cwd=self.work, input=stdin, capture_output=True,
                              timeout=PATIENCE)
        said = done.stdout + done.stderr
        if KEY.encode() in said or KEY.encode()[4:20] in said:
            self.tap.ok(False, "no key in any output", said)
        return done

    def ask(self, protocol, server, command, *args, env=(), **more):
        """A command with a model that this server plays."""
        names = {protocol.variable: KEY, protocol.url_variable: server.url + protocol.suffix}
        names.update(dict(env))
        return self.run(command, "--model", protocol.model, *args, env=names, **more)

    def generate(self, protocol, server, *args, **more):
        return self.ask(protocol, server, "generate", *args, "print a word", **more)


def asked(protocol, answers, *args, tap, **more):
    """One call against a server with these answers: (how it ended, the server's requests)."""
    with Server(answers) as server:
        return Place(tap).generate(protocol, server, *args, **more), server.requests


def events(body, pieces=None, **more):
    return Answer(body=body, pieces=pieces, kind="text/event-stream", chunked=True, **more)
