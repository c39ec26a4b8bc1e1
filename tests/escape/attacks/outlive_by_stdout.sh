#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# source: node-code-sandbox-mcp#22's kind: a background process holds the output pipe, and who waits
#     for its end waits for ever
# stopped-by: pidns
# expect: started
# then: supervisor
# args: --timeout 5s
trap '' HUP TERM INT
(trap '' HUP TERM; sleep 20; echo 'ESCAPED wrote after the end') &
(trap '' HUP TERM; exec sleep 20) &
disown -a
echo HELD started
