# SPDX-License-Identifier: Apache-2.0
"""glovebox usage: what models used, from the run log."""

import json
import os
import sqlite3
import subprocess

from models import GLOVEBOX, KEY, REPLY, OpenAI, Place
from review import NO, YES
from server import PATIENCE, Answer, Server


def totals(doc):
    return [(r.get(doc["by"]), r["runs"], r["requests"], r["prompt_tokens"], r["completion_tokens"], round(r["cost"], 9)) for r in doc["rows"]]


def test_sums(tap):
    place = Place(tap)
    place.write("prices.txt", "gpt-a 10 20 1\n")
    with Server([Answer(body=OpenAI.whole(YES)), Answer(body=OpenAI.whole(NO)), Answer(body=OpenAI.whole(REPLY)),
                 Answer(body=OpenAI.whole("no verdict")), Answer(500, {})]) as server:
        env = {"XDG_STATE_HOME": place.path("state"), "GLOVEBOX_LOG": None, "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.url}

        def run(*args, **more):
            return place.run(*args, env={**env, **more})

        done = run("usage")
        tap.ok(done.returncode == 0 and done.stdout.startswith(b"no usage yet in "), "nothing yet", done)
        tap.equal(json.loads(run("usage", "--json").stdout)["rows"], [], "nothing yet, as JSON")
        run("run", "--review", "--model", "gpt-a", "--prices", "prices.txt", "-c", "print(1)")
        run("run", "--review", "--model", "gpt-a", "--prices", "prices.txt", "-c", "print(2)")
        run("run", "--review", "--model", "gpt-a", "--prices", "prices.txt", "-c", "print(2)")
        run("generate", "--model", "gpt-b", "a word")
        run("review", "--model", "gpt-b", "-c", "print(3)")
        run("review", "--model", "gpt-b", "--model-retries", "0", "-c", "print(4)")
        by = {name: json.loads(run("usage", "--by", name, "--json").stdout) for name in ("day", "model", "component")}
        cost = round(2 * (60 * 10 + 40 * 1 + 20 * 20) / 1e6, 9)
        tap.equal(totals(by["model"]), [("openai/gpt-a", 2, 2, 200, 40, cost), ("openai/gpt-b", 0, 2, 200, 40, 0)], "by model")
        tap.equal(sorted(totals(by["component"])), [("generate", 0, 1, 100, 20, 0), ("review", 2, 3, 300, 60, cost)], "by component")
        tap.equal(totals(by["day"])[0][1:], (2, 4, 400, 80, cost), "by day")
        tap.equal((by["day"]["total"]["requests"], by["day"]["total"]["requests_without_cost"], by["day"]["total"]["cached_tokens"]),
                  (4, 2, 160), "in total: the review without a verdict counts, the earlier verdict does not")
        text = run("usage", "--by", "component").stdout.decode().splitlines()
        tap.ok(text[0].split() == ["COMPONENT", "RUNS", "REQUESTS", "PROMPT", "ANSWER", "CACHED", "COST"] and text[-2].startswith("total") and
               text[-1].startswith("+ and") and len({len(line) for line in text[:-1] if "+" not in line}) == 1, "for people", text)
        tap.ok([line.split()[-1] for line in text if line.startswith("generate")] == ["unknown"], "a cost of which nothing is known is not 0", text)
        tap.equal(json.loads(run("usage", "--since", "2030-01-01", "--json").stdout)["total"]["requests"], 0, "--since")
        tap.equal(json.loads(run("usage", "--since", "1h", "--json").stdout)["total"]["requests"], 4, "--since an age")
        for args, words in ((["--by", "moon"], b"--by"), (["--since", "soon"], b"--since"), (["x"], b"no arguments"),
                            (["--log", "none.db"], b"none.db"), (["--model", "x"], b"does not apply")):
            done = run("usage", *args)
            tap.ok(done.returncode in (2, 125) and words in done.stderr and len(done.stderr.splitlines()) == 1, "usage %s" % args, done)
        done = run("usage", GLOVEBOX_LOG="off")
        tap.ok(b"the run log is off" in done.stderr and b"total" in done.stdout, "a log that is off", done)
        run("generate", "--model", "gpt-b", "--model-retries", "0", "--log", "off", "a word")
        tap.equal(json.loads(run("usage", "--json").stdout)["total"]["requests"], 4, "--log off records nothing")
        run("log", "prune", "--keep", "1")
        left = json.loads(run("usage", "--json").stdout)["total"]["requests"]
        tap.ok(0 < left < 4, "pruned with the runs of its time", left)
        with open(os.path.join(place.work, "state", "glovebox", "log.db"), "rb") as f:
            tap.ok(KEY.encode() not in f.read(), "no key in the log")


def test_versions(tap):
    """A log of the version before is read, and gets the new table."""
    place = Place(tap)
    path = place.path("old.db")
    place.run("run", "--log", path, "-c", "print(1)")
    with sqlite3.connect(path) as db:
        db.executescript("DROP TABLE usage; ALTER TABLE runs DROP COLUMN network; UPDATE meta SET value = '1'; PRAGMA user_version = 1;")
    db.close()
    done = place.run("usage", "--log", path)
    tap.ok(done.returncode == 0 and b"no usage yet" in done.stdout, "usage of an old log", done)
    tap.equal(len(json.loads(place.run("log", "--json", "--log", path).stdout)["runs"]), 1, "its runs are there")
    with open("/dev/full", "wb") as full:
        done = subprocess.run([GLOVEBOX, "usage", "--json", "--log", path], env=place.env({}), cwd=place.work, stdout=full,
                              stderr=subprocess.PIPE, timeout=PATIENCE)
    tap.ok(done.returncode == 125 and done.stderr.count(b"\n") == 1, "a full disk", done)


def test(tap):
    test_sums(tap)
    test_versions(tap)
