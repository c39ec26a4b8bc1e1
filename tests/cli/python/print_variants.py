# SPDX-License-Identifier: Apache-2.0
import sys

print()
print(1, 2, 3, sep=", ", end="!\n")
print("no newline", end="")
print()
print("to stderr", file=sys.stderr)
print("flushed", flush=True)
print("é", "日本", "\N{SNOWMAN}", "tab\there")
print(*range(5), sep="")
print("cr\rlf\n", end="")
sys.stdout.write("written ")
sys.stdout.writelines(["a", "b", "\n"])
sys.stdout.buffer.write(b"bytes \xff\xfe\n")
sys.stdout.flush()
