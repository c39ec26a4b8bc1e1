# SPDX-License-Identifier: Apache-2.0
"""glovebox blocks: the code in a model's reply."""

import json

import box

F = "```"
REPLY = """Thought: First a try.
%spy
print("not this")
%s
Code:
%spython
x = 1
%s
and
%spy
print(x)
%s
""" % (
    (F,) * 6
)


def blocks(t, text, *args):
    return t.box("blocks", *args, stdin=text.encode() if isinstance(text, str) else text)


@box.once
def test_wrapped(t):
    inside = "Here:\n%spython\nprint(1)\n%s\nor\n%spy\nprint('é')\n%s\n" % ((F,) * 4)
    for word in "markdown", "md":
        reply = "Sure.\n````%s\n%s````\n" % (word, inside)
        t.exits(blocks(t, reply), 0, "a reply in ````%s: the code in it" % word, "print('é')\n".encode())
        t.exits(blocks(t, reply, "--joined"), 0, "all of it", "print(1)\n\nprint('é')\n".encode())
        for block in blocks(t, reply, "--joined", "--json").json:
            cut = reply.encode()[block["code_start"]:block["code_end"]].decode()
            t.equal(cut, block["code"], "at its place in the reply", block)
    reply = "````markdown\nNo code here.\n````\n"
    t.exits(blocks(t, reply), 0, "Markdown without code is the code", b"No code here.\n")
    reply = "````markdown\n%s````\n%spython\nx = 1\n%s\n" % (inside, F, F)
    t.exits(blocks(t, reply), 0, "code beside it is better", b"x = 1\n")
    deep = "".join("`" * n + "markdown\n" for n in range(2000, 2, -1)) + "x\n" + "".join("`" * n + "\n" for n in range(3, 2001))
    t.equal(blocks(t, deep).code, 0, "a thousand wrappers")


@box.once
def test_choice(t):
    t.exits(blocks(t, REPLY), 0, "the last of the code", b"print(x)\n")
    t.exits(blocks(t, REPLY, "--last"), 0, "--last", b"print(x)\n")
    t.exits(blocks(t, REPLY, "--first"), 0, "--first", b"x = 1\n")
    t.exits(blocks(t, REPLY, "--joined"), 0, "--joined", b"x = 1\n\nprint(x)\n")
    t.exits(
        blocks(t, REPLY, "--all"), 0, "--all", b'print("not this")\n\nx = 1\n\nprint(x)\n'
    )
    t.exits(blocks(t, REPLY, "-l", "js,python", "--first"), 0, "--lang", b"x = 1\n")
    t.refused(blocks(t, REPLY, "--lang", "r"), 1, "no r code block", "none in R")
    t.refused(blocks(t, "just words"), 1, "no code block in the reply", "no code")
    t.refused(blocks(t, ""), 1, "no code block", "nothing")
    t.refused(blocks(t, REPLY, "--first", "--last"), 2, "--first", "two choices")


@box.once
def test_json(t):
    text = "é\n%spy\nx = 1\n%s\n" % (F, F)
    done = blocks(t, text, "--json")
    t.exits(done, 0, "--json")
    t.equal(
        done.json,
        [
            {
                "language": "python",
                "info": "py",
                "code": "x = 1",
                "start": 3,
                "end": 18,
                "code_start": 9,
                "code_end": 14,
                "closed": True,
            }
        ],
        "all about a block",
    )
    t.equal(text.encode()[9:14], b"x = 1", "offsets count bytes")
    t.equal([b["code"] for b in blocks(t, REPLY, "--json", "--joined").json], ["x = 1", "print(x)"], "of the code")
    t.equal(len(blocks(t, REPLY, "--json").json), 3, "of all blocks")
    done = blocks(t, "none", "--json")
    t.ok(done.code == 1 and done.json == [], "an empty list, and status 1", done)
    t.equal(blocks(t, "%s\nx" % F, "--json").json[0]["closed"], False, "the fence is missing")
    odd = blocks(t, b"```\n\xff\n```", "--json").json[0]
    t.equal(
        (odd["code"], odd["code_base64"]), ("\ufffd", "/w=="), "bytes that are no text"
    )


@box.once
def test_input(t):
    path = t.write("reply.md", REPLY)
    t.exits(t.box("blocks", path), 0, "a file", b"print(x)\n")
    t.exits(blocks(t, REPLY, "-"), 0, "-", b"print(x)\n")
    t.refused(t.box("blocks", "missing.md"), 2, "missing.md", "no such file")
    t.refused(t.box("blocks", path, path), 2, "one file", "two files")
    t.exits(blocks(t, "```\n" + "x\n" * 400000 + "```"), 0, "a large one")
    t.exits(blocks(t, b"```\na\0b\n```"), 0, "NUL", b"a\0b\n")


@box.once
def test_delimiters(t):
    text = "a <run>b</run> [[js c]] <run>d</run>"
    pair = ("--delimiters", "<run>..</run>")
    t.exits(blocks(t, text, *pair), 0, "a pair", b"d\n")
    t.exits(
        blocks(t, text, *pair, "--delimiters", "[[js..]]", "--all"), 0, "two pairs", b"b\n\n c\n\nd\n"
    )
    t.refused(blocks(t, text, "--delimiters", "x"), 2, "--delimiters: 'x'", "no pair")
    t.refused(blocks(t, text, *pair, "--profile", "chapter"), 2, "does not apply", "not everywhere")


@box.once
def test_profiles(t):
    crlf = "%spython\r\nx\r\n%s" % (F, F)
    t.exits(blocks(t, crlf), 0, "CRLF", b"x\n")
    t.exits(
        blocks(t, crlf, "--profile", "chapter"), 0, "chapter takes the whole text", crlf.encode() + b"\n"
    )
    two = "%spython\na\n%s\n%s\nb\n%s" % (F, F, F, F)
    t.exits(blocks(t, two, "--profile", "chapter"), 0, "chapter: the first", b"a\n")
    t.exits(blocks(t, two, "--profile", "adk"), 0, "adk: the first", b"a\n")
    t.exits(blocks(t, two, "--profile", "adk", "--all"), 0, "adk: all", b"a\n\nb\n")
    t.exits(blocks(t, two, "--profile", "adk", "-l", "PYTHON", "--all"), 0, "adk: by language", b"a\n")
    t.exits(blocks(t, two, "--profile", "smolagents"), 0, "smolagents: joined", b"a\n")
    t.exits(
        blocks(t, "<code>a</code><code>b</code>", "--profile", "smolagents"), 0, "its tags", b"a\n\nb\n"
    )
    t.exits(blocks(t, "x = 1", "--profile", "smolagents"), 0, "plain Python", b"x = 1\n")
    done = blocks(t, "no code", "--profile", "smolagents")
    t.ok(
        done.code == 1 and b"regex pattern <code>(.*?)</code> was not found" in done.err,
        "what its model is told",
        done,
    )
    reply = {"thought": "t", "code": "print(1)"}
    t.exits(blocks(t, json.dumps(reply), "--profile", "kodeagent"), 0, "kodeagent", b"print(1)\n")
    t.exits(
        blocks(t, json.dumps({"thought": "t", "code": "<code>a</code>"}), "--profile", "smolagents-json"),
        0,
        "smolagents' structured output",
        b"a\n",
    )
    for text, wrong in (('{"thought": "t"}', 'the key "code" is missing'), ("Thought: t\nCode: x", "not a JSON object"),
                        ('{"code": ["x"]}', 'the value of "code" is not a string')):
        for more in ((), ("--json",)):
            done = blocks(t, text, "--profile", "smolagents-json", *more)
            t.ok(done.code == 1 and b"Error in code parsing:\n" in done.err and wrong.encode() in done.err
                 and done.err.endswith(b"\nMake sure to provide correct code blobs.\n") and not done.out, wrong, done)
    done = blocks(t, '{"code": "x", "final_answer": "y"}', "--profile", "smolagents-json", "--json")
    t.equal(done.json, {"thought": None, "code": "x"}, "... has two fields")
    reply["final_answer"] = "x"
    t.refused(blocks(t, json.dumps(reply), "--profile", "kodeagent"), 1, "Cannot have both", "both")
    done = blocks(t, "Thought: t\nAnswer: 42\nSuccessful: true", "--profile", "kodeagent", "--json")
    t.equal(
        done.json,
        {"thought": "t", "code": None, "final_answer": "42", "task_successful": True},
        "its fields",
    )
    t.refused(
        blocks(t, "Thought: t\nAnswer: 42", "--profile", "kodeagent"), 1, "final answer", "no code"
    )
    fixed = "%spy\nfinal_answer = 1\nfinal_answer(final_answer)\n%s" % (F, F)
    t.exits(
        blocks(t, fixed, "--fix-final-answer"),
        0,
        "--fix-final-answer",
        b"final_answer_variable = 1\nfinal_answer(final_answer_variable)\n",
    )


@box.once
def test_parts(t):
    message = {"role": "model", "parts": [{"text": "see %spython\nx\n%s then" % (F, F)}]}
    done = blocks(t, json.dumps(message), "--parts", "--json")
    part = {"executable_code": {"language": "PYTHON", "code": "x"}}
    t.equal(
        done.json,
        {"code": "x", "content": {"role": "model", "parts": [{"text": "see "}, part]}},
        "the code, and the message cut behind it",
    )
    t.exits(blocks(t, json.dumps(message), "--parts"), 0, "the code alone", b"x\n")
    message["parts"] = [{"text": "hi"}]
    t.refused(blocks(t, json.dumps(message), "--parts"), 1, "no code", "none")
    t.refused(blocks(t, "[", "--parts"), 2, "", "no JSON")
    t.refused(blocks(t, "{}", "--parts"), 2, "no list of parts", "no message")


@box.once
def test_hostile(t):
    for text in ("`" * 1000000, "<code>" * 160000, "```py\n" * 160000, "```\n'''\n" * 120000):
        for profile in ("default", "chapter", "adk", "smolagents", "kodeagent"):
            done = blocks(t, text, "--profile", profile)
            t.ok(
                done.code in (0, 1) and done.seconds < 60,
                "a megabyte of %r as %s" % (text[:6], profile),
                done.seconds,
            )
