# SPDX-License-Identifier: Apache-2.0
"""From the daemon's error answers to exceptions."""

from __future__ import annotations

import json
from typing import Any, Optional

from .errors import (BusyError, DaemonError, DeadlineError, GloveboxError, PolicyError, SessionError,
                     UnsupportedError, UsageError)
from .steps import Answer

_BY_STATUS: dict[int, type[GloveboxError]] = {
    401: PolicyError, 403: PolicyError, 421: PolicyError, 409: SessionError, 501: UnsupportedError,
    504: DeadlineError, 502: SessionError,
}


_NO_MODULE = "ImportError: "  # of the guest, which needs a package for a value


def document_of(answer: Answer) -> Any:
    """The answer's JSON document; raises the exception that stands for an error."""
    if answer.status >= 400:
        raise failure_of(answer)
    try:
        return json.loads(answer.body)
    except RecursionError:
        raise DaemonError("the answer is nested too deeply; take a part of the value") from None
    except ValueError:
        raise DaemonError("the answer is not JSON; the address belongs to another service than a glovebox daemon, "
                          "or to a proxy") from None


def failure_of(answer: Answer) -> GloveboxError:
    """The exception for an error answer."""
    message = _message(answer)
    if answer.status in (429, 503):
        return BusyError(message, _seconds(answer.headers.get("retry-after")))
    if answer.status == 404 and "session" in message:
        return SessionError(message)
    if answer.status in (409, 502) and message.startswith(_NO_MODULE):
        return UnsupportedError(message[len(_NO_MODULE):])
    if answer.status in _BY_STATUS:
        return _BY_STATUS[answer.status](message)
    return UsageError(message) if answer.status < 500 else DaemonError(message)


def _message(answer: Answer) -> str:
    try:
        message = json.loads(answer.body)["error"]["message"]
    except (ValueError, KeyError, TypeError, RecursionError):
        message = None
    if isinstance(message, str) and message:
        return message
    return f"the daemon answered with status {answer.status} and no reason"


def _seconds(text: Optional[str]) -> Optional[float]:
    return float(text) if text is not None and text.isascii() and text.isdigit() else None
