/* SPDX-License-Identifier: Apache-2.0 */
#include "session/feedback_advice.h"

#include <string.h>

#include "base/mem.h"
#include "session/plain.h"

enum { MESSAGE_MAX = 2000, CAPTURE_MAX = 80, TEXT_MAX = 4000 };

#define PY "python"
#define JS "javascript"
#define R  "r"
#define SH "bash"

/* The first that fits counts: the special before the general. */
/* clang-format off */
static const struct advice table[] = {
    /* ---- names ---- */
    {PY, "NameError", "name '*' is not defined. Did you mean: '*'?*", TOPIC_NONE,
     "'{1}' is not defined, '{2}' is: probably a misspelling of it."},
    {PY, "NameError", "name '*' is not defined*", TOPIC_NONE,
     "'{1}' was never assigned or imported where this line can see it. Define it before it is used, "
     "or pass it in as an argument."},
    {PY, "NameError", "cannot access free variable '*' where *", TOPIC_NONE,
     "The inner function uses '{1}' before the outer one has given it a value. Assign it first."},
    {PY, "UnboundLocalError", "*local variable '*'*", TOPIC_NONE,
     "'{2}' is assigned somewhere in this function, so all of the function treats it as local, and here "
     "it has no value yet. Give it one first, or declare it 'global' or 'nonlocal'."},
    /* ---- calls and types ---- */
    {PY, "TypeError", "* missing * required positional argument*: *", TOPIC_NONE,
     "{1} was called without {4}. Compare the call with the definition."},
    {PY, "TypeError", "* missing * required keyword-only argument*: *", TOPIC_NONE,
     "{1} needs {4} given by name (name=value). Compare the call with the definition."},
    {PY, "TypeError", "* takes * positional argument* but * given", TOPIC_NONE,
     "{1} was called with too many arguments (it takes {2}). For a method, count 'self', and check that the "
     "definition has it."},
    {PY, "TypeError", "* got an unexpected keyword argument '*'*", TOPIC_NONE,
     "{1} has no parameter '{2}'. Check its signature, or leave the argument out."},
    {PY, "TypeError", "* got multiple values for argument '*'*", TOPIC_NONE,
     "'{2}' was given twice to {1}, by place and by name. Give it once."},
    {PY, "TypeError", "'NoneType' object is not *", TOPIC_NONE,
     "A value is None here and cannot be used so. A function without 'return', or a method that changes its "
     "object in place (sort, append, update), gives None: look where the value comes from."},
    {PY, "TypeError", "unsupported operand type(s) for *: 'NoneType' and *", TOPIC_NONE,
     "The left side of {1} is None. Look where it comes from: a function without 'return' gives None."},
    {PY, "TypeError", "unsupported operand type(s) for *: '*' and '*'*", TOPIC_NONE,
     "{1} does not work between {2} and {3}. Convert one of them first."},
    {PY, "TypeError", "can only concatenate str (not \"*\") to str", TOPIC_NONE,
     "Text and {1} cannot be joined with +. Use str(...) or an f-string."},
    {PY, "TypeError", "can only concatenate * (not \"*\") to *", TOPIC_NONE,
     "{1} and {2} cannot be joined with +. Convert one of them first."},
    {PY, "TypeError", "'*' object is not callable*", TOPIC_NONE,
     "Something that is {1}, not a function, is called with (). Perhaps a variable has the name of a function, "
     "or a comma or an operator is missing before the bracket."},
    {PY, "TypeError", "'*' object is not subscriptable*", TOPIC_NONE,
     "{1} has no elements to take with []. Check what the value is, and whether a call lacks its ()."},
    {PY, "TypeError", "'*' object does not support item assignment*", TOPIC_NONE,
     "{1} cannot be changed in place. Make a new one, or use a list or a dict."},
    {PY, "TypeError", "'*' object is not iterable*", TOPIC_NONE,
     "{1} cannot be looped over or unpacked. For numbers use range(...); for one value put it into a list."},
    {PY, "TypeError", "unhashable type: '*'*", TOPIC_NONE,
     "{1} cannot be a key of a dict or an element of a set, since it can change. Use a tuple or a frozenset."},
    {PY, "TypeError", "'*' not supported between instances of '*' and '*'", TOPIC_NONE,
     "{2} and {3} cannot be compared with {1}. Convert one of them, or give a key function to sort."},
    {PY, "TypeError", "list indices must be integers or slices, not *", TOPIC_NONE,
     "A list is indexed with {1}. Use an integer; for keys the value has to be a dict."},
    {PY, "TypeError", "string indices must be integers*", TOPIC_NONE,
     "A string is indexed like a dict. Perhaps the data is still JSON text: use json.loads first."},
    {PY, "TypeError", "Object of type * is not JSON serializable*", TOPIC_NONE,
     "json has no form for {1}. Convert it first (list(...), str(...), .isoformat()), or give default=str."},
    {PY, "TypeError", "a bytes-like object is required, not 'str'*", TOPIC_NONE,
     "Text is given where bytes are wanted. Use .encode(), or open the file without 'b'."},
    {PY, "TypeError", "not all arguments converted during string formatting*", TOPIC_NONE,
     "The format has fewer % places than values. Match them, or use an f-string."},
    {PY, "TypeError", "* object is not an iterator*", TOPIC_NONE,
     "next() needs an iterator: wrap the value in iter(...)."},
    {PY, "TypeError", "Can't instantiate abstract class * with*", TOPIC_NONE,
     "{1} leaves abstract methods out. Define all of them in the class."},
    /* ---- values ---- */
    {PY, "ValueError", "invalid literal for int() with base *: *", TOPIC_NONE,
     "{2} is not a whole number. Strip and check the text first, or use float() for decimals."},
    {PY, "ValueError", "could not convert string to float: *", TOPIC_NONE,
     "{1} is not a number. Strip and check the text before float()."},
    {PY, "ValueError", "not enough values to unpack (expected *, got *)*", TOPIC_NONE,
     "{1} names stand left of '=', but the value has only {2} parts. Check the value's length first."},
    {PY, "ValueError", "too many values to unpack (expected *)*", TOPIC_NONE,
     "The value has more parts than the {1} names left of '='. Add names, or take the rest with *rest."},
    {PY, "ValueError", "* is not in list", TOPIC_NONE,
     "The list does not hold {1}. Test with 'in' before index() or remove()."},
    {PY, "ValueError", "list.remove(x): x not in list", TOPIC_NONE,
     "The list does not hold the value. Test with 'in' before remove()."},
    {PY, "ValueError", "substring not found*", TOPIC_NONE,
     "The text does not contain it. Use find(), which gives -1, or test with 'in' first."},
    {PY, "ValueError", "math domain error*", TOPIC_NONE,
     "The function is not defined for this number (a root or logarithm of a negative one?). Check it first."},
    {PY, "ValueError", "time data * does not match format *", TOPIC_NONE,
     "{1} does not look like {2}. Print the text and write the format for it."},
    {PY, "ValueError", "I/O operation on closed file*", TOPIC_NONE,
     "The file is used after it was closed. Move the code into the 'with' block."},
    {PY, "ValueError", "Exceeds the limit * for integer string conversion*", TOPIC_NONE,
     "The number has too many digits to be turned into text. Raise sys.set_int_max_str_digits, or print only a "
     "part of it."},
    {PY, "ValueError", "* arg is an empty sequence*", TOPIC_NONE,
     "min() or max() got nothing to choose from. Test for emptiness, or give default=..."},
    {PY, "ValueError", "* iterable argument is empty*", TOPIC_NONE,
     "min() or max() got nothing to choose from. Test for emptiness, or give default=..."},
    {PY, "JSONDecodeError", "Expecting value: line 1 column 1 (char 0)*", TOPIC_NONE,
     "The text is empty or no JSON at all. Print its beginning; check where it was read from."},
    {PY, "JSONDecodeError", "Expecting property name enclosed in double quotes*", TOPIC_NONE,
     "This is not JSON: keys need double quotes, and no comma may stand before '}'. A Python literal is read "
     "by ast.literal_eval."},
    {PY, "JSONDecodeError", "Extra data: line * column *", TOPIC_NONE,
     "Something follows the first JSON value, on line {1} of the text. If each line is a document, read it line "
     "by line."},
    {PY, "JSONDecodeError", "*: line * column *", TOPIC_NONE,
     "The text is not valid JSON at its line {2}, column {3}. Print that part of it."},
    {PY, "UnicodeDecodeError", "'*' codec can't decode byte *", TOPIC_NONE,
     "The bytes are not {1}. Open binary data with 'rb'; give text its encoding (encoding='latin-1') or "
     "errors='replace'."},
    {PY, "UnicodeEncodeError", "'*' codec can't encode *", TOPIC_NONE,
     "{1} has no such character. Write with encoding='utf-8', or give errors='replace'."},
    /* ---- elements and attributes ---- */
    {PY, "IndexError", "pop from *", TOPIC_NONE,
     "Nothing is left to pop from the {1}. Test for emptiness first."},
    {PY, "IndexError", "* index out of range*", TOPIC_NONE,
     "The {1} is shorter than the index. Valid ones go from 0 to len - 1; print both before this line."},
    {PY, "KeyError", "*", TOPIC_NONE,
     "The dict has no key {1}. Use .get(key, default), test with 'in', or print the keys that there are."},
    {PY, "AttributeError", "* has no attribute '*'. Did you mean: '*'?*", TOPIC_NONE,
     "There is no '{2}', but there is '{3}': probably a misspelling of it."},
    {PY, "AttributeError", "'NoneType' object has no attribute '*'*", TOPIC_NONE,
     "The value before .{1} is None. A search that found nothing (re.match, dict.get), or a function without "
     "'return', gives None: look where it comes from."},
    {PY, "AttributeError", "partially initialized module '*' has no attribute '*'*", TOPIC_NONE,
     "A file of the program is called {1}.py and hides the library's module of that name. Rename the file."},
    {PY, "AttributeError", "module '*' has no attribute '*'*", TOPIC_NONE,
     "Module {1} has no '{2}' in this version. Check the name, or list it with dir({1})."},
    {PY, "AttributeError", "'*' object has no attribute '*'*", TOPIC_NONE,
     "A {1} has no '{2}'. Check the type of the value and the spelling; for an own class, set it in __init__."},
    {PY, "AttributeError", "type object '*' has no attribute '*'*", TOPIC_NONE,
     "Class {1} has no '{2}'. Check the spelling, or make an object of it first."},
    /* ---- imports ---- */
    {PY, "ImportError", "cannot import name '*' from '*'*", TOPIC_MODULE,
     "Module {2} has no '{1}' in this version. Check the name and where it is defined now."},
    {PY, "ImportError", "attempted relative import with no known parent package*", TOPIC_MODULE,
     "The program is no package, so 'from .' has nothing to start from. Import by the plain name."},
    {PY, "ImportError", "*cannot open shared object file*", TOPIC_MODULE,
     "A library of the system that the module needs is not there inside. Show it with --ro, or do without."},
    {PY, "ModuleNotFoundError", "No module named '*'; '*' is not a package", TOPIC_MODULE,
     "'{2}' is a module without parts. If a file of the program is called {2}.py, rename it: it hides the library's."},
    /* ---- arithmetic, assertions, iteration, ends ---- */
    {PY, "ZeroDivisionError", "*", TOPIC_NONE,
     "The divisor is 0 here. Test it first, or decide what the result is then (an empty list has no mean)."},
    {PY, "OverflowError", "*", TOPIC_NONE,
     "The number does not fit. Use whole numbers, fractions.Fraction or decimal.Decimal, or logarithms."},
    {PY, "FloatingPointError", "*", TOPIC_NONE, "The calculation left the range of floating point numbers."},
    {PY, "AssertionError", "", TOPIC_NONE,
     "The program's own assertion does not hold: the values on this line are not as expected. Print them."},
    {PY, "AssertionError", "*", TOPIC_NONE,
     "The program's own assertion does not hold ({1}). Compare what was computed with what is asserted."},
    {PY, "StopIteration", "*", TOPIC_NONE,
     "next() was called when nothing was left. Give it a default: next(it, None), or use a for loop."},
    {PY, "RuntimeError", "generator raised StopIteration*", TOPIC_NONE,
     "next() inside a generator found nothing left. Give it a default, or catch StopIteration there."},
    {PY, "RuntimeError", "dictionary changed size during iteration*", TOPIC_NONE,
     "The dict is changed while it is looped over. Loop over list(d) instead."},
    {PY, "RuntimeError", "Set changed size during iteration*", TOPIC_NONE,
     "The set is changed while it is looped over. Loop over list(s) instead."},
    {PY, "RuntimeError", "asyncio.run() cannot be called from a running event loop*", TOPIC_NONE,
     "An event loop runs already: use await instead of asyncio.run()."},
    {PY, "RuntimeError", "no running event loop*", TOPIC_NONE,
     "This has to be called from a coroutine that asyncio.run() started."},
    {PY, "RuntimeError", "can't start new thread*", TOPIC_PROCESSES,
     "No more threads could be started. Use fewer (a pool of 4), and join those that are done; --pids allows more."},
    {PY, "NotImplementedError", "*", TOPIC_NONE, "This part of the program is not written yet: implement it."},
    {PY, "RecursionError", "*", TOPIC_RECURSION,
     "The function calls itself too often. Check that every path reaches the base case, or use a loop and a list "
     "as a stack."},
    {PY, "MemoryError", "*", TOPIC_MEMORY,
     "There is not enough memory for this value. Work in pieces (generators, line by line) instead of holding all "
     "of it; --memory allows more."},
    {PY, "TimeoutError", "*", TOPIC_TIME,
     "The program's own time limit ran out. Check for waits that nobody answers."},
    {PY, "KeyboardInterrupt", "*", TOPIC_TIME, "The program was interrupted."},
    {PY, "EOFError", "EOF when reading a line*", TOPIC_INPUT,
     "input() found nothing more to read: nobody types here. Give the input with --stdin, or put the values into "
     "the program."},
    {PY, "EOFError", "*", TOPIC_INPUT, "The data ends too soon. Check that the file or the pipe was written whole."},
    {PY, "BrokenPipeError", "*", TOPIC_NONE, "The reader at the other end was gone. Check that it runs and reads all."},
    {PY, "BlockingIOError", "*Resource temporarily unavailable*", TOPIC_PROCESSES,
     "No more processes could be started. Use fewer, and wait for those that are done; --pids allows more."},
    {PY, "FileExistsError", "*: '*'", TOPIC_FILE,
     "{2} exists already. Use exist_ok=True for folders, or another name."},
    {PY, "IsADirectoryError", "*: '*'", TOPIC_FILE, "{2} is a folder. List it with os.listdir, and open the files in it."},
    {PY, "NotADirectoryError", "*: '*'", TOPIC_FILE, "A part of {2} is a file, not a folder."},
    /* ---- syntax ---- */
    {PY, "IndentationError", "unexpected indent*", TOPIC_SYNTAX,
     "The line is indented although nothing before it opens a block. Align it with the line above."},
    {PY, "IndentationError", "expected an indented block after * on line *", TOPIC_SYNTAX,
     "The block of the {1} on line {2} is empty. Indent its body by four spaces, or write 'pass'."},
    {PY, "IndentationError", "unindent does not match any outer indentation level*", TOPIC_SYNTAX,
     "The indentation is that of no block around. Use four spaces for each level, and no tabs."},
    {PY, "TabError", "*", TOPIC_SYNTAX, "Tabs and spaces are mixed. Indent with four spaces everywhere."},
    {PY, "SyntaxError", "'*' was never closed*", TOPIC_SYNTAX,
     "The bracket {1} on this line has no partner. Close it."},
    {PY, "SyntaxError", "unmatched '*'*", TOPIC_SYNTAX, "There is a {1} too many here, or its opening partner is missing."},
    {PY, "SyntaxError", "closing parenthesis '*' does not match opening parenthesis '*'*", TOPIC_SYNTAX,
     "{2} is closed by {1}. Make the two brackets a pair."},
    {PY, "SyntaxError", "unterminated triple-quoted string literal*", TOPIC_SYNTAX,
     "A text in triple quotes is never closed. Perhaps the program was cut off at its end."},
    {PY, "SyntaxError", "unterminated *string literal*", TOPIC_SYNTAX,
     "The text lacks its closing quote on this line. Close it, or use triple quotes for several lines."},
    {PY, "SyntaxError", "expected ':'*", TOPIC_SYNTAX, "A colon is missing at the end of this statement's head."},
    {PY, "SyntaxError", "invalid syntax. Maybe you meant '==' or ':=' instead of '='?*", TOPIC_SYNTAX,
     "'=' assigns; to compare, write '=='."},
    {PY, "SyntaxError", "invalid syntax. Perhaps you forgot a comma?*", TOPIC_SYNTAX, "Two values stand side by side: put a comma between."},
    {PY, "SyntaxError", "Missing parentheses in call to '*'*", TOPIC_SYNTAX, "This is Python 3: write {1}(...)."},
    {PY, "SyntaxError", "cannot assign to *", TOPIC_SYNTAX, "Only names, attributes and elements can stand left of '='. To compare, write '=='."},
    {PY, "SyntaxError", "'return' outside function*", TOPIC_SYNTAX, "'return' works in functions only. Print the value, or indent the line into its function."},
    {PY, "SyntaxError", "'await' outside *", TOPIC_SYNTAX, "Put the 'await' into an 'async def' function, and start that with asyncio.run()."},
    {PY, "SyntaxError", "'*' outside loop*", TOPIC_SYNTAX, "'{1}' works in loops only. Check the indentation."},
    {PY, "SyntaxError", "f-string: *", TOPIC_SYNTAX, "An f-string has a mistake in its braces: {1}. Compute the value before, and put only its name into it."},
    {PY, "SyntaxError", "invalid non-printable character *", TOPIC_SYNTAX, "An invisible character {1} stands in the program. Write the line anew."},
    {PY, "SyntaxError", "invalid character '*' *", TOPIC_SYNTAX, "{1} is not a character of Python. Use plain ASCII quotes, minus signs and commas."},
    {PY, "SyntaxError", "unexpected EOF while parsing*", TOPIC_SYNTAX, "The program ends too soon: a bracket or a block is open. Perhaps it was cut off."},
    {PY, "SyntaxError", "unexpected character after line continuation character*", TOPIC_SYNTAX, "Nothing may follow a \\ at the end of a line. Perhaps \\n is written outside of a string."},
    {PY, "SyntaxError", "leading zeros in decimal integer literals are not permitted*", TOPIC_SYNTAX, "A number cannot begin with 0. For octal write 0o..., for text use quotes."},
    {PY, "SyntaxError", "source code * null bytes*", TOPIC_SYNTAX, "The program holds NUL bytes. Write it anew as plain text."},
    {PY, "ExceptionGroup", "*", TOPIC_NONE, "Several things failed at once: look at each of the exceptions in the group."},
    {PY, "SystemError", "*", TOPIC_NONE, "The interpreter itself found a fault, mostly in an extension module. Do without that module."},

    /* ---- JavaScript ---- */
    {JS, "ReferenceError", "require is not defined*", TOPIC_MODULE,
     "This is an ES module: use import, or name the file .cjs."},
    {JS, "ReferenceError", "Cannot access '*' before initialization*", TOPIC_NONE,
     "'{1}' is used above its let, const or class. Move the declaration up."},
    {JS, "ReferenceError", "* is not defined*", TOPIC_NONE,
     "'{1}' was never declared or imported here. Check the spelling; there is no document, window or alert outside of a "
     "browser."},
    {JS, "TypeError", "Cannot read properties of * (reading '*')*", TOPIC_NONE,
     "The value before .{2} is {1}. Look where it comes from, or write ?.{2}."},
    {JS, "TypeError", "Cannot set properties of * (setting '*')*", TOPIC_NONE,
     "The value before .{2} is {1}. Make the object first."},
    {JS, "TypeError", "Cannot destructure property '*' of '*' as it is *", TOPIC_NONE,
     "{2} has no properties to take apart. Give it a value or a default: = {}."},
    {JS, "TypeError", "* is not a function*", TOPIC_NONE,
     "{1} is not a function. Check the spelling, what the module exports, and what the value is."},
    {JS, "TypeError", "* is not iterable*", TOPIC_NONE,
     "{1} cannot be looped over or spread. For the entries of an object use Object.entries()."},
    {JS, "TypeError", "* is not a constructor*", TOPIC_NONE, "{1} is no class: check the import, or call it without 'new'."},
    {JS, "TypeError", "Assignment to constant variable*", TOPIC_NONE, "A const is assigned again. Declare it with let."},
    {JS, "TypeError", "Converting circular structure to JSON*", TOPIC_NONE, "The object contains itself. Leave that property out before JSON.stringify()."},
    {JS, "TypeError", "Cannot mix BigInt and other types*", TOPIC_NONE, "Convert with BigInt(...) or Number(...) first."},
    {JS, "TypeError", "fetch failed*", TOPIC_NETWORK, "There is no network inside. Give the data with --file, and read it with fs."},
    {JS, "RangeError", "Maximum call stack size exceeded*", TOPIC_RECURSION,
     "The function calls itself too often. Check that every path reaches the base case, or use a loop."},
    {JS, "RangeError", "Invalid array length*", TOPIC_NONE, "An array's length has to be a whole number from 0 to 4294967295."},
    {JS, "RangeError", "*", TOPIC_NONE, "A number is outside of what is allowed here: {1}."},
    {JS, "SyntaxError", "The requested module '*' does not provide an export named '*'*", TOPIC_MODULE,
     "Module {1} has no export '{2}'. Check the name, or import the default."},
    {JS, "SyntaxError", "Cannot use import statement outside a module*", TOPIC_SYNTAX, "Name the file .mjs for 'import', or use require()."},
    {JS, "SyntaxError", "await is only valid in async functions*", TOPIC_SYNTAX, "Put the await into an async function, or name the file .mjs."},
    {JS, "SyntaxError", "Identifier '*' has already been declared*", TOPIC_SYNTAX, "'{1}' is declared twice. Use another name, or assign without let or const."},
    {JS, "SyntaxError", "* in JSON at position *", TOPIC_NONE, "The text is not valid JSON at position {2}. Print that part of it."},
    {JS, "SyntaxError", "* is not valid JSON*", TOPIC_NONE, "The text is not valid JSON. Print its beginning; check where it comes from."},
    {JS, "SyntaxError", "Unexpected end of JSON input*", TOPIC_NONE, "The JSON text is empty or cut off. Check where it comes from."},
    {JS, "SyntaxError", "Unexpected end of input*", TOPIC_SYNTAX, "A bracket or a block is never closed. Perhaps the program was cut off."},
    {JS, "SyntaxError", "missing ) after argument list*", TOPIC_SYNTAX, "The call lacks a bracket or a comma."},
    {JS, "SyntaxError", "Unexpected token*", TOPIC_SYNTAX, "{1} cannot stand here. Check the brackets, commas and quotes before it."},
    {JS, "SyntaxError", "Invalid or unexpected token*", TOPIC_SYNTAX, "A quote is not closed, or a character is none of JavaScript's."},
    {JS, "SyntaxError", "*", TOPIC_SYNTAX, "JavaScript cannot read this line. Check the brackets, commas and quotes before it."},
    {JS, "AssertionError", "*", TOPIC_NONE, "The program's own assertion does not hold. Compare what was computed with what is asserted."},
    {JS, "AggregateError", "*", TOPIC_NONE, "Several things failed at once: look at each of its errors."},
    {JS, "UnhandledPromiseRejection", "*reason \"*\"*", TOPIC_NONE,
     "A promise was rejected ({2}) and nobody caught it. Await it in try/catch, or add .catch()."},
    {JS, "Uncaught", "*", TOPIC_NONE, "A value that is no Error was thrown and not caught. Throw new Error(...), which says where."},
    {JS, NULL, "Cannot find module './*'*", TOPIC_MODULE, "There is no file ./{1} in the workspace. Give it with --file."},
    {JS, NULL, "Cannot find module '/box/work/*'*", TOPIC_MODULE, "There is no file {1} in the workspace. Give it with --file, and write its ending in imports."},
    {JS, NULL, "Cannot find module '*'*", TOPIC_MODULE,
     "Module '{1}' is not installed, and no package can be installed inside. Use node's own modules, or show the host's "
     "folder with --ro."},
    {JS, NULL, "Cannot find package '*'*", TOPIC_MODULE,
     "Package '{1}' is not installed, and none can be installed inside. Use node's own modules, or show the host's "
     "folder with --ro."},

    /* ---- R ---- */
    {R, NULL, "there is no package called *", TOPIC_MODULE,
     "Package {1} is not installed, and none can be installed inside. Use base R, or show the host's library with --ro."},
    {R, NULL, "could not find function \"*\"*", TOPIC_NONE,
     "There is no function {1}. Check the spelling, and whether library(...) of its package was called."},
    {R, NULL, "object '*' not found*", TOPIC_NONE,
     "'{1}' was never assigned where this call can see it. Check the spelling, and the columns of the data."},
    {R, NULL, "non-numeric argument to *", TOPIC_NONE, "A number is wanted and text was given. Convert it with as.numeric()."},
    {R, NULL, "subscript out of bounds*", TOPIC_NONE, "The index or name is not there. Check length() or names() first."},
    {R, NULL, "missing value where TRUE/FALSE needed*", TOPIC_NONE, "The condition is NA. Test with is.na() first, or use isTRUE()."},
    {R, NULL, "argument is of length zero*", TOPIC_NONE, "The condition is empty (NULL?). Check length() first."},
    {R, NULL, "the condition has length > 1*", TOPIC_NONE, "'if' wants one value: use any(), all() or ifelse()."},
    {R, NULL, "argument \"*\" is missing, with no default*", TOPIC_NONE, "Give the argument {1}, or a default in the definition."},
    {R, NULL, "unused argument*", TOPIC_NONE, "The function has no such parameter. Check its definition."},
    {R, NULL, "$ operator is invalid for atomic vectors*", TOPIC_NONE, "$ works on lists and data frames. Use [[ ]] or [ ] here."},
    {R, NULL, "arguments imply differing number of rows*", TOPIC_NONE, "The columns have different lengths. Make them equal first."},
    {R, NULL, "undefined columns selected*", TOPIC_NONE, "The data frame has no such column: print names(), and check the comma in [ , ]."},
    {R, NULL, "attempt to apply non-function*", TOPIC_NONE, "What is called is not a function. An operator may be missing before the bracket."},
    {R, NULL, "cannot open the connection*", TOPIC_FILE,
     "The file or address cannot be opened; R's warning names it. Inputs come into the workspace with --file, and there "
     "is no network."},
    {R, NULL, "*C stack usage * is too close to the limit*", TOPIC_RECURSION, "The function calls itself too often. Check its base case, or use a loop."},
    {R, NULL, "evaluation nested too deeply*", TOPIC_RECURSION, "The function calls itself too often. Check its base case, or use a loop."},
    {R, NULL, "cannot allocate vector of size *", TOPIC_MEMORY, "There is no room for {1}. Work in pieces; --memory allows more."},
    {R, "SyntaxError", "unexpected end of input*", TOPIC_SYNTAX, "A bracket, a brace or a quote is never closed. Perhaps the program was cut off."},
    {R, "SyntaxError", "unexpected symbol*", TOPIC_SYNTAX, "Two things stand side by side: a comma or an operator is missing before the last one shown."},
    {R, "SyntaxError", "unexpected * in *", TOPIC_SYNTAX, "{1} cannot stand here. Check the brackets and commas before it."},
    {R, "SyntaxError", "*", TOPIC_SYNTAX, "R cannot read the program here. Check brackets, commas and quotes."},
    {R, NULL, "* is not TRUE", TOPIC_NONE, "stopifnot() found that {1} does not hold. Print the values."},

    /* ---- shells ---- */
    {SH, "CommandNotFound", "*: command not found*", TOPIC_MODULE,
     "There is no command '{1}' inside, and none can be installed. Use what is there, or show the host's program with --ro."},
    {SH, "CommandNotFound", "./*: not found*", TOPIC_FILE, "There is no program ./{1} in the workspace. Give it with --file."},
    {SH, "CommandNotFound", "*: not found*", TOPIC_MODULE,
     "There is no command '{1}' inside, and none can be installed. In sh, what only bash knows (source, [[ ) is not there either."},
    {SH, "UnboundVariable", "*: *", TOPIC_NONE, "${1} has no value, and 'set -u' forbids that. Assign it, or write a default: ${{1}:-}."},
    {SH, "SyntaxError", "*unexpected EOF while looking for matching *", TOPIC_SYNTAX, "{2} is never closed. Check the quotes and brackets from this line on."},
    {SH, "SyntaxError", "*nterminated quoted string*", TOPIC_SYNTAX, "A quote is never closed. Check the quotes from this line on."},
    {SH, "SyntaxError", "*end of file*", TOPIC_SYNTAX, "A block is never closed: each if needs its fi, each do its done, each case its esac, each { its }."},
    {SH, "SyntaxError", "*near unexpected token *", TOPIC_SYNTAX, "{2} cannot stand here. Check the then, do, fi, done and quotes before it."},
    {SH, "SyntaxError", "*", TOPIC_SYNTAX, "The shell cannot read this line. Check the then, do, fi, done and quotes before it."},
    {SH, "ArithmeticError", "*division by *", TOPIC_NONE, "The divisor is 0 here. Test it first."},
    {SH, "ArithmeticError", "*", TOPIC_NONE, "A whole number is wanted here. Use = and != to compare text."},
    {SH, "ReadonlyVariable", "*: *", TOPIC_NONE, "{1} was declared readonly. Use another name."},
    {SH, NULL, "cd: can't cd to *", TOPIC_FILE, "There is no folder {1} inside."},
    {SH, "PermissionDenied", "*: Permission denied*", TOPIC_PERMISSION,
     "{1} may not be run or opened. Run a script with its interpreter (bash FILE), and write in the working folder only."},

    /* ---- the system, in any language and also in the plain text of the error stream ---- */
    {NULL, NULL, "*No space left on device*", TOPIC_DISK,
     "The disk is full: workspace and /tmp share --disk. Write less, delete what is not needed any more, or allow more."},
    {NULL, NULL, "*Disk quota exceeded*", TOPIC_DISK,
     "The disk is full: workspace and /tmp share --disk. Write less, delete what is not needed any more, or allow more."},
    {NULL, NULL, "*ENOSPC*", TOPIC_DISK,
     "The disk is full: workspace and /tmp share --disk. Write less, delete what is not needed any more, or allow more."},
    {NULL, NULL, "*Network is unreachable*", TOPIC_NETWORK, "There is no network inside. Give the data with --file instead of downloading it."},
    {NULL, NULL, "*ENETUNREACH*", TOPIC_NETWORK, "There is no network inside. Give the data with --file instead of downloading it."},
    {NULL, NULL, "*Temporary failure in name resolution*", TOPIC_NETWORK, "There is no network inside, so no host name can be looked up. Give the data with --file instead."},
    {NULL, NULL, "*Name or service not known*", TOPIC_NETWORK, "There is no network inside, so no host name can be looked up. Give the data with --file instead."},
    {NULL, NULL, "*getaddrinfo E*", TOPIC_NETWORK, "There is no network inside, so no host name can be looked up. Give the data with --file instead."},
    {NULL, NULL, "*ould not resolve host*", TOPIC_NETWORK, "There is no network inside, so no host name can be looked up. Give the data with --file instead."},
    {NULL, NULL, "*Address family not supported*", TOPIC_NETWORK, "Sockets of this kind are not allowed inside."},
    {NULL, NULL, "*onnection refused*", TOPIC_NETWORK, "Nobody listens at that address: inside there are only the program's own servers, and no network."},
    {NULL, NULL, "*ECONNREFUSED*", TOPIC_NETWORK, "Nobody listens at that address: inside there are only the program's own servers, and no network."},
    {NULL, NULL, "*an't start new thread*", TOPIC_PROCESSES, "No more threads could be started. Use fewer, and join those that are done; --pids allows more."},
    {NULL, NULL, "*fork: *etry*", TOPIC_PROCESSES, "No more processes could be started. Use fewer, and wait for those that are done; --pids allows more."},
    {NULL, NULL, "*Resource temporarily unavailable*", TOPIC_PROCESSES, "No more processes or threads could be started. Use fewer, and wait for those that are done; --pids allows more."},
    {NULL, NULL, "*annot fork*", TOPIC_PROCESSES, "No more processes could be started. Use fewer, and wait for those that are done; --pids allows more."},
    {NULL, NULL, "*annot allocate memory*", TOPIC_MEMORY, "There is not enough memory. Work in pieces instead of holding all of it; --memory allows more."},
    {NULL, NULL, "*heap out of memory*", TOPIC_MEMORY, "The heap is full. Work in pieces instead of holding all of it; --memory allows more."},
    {NULL, NULL, "*std::bad_alloc*", TOPIC_MEMORY, "There is not enough memory. Work in pieces instead of holding all of it; --memory allows more."},
    {NULL, NULL, "*No such file or directory: '*'*", TOPIC_FILE,
     "There is no {2} inside. Inputs come into the working folder with --file; the program sees nothing else of the host's files."},
    {NULL, NULL, "*no such file or directory, * '*'*", TOPIC_FILE,
     "There is no {3} inside. Inputs come into the working folder with --file; the program sees nothing else of the host's files."},
    {NULL, NULL, "*: No such file or directory*", TOPIC_FILE,
     "A file or folder is missing ({1}). Inputs come into the working folder with --file; the program sees nothing else of "
     "the host's files."},
    {NULL, NULL, "*ead-only file system*", TOPIC_PERMISSION, "Only the working folder and /tmp can be written. Write there, with a relative path."},
    {NULL, NULL, "*EROFS*", TOPIC_PERMISSION, "Only the working folder and /tmp can be written. Write there, with a relative path."},
    {NULL, NULL, "*Permission denied*", TOPIC_PERMISSION, "The sandbox does not allow that. Read and write in the working folder and /tmp only."},
    {NULL, NULL, "*EACCES*", TOPIC_PERMISSION, "The sandbox does not allow that. Read and write in the working folder and /tmp only."},
    {NULL, NULL, "*Operation not permitted*", TOPIC_PERMISSION, "The sandbox does not allow this operation, and no program inside can get the right to it. Do without."},
    {NULL, NULL, "*EPERM*", TOPIC_PERMISSION, "The sandbox does not allow this operation, and no program inside can get the right to it. Do without."},
    {NULL, NULL, "*oo many open files*", TOPIC_FILE, "Too many files are open at once. Close each when it is done: use 'with' or its like."},
    {NULL, NULL, "*roken pipe*", TOPIC_NONE, "The reader at the other end was gone. Check that it runs and reads all."},
};

/* Row S12. */
static const struct {
    const char *type, *text;
} by_type[] = {
    {"NameError", "Variable or function not defined. Check spelling and scope."},
    {"TypeError", "Wrong type passed to function. Check argument types."},
    {"ValueError", "Invalid value for operation. Check parameter constraints."},
    {"IndexError", "List index out of range. Check bounds."},
    {"KeyError", "Dictionary key not found. Check key existence."},
    {"AttributeError", "Object has no such attribute. Check method/attribute name."},
    {"ImportError", "Missing import. Add 'import X' or 'from X import Y'."},
    {"SyntaxError", "Python syntax error. Check indentation, brackets, colons."},
    {"ZeroDivisionError", "Division by zero. Add guard for zero denominator."},
    {"RecursionError", "Recursion depth exceeded. Add base case or switch to iteration."},
    {"TimeoutError", "Code timed out. Check for infinite loops or optimize."},
};
/* clang-format on */

static const struct {
    const char *type, *base;
} derived[] = {
    {"UnboundLocalError", "NameError"},        {"JSONDecodeError", "ValueError"},
    {"UnicodeDecodeError", "ValueError"},      {"UnicodeEncodeError", "ValueError"},
    {"IndentationError", "SyntaxError"},       {"TabError", "SyntaxError"},
    {"FrozenInstanceError", "AttributeError"},
};

/* ---- matching ---- */

/* The pattern's next piece: all up to a star or its end. */
static struct str next_literal(const char **pattern)
{
    const char *begin = *pattern;

    *pattern += strcspn(begin, "*");
    return (struct str){begin, (size_t)(*pattern - begin)};
}

bool advice_match(const char *pattern, struct str text, struct str captures[ADVICE_CAPTURES])
{
    struct str piece = next_literal(&pattern);
    size_t n = 0;

    for (size_t i = 0; i < ADVICE_CAPTURES; i++)
        captures[i] = STR("");
    if (!str_eq(str_slice(text, 0, piece.n), piece))
        return false;
    text = str_slice(text, piece.n, text.n);
    while (*pattern == '*') {
        pattern++;
        piece = next_literal(&pattern);
        long at = *pattern || piece.n ? str_find(text, piece) : (long)text.n;
        if (!*pattern && piece.n && str_eq(str_slice(text, text.n - piece.n, text.n), piece))
            at = (long)(text.n - piece.n);
        if (at < 0 || (!*pattern && (size_t)at + piece.n != text.n))
            return false;
        if (n < ADVICE_CAPTURES)
            captures[n++] = str_slice(text, 0, (size_t)at);
        text = str_slice(text, (size_t)at + piece.n, text.n);
    }
    return text.n == 0;
}

/* "{1}" */
static bool is_place(const char *p)
{
    return p[0] == '{' && p[1] >= '1' && p[1] <= '0' + ADVICE_CAPTURES && p[2] == '}';
}

void advice_write(struct buf *b, const char *text, const struct str captures[ADVICE_CAPTURES])
{
    while (*text) {
        if (is_place(text)) {
            plain_add_word(b, captures[text[1] - '1'], CAPTURE_MAX);
            text += 3;
        } else {
            (void)buf_addc(b, *text++);
        }
    }
}

/* ---- looking up ---- */

static const char *last_name(const char *type)
{
    const char *dot = type ? strrchr(type, '.') : NULL;

    return dot ? dot + 1 : type;
}

static bool speaks(const struct advice *a, const char *language)
{
    return !a->language || strcmp(a->language, language) == 0 ||
           (strcmp(a->language, SH) == 0 && strcmp(language, "sh") == 0);
}

static struct str first_line(struct str message)
{
    struct str line = {"", 0};

    (void)str_next_line(&message, &line);
    return str_slice(line, 0, MESSAGE_MAX);
}

static const struct advice *look_up(const char *language, const char *type, struct str message,
                                    struct str captures[ADVICE_CAPTURES])
{
    const char *name = last_name(type);

    message = first_line(message);
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        const struct advice *a = &table[i];
        if (!speaks(a, language) || (a->type && (!name || strcmp(a->type, name) != 0)))
            continue;
        if (advice_match(a->pattern, message, captures))
            return a;
    }
    return NULL;
}

char *advice_find(const char *language, const char *type, struct str message,
                  enum advice_topic *ret_topic)
{
    struct str captures[ADVICE_CAPTURES];
    const struct advice *a = look_up(language, type, message, captures);
    AUTO_BUF struct buf b = {0};

    *ret_topic = a ? a->topic : TOPIC_NONE;
    if (!a)
        return NULL;
    buf_init(&b, TEXT_MAX);
    advice_write(&b, a->text, captures);
    return buf_take(&b);
}

/* A name that is not defined may be one of the library's; a module has its own table. */
static bool add_missing(struct buf *b, const char *language, const char *type, struct str message)
{
    struct str captures[ADVICE_CAPTURES];
    const char *name = last_name(type);

    if (strcmp(language, PY) != 0 || !name)
        return false;
    if (strcmp(name, "NameError") == 0 &&
        advice_match("name '*' is not defined*", message, captures))
        return advice_add_home(b, captures[0]);
    if (strcmp(name, "ModuleNotFoundError") != 0 ||
        !advice_match("No module named '*'*", message, captures) || captures[1].n)
        return false;
    advice_add_module(b, captures[0]);
    return true;
}

char *advice_for_error(const char *language, const char *type, const char *message)
{
    AUTO_BUF struct buf b = {0};
    enum advice_topic topic;

    buf_init(&b, TEXT_MAX);
    if (add_missing(&b, language, type, first_line(str_from(message))))
        return buf_take(&b);
    return advice_find(language, type, str_from(message), &topic);
}

enum advice_topic advice_topic_of(const char *language, const char *type, const char *message)
{
    struct str captures[ADVICE_CAPTURES];
    const struct advice *a = look_up(language, type, str_from(message), captures);

    if (strcmp(last_name(type), "ModuleNotFoundError") == 0)
        return TOPIC_MODULE;
    return a ? a->topic : TOPIC_NONE;
}

const char *advice_of_type(const char *type)
{
    const char *name = last_name(type);

    for (size_t i = 0; i < ARRAY_LEN(derived); i++)
        if (strcmp(derived[i].type, name) == 0)
            name = derived[i].base;
    for (size_t i = 0; i < ARRAY_LEN(by_type); i++)
        if (strcmp(by_type[i].type, name) == 0)
            return by_type[i].text;
    return NULL;
}

const char *advice_type(size_t i)
{
    return i < ARRAY_LEN(by_type) ? by_type[i].type : NULL;
}
