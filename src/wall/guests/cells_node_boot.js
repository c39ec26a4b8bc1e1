// SPDX-License-Identifier: Apache-2.0
// The text with which Node is started (-e): reads the server's text from descriptor 3 and runs it.
{
    const fs = require("fs");
    const take = (n) => {
        const bytes = Buffer.alloc(n);
        for (let i = 0, got; i < n; i += got) {
            got = fs.readSync(3, bytes, i, n - i);
            if (got === 0) process.exit(0);
        }
        return bytes;
    };
    let head = "";
    for (let c; (c = take(1).toString("latin1")) !== "\n";) head += c;
    eval(take(Number(head.split(" ")[2])) + "\n//# sourceURL=glovebox-cells");
}
