# SPDX-License-Identifier: Apache-2.0
# beside: beside/helper.py=json.py
import json

print(json.VALUE)
