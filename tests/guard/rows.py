# SPDX-License-Identifier: Apache-2.0
"""What rows of a table of verdicts are made of: (name, options, program, what must be said of it)."""

KODEAGENT = ("--profile", "kodeagent")
CHAPTER = ("--profile", "chapter")
RESTRICTED = ("--profile", "restricted")
AGENTOS = ("--profile", "agentos")
SMOLAGENTS = ("--profile", "smolagents")
PATTERNS = KODEAGENT + ("--stages", "patterns")


def allowing(profile, *names):
    return profile + ("--allow-imports", ",".join(names))


def accepted(**more):
    return dict(allowed=True, **more)


def refused(stage, reason=None, **more):
    said = dict(allowed=False, stage=stage, **more)
    if reason is not None:
        said["reason"] = reason
    return said


def authorized(*names):
    return "[%s]" % ", ".join(repr(n) for n in sorted(names))


def critical(risk, *violations):
    reason = "Critical security violations: " + "; ".join(violations)
    return refused("patterns", reason, risk=risk)


def minor(risk, *violations):
    return accepted(risk=risk, reason="Minor concerns detected: " + "; ".join(violations))
