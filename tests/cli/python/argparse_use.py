# SPDX-License-Identifier: Apache-2.0
# args: ["--count", "3", "name"]
import argparse

p = argparse.ArgumentParser()
p.add_argument("--count", type=int)
p.add_argument("name")
print(p.parse_args())
print(p.prog)
p.parse_args(["--wrong"])
