#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An agent that answers a question about a file: the model writes code, the code runs in a sandbox, what it printed goes
back to the model, until the model answers without code.

    python data_analysis.py
"""

from __future__ import annotations

from scripted import Messages, Model, code_in, scripted

from glovebox_sandbox import Sandbox

TABLE = "city,year,rain\nBergen,2023,2250\nBergen,2024,2510\nRome,2023,640\nRome,2024,810\n"
SYSTEM = "Answer the question about rain.csv. Write Python in a ```python block to look at it; print what you need."
STEPS = 10

WRONG = """I group the rows.
```python
import csv
rows = list(csv.DictReader(open("rain.csv")))
mean = {}
for row in rows:
    mean[row["city"]] += int(row["rain"]) / 2
```"""
RIGHT = """The key is missing at first; get() has a default.
```python
for row in rows:
    mean[row["city"]] = mean.get(row["city"], 0) + int(row["rain"]) / 2
open("means.txt", "w").write(str(mean))
mean
```"""


def answer(question: str, table: str, model: Model) -> str:
    messages: Messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question}]
    with Sandbox(files={"rain.csv": table}, timeout="20s", memory="512m") as box:
        for _ in range(STEPS):
            reply = model(messages)
            code = code_in(reply)
            if code is None:
                return reply
            result = box.exec(code)
            for file in result.files:
                print(f"   [{file.change}: {file.path}, {file.size} bytes]")
            print(result.for_model())
            messages += [{"role": "assistant", "content": reply}, {"role": "user", "content": result.for_model()}]
    return "The agent found no answer."


if __name__ == "__main__":
    model = scripted(WRONG, RIGHT, "It rains most in Bergen: 2380 mm a year.")
    print(answer("Where does it rain most?", TABLE, model))
