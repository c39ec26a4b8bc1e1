# SPDX-License-Identifier: Apache-2.0
"""A session with the generated client: session.py ADDRESS TOKEN."""

import sys

from made import AuthenticatedClient
from made.api.programs import run
from made.api.sessions import close_session, exec_, open_session
from made.models import ExecRequest, OpenSessionRequest, Result, RunRequest, Session

box = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
ran = run.sync(client=box, body=RunRequest(code="print(6 * 7)"))
assert isinstance(ran, Result), ran
print(ran.stdout.strip())

opened = open_session.sync_detailed(client=box, body=OpenSessionRequest(language="python"))
session = opened.parsed
assert isinstance(session, Session), opened
cell = exec_.sync(session.id, client=box, body=ExecRequest(code="'a' * 3"))
assert isinstance(cell, Result), cell
print(opened.status_code.value, cell.value)
print(close_session.sync_detailed(session.id, client=box).status_code.value)
