# SPDX-License-Identifier: Apache-2.0
"""glovebox math with a model: questions that it answers with an expression."""

import json
import math

from models import PROTOCOLS, OpenAI, Place
from programs import asked, last_message
from server import Answer

CIRCLE = ("math", "the area of a circle of radius 3")


def test_math(tap):
    value = b"%s\n" % str(math.pi * 9).encode()
    for p in PROTOCOLS:
        place = Place(tap)
        done, seen = asked(place, ["pi * 3 ** 2"], *CIRCLE, protocol=p)
        tap.equal((done.returncode, done.stdout, last_message(p, seen[0])), (0, value, CIRCLE[1]), p.name + ": an expression", done)
        tap.ok(b"the expression: pi * 3 ** 2" in done.stderr, p.name + ": it is shown", done)
        done, seen = asked(place, ["It is 28.27.", "__import__('os')", "1 / 0", "9 ** 9 ** 9 ** 9", "```python\npi * 9\n```"], *CIRCLE,
                           "--steps", "5", protocol=p)
        tap.equal((done.returncode, done.stdout, len(seen)), (0, value, 5), p.name + ": until one has a value", done)
        for n, words in ((1, "SyntaxError"), (2, "__import__"), (3, "ZeroDivisionError"), (4, "120000")):
            tap.ok(words in last_message(p, seen[n]), p.name + ": what is wrong goes back: " + words, last_message(p, seen[n]))
    done, seen = asked(place, ["`pi * 9`"], *CIRCLE, "--json", "--quiet")
    got = json.loads(done.stdout)
    tap.equal((got["success"], got["expression"], got["value"] + "\n", seen[0].json["temperature"]), (True, "pi * 9", value.decode(), 0.0), "--json", done)
    done, seen = asked(place, ["no"], "math", "2 + 3")
    tap.equal((done.returncode, done.stdout, seen), (0, b"5\n", []), "an expression needs no model", done)
    done = place.run("math", "two plus three")
    tap.ok(done.returncode == 1 and done.stdout.startswith(b"Error: SyntaxError") and b"--model NAME" in done.stderr, "without a model: a hint", done)
    place.write("glovebox.conf", "model = gpt-conf\n")
    done = place.run("math", "two plus three")
    tap.ok(done.returncode == 1 and done.stdout.startswith(b"Error: "), "a model in a config file alone is not asked", done)
    tap.equal(json.loads(place.run("math", "--json", "1 + 1").stdout), {"success": True, "expression": "1 + 1", "value": "2", "error": None}, "--json without a model")


def test_hostile_math(tap):
    place = Place(tap)
    for name, reply in (("empty", ""), ("prose", "I cannot do that."), ("a program", "```python\nimport os\nos.system('id')\n```"),
                        ("a thousand blocks", "```\n1 +\n```\n" * 1000), ("a call", "open('/etc/passwd').read()"), ("escapes", "'\x1b]0;evil\x07'"),
                        ("a huge number", "10 ** 10 ** 10"), ("a deep tree", "(" * 4000 + "1" + ")" * 4000), ("many lines", "1\n" * 5000), ("NUL", "1 \x00")):
        done, seen = asked(place, [reply], *CIRCLE, "--steps", "2")
        tap.ok(done.returncode == 1 and done.stdout.startswith(b"Error: ") and len(done.stdout) < 2000 and len(seen) == 2 and
               b"\x1b" not in done.stdout + done.stderr, "math: " + name, done)
    done, _ = asked(place, ["1" * (9 << 20)], *CIRCLE)
    tap.ok(done.returncode == 125 and b"too large" in done.stderr and len(done.stderr.splitlines()) == 1, "math: an endless reply", done)
    done, _ = asked(place, [Answer(401, {"error": {"message": "no"}})], *CIRCLE)
    tap.ok(done.returncode == 2 and b"answered 401: no" in done.stderr and done.stdout == b"", "math: a refused key", done)


def test(tap):
    test_math(tap)
    test_hostile_math(tap)
