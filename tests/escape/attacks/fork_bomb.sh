#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# source: ":(){ :|:& };:", bounded by its depth so that it ends by itself
# stopped-by: pids
# then: rlimits
# expect: EAGAIN
# args: --lang sh --pids 32 --timeout 6s
bomb() {
    [ "$1" -gt 9 ] && return
    bomb $(($1 + 1)) & bomb $(($1 + 1)) &
    sleep 1
}
(exec 2>errors; bomb 0; wait)
# No process may be left to start one: only what the shell does by itself.
while read -r line; do
    case $line in
    *fork* | *unavailable*)
        echo HELD EAGAIN
        exit
        ;;
    esac
done <errors
echo ESCAPED 1000 processes
