# SPDX-License-Identifier: Apache-2.0
import json
data = {"b": [1, 2.5, None, True], "a": {"ü": "é"}}
text = json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False)
print(text, json.loads(text) == data)
try:
    json.loads("{'a': 1}")
except json.JSONDecodeError as e:
    print(e)
