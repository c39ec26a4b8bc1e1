# SPDX-License-Identifier: Apache-2.0
"""Runs without a zygote: a jail that waits for its program, or an interpreter that waits for its text, gives what
a cold run gives."""

import re
import shutil
import time

import same
from feed import Feed

JAVASCRIPT = {
    "a line": "console.log(1)",
    "nothing": "",
    "a long program": "// " + "x" * 200000 + "\nconsole.log(1)",
    "a long module": "import 'fs';\n// " + "x" * 200000 + "\nconsole.log(1)",
    "an interpreter's line": "#!/usr/bin/env node\nconsole.log('\u00e4')",
    "standard error": "console.log('a'); console.error('b')",
    "arguments": "console.log(process.argv, process.argv0, process.execArgv, process.execPath, process.title)",
    "main": "console.log(require.main === module, module.id, module.parent, module.paths, __filename, __dirname)",
    "its module": "console.log(Object.keys(require.cache), module.children.length, process.mainModule === module)",
    "globals": "console.log(Object.getOwnPropertyNames(globalThis).sort().join())",
    "input": "console.log(require('fs').readFileSync(0, 'utf8').toUpperCase())",
    "input as a stream": "process.stdin.on('data', (d) => console.log(String(d).length)).on('end', () => console.log('end'))",
    "no input": "console.log(require('fs').readFileSync(0).length, process.stdin.constructor.name)",
    "exit status": "process.exit(7)",
    "exit code": "process.exitCode = 5; console.log('x')",
    "an error": "function f() {\n    throw new TypeError('no')\n}\nf()",
    "where an error is from": "console.log(new Error('x').stack)",
    "a syntax error": "let x = ;",
    "a rejection": "Promise.reject(new RangeError('late'))",
    "an error later": "setTimeout(() => { null.x }, 5)",
    "not an error": "throw 5",
    "order": "setTimeout(() => console.log('timeout'), 200); setImmediate(() => console.log('immediate')); process.nextTick(() => "
             "console.log('tick')); Promise.resolve().then(() => console.log('then')); console.log('now')",
    "a module": "import { readdirSync } from 'fs';\nconsole.log(readdirSync('.'), import.meta.url, typeof require)",
    "await at the top": "import fs from 'fs';\nconst x = await Promise.resolve(4);\nconsole.log(x, process.argv.length)",
    "an error in a module": "import 'fs';\nthrow new Error('in a module')",
    "an import that is missing": "import 'nothing-of-this-name'",
    "import()": "import('path').then((p) => console.log(p.basename('/a/b')))",
    "modules of its own": "console.log(require('./helper.js'))",
    "a module that is missing": "require('nothing-of-this-name')",
    "files": "const fs = require('fs'); fs.writeFileSync('new.txt', 'n'); fs.appendFileSync('data.csv', 'x'); fs.mkdirSync('deep/er', "
             "{ recursive: true }); console.log(fs.readdirSync('.'))",
    "its own text": "const fs = require('fs'); console.log(fs.readFileSync(__filename, 'utf8').length, fs.statSync(__filename).isFile())",
    "descriptors": "const fs = require('fs'); console.log(fs.openSync('data.csv'), fs.fstatSync(1).isFIFO(), fs.fstatSync(0).isFIFO())",
    "environment": "console.log(process.env)",
    "a worker": "const { Worker, isMainThread } = require('worker_threads');\nif (isMainThread) new Worker(__filename).on('exit', "
                "(c) => console.log('exit', c)); else console.log('worker', process.execArgv, process.argv.length)",
    "a child": "console.log(String(require('child_process').execSync('echo $((1+1)); env | sort | head -3')))",
    "a fork": "const c = require('child_process');\nif (process.send) process.send(process.argv[2]); else c.fork(__filename, "
              "['child']).on('message', (m) => console.log(m))",
    "much output": "for (let i = 0; i < 20000; i++) console.log('x'.repeat(40))",
    "signals": "process.on('SIGTERM', () => { console.log('got it'); process.exit(3) }); process.kill(process.pid, 'SIGTERM'); setTimeout(() => {}, 1000)",
    "killed by itself": "process.kill(process.pid, 'SIGKILL'); setTimeout(() => {}, 1000)",
    "abort": "process.abort()",
    "a refused call": "try { require('os').setPriority(-5) } catch (e) { console.log(e.code) }",
    "no way out": "require('net').connect(80, '192.0.2.1').on('error', (e) => console.log(e.code))",
    "asleep": "setTimeout(() => {}, 100000)",
    "out of time": "for (;;);",
}

BASH = {
    "a line": "echo 1",
    "nothing": "",
    "standard error": "echo a; echo b >&2",
    "arguments": 'printf "%s\\n" "$0" "$#" "$@" "$-" "$BASHOPTS"',
    "environment": "env | sort; declare -p BASH_ARGV0 SHLVL",
    "input": "tr a-z A-Z",
    "input line by line": "read a; read b; echo $b $a; read c; echo $?",
    "exit status": "exit 7",
    "an error": "set -e\necho x\nfalse\necho never",
    "a missing command": "nothing_of_this_name",
    "a syntax error": "if true\necho x",
    "an unset variable": "set -u; echo $nothing",
    "signals": "trap 'echo got it; exit 3' TERM; kill -TERM $$; sleep 1",
    "killed by itself": "kill -KILL $$",
    "children": "sleep 0.05 & wait $!; echo $?; (exit 4); echo $?; echo $(echo sub)",
    "files": "ls; cat data.csv; echo n > new.txt; mkdir -p deep/er; echo x >> data.csv; ls -l helper.py | cut -c1-10",
    "much output": "for ((i = 0; i < 3000; i++)); do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done",
    "functions and traps": "f() { echo in $FUNCNAME; return 3; }; trap 'echo end $?' EXIT; f",
    "where it is": "echo $PWD $HOME $BASH_SOURCE $LINENO; type -t cd; ulimit -n; umask",
    "kinds of descriptors": "ls -l /proc/self/fd | sed 's/.* -> //; s/[0-9]\\{3,\\}//; /proc/d' | sort | uniq -c",
    "rights": "grep -E '^(Cap|NoNewPrivs|Seccomp:|Uid|Gid|Groups)' /proc/self/status",
    "the root": "ls / /dev /etc; cat /proc/self/cgroup; hostname",
    "out of time": "while :; do :; done",
    "a pipe that breaks": "yes | head -1",
}

R = {
    "a line": "cat(1 + 1, '\\n')",
    "arguments": "print(commandArgs(TRUE)); print(Sys.getenv('WORD'))",
    "input": "print(readLines(file('stdin')))",
    "an error": "f <- function() stop('no')\nf()",
    "exit status": "quit(status = 3)",
}

SH = {"a line": "echo $0 $1; ls", "an error": "set -e; false"}

GIVEN = {"files": {"data.csv": "a,b\n1,2\n", "helper.py": "x", "helper.js": "module.exports = [module.id, module.parent === require.main]"},
         "pids": 60, "disk": 32 << 20, "memory": 256 << 20}
TOLD = {"args": ["one", "", "ä b"], "env": ["WORD=1", "EMPTY="], "input": "first\nsecond\n"}
TIMED = ("asleep", "out of time")


def run_ready(feed, code, tries=900, **more):
    """The result of one that waited, or of the last try."""
    for _ in range(tries):
        result = feed.run(code, **more)
        if result["taken"] == "ready":
            break
        time.sleep(0.1)
    return result


def compare(tap, feed, language, programs, **more):
    for name, code in programs.items():
        given = dict(GIVEN, language=language, **more)
        if name in TIMED:
            given["timeout_ms"] = 1000
        cold = feed.run(code, warm=False, **given)
        warm = run_ready(feed, code, **given)
        title = "%s, %s" % (language, name)
        if cold["verdict"]["allowed"]:
            tap.equal(warm["taken"], "ready", title + ": warm", feed.stats())
        a, b = same.comparable(cold), same.comparable(warm)
        if name == "abort":  # its stack, with addresses that are others each time
            a, b = ({k: re.sub("0x[0-9a-f]+", "0x", v) if isinstance(v, str) else v for k, v in r.items()} for r in (a, b))
        tap.ok(a == b, title + ": the same", *["%s: cold %r" % (k, a[k]) for k in a if a[k] != b[k]],
               *["%s: warm %r" % (k, b[k]) for k in a if a[k] != b[k]])


def only(programs, *names):
    return {name: programs[name] for name in names}


def test_javascript(tap, feed):
    if not shutil.which("node", path="/usr/bin:/usr/local/bin:/bin"):
        tap.skip("javascript", "needs node")
        return
    compare(tap, feed, "javascript", JAVASCRIPT)
    compare(tap, feed, "javascript", only(JAVASCRIPT, "input", "input as a stream", "descriptors"), input=TOLD["input"])
    compare(tap, feed, "javascript", only(JAVASCRIPT, "arguments", "environment", "an error", "await at the top"), **TOLD)


def test_package(tap, feed):
    """Node looks at this file before it reads the program: so the jail alone is made before."""
    if not shutil.which("node", path="/usr/bin:/usr/local/bin:/bin"):
        tap.skip("package.json", "needs node")
        return
    more = dict(language="javascript", files={"package.json": '{"type": "module", "name": "it", "exports": "./x.js"}', "x.js": "export default 6"})
    code = "const x = await Promise.resolve(5); console.log(x, typeof require, (await import('it')).default)"
    cold, warm = feed.run(code, warm=False, **more), run_ready(feed, code, **more)
    tap.equal((warm["stdout"], warm["taken"]), (cold["stdout"], "ready"), "package.json is heeded", warm, cold)
    tap.equal(warm["stdout"], "5 undefined 6\n", "as it says", warm)


def test_shells(tap, feed):
    compare(tap, feed, "bash", BASH, **TOLD)
    compare(tap, feed, "sh", SH, **TOLD)
    # Our program has the default action for SIGPIPE, as any that the library is part of may have.
    results = [feed.run("exit 3", language="bash", input="x" * 300000, **GIVEN)["exit_code"] for _ in range(30)]
    tap.equal(results, [3] * 30, "input that nobody reads ends nobody")


def test_r(tap, feed):
    if not shutil.which("Rscript", path="/usr/bin:/usr/local/bin:/bin"):
        tap.skip("r", "needs Rscript")
        return
    compare(tap, feed, "r", R, **TOLD)


def test(tap):
    with Feed() as feed:
        test_shells(tap, feed)
        test_javascript(tap, feed)
        test_package(tap, feed)
        test_r(tap, feed)
