# SPDX-License-Identifier: Apache-2.0
"""The verbs of a sandbox, blocking and asynchronous."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import datetime
import pickle
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from glovebox_sandbox import (AsyncSandbox, CheckError, Finished, Foreign, GuestError, InputCall, LimitError, RefusedError,
                              Result, Sandbox, SessionError, Stderr, Stdout, TestError, Tool, UnsupportedError, UsageError, tool)


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    with Sandbox(memory="256m") as opened:
        yield opened


def test_run_is_apart_from_cells(box: Sandbox) -> None:
    box.exec("x = 1")
    assert box.run("print('x' in globals())").stdout == "False\n"


def test_run_options(box: Sandbox) -> None:
    result = box.run("import sys, os; print(sys.argv[1], os.environ['K'], input(), open('a.bin', 'rb').read())\n"
                     "open('out.txt', 'w').write('new')",
                     args=["a"], env={"K": "v"}, stdin="line\n", files={"a.bin": b"\xff\x00"}, collect=True)
    assert result.stdout == "a v line b'\\xff\\x00'\n"
    assert [(file.path, file.content) for file in result.files if file.change == "new"] == [("out.txt", b"new")]


def test_other_languages(box: Sandbox) -> None:
    assert box.run("echo $((6 * 7))", language="bash").stdout == "42\n"
    with Sandbox(language="bash") as shell:
        shell.exec("x=5")
        assert shell.exec("echo $x").stdout == "5\n"


def test_limits_in_many_forms(box: Sandbox) -> None:
    for timeout in (0.2, "200ms", datetime.timedelta(milliseconds=200)):
        result = box.run("while True: pass", timeout=timeout)
        assert result.timed_out and result.error_type == "limit" and result.raw["limits_set"]["timeout_ms"] == 200
    with pytest.raises(LimitError) as caught:
        result.raise_for_status()
    assert caught.value.result is result


def test_failure_is_a_result_until_asked(box: Sandbox) -> None:
    result = box.exec("print('before')\n1 / 0")
    assert not result.success and result.stdout == "before\n"
    assert result.exception is not None and result.exception.line == 2
    with pytest.raises(GuestError, match="ZeroDivisionError"):
        result.raise_for_status()
    assert "before" in result.for_model() and "ZeroDivisionError" in result.for_model()
    assert box.run("def f(:").error_type == "refused"
    assert box.exec("raise ValueError").failure == "ValueError"
    with pytest.raises(RefusedError):
        box.run("def f(:").raise_for_status()


def test_bytes_of_output(box: Sandbox) -> None:
    result = box.exec("import sys; _ = sys.stdout.buffer.write(b'\\xff\\xfe')")
    assert result.stdout_raw == b"\xff\xfe"


def test_values_there_and_back(box: Sandbox) -> None:
    values: dict[str, object] = {
        "a": [1, 2.5, None, True, "x\u00e9"], "b": (1, (2,)), "c": {1: {2, 3}}, "d": {"$type": "trap"}, "e": b"\x00\xff",
        "f": 1 << 200, "g": float("inf"), "h": datetime.datetime(2024, 2, 29, tzinfo=datetime.timezone.utc),
        "i": datetime.timedelta(days=1, microseconds=5), "j": frozenset([1]), "k": 1j, "l": range(3)}
    box.variables.set_many(values)
    assert box.variables.get_many(values) == values
    for name, value in values.items():
        assert box.exec(name).value == value
    assert "a" in box.variables and "nothing" not in box.variables
    assert box.variables.get("nothing", 7) == 7
    with pytest.raises(KeyError):
        box.variables["nothing"]
    with pytest.raises(UsageError, match="cannot cross the wall"):
        box.variables["x"] = object()


def test_data_of_a_program_are_values(box: Sandbox) -> None:
    values = {"a": (1, {2}), "b": b"\xff", "c": datetime.date(2024, 2, 29), "d": {"$type": "mine"}, "e": {1: 1 << 200}}
    printed = box.run("print({name: globals()[name] for name in 'abcde'})", data=values).stdout
    assert eval(printed, {"datetime": datetime}) == values
    with Sandbox(data=values) as other:
        assert other.variables.get_many(values) == values


def test_objects_of_the_program(box: Sandbox) -> None:
    value = box.exec("class Odd: pass\nOdd()").value
    assert isinstance(value, Foreign) and value.class_name == "Odd" and "Odd object" in repr(value)
    with pytest.raises(AttributeError, match="only the repr.. of this Odd crossed the wall, so it has no 'columns'"):
        value.columns  # type: ignore[attr-defined]
    assert pickle.loads(pickle.dumps(value)) == value and not hasattr(value, "columns")
    plain = box.exec("from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\nP(3)").value
    assert plain == {"x": 3}


def test_arrays(box: Sandbox) -> None:
    numpy = pytest.importorskip("numpy", reason="numpy is not installed; run the part frames")
    with pytest.raises(UsageError, match="MaskedArray cannot cross the wall"):
        box.variables["array"] = numpy.ma.array([1, 2], mask=[False, True])
    box.variables["array"] = numpy.arange(4).reshape(1, 4).view(numpy.matrix)
    assert box.variables["array"].tolist() == [[0, 1, 2, 3]]
    box.variables["array"] = numpy.arange(6.0).reshape(2, 3)
    assert (box.exec("array * 2").value == numpy.arange(6.0).reshape(2, 3) * 2).all()


def test_frames_as_variables(box: Sandbox) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed; run the part frames")
    frame = pandas.DataFrame({
        "int": [1, 2], "float": [1.5, float("nan")], "text": ["a", None], "bool": [True, False], "mixed": [(1,), "b"],
        "time": pandas.to_datetime(["2024-01-01", None]), "zone": pandas.to_datetime(["2024-07-01", None], utc=True),
        "kind": pandas.Categorical(["x", None], ["y", "x"], ordered=True), "whole": pandas.array([1, None], dtype="Int64")})
    for value in (frame, frame.set_index(["text", "int"]), frame[["float"]].T, pandas.DataFrame(), frame.iloc[:0]):
        box.variables["frame"] = value
        pandas.testing.assert_frame_equal(box.variables["frame"], value)
    box.variables["column"] = frame["zone"]
    pandas.testing.assert_series_equal(box.variables["column"], frame["zone"])
    assert box.run("print(frame['int'].sum())", data={"frame": frame}).stdout == "3\n"
    large = pandas.DataFrame({str(n): [float(n)] * 100_000 for n in range(5)})
    box.tools.add(lambda frame: large, name="enlarge")
    assert "4 MiB" in box.exec("enlarge(frame)").failure
    box.variables["frame"] = frame
    box.tools.add(lambda frame: frame * 2, name="double")
    assert box.exec("double(frame[['int']])['int'].tolist()").value == [2, 4]
    box.variables["large"] = large
    pandas.testing.assert_frame_equal(box.variables["large"], large)
    with pytest.raises(UsageError, match="astype"):
        box.variables["odd"] = pandas.DataFrame({"p": pandas.period_range("2024", periods=2)})


def test_frames_lack_values_that_become_none(box: Sandbox) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed; run the part frames")
    box.variables["x"] = [pandas.NA, pandas.NaT]
    assert box.exec("x").value == [None, None]


def test_frames_without_pandas_inside() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed; run the part frames")
    with Sandbox() as box:
        box.exec("import sys; sys.modules['pandas'] = None")
        with pytest.raises(UnsupportedError, match="needs that package in the sandbox's Python"):
            box.variables["frame"] = pandas.DataFrame({"a": [1]})
        assert box.exec("1").value == 1


def test_exceptions_of_tools_that_cannot_be_shown(box: Sandbox) -> None:
    class Odd(ValueError):
        def __str__(self) -> str:
            raise RuntimeError("no text")

    def fail(how: str) -> object:
        if how == "key":
            return {"\ud800": 1}
        raise {"odd": Odd(1), "half": KeyError("half \ud800"), "large": KeyError(10**5000)}[how]

    box.tools.add(fail)
    for how, kind in (("odd", "ValueError"), ("half", "KeyError"), ("large", "KeyError"), ("key", "ValueError")):
        result = box.exec(f"try:\n    fail({how!r})\nexcept Exception as e:\n    kept = type(e).__name__, str(e)\nkept")
        assert result.success and result.value[0] == kind, result
    box.tools.remove("fail")


def test_times_of_arrays(box: Sandbox) -> None:
    numpy = pytest.importorskip("numpy", reason="numpy is not installed; run the part frames")
    for value in (numpy.array(["2024-01-01", "NaT"], dtype="datetime64[D]"), numpy.timedelta64(5, "s")):
        box.variables["moments"] = value
        numpy.testing.assert_array_equal(box.variables["moments"], value)


def test_frames(box: Sandbox) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed; run the part frames")
    made = box.exec("import pandas\npandas.DataFrame({'n': [1, 2], 's': ['a', 'b']}, index=['p', 'q'])")
    if made.exception is not None:
        pytest.skip("no pandas inside")
    pandas.testing.assert_frame_equal(made.value, pandas.DataFrame({"n": [1, 2], "s": ["a", "b"]}, index=["p", "q"]))
    cut = box.exec("pandas.DataFrame({'n': range(100000)})").value
    assert isinstance(cut, Foreign), "a part of a frame does not pass for the whole"


def test_display_in_a_notebook(box: Sandbox) -> None:
    bundle = box.exec("class Shown:\n    def _repr_html_(self): return '<b>hi</b>'\nShown()")._repr_mimebundle_()
    assert bundle["text/html"] == "<b>hi</b>"
    assert box.exec("print('only text')")._repr_mimebundle_() == {"text/plain": "only text"}
    png = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
    picture = box.exec(f"class Picture:\n    def _repr_png_(self): return {png!r}\nPicture()")
    assert picture.results[-1].png == png
    assert base64.b64decode(picture._repr_mimebundle_()["image/png"]) == png


def test_files(box: Sandbox, tmp_path: Path) -> None:
    box.files.write("d/a.txt", "text")
    box.files.write("odd name \u00e9?#.bin", b"\x00\xff")
    assert box.exec("open('d/a.txt').read()").value == "text"
    assert box.files.read("odd name \u00e9?#.bin") == b"\x00\xff"
    assert [file.path for file in box.files.list("d") if not file.is_dir] == ["d/a.txt"]
    assert box.files.exists("d/a.txt") and box.files.exists("d") and not box.files.exists("d/b")
    with pytest.raises(FileNotFoundError, match="nothing.txt"):
        box.files.read("nothing.txt")
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "deep" / "x").write_bytes(b"1")
    assert box.files.upload(tmp_path / "in", "up") == ["up/deep/x"]
    assert box.files.download("up/deep/x", tmp_path).read_bytes() == b"1"
    box.files.delete("d/a.txt")
    assert not box.files.exists("d/a.txt")


def test_variables_are_a_mapping() -> None:
    with Sandbox() as box:
        box.exec("listed = 1; other = (2,)")
        assert dict(box.variables) == {"listed": 1, "other": (2,)} and len(box.variables) == 2


def test_fork_shares_nothing(box: Sandbox) -> None:
    box.variables["n"] = 1
    with box.fork(name="copy") as copy:
        copy.exec("n = 2; open('only-here', 'w').close()")
        assert copy.variables["n"] == 2 and copy.info()["name"] == "copy"
    assert box.variables["n"] == 1 and not box.files.exists("only-here")


def test_attempt(box: Sandbox) -> None:
    box.variables["n"] = 1
    dropped, kept = box.attempt("n = 2; 1 / 0"), box.attempt("n += 10")
    assert dropped.cell is not None and dropped.cell.attempt == "dropped"
    assert kept.cell is not None and kept.cell.attempt == "kept"
    assert box.attempt("n = 99", drop=True).success
    assert box.variables["n"] == 11


def test_tools_carry_over(box: Sandbox) -> None:
    @box.tool
    def price(item: str, n: int = 1, *, tax: float = 0.0) -> float:
        """The price of an item."""
        return {"tea": 2.5}[item] * n * (1 + tax)

    assert box.exec("price('tea', n=2)").value == 5.0
    shown = box.exec("help(price)").stdout
    assert "price(item: str, n: int = 1, *, tax: float = 0.0) -> float" in shown and "The price of an item." in shown
    assert box.exec("try:\n    price('gold')\nexcept KeyError as e:\n    print(e.args)").stdout == "('gold',)\n"
    assert "missing" in box.exec("price()").failure
    box.tools.remove("price")
    assert "NameError" in box.exec("price").failure


def test_errors_of_tools_of_ones_own(box: Sandbox) -> None:
    class Sold(LookupError):
        pass

    class Odd(Exception):
        pass

    def sell(which: int) -> None:
        raise (Sold("tea is sold"), Odd("it is odd"), ConnectionResetError("gone"))[which]

    box.tools.add(sell)
    for which, caught, message in ((0, "LookupError", "Sold: tea is sold"), (1, "RuntimeError", "Odd: it is odd"),
                                   (2, "ConnectionResetError", "gone")):
        said = box.exec(f"try:\n    sell({which})\nexcept {caught} as error:\n    print(error)").stdout
        assert said == message + "\n"
    box.tools.remove("sell")


def test_a_limit_is_what_failed(box: Sandbox) -> None:
    assert "not done after 200ms" in box.exec("while True: pass", timeout=0.2).failure
    with pytest.raises(LimitError, match="not done after 200ms"):
        box.exec("while True: pass", timeout=0.2).raise_for_status()


def test_tools_run_in_the_callers_thread(box: Sandbox) -> None:
    threads: list[int] = []
    box.tools.add(lambda: threads.append(threading.get_ident()), name="where")
    assert box.exec("where()").success
    box.tools.remove("where")
    assert threads == [threading.get_ident()]


def test_a_tool_cannot_use_the_session_that_calls_it(box: Sandbox) -> None:
    uses = {"exec": lambda: box.exec("1"), "set": lambda: box.variables.set(x=1), "read": lambda: box.files.read("a"),
            "fork": lambda: box.fork(), "run": lambda: box.run("print(5)").stdout}
    box.tools.add(lambda what: uses[what](), name="use")
    try:
        for what in ("exec", "set", "read", "fork"):
            began = time.monotonic()
            failed = box.exec(f"use('{what}')")
            assert failed.exception and "the session that calls it" in failed.exception.message, (what, failed)
            assert time.monotonic() - began < 10
        assert box.exec("use('run')").value == "5\n"
        with Sandbox() as other:
            uses["other"] = lambda: other.exec("6").value
            assert box.exec("use('other')").value == 6
    finally:
        box.tools.remove("use")
    assert box.exec("7").value == 7


def test_tools_from_outside_and_their_errors() -> None:
    @tool(name="twice", description="Twice a number.")
    def double(x: int) -> Any:
        return object() if x < 0 else 2 * x

    with Sandbox(tools=[double, Tool.from_function(print, "say", "Says it.")]) as box:
        assert box.exec("twice(4)").value == 8
        assert "cannot cross the wall" in box.exec("twice(-1)").failure
        copy = box.fork()
        assert copy.exec("twice(5)").value == 10
        copy.close()
    assert double(1) == 2


def test_input() -> None:
    with Sandbox(on_input=lambda prompt: f"<{prompt}>") as box:
        assert box.exec("input('name? ')").value == "<name? >"
    with Sandbox() as box:
        assert "EOFError" in box.exec("input()").failure


def test_events(box: Sandbox) -> None:
    events = list(box.events("import sys; print('out'); print('err', file=sys.stderr)"))
    assert [event.text for event in events if type(event) is Stdout] == ["out\n"]
    assert [event.data for event in events if isinstance(event, Stderr)] == [b"err\n"]
    assert isinstance(events[-1], Finished) and isinstance(events[-1].result, Result)
    assert isinstance(list(box.events("print(1)", once=True))[-1], Finished)
    assert InputCall not in map(type, events)


def test_leaving_the_loop_stops_the_cell(box: Sandbox) -> None:
    with contextlib.closing(box.events("import time\nprint(1)\ntime.sleep(20)")) as events:
        for event in events:
            if isinstance(event, Stdout):
                break
    begun = time.monotonic()
    assert box.exec("'free'").value == "free"
    assert time.monotonic() - begun < 10


def test_an_error_in_on_event_stops_the_cell(box: Sandbox) -> None:
    def fail(event: object) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        box.exec("import time; time.sleep(20)", on_event=fail)
    assert box.exec("1").value == 1


def test_interrupt(box: Sandbox) -> None:
    timer = threading.Timer(0.5, box.interrupt)
    timer.start()
    result = box.exec("import time; time.sleep(20)")
    timer.join()
    assert result.exception is not None and result.exception.type == "KeyboardInterrupt"


def test_threads_share_a_sandbox() -> None:
    with Sandbox() as box:
        values: list[Any] = []
        threads = [threading.Thread(target=lambda n=n: values.append(box.exec(f"{n} * 2").value)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(values) == [0, 2, 4, 6, 8, 10, 12, 14]
        assert box.info()["cells"] == 8


def test_check_and_test(box: Sandbox) -> None:
    verdict = box.check("import os; os.system('ls')", profile="strict")
    assert not verdict.allowed and any(finding.rule == "shell-command" for finding in verdict.findings)
    with pytest.raises(CheckError):
        verdict.raise_for_status()
    cases = [{"args": [1], "expected": 2}, {"args": [2], "expected": 5}]
    result = box.test("def f(x): return 2 * x", cases, func="f")
    assert (result.passed, result.failed, result.score, result.trustworthy) == (1, 1, 0.5, True)
    with pytest.raises(TestError):
        result.raise_for_status()
    assert result.test_results[1].actual == "4"


def test_messages_name_options_as_they_are_written_here(box: Sandbox) -> None:
    result = box.run("while True: pass", timeout=0.3)
    assert "allow more with timeout=" in result.summary and "--" not in "".join((result.summary, *result.feedback))
    assert "files=" in box.exec("open('x.csv')").feedback[0]
    assert "allow_imports=" in str(box.check("import socket", profile="strict").findings[0].hint)
    with pytest.raises(UsageError, match="'open_files' must be"):
        box.run("1", open_files="many")  # type: ignore[arg-type]


def test_a_policy_file(tmp_path: Path) -> None:
    policy = tmp_path / "policy.conf"
    policy.write_text("base = standard\nforbidden_imports = [json]")
    with Sandbox(profile=policy) as box:
        assert box.run("import json").error_type == box.exec("import json").error_type == "refused"
        assert not box.check("import json").allowed and box.check("import math").allowed
        with pytest.raises(UsageError, match="no_such_key"):
            box.check("1", profile="no_such_key = 1\n")


def test_batch(box: Sandbox) -> None:
    results = box.batch([f"print({n})" for n in range(20)] + [{"code": "1", "open_files": 1}])
    assert [result.stdout for result in results[:20]] == [f"{n}\n" for n in range(20)]
    assert results[20].error_type == "ours" and "1 open files" in results[20].failure


@pytest.mark.parametrize(("code", "name", "length"), [
    ("'x' * 3_000_000", "str", 3_000_000), ("b'x' * 3_000_000", "bytes", 3_000_000), ("[[i] for i in range(300_000)]", "list", 300_000)])
def test_a_value_that_is_too_large(box: Sandbox, code: str, name: str, length: int) -> None:
    value = box.exec(code).value
    assert isinstance(value, Foreign) and value.class_name == name, "a value that stays inside is no None"
    assert f"{name} of length {length} that stayed in the sandbox" in str(value) and "at most 1024 KiB" in str(value)


def test_large_numbers_in_cases(box: Sandbox) -> None:
    code = "def f(n): return 2 ** n + 1"
    cases = [{"args": [100], "expected": 2 ** 100 + 1}, {"args": [100], "expected": 2 ** 100}]
    assert [result.passed for result in box.test(code, cases, func="f").test_results] == [True, False]


def test_dead_closed_and_attached() -> None:
    box = Sandbox()
    assert box.id is None and "not open" in repr(box)
    assert box.exec("import os; os.kill(os.getpid(), 9)").cell is not None
    with pytest.raises(SessionError, match="restart"):
        box.exec("1")
    box.restart()
    with Sandbox.attach(str(box.id), url=f"unix:{box._driver.address.path}") as same:  # type: ignore[union-attr]
        same.variables["x"] = 5
        same.detach()
    assert box.exec("x").value == 5
    box.close()
    box.close()
    with pytest.raises(SessionError, match="closed"):
        box.exec("1")


def test_repr_has_no_secrets() -> None:
    box = Sandbox(url="http://127.0.0.1:1", token="s3cret", env={"KEY": "s3cret"})
    assert "s3cret" not in repr(box) + repr(vars(box)) + repr(box._driver)
    box.close()


def test_async_verbs(tmp_path: Path) -> None:
    async def main() -> None:
        async with AsyncSandbox(memory="256m") as box:
            loop = asyncio.get_running_loop()

            @box.tool
            async def later(x: int) -> int:
                """Answers in the caller's loop."""
                assert asyncio.get_running_loop() is loop
                await asyncio.sleep(0)
                return x + 1

            values = await asyncio.gather(*(box.exec(f"later({n})") for n in range(5)))
            assert sorted(result.value for result in values) == [1, 2, 3, 4, 5]
            await box.variables.set(y=(1, 2))
            assert await box.variables.get("y") == (1, 2)
            await box.files.write("f", b"1")
            assert await box.files.read_text("f") == "1" and await box.files.exists("f")
            assert (await box.files.download("f", tmp_path)).read_bytes() == b"1"
            async with await box.fork() as copy:
                assert (await copy.exec("later(10)")).value == 11
            assert (await box.attempt("1 / 0")).cell.attempt == "dropped"  # type: ignore[union-attr]
            assert (await box.test("def f(): return 1", [{"expected": 1}], func="f")).all_passed
            assert (await box.check("print(1)")).allowed
            assert (await box.run("print(1)")).stdout == "1\n"
            assert len(await box.batch(["1", "2"])) == 2
            assert [type(event) async for event in box.events("1")][-1] is Finished

    asyncio.run(main())


def test_cancelling_stops_the_cell() -> None:
    async def main() -> None:
        async with AsyncSandbox() as box:
            await box.open()
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(box.exec("import time; time.sleep(20)"), 0.5)
            begun = time.monotonic()
            assert (await box.exec("'free'")).value == "free"
            assert time.monotonic() - begun < 10

    asyncio.run(main())


def test_in_a_running_loop() -> None:
    """As in a notebook: the blocking class works where a loop runs, and an AsyncSandbox in one loop after another."""

    async def blocking() -> Any:
        with Sandbox() as box:
            return box.exec("1").value

    assert asyncio.run(blocking()) == 1
    box = AsyncSandbox()

    async def step(code: str) -> Any:
        return (await box.exec(code)).value

    assert asyncio.run(step("x = 1; x")) == 1
    assert asyncio.run(step("x + 1")) == 2
    asyncio.run(box.close())
