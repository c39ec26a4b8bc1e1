# SPDX-License-Identifier: Apache-2.0
"""Output while it comes: ``show=True`` writes it to this process's own streams, and shows pictures and tables."""

from __future__ import annotations

import dataclasses
import sys
from typing import Callable, Optional

from .events import DisplayEvent, Event, Stderr, Stdout
from .results import Result

OnEvent = Callable[[Event], object]


def write(event: Event) -> None:
    """Writes a piece of output, or shows a display."""
    if isinstance(event, DisplayEvent):
        event.display.show()
    elif isinstance(event, Stdout):
        stream = sys.stderr if isinstance(event, Stderr) else sys.stdout
        stream.write(event.text)
        stream.flush()


def watcher(show: bool, on_event: Optional[OnEvent]) -> Optional[OnEvent]:
    """The function that gets the events of a run with these arguments, or None if nothing is to."""
    if not show:
        return on_event

    def both(event: Event) -> object:
        write(event)
        return on_event(event) if on_event is not None else None

    return both


def marked(show: bool, result: Result) -> Result:
    """The result, which a notebook does not show a second time."""
    return dataclasses.replace(result, was_shown=True) if show else result
