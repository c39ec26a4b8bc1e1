# SPDX-License-Identifier: Apache-2.0
"""Output as it comes, displays in files, and %%glovebox: by itself, and in a kernel of IPython."""

from __future__ import annotations

import asyncio
import base64
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import pytest

import glovebox_sandbox
from glovebox_sandbox import AsyncSandbox, Display, RunError, Sandbox, UsageError

PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
PICTURE = (f"class Picture:\n    def _repr_png_(self): return {PNG!r}\n    def _repr_svg_(self): return '<svg/>'\n"
           "    def __repr__(self): return 'a picture'\nPicture()")


class Shell:
    """What the magic uses of IPython's shell."""

    def __init__(self) -> None:
        self.user_ns: dict[str, Any] = {}
        self.magics: dict[str, Callable[..., Any]] = {}
        self.magics_manager = type("Manager", (), {"magics": {"line": self.magics, "cell": self.magics}})

    def register_magic_function(self, function: Callable[..., Any], magic_kind: str, magic_name: str) -> None:
        assert magic_kind == "line_cell"
        self.magics[magic_name] = function

    def __call__(self, line: str, cell: Any = None) -> Any:
        return self.magics["glovebox"](line, cell)


@pytest.fixture
def shell() -> Iterator[Shell]:
    shell = Shell()
    glovebox_sandbox.load_ipython_extension(shell)
    yield shell
    glovebox_sandbox.unload_ipython_extension(shell)
    assert not shell.magics


def test_output_is_shown_as_it_comes(capsys: Any) -> None:
    seen = []

    def answer(prompt: str) -> str:
        seen.append(capsys.readouterr())
        return "yes"

    with Sandbox(on_input=answer) as box:
        result = box.exec("import sys\nprint('one')\nprint('two', file=sys.stderr)\ninput()", show=True)
        assert (seen[0].out, seen[0].err, result.value, result.was_shown) == ("one\n", "two\n", "yes", True)
        assert "one" not in result._repr_mimebundle_()["text/plain"]
        events: list[str] = []
        assert box.run("print('three')", show=True, on_event=lambda event: events.append(event.raw["event"])).success
        assert "stdout" in events and capsys.readouterr().out == "three\n"
        assert box.attempt("print('four')", show=True).success and capsys.readouterr().out == "four\n"
        assert box.exec("print('five')").success
        assert capsys.readouterr().out == ""
    assert glovebox_sandbox.run("print('six')", show=True).success and capsys.readouterr().out == "six\n"


def test_asynchronous_output(capsys: Any) -> None:
    async def main() -> None:
        async with AsyncSandbox() as box:
            events: list[str] = []

            async def on_event(event: Any) -> None:
                events.append(event.raw["event"])

            await box.exec("print(1)", show=True, on_event=on_event)
            await box.run("print(2)", show=True)
            assert "stdout" in events

    asyncio.run(main())
    assert capsys.readouterr().out == "1\n2\n"


def test_displays_in_files(tmp_path: Path, capsys: Any) -> None:
    with Sandbox() as box:
        display = box.exec(PICTURE).results[-1]
    assert display.save(tmp_path / "a.png") == tmp_path / "a.png" and (tmp_path / "a.png").read_bytes() == PNG
    display.save(str(tmp_path / "a.PNG"))
    (tmp_path / "a.svg").write_text("older and longer")
    assert display.save(tmp_path / "a.svg").read_text() == "<svg/>"
    assert display.save(tmp_path / "a.txt").read_text() == "a picture"
    for name in ("a.jpg", "a", "a.nonsense"):
        with pytest.raises(UsageError, match=r"\.png, .*\.txt|\.txt, .*\.png|\.svg"):
            display.save(tmp_path / name)
    display.show()
    Display(data={"text/plain": "a\x1b[2J\nb"}).show()
    assert capsys.readouterr().out == "a picture\na\\x1b[2J\nb\n"
    assert Display(data={"application/json": {"a": 1}}).save(tmp_path / "a.json").read_text() == '{"a": 1}'


def test_commands_of_ipython() -> None:
    """Cells by the package have them as those of the prompt have."""
    with Sandbox() as box:
        assert box.exec("%cd /tmp\nhere = !pwd\nhere").value == [box.exec("import os; os.getcwd()").value]
        assert "Wall time: " in box.exec("%time 6 * 7").stdout
        timed = box.exec("%%time\n6 * 7")
        assert (timed.value, timed.stdout.count("Wall time: ")) == (42, 1)
        assert box.exec("%%bash\necho a; echo $((1 + 1))").stdout == "a\n2\n"
        refused = box.exec("%pip install numpy")
        assert "python= (" in refused.feedback[0] and "pip=" in refused.feedback[0]
        assert "cells have %cat" in box.exec("1\n%sql select").feedback[0]
        assert "pip=" in box.exec("!pip install numpy", no_check=True).feedback[0]


def test_the_magic(shell: Shell, capsys: Any) -> None:
    assert shell("", "x = 6 * 7\nprint('said')\nx").text == "42"
    assert capsys.readouterr().out == "said\n"
    assert shell("x + 1").text == "43" and shell("--timeout 5s x + 2").text == "44"
    assert shell("--timeout=5s --result r", "print(5)") is None
    assert shell.user_ns["r"].stdout == "5\n"
    assert shell("--fresh --memory 200m", "'x' in globals()").text == "False"
    assert shell("--memory 200m", "y = 1") is None and shell("--fresh", "1").text == "1"
    assert shell("") is None
    with Sandbox(tools=[len]) as box:
        box.exec("z = 'abc'")
        shell.user_ns["box"] = box
        assert shell("--box box", "len(z), z").text == "(3, 'abc')"
    assert shell("--fresh --lang bash", "echo bash") is None and capsys.readouterr().out.endswith("bash\n")


def test_failures_in_the_magic(shell: Shell, capsys: Any) -> None:
    for code, name, base in (("def f():\n    1 / 0\nf()", "ZeroDivisionError", "GuestError"), ("x = = 1", "SyntaxError", "RefusedError"),
                             ("class E(Exception): pass\nraise E('\\x1b[2J')", "E", "GuestError"), ("import sys\nsys.exit(3)", "", "GuestError")):
        with pytest.raises(RunError) as caught:
            shell("", "import sys; print('before', file=sys.stderr)\n" + code)
        kind, error = type(caught.value), caught.value
        assert kind.__mro__[1].__name__ == base and kind.__name__ in (name, "GuestError", "SystemExit")
        shown = "\n".join(error._render_traceback_())  # type: ignore[attr-defined]
        assert kind.__name__ in shown.splitlines()[1] and "\x1b[2J" not in shown
        assert ("before" in capsys.readouterr().err) == (base == "GuestError")
    with pytest.raises(glovebox_sandbox.LimitError, match="300ms") as late:
        shell("--timeout 300ms", "while True: pass")
    assert type(late.value).__name__ == "LimitError"


KERNEL = (
    ("%load_ext glovebox_sandbox", []),
    ("%%glovebox --timeout 10s\nimport sys\nx = 1\nprint('a')\nprint('b', file=sys.stderr)\nx", ["a\n", "b\n", "1"]),
    ("%%glovebox\nx + 1", ["2"]),
    ("%%glovebox\n" + PICTURE, [base64.b64encode(PNG).decode()]),
    ("%%glovebox\n1 / 0", ["ZeroDivisionError"]),
    ("%%glovebox\nx + 2", ["3"]),
    ("%%glovebox --memory 1g\nx", ["UsageError: --memory is an option of the session"]),
    ("%%glovebox --memroy 1g\nx", ["UsageError: there is no option 'memroy'; did you mean 'memory'?"]),
    ("%%glovebox --pids many\nx", ["UsageError: --pids is 'many'; give a number"]),
    ("%%glovebox words\nx", ["UsageError: 'words' is not an option"]),
    ("%%glovebox --box box\nx", ["UsageError: --box: 'box' is not a Sandbox"]),
    ("%%glovebox\n%pip install numpy", ["SyntaxError"]),
    ("%%glovebox\nhere = !echo hi\nhere", ["['hi']"]),
    ("x", ["NameError"]),
    ("from glovebox_sandbox import Sandbox\nwith Sandbox() as box:\n    r = box.exec('print(5); 6', show=True)\nr", ["5\n", "6"]),
    ("%unload_ext glovebox_sandbox\n%load_ext glovebox_sandbox", []),
    ("%%glovebox\n'x' in globals()", ["False"]),
)


@pytest.mark.filterwarnings("ignore")
def test_a_kernel(tmp_path: Path, monkeypatch: Any) -> None:
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    for name in ("HOME", "IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    cells = [nbformat.v4.new_code_cell(source) for source, _ in KERNEL]
    nbclient.NotebookClient(nbformat.v4.new_notebook(cells=cells), timeout=60, kernel_name="python3", allow_errors=True).execute()
    for cell, (_, wanted) in zip(cells, KERNEL):
        found = [_shown(output) for output in cell.outputs]
        assert len(found) == len(wanted) and all(want in text for want, text in zip(wanted, found)), (cell.source, cell.outputs)


def _shown(output: Any) -> str:
    if output.output_type == "stream":
        return str(output.text)
    if output.output_type == "error":
        assert len(output.traceback) > 1
        return str(output.ename)
    return str(output.data.get("image/png", output.data["text/plain"])).replace("\n", "")
