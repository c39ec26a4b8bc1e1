# SPDX-License-Identifier: Apache-2.0
"""--data, --optimize-data, and files that come back as they were."""

import json
import os

CSV = "name,age,score\nann,31,1.5\nbob,,2.0\nann,40,\n"
REPORT = """Processing input file: `people.csv`
Total rows: 3
Total columns: 3

           Dtype  Non-Null Count  Unique Values Count         Unique Values
Columns
name      object  3 / 3 non-null                    2        ['ann', 'bob']
age      float64  2 / 3 non-null                    3     [31.0, nan, 40.0]
score    float64  2 / 3 non-null                    3       [1.5, 2.0, nan]
"""


def test_optimize(t):
    t.write("people.csv", CSV)
    t.write("none/pandas.py", "raise ImportError('there is none')")
    args = ("--optimize-data", "--file", "people.csv", "-c", "print(people['age'][0])")
    without = t.run("--file", "none/pandas.py", *args)
    t.equal(without.code, 0, "without pandas", without)
    t.ok(b"/ 3 non-null" in without.out and without.out.endswith(b"\n31.0\n"), "it says so", without)
    lines = without.out.decode().splitlines()
    t.equal(lines[0:4], REPORT.splitlines()[0:4], "the report begins", without)
    t.equal(
        [line.split() for line in lines[4:9]],
        [line.split() for line in REPORT.splitlines()[4:9]],
        "and has a line for each column",
    )
    t.equal(len(set(map(len, lines[4:9]))), 1, "in columns", without)
    given = t.run(*args)
    t.equal((given.code, given.out), (0, without.out), "with pandas, where there is, the same")
    done = t.run("--optimize-data", "--file", "people.csv:2023 data/all people.csv", "-c", "1")
    t.match("Processing input file: `2023 data/all people.csv`\nTotal rows: 3\n", done.out, "a path")
    done = t.run(
        "--optimize-data",
        "--file",
        "people.csv:20-x y.csv",
        "-c",
        "print(_20_x_y['name'][1])\nexplore_df(_20_x_y)\n1/0",
    )
    t.ok(done.code == 1 and b"\nbob\nTotal rows: 3\n" in done.out, "the variable's name", done)
    t.match(b'main.py", line 3, in <module>', done.err, "lines are the program's own")
    done = t.run("--optimize-data", "--file", "people.csv", "-c", "print(crop('x' * 65), crop('x' * 64), crop('abcdef', max_chars=5))")
    t.ok(done.out.endswith(b"%s... %s ab...\n" % (b"x" * 61, b"x" * 64)), "ADK's crop", done)
    t.write("long.csv", "a\n" + "".join("word%d\n" % i for i in range(50)))
    done = t.run("--optimize-data", "--file", "long.csv", "-c", "1")
    crop = str(["word%d" % i for i in range(50)])[:61] + "..."
    t.ok(crop.encode() in done.out and b" 50 / 50 non-null " in done.out, "64 characters", done)


def test_vertex(t):
    t.write("people.csv", CSV)
    code = "print(math.pi > 3, re.sub('a', 'b', 'a'), io.StringIO('t').read(), crop('y' * 70, max_chars=10))"
    t.exits(t.run("--prelude", "vertex", "-c", code), 0, "the names of ADK's prelude", b"True b t yyyyyyy...\n")
    code = "import sys\nfor name in 'matplotlib', 'numpy', 'pandas', 'scipy':\n" \
           "    try: __import__(name)\n    except ImportError: continue\n" \
           "    assert name in sys.modules\n" \
           "print(sorted(set(globals()) - set('io math re plt np pd scipy crop explore_df sys name'.split()) - set(dir(__builtins__)))\n" \
           "      == sorted(n for n in globals() if n.startswith('__') and n not in dir(__builtins__)))"
    t.exits(t.run("--prelude", "vertex", "-c", code), 0, "no others", b"True\n")
    t.write("none/pandas.py", "raise ImportError('there is none')")
    done = t.run("--prelude", "vertex", "--file", "people.csv", "-c", "class T: pass\ntry:\n    explore_df(pd.read_csv('people.csv'))\nexcept NameError: print('Total rows: 3')")
    t.ok(b"Total rows: 3\n" in done.out, "explore_df of a table with pandas, where there is", done)
    e = t.run("--json", "--prelude", "vertex", "-c", "x = 1\n1/0").json["exception"]
    t.equal(e["line"], 2, "lines are the program's own", e)
    t.refused(t.run("--prelude", "vertx", "-c", "1"), 2, "--prelude: .*vertx", "no other name")
    t.write("vertex", "print('mine')\n")
    t.exits(t.run("--lang", "python", "--prelude", "./vertex", "-c", "1"), 0, "a file of the name", b"mine\n")


COLUMNS = {
    "int": "1 2 3 2 -4",
    "int hole": "1 2  2 -4",
    "big": "9223372036854775807 1 2 3 4",
    "unsigned": "18446744073709551615 1 2 3 4",
    "bigger": "18446744073709551616 1 2 3 4",
    "lowest": "-9223372036854775808 1 2 3 4",
    "lower": "-9223372036854775809 1 2 3 4",
    "both": "-1 18446744073709551615 2 3 4",
    "real": "0.1 1e5 -.5 3. 1E-3",
    "exact": "0.2463811960850922 0.24638119608509224 1e-320 1.7976931348623157e308 5e-324",
    "odd": "inf -inf nan Infinity 1",
    "truth": "True False TRUE false True",
    "truth hole": "True False  false True",
    "words": "a b NA null a",
    "nothing": "    ",
    "not int": "1_0 2 3 4 5",
    "not hex": "0x10 2 3 4 5",
    "plus": "+1 2 3 4 5",
    "one": "x x x x x",
    "": "1 2 3 4 5",
    "caf\u00e9": "\u00e9 \u65e5 a b c",
}


def test_same_report(t):
    """With pandas and without it: every kind of column, twice over (a name that comes again)."""
    names = list(COLUMNS) * 2
    columns = [COLUMNS[name].split(" ") for name in names]
    rows = [names] + [list(row) for row in zip(*columns)]
    t.write("odd.csv", "\n".join(",".join(row) for row in rows) + "\n\n\n")
    t.write("quoted.csv", '"a ""b""","c\nd"\r\n"x,y",\r\n"",2\r\n"NA",3')
    t.write("none/pandas.py", "raise ImportError('there is none')")
    args = ("--optimize-data", "--file", "odd.csv", "--file", "quoted.csv", "-c", "1")
    given, without = t.run(*args), t.run("--file", "none/pandas.py", *args)
    t.equal(given.out.decode(), without.out.decode(), "the same report", given)
    t.ok(b"Total columns: 42" in given.out and b"Total rows: 3" in given.out, "of all of it", given)
    if t.run("-c", "import pandas").code:
        t.skip("with pandas", "pandas is missing")


def test_optimize_odd(t):
    t.write("people.csv", CSV)
    t.write("bad.csv", "a,b\n1,2,3,4\n")
    t.write("empty.csv", "")
    done = t.run("--optimize-data", "--file", "bad.csv", "--file", "empty.csv", "-c", "print('ran')")
    t.ok(
        done.code == 0 and done.out.count(b"It cannot be read: ") >= 1 and done.out.endswith(b"ran\n"),
        "what cannot be read is told, and the program runs",
        done,
    )
    done = t.run(
        "--optimize-data", "--file", "people.csv:a b.csv", "--file", "people.csv:a_b.csv", "-c", "1"
    )
    t.refused(done, 2, "would both be the variable a_b", "two files for one variable")
    name = "it's `\\n\" {x}.csv"
    done = t.run("--optimize-data", "--file", "people.csv:" + name, "-c", "print(it_s___n___x_)")
    t.ok(done.code == 0 and name.encode() in done.out, "a name that would like to be code", done)
    done = t.run("--optimize-data", "--file", "people.csv:x.txt", "-c", "print(1)")
    t.exits(done, 0, "another kind of file is left alone", b"1\n")
    done = t.run("--lang", "sh", "--optimize-data", "--file", "people.csv", "-c", "ls")
    t.exits(done, 0, "and another language", b"main.sh\npeople.csv\n")
    t.project("optimize-data = true\n")
    done = t.run("--file", "people.csv", "-c", "print(1)")
    t.ok(done.code == 2 and b"optimize-data" in done.err, "not from a project's file", done)


VALUE = {
    "true": [True, False, None],
    "numbers": [1, -2.5, 1e300, 12345678901234567890123456789, float("nan"), float("-inf")],
    "text": "'\"\\\n{}%s\u00e9\u2028</script>",
    "'); import os; print('": {"__proto__": {"x": 1}},
    "": [[], {}],
}


def test_data(t):
    t.write("value.json", json.dumps(VALUE))
    code = "import json, os\nprint(json.dumps(value), sorted(os.listdir('.')))"
    done = t.run("--data", "value=value.json", "-c", code)
    t.exits(done, 0, "a value", ("%s ['main.py']\n" % json.dumps(VALUE)).encode())
    t.write("big.json", "1" * 5000)
    done = t.run("--data", "n=big.json", "-c", "print(n % 1000003, n.bit_length())\n\n1/0")
    n = pow(10, 5000) // 9
    t.ok(done.out == b"%d %d\n" % (n % 1000003, n.bit_length()), "a number of 5000 digits", done)
    t.match(b'main.py", line 3, in <module>\n', done.err, "lines are the program's own")
    t.write("a.json", b"\xef\xbb\xbf[1]\r\n")
    t.write("future.py", '"""doc"""\nfrom __future__ import annotations\nimport inspect, sys\n'
            "def f(x: y): return a + b\nprint(__doc__, f(1), f.__annotations__, __name__)\n"
            "print(inspect.currentframe().f_lineno)\n")
    done = t.run("--data", "a=a.json", "--data", "b=a.json", "future.py")
    t.exits(done, 0, "two, and a program that begins oddly", b"doc [1, 1] {'x': 'y'} __main__\n6\n")
    done = t.run("--data", "a=a.json", "-c", "a = (")
    t.equal(done.code, 126, "a program that does not compile", done)
    done = t.run("--json", "--data", "a=a.json", "-c", "open('out', 'w').write('x')")
    t.equal([f["path"] for f in done.json["files"]], ["out"], "no file of ours comes out", done)


def test_data_javascript(t):
    import shutil

    t.write("value.json", '{"a": [1, true, null, "x"], "__proto__": {"b": 2}, "\');": 1}')
    t.write("nan.json", "[NaN]")
    if not shutil.which("node", path="/usr/local/bin:/usr/bin:/bin"):
        return t.skip("a value for JavaScript", "node is missing")
    code = "console.log(JSON.stringify(value), value.b)\nthrow new Error('no')"
    done = t.run("--lang", "js", "--data", "value=value.json", "-c", code)
    want = b'{"a":[1,true,null,"x"],"__proto__":{"b":2},"\');":1} undefined\n'
    t.exits(done, 1, "a value for JavaScript", want)
    t.match(b"main.js:2", done.err, "lines are the program's own")
    done = t.run("--lang", "js", "--data", "value=nan.json", "-c", "1")
    t.refused(done, 2, "NaN or Infinity", "what it has no JSON for")


def test_data_refused(t):
    t.write("a.json", "[1]")
    t.write("t.csv", CSV)
    for spec, pattern in (
        ("a", "write NAME=FILE"),
        ("a=", "write NAME=FILE"),
        ("=a.json", "not a valid variable name"),
        ("1a=a.json", "not a valid variable name"),
        ("a-b=a.json", "not a valid variable name"),
        ("a.b=a.json", "not a valid variable name"),
        ("class=a.json", "not a valid variable name"),
        ("None=a.json", "not a valid variable name"),
        ("__builtins__=a.json", "not a valid variable name"),
        ("\u00e9=a.json", "not a valid variable name"),
        ("x;import os=a.json", "not a valid variable name"),
        ("a=none.json", "none.json: No such file"),
        ("a=.", "directory|folder|file"),
        ("a=t.csv", "t.csv: is a table, not JSON; --optimize-data --file t.csv loads it$"),
    ):
        done = t.run("--data", spec, "-c", "print('ran')")
        t.refused(done, 2, pattern, "--data " + spec)
    t.exits(t.run("--data", "a=@a.json", "-c", "print(a)"), 0, "@ before a file's name", b"[1]\n")
    t.write("@b.json", "[2]")
    t.write("b.json", "[3]")
    t.exits(t.run("--data", "a=@b.json", "-c", "print(a)"), 0, "a name that begins with @", b"[2]\n")
    done = t.run("--data", "a=a.json", "--data", "a=a.json", "-c", "1")
    t.refused(done, 2, "given twice", "one name twice")
    for text, pattern in (
        ("{'a': 1}", "line 1, column 2: "),
        ("[1,\n 2,]", "line 2, column 4: "),
        ("", "line 1, column 1: the text ends too soon"),
        ("[" * 300 + "]" * 300, "column 201: the values are nested too deeply"),
        ("[1] 2", "something follows"),
        ('"\t"', "control character"),
        ('"\\x"', "escape"),
        ("[1", "a comma or ] is missing"),
        ('{"a" 1}', "a colon is missing"),
        ("01", "not a number of JSON"),
        ("1.", "something follows"),
        ("undefined", "not a value of JSON"),
        (b"\xff", "not a value of JSON"),
        (b'"\xff"', "not UTF-8"),
    ):
        t.write("bad.json", text)
        done = t.run("--data", "a=bad.json", "-c", "print('ran')")
        t.refused(done, 2, r"--data: bad\.json: is not JSON: .*" + pattern, "JSON that is none: %.20r" % text)
    with open(t.path("here/huge.json"), "wb") as f:
        f.truncate(65 << 20)
    done = t.run("--data", "a=huge.json", "-c", "1")
    t.refused(done, 2, "larger than 64 MiB", "too much")
    done = t.run("--lang", "sh", "--data", "a=a.json", "-c", "echo ran")
    t.refused(done, 2, "binds variables of Python and JavaScript, not of sh", "another language")
    t.project("data = ['a=a.json']\n")
    done = t.run("-c", "print(a)")
    t.ok(done.code == 2 and b"data" in done.err, "not from a project's file", done)


def test_bytes(t):
    """Bytes exact, paths kept, two files of one base name stay two."""
    image = b"\x89PNG\r\n\x1a\n\0\r\n\xff" + bytes(range(256)) * 300
    for name in ("a/plot.png", "b/plot.png"):
        t.write(name, name.encode() + image)
    code = """import os, shutil
for d in 'ab':
    os.makedirs('out/' + d)
    shutil.copy(d + '/plot.png', 'out/' + d + '/plot.png')
os.makedirs('.dot'); open('.dot/kept', 'wb').write(b'1')
os.symlink('a/plot.png', 'link.png')
"""
    done = t.run(
        "--json",
        "--file", "a/plot.png:a/plot.png",
        "--file", "b/plot.png:b/plot.png",
        "--out", t.path("here/got"),
        "-c", code,
    )
    paths = [f["path"] for f in done.json["files"]]
    t.equal(
        paths, [".dot/kept", "out/a/plot.png", "out/b/plot.png"], "what is new, under its path", done
    )
    for d in "ab":
        with open(t.path("here/got/out", d, "plot.png"), "rb") as f:
            t.equal(f.read() == ("%s/plot.png" % d).encode() + image, True, "byte for byte: " + d)
    t.ok(not os.path.lexists(t.path("here/got/link.png")), "links stay inside")
    t.ok(not os.path.exists(t.path("here/got/a")), "inputs are no results")


def test_own_args(t):
    """Where the user starts Python without our runner, nothing can run before the program."""
    t.write("own.conf", '[language.python]\nargs = ["-S", "{file}"]\n')
    t.write("people.csv", CSV)
    t.write("x.json", "1")
    done = t.run("--config", "own.conf", "--file", "people.csv", "--optimize-data", "-c", "print(people)")
    t.refused(done, 2, '--optimize-data runs before the program: that needs "{runner}"', "no table")
    done = t.run("--config", "own.conf", "--data", "x=x.json", "-c", "print(x)")
    t.refused(done, 2, '--data runs before the program: that needs "{runner}"', "no variable")
