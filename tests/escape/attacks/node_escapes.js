// SPDX-License-Identifier: Apache-2.0
// source: vm2's CVE-2023-37466 and the like: a language's own sandbox is none; the kernel's is
// stopped-by: root
// then: landlock
// expect: ENOENT
// expect-then: EACCES
// needs: node
// bare: yes
const vm = require("vm");
const host = vm.runInNewContext("this.constructor.constructor('return process')()");
const fs = host.mainModule.require("fs");
const paths = [process.env.CANARY_SECRET, process.env.CANARY_OPEN];
const reasons = new Set();
for (const path of paths) {
    try {
        const text = fs.readFileSync(path, "utf8");
        console.log(text.startsWith("CANARY") ? `ESCAPED read ${path}` : "HELD nothing");
        process.exit(0);
    } catch (error) {
        reasons.add(error.code);
    }
}
console.log("HELD " + [...reasons].join(" "));
