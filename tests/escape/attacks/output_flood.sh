#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# source: CWE-400: print until the reader's memory is gone
# stopped-by: supervisor
# alone: what is kept is bounded, the rest is counted and thrown away
# ends: timed_out | exit 0
# limits: output
# args: --output-limit 64k --timeout 2s
yes "$(printf 'x%.0s' {1..200})" | head -c 300000000
echo done
