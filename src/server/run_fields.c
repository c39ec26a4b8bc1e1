/* SPDX-License-Identifier: Apache-2.0 */
#include "server/run_fields.h"

#include <stddef.h>

#define AT(member) offsetof(struct run_fields, member)

static const char *const encodings[] = {"utf8", "utf-8", "base64", NULL};
static const char *const nets[] = {"none", "host", NULL};
static const char *const targets[] = {"auto", "3.11", "3.12", "3.13", "3.14", NULL};

const struct field file_fields[] = {
    {.name = "name", .kind = FIELD_WORD, .help = "Path in the workspace, such as data/a.csv."},
    {.name = "path", .kind = FIELD_WORD, .help = "The same as name."},
    {.name = "content", .kind = FIELD_TEXT, .required = true, .help = "What is in it."},
    {.name = "encoding",
     .kind = FIELD_CHOICE,
     .choices = encodings,
     .initial = "utf8",
     .help = "How content stands for bytes."},
    {0},
};

const struct field code_fields[] = {
    {.name = "code",
     .kind = FIELD_TEXT,
     .offset = AT(code),
     .required = true,
     .help = "The program."},
    {.name = "filename",
     .kind = FIELD_WORD,
     .offset = AT(filename),
     .help = "Its name, for messages and to tell the language by."},
    {.name = "language",
     .kind = FIELD_WORD,
     .offset = AT(language),
     .initial = "auto",
     .help = "python, javascript, bash, r, ...; auto looks at name and text."},
    {0},
};

const struct field program_fields[] = {
    {.name = "args",
     .kind = FIELD_WORDS,
     .offset = AT(args),
     .help = "The program's own arguments."},
    {.name = "stdin", .kind = FIELD_TEXT, .offset = AT(input), .help = "Its standard input."},
    {0},
};

const struct field work_fields[] = {
    {.name = "files",
     .kind = FIELD_FILES,
     .offset = AT(files),
     .items = file_fields,
     .help = "What lies in the workspace: a list of files, or an object of "
             "texts by name."},
    {.name = "env",
     .kind = FIELD_MAP,
     .offset = AT(env),
     .help = "Variables of the program's environment, which is otherwise "
             "nearly empty."},
    {.name = "data",
     .kind = FIELD_OBJECT,
     .offset = AT(data),
     .help = "Values that are bound to variables of a Python or JavaScript "
             "program, by name."},
    {.name = "optimize_data",
     .kind = FIELD_BOOL,
     .offset = AT(optimize_data),
     .initial = "false",
     .help = "Before a Python program, read its CSV files into variables and "
             "print what is in them."},
    {.name = "host_files",
     .kind = FIELD_WORDS,
     .offset = AT(host_files),
     .permit = PERMIT_HOST_FILES,
     .help = "Files and folders of the daemon's host, SRC[:NAME], put into the "
             "workspace."},
    {.name = "work_dir",
     .kind = FIELD_WORD,
     .offset = AT(work_dir),
     .permit = PERMIT_HOST_FILES,
     .help = "A folder of the daemon's host that is the workspace."},
    {.name = "out_dir",
     .kind = FIELD_WORD,
     .offset = AT(out_dir),
     .permit = PERMIT_HOST_FILES,
     .help = "A folder of the daemon's host that new and changed files are "
             "copied to."},
    {0},
};

const struct field wall_fields[] = {
    {.name = "backend",
     .kind = FIELD_WORD,
     .offset = AT(backend),
     .initial = "jail",
     .help = "Where to run: jail, or host (no wall; only with --allow "
             "host-backend)."},
    {.name = "net",
     .kind = FIELD_CHOICE,
     .offset = AT(net),
     .choices = nets,
     .initial = "none",
     .help = "The network: none, or host (only with --allow net-host)."},
    {.name = "require",
     .kind = FIELD_WORDS,
     .offset = AT(require),
     .help = "Layers of the wall without which nothing is to run."},
    {.name = "without",
     .kind = FIELD_WORDS,
     .offset = AT(without),
     .permit = PERMIT_WITHOUT,
     .help = "Layers to leave out."},
    {.name = "ro",
     .kind = FIELD_WORDS,
     .offset = AT(ro),
     .permit = PERMIT_HOST_FILES,
     .help = "Files and folders of the daemon's host to show inside, SRC[:DST]."},
    {.name = "log",
     .kind = FIELD_WORD,
     .offset = AT(log),
     .permit = PERMIT_HOST_FILES,
     .help = "A run log on the daemon's host instead of its own, or off."},
    {0},
};

const struct field policy_fields[] = {
    {.name = "profile",
     .kind = FIELD_WORD,
     .offset = AT(profile),
     .policy = true,
     .initial = "standard",
     .help = "What the program may be and use: the name of a profile."},
    {.name = "allow_imports",
     .kind = FIELD_WORDS,
     .offset = AT(allow_imports),
     .policy = true,
     .help = "Modules that may be imported as well."},
    {.name = "forbid_imports",
     .kind = FIELD_WORDS,
     .offset = AT(forbid_imports),
     .help = "Modules that may not be imported."},
    {.name = "target",
     .kind = FIELD_CHOICE,
     .offset = AT(target),
     .choices = targets,
     .initial = "auto",
     .help = "The Python whose syntax holds."},
    {.name = "check",
     .kind = FIELD_BOOL,
     .offset = AT(check),
     .policy = true,
     .initial = "true",
     .help = "Read the program before it runs, and refuse it where the profile "
             "says so."},
    {.name = "no_check",
     .kind = FIELD_BOOL,
     .offset = AT(no_check),
     .policy = true,
     .initial = "false",
     .help = "The opposite of check."},
    {.name = "prelude",
     .kind = FIELD_TEXT,
     .offset = AT(prelude),
     .policy = true,
     .help = "Text that comes before the program, and may use what the program "
             "may not."},
    {0},
};

const struct field limit_fields[] = {
    {.name = "timeout_ms",
     .kind = FIELD_MS,
     .offset = AT(timeout_ms),
     .initial = "30000",
     .help = "Wall clock, for the whole tree of processes."},
    {.name = "cpu_time_ms",
     .kind = FIELD_MS,
     .offset = AT(cpu_time_ms),
     .initial = "0 (no limit)",
     .help = "Processor time of the whole tree."},
    {.name = "memory_bytes",
     .kind = FIELD_BYTES,
     .offset = AT(memory_bytes),
     .initial = "512 MiB",
     .help = "Memory of the whole tree, its files included."},
    {.name = "disk_bytes",
     .kind = FIELD_BYTES,
     .offset = AT(disk_bytes),
     .initial = "256 MiB",
     .help = "Workspace, /tmp and /dev/shm together."},
    {.name = "inodes",
     .kind = FIELD_COUNT,
     .offset = AT(inodes),
     .initial = "65536",
     .help = "Files and folders in them."},
    {.name = "output_limit_bytes",
     .kind = FIELD_BYTES,
     .offset = AT(output_limit_bytes),
     .initial = "1 MiB",
     .help = "Of each output stream, that much is kept."},
    {.name = "pids",
     .kind = FIELD_COUNT,
     .offset = AT(pids),
     .initial = "64",
     .help = "Processes and threads at one time."},
    {.name = "cpus",
     .kind = FIELD_NUMBER,
     .offset = AT(cpus),
     .initial = "1.0",
     .help = "Share of the processors."},
    {.name = "open_files",
     .kind = FIELD_COUNT,
     .offset = AT(open_files),
     .initial = "1024",
     .help = "Open descriptors of one process."},
    {.name = "retries",
     .kind = FIELD_COUNT,
     .offset = AT(retries),
     .initial = "2",
     .help = "Try again when the failure is ours, up to 10 times."},
    {.name = "retry_delay_ms",
     .kind = FIELD_MS,
     .offset = AT(retry_delay_ms),
     .initial = "1000",
     .help = "Wait between tries, up to 10 s."},
    {0},
};

const struct field answer_fields[] = {
    {.name = "deadline_ms",
     .kind = FIELD_MS,
     .offset = AT(deadline_ms),
     .initial = "0 (none)",
     .help = "When an answer is no use any more, from the request's arrival "
             "on. A request that still "
             "waits for its turn then is answered 503, one that runs is ended "
             "and answered 504."},
    {0},
};

const struct field collect_fields[] = {
    {.name = "collect",
     .kind = FIELD_BOOL,
     .offset = AT(collect),
     .initial = "false",
     .help = "Return the content of new and changed files, as content_base64 "
             "in the result's files."},
    {.name = "collect_bytes",
     .kind = FIELD_BYTES,
     .offset = AT(collect_bytes),
     .initial = "what the daemon allows at most",
     .help = "Most that they may have together; what does not fit is left out "
             "and said."},
    {0},
};
