#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# source: ":(){ :|:& };:", bounded by its depth so that it ends by itself
# stopped-by: pids
# then: rlimits
# expect: EAGAIN
# args: --pids 32 --timeout 5s
exec 2>errors
bomb() {
    [ "$1" -gt 9 ] && return
    bomb $(($1 + 1)) & bomb $(($1 + 1)) &
    sleep 1
}
bomb 0
wait
if grep -q 'esource temporarily unavailable' errors; then
    echo HELD EAGAIN
else
    echo ESCAPED 1000 processes
fi
