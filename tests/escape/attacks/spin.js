// SPDX-License-Identifier: Apache-2.0
// source: judges' lore: a loop without end in the interpreter's own thread, with handlers set
// stopped-by: supervisor
// alone: the deadline is kept from outside
// needs: node
// ends: timed_out
// args: --timeout 1s
for (const name of ["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1", "SIGXCPU"]) {
    process.on(name, () => {});
}
for (;;) {
    Math.sqrt(2);
}
