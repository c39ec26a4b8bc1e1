# SPDX-License-Identifier: Apache-2.0
import bz2
import copy
import csv
import ctypes
import decimal
import hashlib
import lzma
import pathlib
import pickle
import platform
import random
import shutil
import subprocess
import tarfile
import uuid
import xml.etree.ElementTree as ET
import zoneinfo

print(hashlib.sha256(b"x").hexdigest()[:8], decimal.Decimal(1) / 3, ET.fromstring("<a/>").tag)
print(uuid.UUID(int=1), pathlib.PurePath("a/b").name, random.Random(1).random())
print(zoneinfo.ZoneInfo("UTC"), len(bz2.compress(b"x")) > 0, len(lzma.compress(b"x")) > 0)
