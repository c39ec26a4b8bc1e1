# SPDX-License-Identifier: Apache-2.0
"""The programs, by language. `hello` adds the numbers in its input and prints the sum and its first argument."""
from typing import NamedTuple


class Language(NamedTuple):
    name: str
    file: str
    tools: tuple  # each "a|b": one of these must be there
    compiled: bool
    hello: str
    raises: tuple  # text, type, message (None: any), line; or None
    wrong: tuple  # text, line
    endless: str
    greedy: str = ""
    out_of_memory: str = ""  # what it says itself; "": the kernel kills it
    status: int = 7
    takes_args: bool = True


LANGUAGES = [
    Language(
        "c", "main.c", ("gcc|clang",), True,
        """#include <stdio.h>
#include <math.h>
int main(int n, char **a) { int x, s = 0; while (scanf("%d", &x) == 1) s += x; printf("%.0f %s\\n", sqrt((double)s * s), n > 1 ? a[1] : "-"); return 7; }
""",
        None,
        ("int main(void) {\n    return nothing;\n}\n", 2),
        "int main(void) { for (volatile int x = 0;; x = 1) ; }\n",
        "#include <stdlib.h>\n#include <string.h>\nint main(void) { for (;;) { char *p = malloc(1 << 20); if (p) memset(p, 1, 1 << 20); } }\n"),
    Language(
        "cpp", "main.cpp", ("g++|clang++",), True,
        """#include <iostream>
#include <string>
int main(int n, char **a) { int x, s = 0; while (std::cin >> x) s += x; std::cout << s << ' ' << (n > 1 ? a[1] : "-") << std::endl; return 7; }
""",
        ("#include <stdexcept>\nint main() { throw std::out_of_range(\"too far\"); }\n", "std::out_of_range", "too far", 0),
        ("int main() {\n    return nothing;\n}\n", 2),
        "int main() { for (volatile int x = 0;; x = 1) ; }\n"),
    Language(
        "go", "main.go", ("go",), True,
        """package main

import (
	"fmt"
	"os"
)

func main() {
	s, x := 0, 0
	for {
		if _, err := fmt.Scan(&x); err != nil {
			break
		}
		s += x
	}
	fmt.Println(s, os.Args[1])
	os.Exit(7)
}
""",
        ("package main\n\nfunc f(a []int) int {\n\treturn a[5]\n}\n\nfunc main() {\n\tprintln(f([]int{1}))\n}\n", "runtime.Error",
         "index out of range [5] with length 1", 4),
        ("package main\n\nfunc main() {\n\tnothing()\n}\n", 4),
        "package main\n\nfunc main() {\n\tfor {\n\t}\n}\n",
        "package main\n\nfunc main() {\n\tvar all [][]byte\n\tfor {\n\t\tb := make([]byte, 1<<20)\n\t\tfor i := range b {\n\t\t\tb[i] = 1\n\t\t}\n\t\tall = append(all, b)\n\t}\n}\n"),
    Language(
        "rust", "main.rs", ("rustc",), True,
        """use std::io::Read;
fn main() {
    let mut t = String::new();
    std::io::stdin().read_to_string(&mut t).unwrap();
    let s: i32 = t.split_whitespace().map(|x| x.parse::<i32>().unwrap()).sum();
    println!("{} {}", s, std::env::args().nth(1).unwrap());
    std::process::exit(7);
}
""",
        ("fn main() {\n    let v: Vec<i32> = std::env::args().map(|_| 1).collect();\n    println!(\"{}\", v[5]);\n}\n", "panic",
         "index out of bounds: the len is 1 but the index is 5", 3),
        ("fn main() {\n    let x: i32 = \"a\";\n}\n", 2),
        "fn main() { loop { std::thread::yield_now(); } }\n",
        "fn main() { let mut all = Vec::new(); loop { all.push(vec![1u8; 1 << 20]); std::thread::yield_now(); if all.is_empty() { println!(\"{:?}\", all); } } }\n"),
    Language(
        "java", "main.java", ("javac", "java"), True,
        """package com.example;

import java.util.Scanner;

class Helper { static int add(int a, int b) { return a + b; } }

public class Solution {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        int s = 0;
        while (in.hasNextInt()) s = Helper.add(s, in.nextInt());
        System.out.println(s + " " + args[0]);
        System.exit(7);
    }
}
""",
        ("public class Main {\n    static void f() {\n        throw new IllegalStateException(\"bad\");\n    }\n"
         "    public static void main(String[] a) {\n        f();\n    }\n}\n", "java.lang.IllegalStateException", "bad", 3),
        ("class A {\n    int f() { return nothing; }\n}\n", 2),
        "class A { public static void main(String[] a) { while (true) ; } }\n",
        "import java.util.*;\nclass A { public static void main(String[] a) { List<byte[]> all = new ArrayList<>(); while (true) all.add(new byte[1 << 20]); } }\n",
        "java.lang.OutOfMemoryError"),
    Language(
        "typescript", "main.ts", ("node|nodejs", "esbuild"), True,
        """import * as fs from 'fs';
enum Status { Done = 7 }
interface Input { sum: number }
const input: Input = { sum: fs.readFileSync(0, 'utf8').split(/\\s+/).filter(x => x).map(Number).reduce((a, b) => a + b) };
console.log(`${input.sum} ${process.argv[2]}`);
process.exit(Status.Done);
""",
        ("interface P { x: number }\n\nfunction f(p: P): never {\n    throw new TypeError('bad ' + p.x);\n}\nf({ x: 1 });\n", "TypeError",
         "bad 1", 4),
        ("const a = 1;\nconst x: number = ;\n", 2),
        "for (;;) ;\n",
        "const all: number[][] = [];\nfor (;;) all.push(new Array(1 << 16).fill(1.5));\n", "heap out of memory"),
    Language(
        "csharp", "main.cs", ("mcs", "mono"), True,
        """using System;
class Program {
    static int Main(string[] a) {
        int s = 0; string line;
        while ((line = Console.ReadLine()) != null) s += int.Parse(line);
        Console.WriteLine(s + " " + a[0]);
        return 7;
    }
}
""",
        ("using System;\nclass P {\n    [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)] static void F() {\n        throw new InvalidOperationException(\"bad\");\n    }\n"
         "    static void Main() { F(); }\n}\n", "System.InvalidOperationException", "bad", 4),
        ("class P {\n    static void Main() { int x = \"a\"; }\n}\n", 2),
        "class P { static void Main() { while (true) ; } }\n"),
    Language(
        "ruby", "main.rb", ("ruby",), False,
        "puts \"#{STDIN.read.split.map(&:to_i).sum} #{ARGV[0]}\"\nexit 7\n",
        ("require 'json'\n\ndef f(x)\n  JSON.parse(x)\nend\nf('{')\n", "JSON::ParserError", None, 4),
        ("x = 1\ny = = 2\n", 2),
        "loop { }\n",
        "all = []\nloop { all << 'x' * (1 << 20) }\n"),
    Language(
        "php", "main.php", ("php",), False,
        "<?php\n$s = array_sum(preg_split('/\\s+/', trim(stream_get_contents(STDIN))));\necho \"$s {$argv[1]}\\n\";\nexit(7);\n",
        ("<?php\nfunction f() {\n    throw new DomainException('bad');\n}\nf();\n", "DomainException", "bad", 3),
        ("<?php\n$x = 1;\n$y = = 2;\n", 3),
        "<?php\nset_time_limit(0);\nwhile (true) ;\n",
        "<?php\n$all = [];\nwhile (true) $all[] = str_repeat('x', 1 << 20) . count($all);\n", "Allowed memory size"),
    Language(
        "perl", "main.pl", ("perl",), False,
        "my $s = 0; $s += $_ while <STDIN>; print \"$s $ARGV[0]\\n\"; exit 7;\n",
        ("use strict;\nwarn \"only a warning\";\nsub f {\n    die \"bad\";\n}\nf();\n", "Error", "bad", 4),
        ("use strict;\n$x = 1;\n", 2),
        "1 while 1;\n",
        "my @all; push @all, 'x' x (1 << 20) . scalar(@all) while 1;\n"),
    Language(
        "lua", "main.lua", ("lua5.4|lua|lua5.3|luajit",), False,
        "local s = 0\nfor line in io.lines() do s = s + tonumber(line) end\nprint(s .. ' ' .. arg[1])\nos.exit(7)\n",
        ("local function f()\n  error('bad')\nend\nf()\n", "Error", "bad", 2),
        ("local x = 1\nlocal y = = 2\n", 2),
        "while true do end\n",
        "local all = {}\nwhile true do all[#all + 1] = string.rep('x', 1 << 20) .. #all end\n"),
    Language(
        "sql", "main.sql", ("sqlite3",), False,
        "create table t(x);\ninsert into t values (20), (22);\nselect sum(x) || ' -' from t;\n",
        ("create table t(x unique);\ninsert into t values (1);\ninsert into t values (1);\nselect 'not reached';\n", "RuntimeError",
         "UNIQUE constraint failed: t.x (19)", 3),
        ("create table t(x);\nselec x from t;\n", 2),
        "with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n where x < 0;\n",
        status=0, takes_args=False),
    Language("kotlin", "main.kt", ("kotlinc", "java"), True,
             "fun main(a: Array<String>) {\n    var s = 0\n    while (true) { s += (readLine() ?: break).toInt() }\n    println(\"$s ${a[0]}\")\n"
             "    System.exit(7)\n}\n",
             ("fun f() {\n    throw IllegalStateException(\"bad\")\n}\nfun main() {\n    f()\n}\n", "java.lang.IllegalStateException", "bad", 2),
             ("fun main() {\n    nothing()\n}\n", 2), "fun main() { while (true) {} }\n"),
    Language("haskell", "main.hs", ("ghc",), True,
             "import System.Environment\nimport System.Exit\nmain = do\n  t <- getContents\n  a <- getArgs\n"
             "  putStrLn (show (sum (map read (lines t)) :: Int) ++ \" \" ++ head a)\n  exitWith (ExitFailure 7)\n",
             ("main = print (f 1)\nf :: Int -> Int\nf x = error \"bad\"\n", "error", "bad", 0),
             ("main = do\n  nothing\n", 2), "main = f 0\nf :: Int -> IO ()\nf x = if x < 0 then return () else f (x `mod` 7 + 1)\n"),
    Language("julia", "main.jl", ("julia",), False,
             "s = sum(parse.(Int, readlines()))\nprintln(s, \" \", ARGS[1])\nexit(7)\n",
             ("function f()\n    error(\"bad\")\nend\nf()\n", "Error", "bad", 0),
             ("x = 1\ny = = 2\n", 2), "while true end\n"),
    Language("swift", "main.swift", ("swiftc",), True,
             "import Foundation\nvar s = 0\nwhile let line = readLine() { s += Int(line)! }\nprint(s, CommandLine.arguments[1])\nexit(7)\n",
             ("func f(_ a: [Int]) -> Int {\n    return a[5]\n}\nprint(f([1]))\n", "Fatal error", "Index out of range", 0),
             ("let a = 1\nnothing()\n", 2), "while true {}\n"),
    Language("powershell", "main.ps1", ("pwsh",), False,
             "$s = 0\nforeach ($line in $input) { $s += [int]$line }\nWrite-Output \"$s $($args[0])\"\nexit 7\n",
             ("function f {\n    throw 'bad'\n}\nf\n", "Exception", "bad", 2),
             ("$x = 1\n$y = = 2\n", 2), "while ($true) {}\n"),
]
