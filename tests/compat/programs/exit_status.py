# SPDX-License-Identifier: Apache-2.0
import sys
print("about to stop")
print("reason", file=sys.stderr)
sys.exit(3)
