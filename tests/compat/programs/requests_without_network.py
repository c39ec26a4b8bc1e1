# SPDX-License-Identifier: Apache-2.0
import requests
try:
    requests.get("http://127.0.0.1:9/", timeout=2)
except requests.exceptions.ConnectionError as e:
    print("refused", type(e).__name__)
