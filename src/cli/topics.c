/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "cli/help.h"
#include "guard/policy.h"
#include "jail/layers.h"
#include "languages/language.h"

/* ---- parts made from tables ---- */

/* Calls back for each option that has these flags, in groups whose names begin so (NULL for all),
 * once per name. */
static void each_option(unsigned flags, const char *group, struct buf *b,
                        void (*add)(struct buf *b, const struct opt *row))
{
    const struct opt *seen[256];
    size_t n = 0;

    for (size_t i = 0; commands[i]; i++) {
        struct opt_walk walk = {0};
        const struct opt *row;
        while ((row = opt_next(commands[i]->tables, &walk))) {
            bool again = n == sizeof seen / sizeof seen[0];
            for (size_t j = 0; j < n && !again; j++)
                again = strcmp(seen[j]->name, row->name) == 0;
            if (again || row->flags & OPT_HIDDEN || (row->flags & flags) != flags ||
                (group && !str_starts(str_from(row->group), group)))
                continue;
            seen[n++] = row;
            add(b, row);
        }
    }
}

static void add_option_item(struct buf *b, const struct opt *row)
{
    const char *value = help_value_name(row);

    (void)buf_addf(b, "* --%s%s%s | ", row->name, value ? " " : "", value ? value : "");
    help_add_option(b, row);
    (void)buf_addc(b, '\n');
}

static void add_name(struct buf *b, const struct opt *row)
{
    bool first = b->n >= 2 && b->p[b->n - 2] == ':';

    (void)buf_addf(b, "%s%s", first ? "" : ", ", row->name);
}

static void add_limits(struct buf *b)
{
    each_option(0, "Limits", b, add_option_item);
}

static void add_config_keys(struct buf *b)
{
    (void)buf_adds(b, "\n\nKeys that weaken the sandbox: ");
    each_option(OPT_CONF | OPT_LOOSENS, NULL, b, add_name);
    (void)buf_adds(b, ".\n\nKeys that a project's file may only make stricter: ");
    each_option(OPT_CONF | OPT_ONLY_LOWER, NULL, b, add_name);
    (void)buf_adds(b, ".\n\nAll keys: ");
    each_option(OPT_CONF, NULL, b, add_name);
    (void)buf_adds(b, ".\n");
}

static void add_words(struct buf *b, const char *lead, const char *const *words)
{
    for (size_t i = 0; words && words[i]; i++)
        (void)buf_addf(b, "%s%s", i ? ", " : lead, words[i]);
}

static void add_language(void *ctx, const struct language *language)
{
    struct buf *b = ctx;

    (void)buf_addf(b, "* %s | runs ", language->name);
    add_words(b, "", language->programs);
    add_words(b, "; files ", language->extensions);
    add_words(b, "; also called ", language->aliases);
    (void)buf_addc(b, '\n');
}

static void add_languages(struct buf *b)
{
    (void)buf_adds(b, "\n\n");
    language_each(NULL, add_language, b);
}

static void add_profiles(struct buf *b)
{
    (void)buf_adds(b, "\n\nThe profiles that are built in:\n\n");
    for (const struct profile_info *p = profiles; p->name; p++)
        (void)buf_addf(b, "* %s | %s\n", p->name, p->summary);
}

static void add_layers(struct buf *b)
{
    (void)buf_adds(b, "\n\n");
    for (size_t i = 0; i < LAYER_COUNT; i++)
        (void)buf_addf(b, "* %s%s | %s. Without it: %s. To get it: %s\n", jail_layers[i].name,
                       jail_layers[i].essential ? " *" : "", jail_layers[i].does,
                       jail_layers[i].without, jail_layers[i].how);
}

/* ---- topics ---- */

static const char context_text[] =
    "'glovebox run --context FILE' uses a JSON document that outlives the run: a session's state, "
    "with the keys of google/adk. It is made when there is none; keys of your own stay as they "
    "are.\n\n"
    "* _code_executor_input_files | files that are put into the workspace: name, content, and "
    "encoding (utf-8 or base64; base64 when it is not said)\n"
    "* _code_execution_results | for each invocation what was run: code, result_stdout, "
    "result_stderr, timestamp\n"
    "* _code_executor_error_counts | for each invocation, how often its programs failed or were "
    "refused since the last success\n"
    "* _code_execution_context | execution_session_id (--execution-id), and processed_input_files, "
    "the tables that --optimize-data has reported; of an invocation both are in invocations.ID\n\n"
    "--invocation says whose run it is; without it the empty name is used. When an invocation has "
    "failed --retries and one more times (3), no more is run for it: the exit status is 126. What "
    "was not the program's fault, and Ctrl-C, does not count.\n\n"
    "The file is held only before and after a run, so runs can overlap; it is replaced as a whole, "
    "so that it is never half-written. It may have 64 MiB; of each output 1 MiB is kept.\n";

static const char exit_status_text[] =
    "'glovebox run' ends with the program's own exit status, except:\n\n"
    "* 2 | wrong usage: an option, a value or a config file that makes no sense\n"
    "* 124 | the program ran out of time\n"
    "* 125 | a failure of our own, or this machine cannot do what was asked (a backend, a layer of "
    "--require, a limit): nothing ran, or what came of it is not known\n"
    "* 126 | refused, and nothing ran: it does not compile, the profile says no, or the invocation "
    "failed too often ('glovebox help context')\n"
    "* 137 | the program ran out of memory\n"
    "* 128+N | signal N ended the program\n\n"
    "A program may choose any of these numbers for itself. With --json the fields exit_code, "
    "signal, timed_out, oom_killed, verdict and error tell them apart.\n\n"
    "'glovebox check' ends with 0 when every program is allowed, 1 when one is refused, 125 when "
    "one could not be read.";

static const char limits_text[] =
    "Limits hold for everything a program starts, together, and are enforced from outside. A run "
    "that meets one is ended (time, memory) or told no (processes, disk); its result says "
    "which.\n\n"
    "Sizes are bytes, or take k, m, g and t, powers of 1024: 64k, 256m, 1.5g. Durations are "
    "seconds, or take ms, s, m and h: 500ms, 30s, 2m. Processors may be parts of one: 0.5.\n\n";

static const char config_text[] =
    "Options that are the same in every run can be written down:\n\n"
    "  # glovebox.conf\n"
    "  timeout = 10s\n"
    "  memory = 256m\n"
    "  require = [seccomp, landlock]    # a list; may go over several lines\n"
    "  log = \"/srv/run log/runs.db\"     # quotes where a value has spaces or marks\n"
    "  quiet = true\n\n"
    "A key is the name of an option, with dashes or underscores. Values are bare words, "
    "\"strings\" with the escapes \\n \\t \\r \\\" \\\\ and \\uXXXX, 'strings' without escapes, "
    "or lists of these. A [section] holds what concerns one thing, such as [language.ruby].\n\n"
    "Where a value comes from, the stronger after the weaker:\n\n"
    "* default | what this help says\n"
    "* user config | the file that GLOVEBOX_CONFIG names, else "
    "$XDG_CONFIG_HOME/glovebox/glovebox.conf, else ~/.config/glovebox/glovebox.conf\n"
    "* project config | glovebox.conf in the current folder\n"
    "* environment | GLOVEBOX_TIMEOUT and the like: the key in capitals, with underscores\n"
    "* command line | the option itself\n\n"
    "'--config FILE' is read instead of both files, as a user's. '--print-config' shows every "
    "value and where it came from, in the form of a config file.\n\n"
    "A project may come from a stranger, or a program may have written into it, so its file cannot "
    "open the sandbox. Refused there with an error, because they belong on the command line, in "
    "the "
    "environment or in your own file: keys that weaken the sandbox, limits that are higher than "
    "yours (0 is none), and a [language] section that changes what runs Python or anything else "
    "known, or that names a program by its path. What it asks for with require is added to yours.";

static const char languages_text[] =
    "--lang NAME says what language a program is in; with 'auto' its file's name decides, then "
    "its first line (#!), then what it looks like. Programs run with the interpreters of this "
    "machine; 'glovebox doctor' shows which are there.\n\n"
    "A language of your own is a section of your config file:\n\n"
    "  [language.ruby]\n"
    "  command = ruby\n"
    "  extension = .rb\n"
    "  args = [\"--disable-gems\", \"{file}\"]\n\n"
    "command is the program to look for (a list is tried in order), args how it is called ({file} "
    "is the path of the program's text), extension the files it is for, aliases its other names.";

static const char layers_text[] =
    "The sandbox is made of layers. One that this machine cannot provide is left out, the next "
    "best takes its place. Each result lists under 'isolation' the layers that held and under "
    "'missing' the others, each with the reason. --require LAYER,... refuses to run without them "
    "(exit status 125, an error of the kind 'unsupported'); 'default' names those with a star, "
    "'all', 'namespaces' and 'cgroup' name several as well. The same refuses a limit that was "
    "asked for and cannot be held. 'glovebox doctor' shows what is there; its exit status is 0 "
    "when every layer is present. A star marks the layers without which the "
    "sandbox does not hold.";

static const char results_text[] =
    "--json prints one object; every field is always there.\n\n"
    "* id | the run's name in the log\n"
    "* backend, language | what it ran on, and as\n"
    "* success | it was started, ended with 0, and nothing killed it\n"
    "* exit_code | its own, or 128+N after signal N, 124 after a timeout, 137 without memory; -1 "
    "when nothing ran\n"
    "* signal | the number of the signal that ended it, or null\n"
    "* timed_out, oom_killed | time or memory ran out\n"
    "* stdout, stderr | what it printed; where that is not UTF-8 it holds U+FFFD, and "
    "stdout_base64 or stderr_base64 the bytes\n"
    "* stdout_bytes, stderr_bytes | how much it printed in all\n"
    "* stdout_truncated, stderr_truncated | the middle was left out; the head and the tail are "
    "kept, --output-limit in all (what is streamed is complete)\n"
    "* exception | type, message, line, column, cell (of a session, in which the line is), "
    "traceback "
    "and hint, or null\n"
    "* duration_ms, cpu_ms, max_memory_mb | what it cost\n"
    "* files | new and changed files: path, size, sha256, mime, change\n"
    "* skipped | files that were not taken: path and reason\n"
    "* verdict | whether it was allowed to run (false also when the request was wrong): allowed; "
    "stage, the one that refused or the last "
    "that was done (input, syntax, imports, patterns), null with --no-check; reason, in one line; "
    "risk, the points of all findings; findings\n"
    "* findings | each has rule, severity (info, low, medium, high, critical), points, message, "
    "hint, line, column, end_line, end_column (in characters, from 1, the end is the first one "
    "behind; null when unknown) and excerpt, the line's text; of very many findings_left_out says "
    "how many are not listed\n"
    "* denied | system calls that the sandbox refused: name and count\n"
    "* isolation | the layers that held\n"
    "* missing | the layers that did not hold: layer and why; of a run that did not start for want "
    "of a layer, those that were required\n"
    "* warnings | texts: that there is no wall (--backend host), and limits that do not hold here\n"
    "* limits | the limits it met\n"
    "* limits_set | the limits that applied: timeout_ms, cpu_time_ms, memory_bytes, disk_bytes, "
    "inodes, pids, cpus, open_files, output_limit_bytes; 0 is none\n"
    "* attempts | how often it was tried; only failures of our own are tried again\n"
    "* error | our own failure: kind and message, or null\n"
    "* error_type | whose failure it was: guest (the program's), refused (by the guard or a "
    "policy), limit (it came to one), ours (the request, this host, Glovebox, or it was stopped); "
    "null after a success\n"
    "* feedback | what to do about a failure, the most useful first; empty after a success\n"
    "* results | what a Python program or a session's cell showed, in several forms each: figures "
    "of matplotlib (plt.show(), or open at the end), display(), pictures; empty in other "
    "languages' runs\n"
    "* value | of a session's cell: the value of its last expression; null after a plain run\n"
    "* final_answer, is_final_answer | what the cell gave to final_answer()\n"
    "* cell | of a session: its session, its number and how it ended (done, failed, interrupted, "
    "killed, died, refused); attempt: of one that was tried, kept or dropped, else null. All of it "
    "null after a plain run\n"
    "* usage | what models add; empty after a plain run\n";

static const char events_text[] =
    "--events writes to standard output what happens while it happens: one JSON object per line, "
    "in order. 'event' says what it is and 'time_ms' when it was, in milliseconds since 1970. "
    "Skip events that you do not know; more may come.\n\n"
    "* verdict | id and verdict, what the guard says, before anything starts; not with --no-check\n"
    "* warning | message, what is to be known of this run: one of the result's 'warnings'\n"
    "* started | id, language, backend, isolation, the layers that hold, and missing, those that "
    "do not\n"
    "* stdout, stderr | text that the program printed; base64 has the bytes where that is not "
    "UTF-8\n"
    "* denied | name of a system call that the sandbox refused\n"
    "* limit | limit that the program met\n"
    "* file | a new or changed file: path, size, sha256, mime, change\n"
    "* display | bundle, what a Python program or a session's cell shows: kind, data, metadata, "
    "dropped\n"
    "* tool | name, args, kwargs of a tool that a session's cell calls\n"
    "* progress | elapsed_ms and memory_bytes, each second of a session's cell\n"
    "* finished | result, with the fields that 'glovebox help results' lists; always the last\n";

static const char profiles_text[] =
    "Before a Python program runs it is read, in stages: input (is it text, is it too long), "
    "syntax (does it compile), imports (what it asks for), patterns (what is known to do harm). "
    "The first stage that refuses ends it; what is found and does not refuse is told. Other "
    "languages have the first stage; 'glovebox check' asks their own tools for the second.\n\n"
    "A profile lists the languages in which programs may run: standard any, the others Python. A "
    "program in another one is refused; a text that says nothing of its language is read as one "
    "that the profile allows. On the host backend, and in a daemon with --lock-policy, only what "
    "the guard can read is run, whatever the profile says: Python.\n\n"
    "What refuses is said by a profile, chosen with --profile. This is advice and good manners, "
    "not the wall: see 'glovebox help security'.\n\n"
    "--allow-imports and --forbid-imports change what a profile says of modules: 'a' is the module "
    "a, 'a.*' everything below it, '*' all. --prelude FILE is text of yours that runs before the "
    "program: imports and syntax are checked in both together, size and patterns in the program "
    "alone. A project's config file may set none of these but forbid-imports, which adds to "
    "yours.\n\n"
    "A policy file is named where a profile is, with a dot or a slash in its name: --profile "
    "./mine.conf. It says what is different from a profile:\n\n"
    "  base = strict                       # first, if at all; else standard\n"
    "  languages = [python]                # in place of the base's list; * for any\n"
    "  stages = [input, syntax, imports]   # those that may refuse\n"
    "  refuse_at = high                    # a finding as severe as this refuses\n"
    "  score_threshold = 15                # more points than this refuse\n"
    "  allowed_imports = [numpy, pandas]   # and no others\n"
    "  forbidden_imports = [socket]        # with a minus: taken off the base's list\n"
    "  max_code_chars = 10000\n"
    "  [rule.env-access]                   # a rule weighed otherwise, or off = true\n"
    "  severity = low\n"
    "  points = 1\n\n"
    "More keys: target, texts, together, import_semantics, forbidden_features, max_range, "
    "max_lines, max_nesting, allowed_builtins, forbidden_names, spelled_builtins (these mean the "
    "builtins whatever is assigned to them), invalid_names, reserved_names, allowed_dunders, "
    "forbidden_attributes, foreign_attributes, forbidden_calls, max_range_items; [path.os.environ] "
    "weighs the use of "
    "one thing.\n\n"
    "'glovebox check --list-rules' shows what is looked for, '--explain RULE' says why, "
    "'--show-profile NAME' prints a profile as a policy file.";

static const char cases_text[] =
    "'glovebox test --cases FILE' reads a JSON array of cases, an object {\"cases\": [...], "
    "\"func\": NAME}, or one JSON object a line.\n\n"
    "What is done:\n\n"
    "* args, kwargs | the function is called with these (also input_args, input_kwargs)\n"
    "* call | an expression is evaluated instead, among the names of the program\n"
    "* stdin | the whole program is run, in any language, with this as its standard input; args "
    "are then its arguments\n\n"
    "What should come of it; where several are given all must hold, and a call with none only has "
    "to return:\n\n"
    "* expected | the value (also expected_output); null is None, unless expected_type or "
    "expected_exception says what is wanted\n"
    "* expected_python | the value as Python writes it, in a text: \"(1, {2}, b'x')\"; also "
    "Decimal('1.5'), Fraction(1, 3), float('nan'), range, frozenset, deque, bytearray\n"
    "* expected_type | the name of its type or of a base; 'int | None' is one of several\n"
    "* expected_exception | the exact name of the exception's type\n"
    "* expected_repr | what repr() says of it\n"
    "* expected_stdout | of a whole program: what it prints\n\n"
    "And more:\n\n"
    "* name | told with the verdict\n"
    "* weight | how much it counts in the score, from 0 on; 1\n"
    "* timeout | seconds, or '500ms'; otherwise --timeout holds for each case\n"
    "* tolerance | how far floats may be off: a number, or {\"abs\": ..., \"rel\": ..., \"nan\": "
    "true}, as math.isclose has it; nan says that nan equals nan, which it does not otherwise\n"
    "* compare | of outputs: exact (but for line ends at the end), tokens (words between white "
    "space), floats (words, and numbers may be a millionth or the tolerance off)\n\n"
    "Other keys whose value is null, and an empty name, expected_type or expected_exception, are "
    "as if they were not there: cases may be written out with all their default values. "
    "expected_output: null is then no wish for None.\n\n"
    "Values are compared as Python's == does: 1 equals 1.0, a list is never equal to a tuple. JSON "
    "has few types, so a value may be an object with \"$type\":\n\n"
    "  {\"$type\": \"tuple\", \"items\": [1, 2]}    set, frozenset, deque, list\n"
    "  {\"$type\": \"dict\", \"items\": [[1, \"a\"]]}   keys of any type; \"class\": "
    "\"OrderedDict\"\n"
    "  {\"$type\": \"bytes\", \"base64\": \"AA==\"}     or \"text\"; bytearray\n"
    "  {\"$type\": \"int\", \"hex\": \"-0xff\"}       JSON's own may have 20000 digits\n"
    "  {\"$type\": \"float\", \"text\": \"-inf\"}     NaN and Infinity may be written plainly\n"
    "  {\"$type\": \"complex\", \"real\": 1, \"imag\": 2}\n"
    "  {\"$type\": \"range\", \"start\": 0, \"stop\": 9, \"step\": 3}\n"
    "  {\"$type\": \"decimal\", \"text\": \"1.50\"}     path\n"
    "  {\"$type\": \"fraction\", \"numerator\": 1, \"denominator\": 3}\n"
    "  {\"$type\": \"datetime\", \"text\": \"2024-02-29T12:00:00+01:00\"}   date, time\n"
    "  {\"$type\": \"timedelta\", \"days\": 1, \"seconds\": 5, \"microseconds\": 0}\n"
    "  {\"$type\": \"enum\", \"class\": \"Color\", \"name\": \"RED\", \"value\": 1}\n"
    "  {\"$type\": \"namedtuple\", \"class\": \"P\", \"items\": [[\"x\", 1]]}   dataclass\n"
    "  {\"$type\": \"ndarray\", \"items\": [1, 2, 3, 4], \"shape\": [2, 2]}\n\n"
    "Classes of the program's own are known by their names: two are the same when they are called "
    "the same and their fields are equal. An object of any other class equals nothing; "
    "expected_repr or expected_type may do. A result may have 200000 parts, 150 levels and 4 MiB "
    "of text.\n\n"
    "All cases of a program share one sandbox, in which each call is made in a process of its own, "
    "copied from one that has loaded the program: what it changes in memory is gone afterwards, "
    "files stay. With --isolate each has a sandbox to itself.\n\n"
    "A program given with --checker judges outputs in place of expected_stdout. It is called with "
    "the names of three files in its folder: input.txt (what the program read), output.txt (what "
    "it "
    "wrote, as data: any bytes) and expected.txt (expected_stdout). Status 0 is a pass, another "
    "one "
    "is a failure, and then the first line it prints says why; there are no scores and nothing "
    "else "
    "is read from it. A checker that crashes gives no verdict: an uncaught exception (in Python, "
    "JavaScript and R, except a failed assertion), a signal, a limit, or a status from 126 on is "
    "an error, and the exit status is 125.\n\n"
    "A checker has a sandbox of its own, which begins when the program and all its processes have "
    "ended. What --work-dir, --out, --file, --env and --net say holds for the program and not for "
    "the checker, and Python starts it isolated (-I): nothing that a candidate leaves behind can "
    "be imported, sourced or run there.";

static const char suites_text[] =
    "'glovebox test --suite FILE' reads a task from each line of a file of any length, runs them, "
    "--jobs at one time, and tells what came of each as it ends. A task is a JSON object:\n\n"
    "  {\"id\": \"a\", \"code\": \"...\", \"func\": \"f\", \"cases\": [...]}\n"
    "  {\"task_id\": \"HumanEval/0\", \"prompt\": \"...\", \"completion\": \"...\",\n"
    "   \"entry_point\": \"f\", \"test\": \"def check(candidate): ...\"}\n"
    "  {\"task_id\": 2, \"code\": \"...\", \"test_list\": [\"assert f(1) == 2\"]}\n\n"
    "* id, task_id | what it is called; lines with the same one are samples of one task\n"
    "* sample | which of them; without it they are counted from 0\n"
    "* code | the candidate; or prompt and completion, one after the other\n"
    "* canonical_solution | tested in place of a completion with --reference\n"
    "* func, entry_point | the function that is tested\n"
    "* cases | as 'glovebox help cases' has them\n"
    "* test, test_list | test code; each text of a list counts\n"
    "* setup, test_setup_code, test_imports | runs before the candidate, or before test code\n"
    "* timeout | for each case; for all test code of a task\n"
    "* language | of a candidate with cases; python without it\n\n"
    "Expected values of cases never enter a sandbox. Test code has them in it, so it runs in a "
    "sandbox of its own, and the candidate in another: calls and values go to and fro, and a "
    "candidate that exits, patches what it can reach or forges output can do no more than return "
    "a wrong value.\n\n"
    "The price is that arguments are copies. Changes to lists, dicts and sets that are passed "
    "directly are copied back. Objects of the candidate's own classes stay where they are; their "
    "methods are called from afar. Objects whose classes are derived from int, str, list, dict and "
    "so "
    "on are compared by the content that they have as such, whatever their own __eq__ says. Of "
    "others, operators work among each other, as their classes have them, and data classes and "
    "enums are equal when their parts are; with a value of the test's they equal nothing and "
    "cannot be computed. len(), in and iteration answer from one copy of what they can be iterated "
    "over. What is awaited runs a little at a time in the candidate's own process. Exceptions have "
    "the arguments and attributes that they were raised with. Tests that ask "
    "whether two copied values are one object get no answer, and an object of the test code's own "
    "class cannot be passed.\n\n"
    "What still reaches the candidate of an expected value: arguments of methods that a class of "
    "its own defines, keys with which its objects are indexed, and 'in' where an object cannot be "
    "iterated over. What it says there, and str(), repr() and bool() of its objects, are "
    "claims.\n\n"
    "Names: what Python, the prompt, the setup or the test defines is theirs. Modules of the "
    "standard "
    "library and np, pd, plt and the like, and helpers such as isclose or Counter, are imported "
    "for "
    "the test code itself. Of a prompt that does not compile alone, the parts that do are "
    "used. The tested function, and other names that nobody else has, are the candidate's; "
    "from_candidate in the result lists the latter. A StopIteration of the candidate's is a "
    "RuntimeError to the test code, and no handler in a test makes up for a candidate that hangs "
    "or "
    "ends its process, which fails the tests behind it as well.\n\n"
    "Functions named test_... and classes of unittest.TestCase in test code are run; check() is "
    "called with the entry point. Test code that tests nothing, does not compile, imports what is "
    "not "
    "there, ends itself or passes what cannot be passed gives no verdict.\n\n"
    "With --work-dir each candidate begins with a copy of the folder and changes nothing in it; "
    "with --out each has a folder in it, named by its line. Neither holds for test code, which has "
    "the files of --file and finds modules among them last.\n\n"
    "A result has id, sample, line, passed, total, score, all_passed, detail, from_candidate, "
    "duration_ms, error (null when there is a verdict), error_type (guest or ours; null for a "
    "pass) and "
    "trustworthy (the verdict is about the candidate, which could not reach its judge). Without a "
    "verdict score is null, and pass@k does not count the sample. --results FILE gets a line for "
    "each; after an "
    "end, --resume leaves out what has its verdict there. A line that is no task is a failure. At "
    "the end stand the totals and pass@k: the chance that one of k samples passes, estimated "
    "without bias from those there are, as a mean over tasks. The exit status is 0 when every "
    "task passed.";

static const char sessions_text[] =
    "A session is a guest that stays. What a cell leaves behind, the next one finds: variables, "
    "imports, functions, open files, threads, the current folder and the workspace. There are "
    "sessions in Python, JavaScript, R and Bash.\n\n"
    "'glovebox repl' has one in its own process and ends it. Others live in a daemon: 'glovebox "
    "serve &', then 'glovebox session new' and 'glovebox session exec'. Libraries have both "
    "(include/glovebox.h, docs/http.md).\n\n"
    "* value | a cell's last expression, as in a notebook; a semicolon behind it hides it. "
    "--value last has that of the last statement, whatever it is\n"
    "* failure | a cell that fails keeps what it did before; one that the profile refuses changes "
    "nothing\n"
    "* time | a cell that takes longer than --timeout is interrupted (in R and Bash twice, if need "
    "be), and the session goes on; one that does not heed that within --grace is killed with its "
    "session\n"
    "* memory | --memory and the other limits are the session's as a whole. A session that met one "
    "is dead: 'restart' begins anew in the same workspace\n"
    "* idle | a daemon closes a session that nobody has used for --idle\n"
    "* fork | 'fork' makes a session that begins with the same variables, open files and a copy of "
    "the workspace, and then shares nothing with it; forks can be forked. Python can; not while "
    "threads run. --forks N says how many levels deep, 0 saves what it needs\n"
    "* try | 'exec --try' undoes all that a cell did, files too, unless it succeeds: also when it "
    "would have ended its session. --drop undoes it in any case, --keep only in the last one\n"
    "* tools | --tools FILE: functions that run inside. final_answer(value) is always there\n"
    "* results | text, pictures, tables: 'exec' prints the text of a value, a terminal that can "
    "shows pictures, --out DIR saves them\n\n"
    "Which daemon: --daemon PLACE, else what GLOVEBOX_SOCKET names, else glovebox.sock in "
    "$XDG_RUNTIME_DIR, or /run/glovebox.sock for root. Whoever listens there has to be you or "
    "root. For one on TCP the token is in --token-file or GLOVEBOX_TOKEN. 'glovebox run' uses the "
    "same one where it can and says nothing when it cannot; with --daemon it has to, "
    "and reads its standard input to the end first (a terminal not at all).\n";

static const char security_text[] =
    "The kernel is the wall: namespaces, a small read-only root, no privileges, a filter of "
    "system calls, Landlock, and limits on the whole tree of processes. What a program's text "
    "looks like is never counted on to keep it in.\n\n"
    "What is inside sees its own files, those that were handed to it, and the parts of the system "
    "it needs to run, read-only. It has no network unless you say so, no secrets from your "
    "environment, and no way to reach other processes. When it ends, everything it started "
    "ends.\n\n"
    "It shares the kernel with you: a hole in the kernel is a hole in the wall. Keep the kernel "
    "current, look at 'glovebox doctor', and say with --require which layers you insist on. For "
    "programs of an enemy rather than of a careless author, put a virtual machine around all of "
    "it.\n\n"
    "See 'glovebox help layers'.";

const struct topic help_topics[] = {
    {"exit-status", "the numbers that 'glovebox run' ends with", exit_status_text, NULL},
    {"limits", "time, memory, processes, disk, output", limits_text, add_limits},
    {"config", "config files, environment, and what wins", config_text, add_config_keys},
    {"languages", "what can be run, and adding to it", languages_text, add_languages},
    {"layers", "what the sandbox is made of", layers_text, add_layers},
    {"sessions", "guests that stay, here and in a daemon", sessions_text, NULL},
    {"results", "the fields of --json", results_text, NULL},
    {"events", "following a run with --events", events_text, NULL},
    {"profiles", "what a program may be and use, before it runs", profiles_text, add_profiles},
    {"context", "what an agent remembers between runs", context_text, NULL},
    {"cases", "what 'glovebox test' tests, and with what", cases_text, NULL},
    {"suites", "many candidates in one file, HumanEval and MBPP", suites_text, NULL},
    {"security", "what holds, and what does not", security_text, NULL},
    {0},
};
