#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs and sessions in each language through a daemon, cold and warm in turn: languages.py [ROUNDS]. A pause
before each lets the pool make the next one, as it does between requests."""

import shutil
import statistics
import sys
import time

from daemon import Daemon

# What to run, its interpreter, and how long one takes to be ready again.
LANGUAGES = {"bash": ("echo 1", "bash", 0.15), "javascript": ("console.log(1)", "node", 0.4), "r": ("cat(1)", "Rscript", 2.0),
             "python": ("print(1)", "python3", 0.3)}


def run(daemon, language, code, cold):
    status, doc, ms = daemon.ask("POST", "/v1/run", {"language": language, "code": code, "cold": cold})
    if status != 200 or not doc["success"]:
        raise SystemExit("bench: %s" % doc)
    return ms


def session(daemon, language, _, cold):
    status, doc, ms = daemon.ask("POST", "/v1/sessions", {"language": language, "cold": cold})
    if status != 201:
        raise SystemExit("bench: %s" % doc)
    daemon.ask("DELETE", "/v1/sessions/" + doc["id"])
    return ms


def samples(daemon, what, language, rounds):
    code, _, pause = LANGUAGES[language]
    found = {True: [], False: []}
    for i in range(rounds + 2):
        for cold in found:
            time.sleep(pause)
            ms = what(daemon, language, code, cold)
            if i >= 2:  # the first teaches the pool
                found[cold].append(ms)
    return found


def shown(values):
    return "p50 %7.2f  p90 %7.2f" % (statistics.median(values), sorted(values)[int(len(values) * 0.9)])


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    with Daemon() as daemon:
        for language, (_, program, _) in LANGUAGES.items():
            if not shutil.which(program):
                continue
            for what in (run, session):
                found = samples(daemon, what, language, rounds)
                print("%-20s cold %s   warm %s  ms" % (what.__name__ + " " + language, shown(found[True]), shown(found[False])), flush=True)


main()
