# SPDX-License-Identifier: Apache-2.0
import os
import pathlib

print(os.getcwd() == str(pathlib.Path(__file__).parent))
print(os.listdir("."))
print(os.sep, os.linesep == "\n", os.name)
