# SPDX-License-Identifier: Apache-2.0
"""The checks of other suites that a container does not pass, by suite and by name (fnmatch), and the reason: the only place
where they are listed."""

import fnmatch

NO_VIEW = "a container shows no folders of the host (--ro)"
NO_WITHOUT = "a container leaves no layer out (--without)"
NO_DESCENDANT = "a guest is no descendant of glovebox, which the test looks for"
ENGINES_FILTER = "the engine's own filter refuses it, which reports nothing"
NAMES_BACKEND = "the result names the backend"
NO_IMAGE = "a language of the user's needs an image"
ONE_KILLED = "the engine kills one process, not all of them"
NO_FORKS = "a session in a container cannot be forked"
NO_MODULE = "the image has not this package"
HERE = "a run that names its backend is none for a daemon"
OWN_MEMORY = "a container's memory is not shared with another"

SUITES = {
    "session ready": {"*: little memory of its own": OWN_MEMORY, "*: somebody waited": NO_DESCENDANT},
    "session ends": {},
    "session guard": {},
    "session languages": {},
    "session hostile": {},
    "session cells": {},
    "session files": {},
    "session tools": {},
    "session turns": {},
    "cli .run.": {},
    "cli .result.": {"result.success: a good run": NAMES_BACKEND, "result.events: what started says": NAMES_BACKEND,
                     "result.denied: *": ENGINES_FILTER},
    "cli .status.": {"status.memory_error: with all of its processes": ONE_KILLED,
                     "status.require: layers that are there": "a container has no Landlock",
                     "status.require: a name for several": "an engine of root has no user namespace",
                     "status.retries: *": "the test's helper is a script that writes on the host"},
    "cli .stream.": {"stream.killed: *": NO_DESCENDANT, "stream.time_passes: --trace-time": "a container has other phases"},
    "cli .files.": {"files.ro: *": NO_VIEW, "files.no_root: *": NO_VIEW, "files.outside: * --without *": NO_WITHOUT,
                    "files.outside: warm": HERE},
    "cli .rich.": {"rich.figures: *": NO_MODULE, "rich.pandas: *": NO_MODULE, "rich.daemon: which the daemon did": HERE},
    "cli .data.": {},
    "cli .steps.": {},
    "cli .notebook.": {},
    "cli .feedback.": {},
    "cli .suite.": {},
    "cli .env.": {},
    "cli .judge.": {"judge.killed_from_outside: *": NO_DESCENDANT},
}
ESCAPES = {
    "escape": {
        "dirty_pipe *": NO_VIEW, "setuid_program *": NO_VIEW, "view_is_read_only *": NO_VIEW,
        "kernel_settings *": "an engine's /proc is writable where it is the guest's own",
        "memory_of_many *": ONE_KILLED,
        "oom_victim *": "a guest may make itself the first that the kernel kills",
        "mount_table *": "an engine shows a container its control groups, and from where its files are mounted",
    },
}
LIMITS = {
    "limits cpu": {},
    "limits memory": {"a grandchild in a session of its own: *": ONE_KILLED, "the report survives": ENGINES_FILTER,
                      "the run has a group of its own": NO_DESCENDANT},
    "limits pids": {},
    "limits disk": {
        "8 MiB in all three, no more": "the workspace, /tmp and /dev/shm have as much each",
        "not on the host's disk": NO_WITHOUT, "a process that is killed for it is told by which limit": NO_WITHOUT,
    },
    "limits files": {},
    "limits output": {},
    "limits share": {},
    "limits none": {},
    "limits hidden": {},
    "limits counted": {},
}
CHEATS = {"cheats": {}}
COMMANDS = {
    "cli .session.": {},
    "cli .repl.": {"repl.forks: *": NO_FORKS, "repl.exits: :try *": NO_FORKS,
                   "repl.input_and_threads: a cell *": "its usage is not read while input() waits",
                   "repl.waiting: until Ctrl-C": "it comes while the container starts"},
    "cli .log.": {"log.written: the first": NAMES_BACKEND, "log.denied: *": ENGINES_FILTER},
    "cli .language.": {"language.own_language: *": NO_IMAGE, "language.own_language_wrong: *": NO_IMAGE},
    "cli .net.": {},
    "cli .pty.": {"pty.programs: script": NO_MODULE, "pty.programs: tmux": NO_MODULE,
                  "pty.bounds: there are 16 at once": "an engine has a limit of its own for terminals",
                  "pty.bounds: without *": NO_WITHOUT},
    "cli .whole.": {"whole.reader: the clock *": NO_DESCENDANT},
    "cli .mistakes.": {"mistakes.options: --image x": "a container has an image"},
    "cli .config.": {"config.defaults: built-in defaults": NAMES_BACKEND, "config.defaults: all of them *": NAMES_BACKEND,
                     "config.project_languages: a project may add a language": NO_IMAGE},
    "cli .context.": {"context.daemon: the daemon ran *": HERE, "context.daemon_overlap: *": HERE},
    "cli .hints.": {},
}
MODELS = {
    "llm generate": {},
    "llm programs": {},
    "llm questions": {},
    "llm hostile": {},
    "llm tools": {},
    "llm daemon": {},
    "llm library": {},
    "llm solve": {},
    "llm usage": {},
}
MCP = {
    "mcp eras": {},
    "mcp tools": {"a folder of the host is visible": NO_VIEW},
    "mcp resources": {},
    "mcp calls": {},
    "mcp hostile": {},
    "mcp http": {},
}
SERVED = {
    "http api": {},
    "http asks": {},
    "http sessions": {"closed at any moment, all who asked are told": NO_FORKS},
}


def reason(expected, name):
    return next((why for pattern, why in expected.items() if fnmatch.fnmatchcase(name, pattern)), None)
