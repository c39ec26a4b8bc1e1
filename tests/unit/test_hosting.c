/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions of several owners, their tokens and their files, without a daemon: the test is the host.
 * The session table needs Bash and the helper.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/backend.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "hosting/session_table.h"
#include "routes/collect.h"
#include "routes/session_json.h"
#include "tap.h"

/* ---- tokens ---- */

static void write_file(const char *path, const char *text, mode_t mode)
{
    FILE *file = fopen(path, "w");

    fputs(text, file);
    fclose(file);
    (void)chmod(path, mode);
}

static const char *name_of(const struct token_list *list, const char *authorization)
{
    const struct token *token = token_list_find(list, str_from(authorization));

    return token ? token->name : NULL;
}

static void test_tokens(const char *folder)
{
    AUTO_FREE char *path = xasprintf("%s/tokens", folder);
    struct token_list list;
    struct err err;

    write_file(path, "# ours\nann 0123456789abcdef\nbob fedcba9876543210\n\nann 0000111122223333\n",
               0600);
    OK(token_list_read(path, &list, &err) == 0, "a file with three tokens");
    EQ_INT(list.n, 3);
    EQ_INT(token_list_names(&list), 2);
    EQ_STR(name_of(&list, "Bearer fedcba9876543210"), "bob");
    EQ_STR(name_of(&list, "bearer 0000111122223333"), "ann");
    EQ_STR(name_of(&list, "Bearer fedcba987654321"), NULL);
    EQ_STR(name_of(&list, "fedcba9876543210"), NULL);
    token_list_done(&list);

    write_file(path, "0123456789abcdef\n", 0600);
    OK(token_list_read(path, &list, &err) == 0, "a token without a name");
    EQ_STR(name_of(&list, "Bearer 0123456789abcdef"), TOKEN_NAMELESS);
    token_list_done(&list);
}

static void refuses_tokens(const char *folder, const char *text, mode_t mode, const char *words)
{
    AUTO_FREE char *path = xasprintf("%s/tokens", folder);
    struct token_list list;
    struct err err;

    write_file(path, text, mode);
    OK(token_list_read(path, &list, &err) < 0 && strstr(err.msg, words), "refused: %s", words);
    token_list_done(&list);
}

static void test_bad_tokens(const char *folder)
{
    refuses_tokens(folder, "ann 0123456789abcdef\n", 0644, "other users can read it");
    refuses_tokens(folder, "# nothing\n", 0600, "no token in it");
    refuses_tokens(folder, "ann short\n", 0600, "at least 16");
    refuses_tokens(folder, "ann 0123456789abcdef\nbob 0123456789abcdef\n", 0600,
                   ":2: this token has the name 'ann' already");
    refuses_tokens(folder, "0123456789abcdef\nbob 0123456789abcdef\n", 0600,
                   "this token is there without a name already");
    refuses_tokens(folder, "a/b 0123456789abcdef\n", 0600, "a name before a token");
}

/* ---- files of a result ---- */

static const char *text_in(const json_t *document, size_t at, const char *key)
{
    return json_string_value(
        json_object_get(json_array_get(json_object_get(document, "files"), at), key));
}

/* A guest of which only the workspace is left. */
static int left_folder = -1;

static int folder_of_left(struct backend_guest *guest)
{
    (void)guest;
    return left_folder;
}

static const struct backend_files left_files = {.folder = folder_of_left};
static const struct backend left_backend = {.files = &left_files};

static void test_collect(const char *folder)
{
    struct backend_guest left = {&left_backend};
    AUTO_FREE char *plain = xasprintf("%s/plain", folder), *link = xasprintf("%s/link", folder),
                   *grown = xasprintf("%s/grown", folder), *large = xasprintf("%s/large", folder);
    struct file_entry entries[] = {
        {.path = (char[]){"plain"}, .path_len = 5, .size = 5, .mode = 0640},
        {.path = (char[]){"link"}, .path_len = 4, .size = 5},
        {.path = (char[]){"grown"}, .path_len = 5, .size = 3},
        {.path = (char[]){"large"}, .path_len = 5, .size = 20},
        {.path = (char[]){"../plain"}, .path_len = 8, .size = 5},
    };
    struct result result = {.files = {.entries = entries, .count = ARRAY_LEN(entries)},
                            .guest = &left};

    write_file(plain, "hello", 0640);
    write_file(grown, "hello", 0600);
    write_file(large, "twenty bytes of text", 0600);
    OK(symlink(plain, link) == 0, "a link that the guest left");
    left_folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    json_t *document = json_pack("{s:[{},{},{},{},{}]}", "files");
    collect_contents(document, &result, 18);
    EQ_STR(text_in(document, 0, "content_base64"), "aGVsbG8=");
    EQ_STR(text_in(document, 1, "content_skipped"), "cannot be read");
    EQ_STR(text_in(document, 2, "content_skipped"), "changed meanwhile");
    EQ_STR(text_in(document, 3, "content_skipped"), "larger than what is left of collect_bytes");
    EQ_STR(text_in(document, 4, "content_skipped"), "cannot be read");
    json_decref(document);
    fd_close(&left_folder);
}

/* ---- sessions ---- */

struct turn {
    struct session_turn turn; /* first */
    const char *state;
};

static struct errand *errands[8];
static size_t errand_count;

static void begin(struct session_turn *turn)
{
    ((struct turn *)turn)->state = "begun";
}

static void stop(struct session_turn *turn)
{
    ((struct turn *)turn)->state = "stopped";
}

static void end(struct session_turn *turn, enum turn_end why)
{
    ((struct turn *)turn)->state = why == TURN_LATE ? "late" : "closed";
    session_turn_over(turn);
}

static void keep_errand(void *ctx, struct errand *errand)
{
    (void)ctx;
    errands[errand_count++] = errand;
}

static void run_errands(void)
{
    for (size_t i = 0; i < errand_count; i++) {
        errands[i]->work(errands[i]);
        errands[i]->done(errands[i]);
    }
    errand_count = 0;
}

static const struct session_host host = {
    .begin = begin, .stop = stop, .end = end, .errand = keep_errand};

static const struct language_table no_languages;
static int settings_dropped;

static void drop_settings(void *settings)
{
    settings_dropped += settings == &host;
}

static struct session_opening *opening(void)
{
    struct session_opening *g = session_opening_new((void *)&host, drop_settings);
    struct run_request *run = &g->request.run;

    run->program.languages = &no_languages;
    run->program.language = "bash";
    run->door.log = "off";
    g->data = g->doc = json_pack("{s:s}", "begun_with", "data");
    return g;
}

static struct session_entry *open_one(struct sessions *all, const char *owner, int64_t idle_ms)
{
    struct session_opening *g = opening();
    struct session *session = NULL;
    struct session_info info;
    struct err err;

    if (sessions_reserve(all, owner, &err) != RESERVED ||
        session_opening_open(g, NULL, &session, &err) < 0) {
        OK(false, "opened a session: %s", err.msg);
        exit(tap_done());
    }
    sessions_unreserve(all, owner);
    session_info(session, &info);
    return sessions_add(all, &(struct session_new){.session = session,
                                                   .opening = g,
                                                   .name = xstrdup("mine"),
                                                   .info = &info,
                                                   .owner = owner,
                                                   .idle_ms = idle_ms});
}

static void ask(struct session_entry *entry, struct turn *turn, int64_t deadline_ms)
{
    *turn = (struct turn){.turn.deadline_ms = deadline_ms, .state = "waits"};
    EQ_INT(session_turn_ask(entry, &turn->turn), TURN_ASKED);
}

static void test_turns(struct session_entry *e, struct sessions *all)
{
    struct turn a, b, c, d;

    ask(e, &a, 0);
    ask(e, &b, 1);
    ask(e, &c, 0);
    ask(e, &d, 0);
    EQ_STR(a.state, "begun");
    EQ_STR(b.state, "waits");
    sessions_tick(all, clock_mono_ms());
    EQ_STR(b.state, "late");
    session_turn_leave(&c.turn);
    session_turn_over(&c.turn);
    EQ_STR(d.state, "waits");
    session_turn_over(&a.turn);
    EQ_STR(c.state, "waits");
    EQ_STR(d.state, "begun");
    session_turn_over(&d.turn);
    EQ_INT(e->holds, 1); /* the tick's survey */
    run_errands();
    EQ_INT(e->holds, 0);
}

static void test_crowd(struct session_entry *e)
{
    static struct turn turns[SESSION_WAITING_MAX + 2];
    enum turn_answer answer = TURN_ASKED;
    size_t n = 0;

    while (n < ARRAY_LEN(turns) && answer == TURN_ASKED)
        answer = session_turn_ask(e, &turns[n++].turn);
    EQ_INT(n, SESSION_WAITING_MAX + 2);
    EQ_INT(answer, TURN_TOO_MANY);
    OK(!turns[n - 1].turn.entry, "a refused turn holds nothing");
    for (size_t i = 0; i + 1 < n; i++)
        session_turn_over(&turns[i].turn);

    struct turn huge = {.turn.bytes = 300 << 20};
    EQ_INT(session_turn_ask(e, &huge.turn), TURN_TOO_LARGE);
    EQ_INT(e->waiting, 0);
}

static void test_owners(struct sessions *all, const struct session_entry *e)
{
    struct session_info info;
    struct err err;
    size_t n;

    OK(sessions_find(all, "ann", e->id) == e, "its owner finds a session");
    OK(sessions_find(all, NULL, e->id) == e, "the operator as well");
    OK(!sessions_find(all, "bob", e->id), "another owner does not");
    struct session_entry **list = sessions_list(all, "bob", &n);
    EQ_INT(n, 0);
    free(list);
    OK(sessions_reserve(all, "ann", &err) == RESERVE_TOO_MANY && strstr(err.msg, "its share"),
       "ann has her share of two");
    EQ_INT(sessions_reserve(all, "bob", &err), RESERVED);
    sessions_unreserve(all, "bob");
    sessions_limit(all, &(struct session_ceilings){2, 1, 1});
    EQ_INT(sessions_reserve(all, "bob", &err), RESERVE_NO_MEMORY);

    session_info(e->session, &info);
    json_t *o = session_json(e, &info);
    EQ_STR(json_string_value(json_object_get(o, "name")), "mine");
    EQ_STR(json_string_value(json_object_get(o, "language")), "bash");
    json_decref(o);
}

static void test_data(struct session_entry *e)
{
    json_t *names = json_pack("[s]", "begun_with"), *found = NULL;
    struct err err;

    OK(session_opening_restart(e->opening, e->session, &err) == 0, "a restart");
    OK(session_get(e->session, names, &found, &err) == 0, "its variables");
    EQ_STR(json_string_value(json_object_get(json_object_get(found, "values"), "begun_with")),
           "data");
    json_decref(found);
    json_decref(names);
}

static void test_shut(struct sessions *all, struct session_entry *e)
{
    struct turn a, b;
    char id[RESULT_ID];

    memcpy(id, e->id, sizeof id);
    ask(e, &a, 0);
    ask(e, &b, 0);
    session_entry_shut(e);
    EQ_STR(a.state, "stopped");
    EQ_STR(b.state, "closed");
    OK(!sessions_find(all, NULL, id), "it has left the table");
    EQ_INT(errand_count, 0); /* not yet: a turn has it */
    session_turn_over(&a.turn);
    EQ_INT(errand_count, 1);
    OK(sessions_any(all), "it is being closed");
    run_errands();
    OK(!sessions_any(all), "it is closed");
    EQ_INT(settings_dropped, 1);
}

static void test_idle(struct sessions *all)
{
    struct session_totals totals;

    (void)open_one(all, "ann", 50);
    sessions_tick(all, clock_mono_ms() + 1000);
    sessions_totals(all, &totals);
    EQ_INT(totals.count, 0);
    EQ_INT(totals.opened, 2);
    EQ_INT(totals.expired, 1);
    EQ_INT(totals.memory_bytes, 0);
    run_errands();
    OK(!sessions_any(all), "an idle session is closed");
}

static void test_sessions(void)
{
    struct sessions *all = sessions_new(&host);

    sessions_limit(all, &(struct session_ceilings){2, 1 << 30, 2});
    struct session_entry *e = open_one(all, "ann", 60000);
    RUN(test_turns(e, all));
    RUN(test_crowd(e));
    RUN(test_data(e));
    RUN(test_owners(all, e));
    RUN(test_shut(all, e));
    sessions_limit(all, &(struct session_ceilings){2, 1 << 30, 2});
    RUN(test_idle(all));
    sessions_free(all);
}

/* The helper is one folder further up than where a program looks for it. */
static void find_helper(const char *program)
{
    const char *slash = strrchr(program, '/');
    AUTO_FREE char *path =
        xasprintf("%.*s/../glovebox-jail", slash ? (int)(slash - program) : 0, program);

    if (access(path, X_OK) == 0)
        setenv("GLOVEBOX_JAIL", path, 0);
}

static void remove_all(const char *folder)
{
    static const char *const names[] = {"tokens", "plain", "link", "grown", "large"};

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        AUTO_FREE char *path = xasprintf("%s/%s", folder, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(folder);
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/glovebox-hosting-XXXXXX";

    find_helper(argc > 0 ? argv[0] : "");
    if (!mkdtemp(folder))
        return 1;
    RUN(test_tokens(folder));
    RUN(test_bad_tokens(folder));
    RUN(test_collect(folder));
    remove_all(folder);
    test_sessions();
    return tap_done();
}
