# SPDX-License-Identifier: Apache-2.0
"""The frames between a backend and the helper in a container, numbered as in their header: FRAMES["HELD"]."""

import os
import re

HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "wall", "jail", "contained_wire.h")


def frames():
    with open(HEADER) as f:
        text = re.search(r"enum contained_frame \{(.*?)\};", re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S), re.S)[1]
    names = re.findall(r"CONTAINED_(\w+)( = 1)?,", text)
    assert names[0][1] and not any(first for _, first in names[1:]), "the numbers begin at 1 and have no gap"
    return {name: number for number, (name, _) in enumerate(names, 1)}


FRAMES = frames()
