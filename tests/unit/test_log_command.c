/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox log`: what it prints, what it refuses, its exit status; and that nothing a guest wrote
 * into the log reaches a terminal as a control. The command's files are compiled in, because the
 * library that tests are linked with has no command line.
 */
#include "cli/cmd_log.c"
#include "console/log_settings.c"
#include "report/log_text.c"
#include "terminal/safe_text.c"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "tap.h"

/* The real ones need every command of the program. */
static const struct command *const only_log[] = {&command_log, NULL};

void help_print_command(FILE *out, const struct command *command, const struct opt_help *asked)
{
    (void)asked;
    fprintf(out, "help for %s\n", command->name);
}

static char folder[] = "/tmp/test_log_command.XXXXXX";

/* ---- running it ---- */

struct answer {
    int status;
    struct buf out, errors;
};

static void take(const char *name, struct buf *b)
{
    struct err err;
    AUTO_FREE char *path = xasprintf("%s/%s", folder, name);

    buf_init(b, 1 << 20);
    if (fd_read_file(path, b, &err) < 0)
        OK(0, "%s", err.msg);
}

static void redirect(int to, const char *name)
{
    AUTO_FREE char *path = xasprintf("%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (fd < 0 || dup2(fd, to) < 0)
        _exit(99);
}

/* In a child, as the program would: words are separated by blanks. */
static struct answer glovebox_log(const char *words)
{
    struct answer a = {.status = -1};
    struct str rest = str_from(words), word;
    char *argv[32] = {xstrdup("log")};
    int argc = 1, status = -1;

    while (argc < 31 && rest.n && str_next(&rest, ' ', &word))
        argv[argc++] = xstrndup(word.p, word.n);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        redirect(STDOUT_FILENO, "out");
        redirect(STDERR_FILENO, "errors");
        status = command_log.run(argc, argv);
        fflush(stdout);
        _exit(status);
    }
    if (waitpid(pid, &status, 0) == pid && WIFEXITED(status))
        a.status = WEXITSTATUS(status);
    take("out", &a.out);
    take("errors", &a.errors);
    for (int i = 0; i < argc; i++)
        free(argv[i]);
    return a;
}

static void answer_done(struct answer *a)
{
    buf_done(&a->out);
    buf_done(&a->errors);
}

static bool holds(const struct buf *b, const char *part)
{
    return str_find(buf_str(b), str_from(part)) >= 0;
}

/* Expects this exit status, and `part` on stdout, or for 1 and 2 in one line on stderr. */
static void expect(const char *words, int status, const char *part)
{
    struct answer a = glovebox_log(words);
    const struct buf *where = status ? &a.errors : &a.out;
    size_t lines = 0;

    for (size_t i = 0; i < a.errors.n; i++)
        lines += a.errors.p[i] == '\n';
    OK(a.status == status && holds(where, part) && lines == (status != 0), "log %s: %d, \"%s\"",
       words, status, part);
    if (a.status != status || !holds(where, part))
        printf("# status %d, out: %s errors: %s\n", a.status, a.out.p, a.errors.p);
    answer_done(&a);
}

static json_t *expect_json(const char *words)
{
    struct answer a = glovebox_log(words);
    json_t *v = json_loadb(a.out.p, a.out.n, 0, NULL);

    OK(a.status == 0 && v, "log %s: one JSON document", words);
    answer_done(&a);
    return v;
}

/* ---- what is in the log ---- */

static void append(struct store *s, struct run_record run)
{
    struct err err = {0};

    run.attempts = 1;
    run.backend = STR("jail");
    if (store_append(s, &run, &err) < 0)
        OK(0, "append: %s", err.msg);
}

#define HOUR 3600000LL

static void fill(void)
{
    struct err err = {0};
    struct store *s = NULL;
    AUTO_FREE char *path = xasprintf("%s/glovebox/log.db", folder);
    int64_t now = clock_wall_ms();

    if (store_open(path, STORE_CREATE | STORE_FOLDERS, &s, &err) < 0)
        OK(0, "%s", err.msg);
    append(s, (struct run_record){.id = STR("r-old"),
                                  .time_ms = now - 50 * HOUR,
                                  .language = STR("shell"),
                                  .program = STR("old.sh"),
                                  .allowed = true,
                                  .outcome = OUTCOME_TIMEOUT,
                                  .duration_ms = 61500});
    append(s, (struct run_record){.id = STR("r-evil1"),
                                  .time_ms = now - HOUR,
                                  .language = STR("python"),
                                  .program = STR("a\x1b]0;pwn\x07.py"),
                                  .allowed = true,
                                  .limits = STR("{\"pids\":64}"),
                                  .isolation = STR("pidns,seccomp"),
                                  .outcome = OUTCOME_SIGNAL,
                                  .signal = 11,
                                  .error = STR("\x1b[2J\xC2\x9B"
                                               "31m\xE2\x80\xAE boom\rok"),
                                  .denied = STR("[{\"syscall\":\"ptrace\"}]"),
                                  .code = STR("x = 1\n\ty\x1b[31m\n")});
    append(s, (struct run_record){.id = STR("r-evil2"),
                                  .time_ms = now - 1000,
                                  .language = STR("python"),
                                  .program = STR("-"),
                                  .verdict_stage = STR("imports"),
                                  .verdict_reason = STR("import of 'ctypes'"),
                                  .outcome = OUTCOME_REFUSED});
    store_close(s);
}

/* ---- the tests ---- */

static void test_without_log(void)
{
    expect("", 0, "no runs yet in");
    expect("list --json", 0, "{\"runs\": []}");
    expect("stats", 0, "no such runs");
    expect("prune --keep 1", 0, "deleted 0 runs");
    expect("show r-1", 1, "no run 'r-1'");
    expect("path", 0, "/glovebox/log.db\n");
    expect("--log /nonexistent/log.db", 125, "No such file");
}

static void test_usage(void)
{
    expect("prun", 2, "did you mean 'prune'?");
    expect("list x", 2, "takes no arguments");
    expect("show", 2, "name the run to show");
    expect("show a b", 2, "takes one id");
    expect("show r-old --keep 3", 2, "--keep does not apply to 'glovebox log show'");
    expect("prune", 2, "give the runs to delete");
    expect("prune --older-than 30", 2, "is not an age");
    expect("prune --older-than 1hd", 2, "is not an age");
    expect("prune --older-than 999999999999999d", 2, "is not an age");
    expect("--since 30", 2, "is not a time");
    expect("--until yesterday", 2, "is not a time");
    expect("--outcome bad", 2, "timeout");
    expect("--limit -1", 2, "limit");
    expect("show r-evil", 2, "several runs begin with");
    expect("--log /dev/null", 2, "it is not a file");
    setenv("GLOVEBOX_LOG", "/from/environment", 1);
    expect("path", 0, "/from/environment\n");
    expect("path --log /from/command", 0, "/from/command\n");
    unsetenv("GLOVEBOX_LOG");
    expect("prune --help", 0, "help for log");
    expect("list --timeout 5s", 2, "--timeout does not apply to 'glovebox log list'");
}

static void write_config(const char *text)
{
    AUTO_FREE char *path = xasprintf("%s/glovebox.conf", folder);
    FILE *f = fopen(path, "w");

    OK(f && fputs(text, f) >= 0 && fclose(f) == 0, "wrote %s", text);
    setenv("GLOVEBOX_CONFIG", path, 1);
}

/* A config file is for runs; of what it says only the place of the log matters here. */
static void test_config(void)
{
    write_config("timeout = \"5s\"\nlang = \"cobol\"\nlog = \"off\"\n");
    expect("", 0, "r-evil2");
    expect("path", 0, "/glovebox/log.db\n");
    write_config("log = \"/nonexistent/log.db\"\n");
    expect("", 0, "no runs yet in /nonexistent/log.db");
    unsetenv("GLOVEBOX_CONFIG");
}

static void test_list(void)
{
    struct answer a = glovebox_log("");

    OK(a.status == 0 && !strchr(a.out.p, '\x1b') && !strchr(a.out.p, '\r') &&
           !holds(&a.out, "\xC2\x9B") && !holds(&a.out, "\xE2\x80\xAE"),
       "a list holds no control of the guest's");
    OK(holds(&a.out, "a\\x1b]0;pwn\\x07.py  \\x1b[2J\\x9b31m\\u202e boom\\x0dok"), "but shows it");
    OK(holds(&a.out, "signal 11") && holds(&a.out, "1m01s") && holds(&a.out, "import of 'ctypes'"),
       "outcome, duration and reason");
    OK(str_find(buf_str(&a.out), STR("r-evil2")) < str_find(buf_str(&a.out), STR("r-old")),
       "newest first");
    answer_done(&a);

    expect("--since 2h --outcome signal", 0, "r-evil1");
    expect("--lang shell", 0, "r-old");
    expect("--until 2d", 0, "r-old");
    expect("--since 2099-01-31", 0, "none of the 3 runs");
    expect("--until 2001-01-31T18:00", 0, "none of the 3 runs");
    expect("--text ctypes", 0, "r-evil2");
    expect("--backend docker", 0, "none of the 3 runs");
    a = glovebox_log("list -n 1");
    OK(holds(&a.out, "r-evil2") && !holds(&a.out, "r-evil1"), "a limit");
    answer_done(&a);
}

static void test_json(void)
{
    json_t *doc = expect_json("list --json --limit 0"), *runs = json_object_get(doc, "runs");
    json_t *run = json_array_get(runs, 1), *verdict = json_object_get(run, "verdict");

    EQ_INT(json_array_size(runs), 3);
    EQ_STR(json_string_value(json_object_get(run, "id")), "r-evil1");
    EQ_STR(json_string_value(json_object_get(run, "program")), "a\x1b]0;pwn\x07.py");
    EQ_INT(json_integer_value(json_object_get(run, "signal")), 11);
    EQ_INT(json_array_size(json_object_get(run, "isolation")), 2);
    EQ_INT(json_array_size(json_object_get(json_array_get(runs, 0), "isolation")), 0);
    EQ_INT(json_integer_value(json_object_get(json_object_get(run, "limits"), "pids")), 64);
    OK(json_is_true(json_object_get(verdict, "allowed")) && !json_object_get(run, "code"),
       "a verdict, and no code in a list");
    json_decref(doc);

    doc = expect_json("show r-evil1 --json");
    EQ_STR(json_string_value(json_object_get(doc, "code")), "x = 1\n\ty\x1b[31m\n");
    json_decref(doc);
    doc = expect_json("show r-o --json");
    OK(json_is_null(json_object_get(doc, "code")), "code that was not kept is null");
    json_decref(doc);
    doc = expect_json("stats --json --lang python");
    EQ_INT(json_integer_value(json_object_get(doc, "runs")), 2);
    EQ_INT(json_integer_value(json_object_get(json_object_get(doc, "outcomes"), "refused")), 1);
    json_decref(doc);
}

static void test_show_and_stats(void)
{
    struct answer a = glovebox_log("show r-evil1");

    OK(a.status == 0 && holds(&a.out, "\nx = 1\n\ty\\x1b[31m\n") && !strchr(a.out.p, '\x1b'),
       "code keeps its lines and tabs, and nothing else");
    answer_done(&a);
    expect("show r-evil2", 0, "refused by imports: import of 'ctypes'");
    expect("stats", 0, "signal 1, timeout 1, refused 1");
    expect("stats", 0, "python 2, shell 1");
}

static void test_prune(void)
{
    expect("prune --older-than 2d --keep 3", 0, "deleted 0 runs");
    expect("prune --older-than 2d", 0, "deleted 1 run\n");
    expect("prune --keep 1 --json", 0, "\"deleted\": 1");
    expect("", 0, "r-evil2");
}

static void test_moments(void)
{
    int64_t ms = 0;
    struct err err;

    EQ_INT(log_parse_age("1.5d", &ms, &err), 0);
    EQ_INT(ms, 36 * HOUR);
    EQ_INT(log_parse_age("90s", &ms, &err), 0);
    EQ_INT(ms, 90000);
    EQ_INT(log_parse_age("d", &ms, &err), -1);
    EQ_INT(log_parse_age("", &ms, &err), -1);
    EQ_INT(log_parse_moment("1970-01-02 00:00:30", 0, &ms, &err), 0);
    EQ_INT(ms, 24 * HOUR + 30000);
    EQ_INT(log_parse_moment("1h", 5 * HOUR, &ms, &err), 0);
    EQ_INT(ms, 4 * HOUR);
    EQ_INT(log_parse_moment("9h", 5 * HOUR, &ms, &err), 0);
    EQ_INT(ms, 1);
    EQ_INT(log_parse_moment("1970-01-02x", 0, &ms, &err), -1);
}

static void check_safe(struct str text, const char *want)
{
    AUTO_BUF struct buf b = {0};
    buf_init(&b, 1000);

    safe_text_add(&b, text, false);
    EQ_STR(b.p, want);
}

static void test_safe_text(void)
{
    check_safe(STR("na\xC3\xAFve \xE2\x82\xAC \xF0\x9F\x90\x8D"),
               "na\xC3\xAFve \xE2\x82\xAC \xF0\x9F\x90\x8D");
    check_safe(STR("\0\n\t\x7f"), "\\x00\\x0a\\x09\\x7f");
    check_safe(STR("\xC2\x85|\xE2\x80\x8B|\xEF\xBB\xBF"), "\\x85|\\u200b|\\ufeff");
    check_safe(STR("\xF3\xA0\x81\x81"), "\\U000e0041");
    check_safe(STR("\xff\xC3(\xE2\x82"), "\\xff\\xc3(\\xe2\\x82");
}

static void remove_folder(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        execlp("rm", "rm", "-rf", folder, (char *)NULL);
        _exit(127);
    }
    waitpid(pid, NULL, 0);
}

int main(void)
{
    commands = only_log;
    if (!mkdtemp(folder))
        return 1;
    setenv("XDG_STATE_HOME", folder, 1);
    setenv("TZ", "UTC", 1);
    setenv("XDG_CONFIG_HOME", folder, 1);
    unsetenv("GLOVEBOX_LOG");
    unsetenv("GLOVEBOX_CONFIG");
    RUN(test_without_log());
    fill();
    RUN(test_usage());
    RUN(test_config());
    RUN(test_list());
    RUN(test_json());
    RUN(test_show_and_stats());
    RUN(test_prune());
    RUN(test_moments());
    RUN(test_safe_text());
    remove_folder();
    return tap_done();
}
