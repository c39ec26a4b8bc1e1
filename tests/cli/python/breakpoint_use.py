# SPDX-License-Identifier: Apache-2.0
# stdin: "p 1 + 1\nc\n"
import pdb

pdb.Pdb(nosigint=True, readrc=False).set_trace()
print("went on")
