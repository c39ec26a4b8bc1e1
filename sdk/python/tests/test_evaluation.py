# SPDX-License-Identifier: Apache-2.0
"""Samples of a model on the problems of a benchmark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Optional

import pytest

from glovebox_sandbox import Evaluation, UsageError, evaluate

PROBLEMS = {
    "T/0": {"task_id": "T/0", "prompt": "def inc(x):\n", "entry_point": "inc", "canonical_solution": "    return x + 1\n",
            "test": "def check(f):\n    assert f(1) == 2"},
    "T/1": {"task_id": "T/1", "prompt": "def same(a):\n", "entry_point": "same", "canonical_solution": "    return a\n",
            "base_input": [[{1, 2}]], "plus_input": [[(3, 4)]], "atol": 0, "contract": ""},
}
SAMPLES = [{"task_id": "T/0", "completion": "    return x + 1"}, {"task_id": "T/0", "completion": "    return x"},
           {"task_id": "T/1", "completion": "    print('seen')\n    return 1 // 0"}, {"task_id": "T/1", "completion": "```\nbad"}]


def test_table() -> None:
    seen: list[tuple[int, Optional[int]]] = []
    evaluation = evaluate(SAMPLES, PROBLEMS, jobs=2, k=[1, 2], timeout=10, memory="256m",
                          on_progress=lambda done, total: seen.append((done, total)))
    assert isinstance(evaluation, Evaluation) and isinstance(evaluation, list)
    assert [row["outcome"] for row in evaluation] == ["passed", "wrong", "exception", "refused"]
    assert evaluation[2]["stdout"] == "seen\nseen\n"  # two tests
    assert seen == [(n, 4) for n in (1, 2, 3, 4)]
    assert (evaluation.total, evaluation.passed, evaluation.outcomes["refused"]) == (4, 1, 1)
    assert evaluation.pass_at == {1: 0.25, 2: 0.5} and evaluation.interval[1][0] < 0.25 < evaluation.interval[1][1]
    assert repr(evaluation) == "<Evaluation 1 of 4 passed>"


def test_pandas() -> None:
    pandas: Any = pytest.importorskip("pandas")
    frame = pandas.DataFrame(evaluate(SAMPLES[:2], PROBLEMS))
    assert list(frame["outcome"]) == ["passed", "wrong"] and frame["all_passed"].mean() == 0.5


def test_files_and_resume(tmp_path: Path) -> None:
    samples, problems, results = (tmp_path / name for name in ("samples.jsonl", "problems.json", "results.jsonl"))
    problems.write_text(json.dumps([PROBLEMS["T/0"]]))
    samples.write_text("".join(json.dumps(sample) + "\n" for sample in SAMPLES[:1]))
    assert evaluate(samples, str(problems), results=results).passed == 1
    for _ in range(3):
        again = evaluate(SAMPLES[:2], problems, results=results, resume=True)
        assert ([row["outcome"] for row in again], again.summary["total"]) == (["passed", "wrong"], 2)
    assert len(results.read_text().splitlines()) == 2
    changed = evaluate([SAMPLES[1], SAMPLES[0]], problems, results=results, resume=True)
    assert ([row["outcome"] for row in changed], changed.summary["changed"]) == (["wrong", "passed"], 2)
    assert evaluate(SAMPLES[:1], problems, results=results, resume=True).total == 1


def test_reference_and_extract() -> None:
    assert evaluate(problems=[PROBLEMS["T/0"]], reference=True).passed == 1
    reply = {"task_id": "T/0", "solution": "So:\n```python\ndef inc(x): return x + 1\n```"}
    assert evaluate([reply], PROBLEMS, extract=True)[0]["all_passed"]


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no samples"):
        evaluate()
    with pytest.raises(UsageError, match="one of samples is"):
        evaluate(["text"], PROBLEMS)  # type: ignore[list-item]
    with pytest.raises(UsageError, match="none.jsonl: No such file"):
        evaluate(tmp_path / "none.jsonl")
    given: Any
    for given, said in (
            ({"jobs": 0}, "jobs: 0 is out of range; give 1 to 256"), ({"jobs": "x"}, "jobs: 'x' is not a whole number"), ({"k": [0]}, "k: '0' must be"),
            ({"k": 5}, "k is an int; give a list of numbers"), ({"k": "1"}, "k is a str"),
            ({"compare": "tokn"}, "compare: 'tokn' is neither exact, tokens, floats nor lines"),
            ({"resume": True}, "resume=True needs results="), ({"results": tmp_path}, f"{tmp_path} exists already: add resume=True, or remove it"),
            ({"samples": None}, "problems= needs samples=, or reference=True to test the problems' own solutions"),
            ({"samples": PROBLEMS}, "samples: has problems, not samples: name it with problems=, and the file of samples with samples="),
            ({"problems": []}, "problems: the file has no problems")):
        with pytest.raises(UsageError) as refused:
            evaluate(**{"samples": SAMPLES, "problems": PROBLEMS, **given})
        assert str(refused.value).startswith(said) and "--" not in str(refused.value) and "/proc" not in str(refused.value)


def test_words() -> None:
    """Rows speak of arguments, too, and leave alone what the candidate has said."""
    says = "def inc(x): raise ValueError('a; allow more with --memory')"
    told = evaluate([{"task_id": "T/0"}, {"task_id": "T/1", "completion": "    pass"}, {"task_id": "T/0", "code": "Sure:\n```\nx = 1\n```"},
                     {"task_id": "T/0", "code": says + "  # x"}], [PROBLEMS["T/0"], {"task_id": "T/1", "entry_point": "f"}], timeout=1)
    assert told[0]["error"] == 'line 1: the candidate is missing, as "completion", "code" or "solution"; the line has: task_id'
    assert told[1]["error"].startswith('line 2: its problem in problems: "prompt" is missing')
    assert told[2]["detail"].endswith("; this is a reply with code in fences: add extract=True")
    assert "allow more with --memory (in the test" in told[3]["detail"]
    assert {row["suite"] for row in told} == {"samples"} and told.summary["suite"] == "samples"
    alone = evaluate([{"task_id": "a", "completion": "    pass"}, {"task_id": "b", "code": "def f(): return 1 + len(bytearray(1 << 28))", "func": "f",
                                                                "cases": [{"args": [], "expected": 1}]}], memory="64m")
    assert "or name the file that has it with problems=; the line has" in alone[0]["error"]
    assert "--" not in alone[1]["detail"] and alone[1]["outcome"] == "memory"


def test_stopped() -> None:
    def stop(done: int, total: Optional[int]) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        evaluate(SAMPLES, PROBLEMS, on_progress=stop)
