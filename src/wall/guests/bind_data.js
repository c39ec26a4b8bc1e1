// SPDX-License-Identifier: Apache-2.0
// bind(): a JSON file becomes a global variable. Workers load this too, so the files stay.
const bind = (name, file) => {
    const text = require("fs").readFileSync(require("path").join(__dirname, file), "utf8");
    globalThis[name] = JSON.parse(text);
};
