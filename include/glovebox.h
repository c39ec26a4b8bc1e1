/* SPDX-License-Identifier: Apache-2.0
 *
 * Glovebox: run a program that you do not trust, behind the kernel's own locks.
 *
 *     glovebox *box = glovebox_open();
 *     glovebox_set(box, "timeout", "5s");
 *     glovebox_result *result = glovebox_run(box, "python", "print(1)", 8, NULL);
 *     fputs(glovebox_result_stdout(result, NULL), stdout);
 *     glovebox_result_free(result);
 *     glovebox_close(box);
 *
 * examples/agent.c shows the way from a model's reply to the next message for the model.
 *
 * A handle is used by one thread at a time; threads that run side by side each open their own. A
 * run is tied to the thread that called glovebox_run. After fork(), the child may run programs with
 * a handle of its parent's, and close it; the parent's sessions are not for the child.
 *
 * Link with -lglovebox; the helper program glovebox-jail must be beside the library, where `make
 * install` puts it, or where the variable GLOVEBOX_JAIL says.
 *
 * Strings are UTF-8 unless said otherwise. When memory is out, the library prints a line and
 * aborts; what a guest can make large has a limit and never comes to that. From glovebox_open on
 * the same holds for jansson in the whole process.
 */
#ifndef GLOVEBOX_H
#define GLOVEBOX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GLOVEBOX_API __attribute__((visibility("default")))

typedef struct glovebox glovebox;
typedef struct glovebox_result glovebox_result;
typedef struct glovebox_session glovebox_session;

/* The version of the library, such as "0.1.0". */
GLOVEBOX_API const char *glovebox_version(void);
/* Frees what a function gives as `char *`; NULL is fine. */
GLOVEBOX_API void glovebox_free(void *p);

/* ---- The handle ---- */
/* A handle with every option at its default. It reads no config file and no environment. The caller
 * closes it. */
GLOVEBOX_API glovebox *glovebox_open(void);
/* Frees the handle; NULL is fine. Results live on. Containers that the handle keeps ready are
 * removed first. */
GLOVEBOX_API void glovebox_close(glovebox *box);

/* Sets an option by the name it has on the command line, without dashes: "timeout" "5s", "memory"
 * "256m", "file" "data.csv:in/data.csv", "net" "host", "log" "off" (see `glovebox run --help`).
 * Lists grow with each call; flags take "true" or "false". Sessions have options of their own, as
 * `glovebox session new` has them: "value", "preload", "tools", "grace", "forks", "idle". 0, or -1
 * and glovebox_error says why. */
GLOVEBOX_API int glovebox_set(glovebox *box, const char *name, const char *value);
/* Puts a file into the workspace of every run of this handle; name is a relative path inside, the
 * bytes are copied. 0 or -1. */
GLOVEBOX_API int glovebox_add_file(glovebox *box, const char *name, const void *bytes, size_t n);
/* What the next runs read as standard input, copied; without it the input is empty. */
GLOVEBOX_API void glovebox_set_stdin(glovebox *box, const void *bytes, size_t n);

/* Called with output as it comes, all of it, from inside glovebox_run; stream is 1 or 2. The
 * program waits while the function does. */
typedef void (*glovebox_output_fn)(void *ctx, int stream, const char *bytes, size_t n);
GLOVEBOX_API void glovebox_on_output(glovebox *box, glovebox_output_fn fn, void *ctx);

/* The message of the last call that failed on this handle, "" if none did. Valid until the next
 * call. */
GLOVEBOX_API const char *glovebox_error(const glovebox *box);

/* ---- Running ---- */
/* Runs a program to its end and gives a result that the caller frees; never NULL: what went wrong
 * is in the result (glovebox_result_error). language may be NULL to detect it; args may be NULL,
 * else ends with a NULL. With "backend" "docker", the handle keeps one or two containers ready from
 * its first run on: a later run with the same options is faster. */
GLOVEBOX_API glovebox_result *glovebox_run(glovebox *box, const char *language, const char *code,
                                           size_t n, const char *const *args);
/* Reads a program as glovebox_run does before it starts anything, and runs nothing: the result, the
 * caller's to free and never NULL, has a verdict and is otherwise that of a program that was not
 * started. Options such as "profile" and "target" say what is allowed. */
GLOVEBOX_API glovebox_result *glovebox_check(glovebox *box, const char *language, const char *code,
                                             size_t n);
/* Calls a function of the program, or runs all of it, as each case says, and compares what came of
 * it; what is expected never gets inside. cases is what `glovebox test --cases` reads, m bytes of
 * JSON; with none (m is 0, or an empty list) the program only has to run. The options "func",
 * "setup", "isolate", "strict-stderr", "compare" and "checker" mean what they do there;
 * the function of glovebox_on_output is not called. The caller frees the result, never NULL. */
GLOVEBOX_API glovebox_result *glovebox_test(glovebox *box, const char *language, const char *code,
                                            size_t n, const char *cases, size_t m);
/* Ends the present run of this handle at once; from any thread, or from a signal handler. */
GLOVEBOX_API void glovebox_cancel(glovebox *box);

/* ---- Sessions: variables, imports, open files and workspace last from cell to cell ---- */
/* With the handle's options (limits on time are each cell's), which stay as they are until it is
 * closed. Without forks it ends with the thread that opened it; one at a time uses it. */
GLOVEBOX_API glovebox_session *glovebox_session_open(glovebox *box, const char *language);
/* Ends and frees the session, before its handle; NULL is fine. Results live on. */
GLOVEBOX_API void glovebox_session_close(glovebox_session *session);
/* Runs a cell, as glovebox_run does a program; interrupted when it takes too long, or killed. */
GLOVEBOX_API glovebox_result *glovebox_session_exec(glovebox_session *s, const char *code,
                                                    size_t n);
/* Ctrl-C for the running cell, from any thread. 1, or 0 when none runs. */
GLOVEBOX_API int glovebox_session_interrupt(glovebox_session *session);
/* A variable from JSON, and as JSON that the caller frees with glovebox_free; {"$type": ...} stands
 * for what JSON has no form for. -1 and NULL, and glovebox_session_error says why. */
GLOVEBOX_API int glovebox_session_set(glovebox_session *s, const char *name, const char *json);
GLOVEBOX_API char *glovebox_session_get(glovebox_session *s, const char *name);
/* How many levels deep sessions opened from now on may be forked (Python; any number at first). 0
 * saves the interpreter that waits for it. */
GLOVEBOX_API void glovebox_set_forks(glovebox *box, int levels);
/* One that begins with what this has now, a copy of its files too. They share nothing, and close in
 * any order. NULL: glovebox_session_error. */
GLOVEBOX_API glovebox_session *glovebox_session_fork(glovebox_session *session);
/* Runs a cell that is undone unless it succeeds (keep 1), unless its session lives on (2), or in
 * any case (0). glovebox_result_kept: 1 or 0; -1 for a cell that was not tried; -2 for one that
 * could not be undone, since it reached the copy from before it: the session is over. */
GLOVEBOX_API glovebox_result *glovebox_session_try(glovebox_session *s, const char *code, size_t n,
                                                   int keep);
GLOVEBOX_API int glovebox_result_kept(const glovebox_result *result);
/* A new guest, also for a session that died: files stay, variables do not. 0 or -1. */
GLOVEBOX_API int glovebox_session_restart(glovebox_session *session);
/* The message of the last call that failed on this session, "" if none did. */
GLOVEBOX_API const char *glovebox_session_error(const glovebox_session *session);
/* A host function for cells, called in glovebox_session_exec. args is a JSON list, kwargs an
 * object. Gives JSON, or NULL and in *error why: the guest gets a RuntimeError, or for an error
 * "ValueError: no" an exception of that type. Both are from malloc, and we free them. */
typedef char *(*glovebox_tool_fn)(void *ctx, const char *args, const char *kwargs, char **error);
/* For sessions that are opened from now on; description may be NULL. 0 or -1. The second says
 * whether they have final_answer(value), which ends a cell with that. */
GLOVEBOX_API int glovebox_on_tool(glovebox *box, const char *name, const char *description,
                                  glovebox_tool_fn fn, void *ctx);
/* The same with parameters, which cells see in help() and which calls must fit: the JSON of a list
 * of names, of objects such as {"name": "n", "type": "int", "default": 1}, or a JSON Schema. */
GLOVEBOX_API int glovebox_on_typed_tool(glovebox *box, const char *name, const char *description,
                                        const char *parameters, glovebox_tool_fn fn, void *ctx);
/* The same for an open session; a tool of that name is replaced. parameters may be NULL. */
GLOVEBOX_API int glovebox_session_on_tool(glovebox_session *s, const char *name,
                                          const char *description, const char *parameters,
                                          glovebox_tool_fn fn, void *ctx);
GLOVEBOX_API int glovebox_session_remove_tool(glovebox_session *s, const char *name);
GLOVEBOX_API void glovebox_on_final_answer(glovebox *box, int on);

/* ---- Language models ---- */
/* With "review", the model reads every program before it runs, and may refuse it. It is chosen as
 * for a task; sessions that are open keep the one that they were opened with. */
/* Gives a task to a model, does it to its end, and returns the document that the command of that
 * name prints with --json; the caller frees it with glovebox_free. `name` is "generate", "solve",
 * "fix", "transform", "math" or "analyze" (of the files of glovebox_add_file); json, n bytes, is an
 * object such as {"task": "print 20 primes"} with the fields that POST /v1/NAME has of its own.
 * Programs are run with the handle's options; the model is chosen by "model", "provider",
 * "model-url", "key-file" and so on, and the task is bounded by "steps", "token-limit",
 * "cost-limit" and "task-timeout". The key is read from the environment, as the commands do. NULL,
 * and glovebox_error says why, when nothing was asked; how a task ended is in its document.
 * glovebox_cancel ends it. */
GLOVEBOX_API char *glovebox_task(glovebox *box, const char *name, const char *json, size_t n);
/* Called from inside glovebox_task with each event, an object of JSON in n bytes, as the lines of
 * POST /v1/NAME have them; NULL for none. */
typedef void (*glovebox_event_fn)(void *ctx, const char *json, size_t n);
GLOVEBOX_API void glovebox_on_event(glovebox *box, glovebox_event_fn fn, void *ctx);

/* ---- Results; what they point to belongs to the result ---- */
/* Frees the result; NULL is fine. */
GLOVEBOX_API void glovebox_result_free(glovebox_result *result);

/* 1 when the program was started, ended by itself and returned 0, and passed all tests if there
 * were any; else 0. */
GLOVEBOX_API int glovebox_result_success(const glovebox_result *result);
/* The program's exit status; 128+N after signal N, 124 after a timeout, 137 out of memory, -1 when
 * nothing was started. */
GLOVEBOX_API int glovebox_result_exit_code(const glovebox_result *result);
/* The signal that ended it, 0 for none. */
GLOVEBOX_API int glovebox_result_signal(const glovebox_result *result);
GLOVEBOX_API int glovebox_result_timed_out(const glovebox_result *result);
GLOVEBOX_API int glovebox_result_oom_killed(const glovebox_result *result);
/* What it printed, as bytes, with a NUL after the last. Of more than the limit the middle is left
 * out. ret_n may be NULL. */
GLOVEBOX_API const char *glovebox_result_stdout(const glovebox_result *result, size_t *ret_n);
GLOVEBOX_API const char *glovebox_result_stderr(const glovebox_result *result, size_t *ret_n);
GLOVEBOX_API int64_t glovebox_result_duration_ms(const glovebox_result *result);
GLOVEBOX_API int64_t glovebox_result_cpu_ms(const glovebox_result *result);
GLOVEBOX_API int64_t glovebox_result_max_memory_bytes(const glovebox_result *result);
/* New and changed files of the workspace. */
GLOVEBOX_API size_t glovebox_result_file_count(const glovebox_result *result);
/* A path relative to the workspace, as the guest's bytes; NULL when i is out of range. */
GLOVEBOX_API const char *glovebox_result_file_path(const glovebox_result *result, size_t i);
GLOVEBOX_API int64_t glovebox_result_file_size(const glovebox_result *result, size_t i);
/* One line when the failure is not the program's (no interpreter, no jail, wrong options), else
 * NULL. */
GLOVEBOX_API const char *glovebox_result_error(const glovebox_result *result);
/* Whose failure it was: "guest", the program's own; "refused", by the guard or a policy; "limit",
 * it came to one of its limits; "ours", that of the request, of this host or of Glovebox, or it was
 * stopped: this says nothing about the program. NULL after a success. */
GLOVEBOX_API const char *glovebox_result_error_type(const glovebox_result *result);
/* Everything, as the JSON document that `glovebox run --json` prints, or after glovebox_test
 * `glovebox test --json`. "missing" lists the layers that did not hold and why, "warnings" the
 * limits that do not and that there is no wall (backend "host"). */
GLOVEBOX_API const char *glovebox_result_json(glovebox_result *result);

/* As JSON: the value of a cell's last expression, NULL for none; what it displayed, a list of
 * {"kind", "data": {"text/plain": ..., "image/png": base64, ...}, "metadata", "dropped"}; its final
 * answer, NULL for none. */
GLOVEBOX_API const char *glovebox_result_value(glovebox_result *result);
GLOVEBOX_API const char *glovebox_result_results(glovebox_result *result);
GLOVEBOX_API const char *glovebox_result_final_answer(glovebox_result *result);

/* ---- What the guard said ---- */
/* 1 when the guard let the program pass, or was not asked; 0 when it refused, or nothing could be
 * started. */
GLOVEBOX_API int glovebox_result_allowed(const glovebox_result *result);
/* Why it refused, or what it remarks, in one line or as the profile prescribes; "" for nothing. */
GLOVEBOX_API const char *glovebox_result_reason(const glovebox_result *result);
/* The points of all findings. */
GLOVEBOX_API int glovebox_result_risk(const glovebox_result *result);
/* What it found, also in a program that passed, in the order of the text. The strings are NULL when
 * i is out of range. */
GLOVEBOX_API size_t glovebox_result_finding_count(const glovebox_result *result);
/* The rule's name, such as "import-forbidden"; `glovebox check --explain NAME` explains it. */
GLOVEBOX_API const char *glovebox_result_finding_rule(const glovebox_result *result, size_t i);
/* "info", "low", "medium", "high" or "critical". */
GLOVEBOX_API const char *glovebox_result_finding_severity(const glovebox_result *result, size_t i);
/* 1 when it is a reason to refuse the program. */
GLOVEBOX_API int glovebox_result_finding_refuses(const glovebox_result *result, size_t i);
GLOVEBOX_API const char *glovebox_result_finding_message(const glovebox_result *result, size_t i);
/* What to do instead; NULL for nothing. */
GLOVEBOX_API const char *glovebox_result_finding_hint(const glovebox_result *result, size_t i);
/* From 1, the column in characters; 0 when unknown. */
GLOVEBOX_API int64_t glovebox_result_finding_line(const glovebox_result *result, size_t i);
GLOVEBOX_API int64_t glovebox_result_finding_column(const glovebox_result *result, size_t i);

/* ---- What its author should know ---- */
/* The error that ended the program, such as "ValueError"; NULL for none. */
GLOVEBOX_API const char *glovebox_result_exception_type(const glovebox_result *result);
GLOVEBOX_API const char *glovebox_result_exception_message(const glovebox_result *result);
/* The line of the program, from 1; 0 when unknown. */
GLOVEBOX_API int64_t glovebox_result_exception_line(const glovebox_result *result);
/* Pieces of advice about what failed, the most useful first; none after a success. */
GLOVEBOX_API size_t glovebox_result_feedback_count(const glovebox_result *result);
/* NULL when i is out of range. */
GLOVEBOX_API const char *glovebox_result_feedback(const glovebox_result *result, size_t i);
/* All of it as one message for the model that wrote the program, "" after a success. */
GLOVEBOX_API const char *glovebox_result_feedback_text(glovebox_result *result);

/* ---- What came of the tests; 0 and NULL after anything but glovebox_test ---- */
GLOVEBOX_API size_t glovebox_result_test_count(const glovebox_result *result);
GLOVEBOX_API size_t glovebox_result_tests_passed(const glovebox_result *result);
/* Cases that neither passed nor failed: they could not be judged, for a reason that is not the
 * program's. */
GLOVEBOX_API size_t glovebox_result_test_errors(const glovebox_result *result);
/* 1 when the verdict is about the program, which could not reach its judge; 0 when something of
 * ours failed, or the wall lacked a part that this needs. The second says why, else NULL. */
GLOVEBOX_API int glovebox_result_trustworthy(const glovebox_result *result);
GLOVEBOX_API const char *glovebox_result_doubt(const glovebox_result *result);
/* The weight of what passed, of all: from 0 to 1; -1 when there is no score, because there were no
 * cases or one could not be judged. */
GLOVEBOX_API double glovebox_result_score(const glovebox_result *result);
/* A case's name, in the order of the cases; NULL when i is out of range. */
GLOVEBOX_API const char *glovebox_result_test_name(const glovebox_result *result, size_t i);
GLOVEBOX_API int glovebox_result_test_passed(const glovebox_result *result, size_t i);
/* How it calls, such as "add(2, k=3)", cut; NULL for a whole program. */
GLOVEBOX_API const char *glovebox_result_test_call(const glovebox_result *result, size_t i);
/* As glovebox_result_error_type; NULL when it passed. A wrong answer is "guest". */
GLOVEBOX_API const char *glovebox_result_test_error_type(const glovebox_result *result, size_t i);
/* "OK", or what is wrong. */
GLOVEBOX_API const char *glovebox_result_test_detail(const glovebox_result *result, size_t i);

/* ---- Code out of a model's reply ---- */
/* Both take options as `glovebox blocks` has them, names and values in turn and a NULL behind, such
 * as {"profile", "adk", "lang", "python,bash", "first", "true", NULL}; NULL for none. */

/* All blocks, as the JSON list that `glovebox blocks --json` prints, "[]" for none; the profiles
 * smolagents-json and kodeagent give an object. The caller frees it with glovebox_free. NULL, and
 * glovebox_error says why. */
GLOVEBOX_API char *glovebox_blocks(glovebox *box, const char *reply, size_t n,
                                   const char *const *options);
/* The code that is to be run, with a NUL after the last byte; ret_n may be NULL. The caller frees
 * it with glovebox_free. NULL when there is none, and glovebox_error says why, in words that may be
 * sent to the model. */
GLOVEBOX_API char *glovebox_code(glovebox *box, const char *reply, size_t n,
                                 const char *const *options, size_t *ret_n);
/* What language a program is in, such as "python", by its file's name, which may be NULL, its #!
 * line and its text: a constant, "python" also when there is no sign of a language. */
GLOVEBOX_API const char *glovebox_detect_language(const char *file, const char *code, size_t n);

/* ---- Results into text for a model ---- */
/* A result as text in a profile of `glovebox format`; NULL is "markdown". There is a NUL after the
 * last byte; ret_n may be NULL. The caller frees it with glovebox_free. NULL, and glovebox_error
 * says why. */
GLOVEBOX_API char *glovebox_format(glovebox *box, glovebox_result *result, const char *profile,
                                   size_t *ret_n);
/* The same from a result's JSON document. */
GLOVEBOX_API char *glovebox_format_json(glovebox *box, const char *json, size_t n,
                                        const char *profile, size_t *ret_n);
/* The way back: the outputs in a text that was made in the profile "markdown" or "adk", as a JSON
 * list of strings. The caller frees it with glovebox_free. NULL, and glovebox_error says why. */
GLOVEBOX_API char *glovebox_extract(glovebox *box, const char *text, size_t n, const char *profile);

#ifdef __cplusplus
}
#endif

#endif
