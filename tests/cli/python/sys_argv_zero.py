# SPDX-License-Identifier: Apache-2.0
import os
import sys

print(os.path.basename(sys.argv[0]), os.path.dirname(os.path.abspath(__file__)) == os.getcwd())
print(sys.flags.dont_write_bytecode, sys.flags.ignore_environment, sys.flags.optimize)
print(sys.flags.interactive, sys.flags.verbose, sys.flags.utf8_mode, sys.flags.isolated)
