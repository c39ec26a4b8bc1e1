# SPDX-License-Identifier: Apache-2.0
# The text with which bash is started (-c): reads the server's text from descriptor 3 and runs it.
IFS=' ' read -r -u 3 _ _ __cells_n && LC_ALL=C IFS= read -r -N "$__cells_n" -u 3 __cells_text && eval "$__cells_text"
