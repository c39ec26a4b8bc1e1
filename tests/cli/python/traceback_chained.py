# SPDX-License-Identifier: Apache-2.0
try:
    {}["missing"]
except KeyError as e:
    raise ValueError("bad value") from e
