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
 * examples/agent.c goes from a model's reply to the next message for the model.
 *
 * One thread at a time may use a handle; threads that run programs at the same time need a handle
 * each. A run belongs to the thread that called glovebox_run. After fork(), the child may run
 * programs with a handle of its parent, and close it, but must not use the parent's sessions.
 *
 * Link with -lglovebox. The helper program glovebox-jail must be beside the library, where `make
 * install` puts it, or at the path in the variable GLOVEBOX_JAIL.
 *
 * Strings are UTF-8 unless noted otherwise. When memory is exhausted, the library prints a line and
 * aborts. Everything that a guest can make large has a limit, so a guest cannot cause this. After
 * glovebox_open, jansson does the same in the whole process.
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
/* Frees what a function returns as `char *`; NULL is fine. */
GLOVEBOX_API void glovebox_free(void *p);

/* ---- The handle ---- */
/* Makes a handle with every option at its default. It reads no config file and no environment. The
 * caller closes it. */
GLOVEBOX_API glovebox *glovebox_open(void);
/* Frees the handle; NULL is fine. Results stay valid. Containers that the handle keeps ready are
 * removed first. */
GLOVEBOX_API void glovebox_close(glovebox *box);

/* Sets an option by its name on the command line, without dashes: "timeout" "5s", "memory" "256m",
 * "file" "data.csv:in/data.csv", "net" "host", "log" "off" (see `glovebox run --help`). Each call
 * for a list adds to it; flags take "true" or "false". There are further options for sessions, as
 * in `glovebox session new`: "value", "preload", "tools", "grace", "forks", "idle". 0, or -1 and
 * glovebox_error has the reason. */
GLOVEBOX_API int glovebox_set(glovebox *box, const char *name, const char *value);
/* Puts a file into the workspace of every run of this handle. `name` is a relative path in the
 * workspace; the bytes are copied. 0; or -1, and glovebox_error has the reason, for a name that
 * leaves the workspace or that another file has. */
GLOVEBOX_API int glovebox_add_file(glovebox *box, const char *name, const void *bytes, size_t n);
/* Sets the standard input of the next runs; the bytes are copied. Without it, the input is empty.
 */
GLOVEBOX_API void glovebox_set_stdin(glovebox *box, const void *bytes, size_t n);

/* Called from inside glovebox_run with all output, as soon as it is read; stream is 1 or 2. The
 * program waits until the function returns. */
typedef void (*glovebox_output_fn)(void *ctx, int stream, const char *bytes, size_t n);
GLOVEBOX_API void glovebox_on_output(glovebox *box, glovebox_output_fn fn, void *ctx);

/* The message of the last call that failed on this handle, "" if none failed. Valid until the next
 * call. */
GLOVEBOX_API const char *glovebox_error(const glovebox *box);

/* ---- Running ---- */
/* Runs a program until it ends and returns a result, which the caller frees. It is never NULL: an
 * error is in the result (glovebox_result_error). language may be NULL to detect it; args may be
 * NULL, otherwise it ends with a NULL. With "backend" "docker", the handle keeps one or two
 * containers ready after its first run: a later run with the same options is faster. */
GLOVEBOX_API glovebox_result *glovebox_run(glovebox *box, const char *language, const char *code,
                                           size_t n, const char *const *args);
/* Reads a program as glovebox_run does first, and runs nothing. The result has a verdict and is
 * otherwise the result of a program that was not started; it is never NULL, and the caller frees
 * it. Options such as "profile" and "target" decide what is allowed. */
GLOVEBOX_API glovebox_result *glovebox_check(glovebox *box, const char *language, const char *code,
                                             size_t n);
/* Calls a function of the program, or runs the whole program, as each case demands, and compares
 * the results. Expected values never get into the sandbox. cases is m bytes of JSON, as `glovebox
 * test --cases` reads it; without cases (m is 0, or the list is empty) the program only has to run.
 * The options "func", "setup", "isolate", "strict-stderr", "compare" and "checker" have the same
 * meaning as there. The function of glovebox_on_output is not called. The result is never NULL; the
 * caller frees it. */
GLOVEBOX_API glovebox_result *glovebox_test(glovebox *box, const char *language, const char *code,
                                            size_t n, const char *cases, size_t m);
/* Ends the current run of this handle immediately. Any thread or a signal handler may call it. */
GLOVEBOX_API void glovebox_cancel(glovebox *box);

/* ---- Sessions: variables, imports, open files and workspace last from cell to cell ---- */
/* Opens a session with the handle's options, which stay as they are until it is closed; limits on
 * time apply to each cell. Without forks, the session ends with the thread that opened it. One
 * thread at a time may use it. NULL, and glovebox_error has the reason. */
GLOVEBOX_API glovebox_session *glovebox_session_open(glovebox *box, const char *language);
/* Ends and frees the session; call it before glovebox_close. NULL is fine. Results stay valid. */
GLOVEBOX_API void glovebox_session_close(glovebox_session *session);
/* Runs a cell, as glovebox_run runs a program. A cell that takes too long is interrupted, or
 * killed. */
GLOVEBOX_API glovebox_result *glovebox_session_exec(glovebox_session *s, const char *code,
                                                    size_t n);
/* Interrupts the running cell, like Ctrl-C; any thread may call it. 1, or 0 if no cell runs. */
GLOVEBOX_API int glovebox_session_interrupt(glovebox_session *session);
/* Set a variable from JSON, or return its value as JSON, which the caller frees with glovebox_free.
 * An object {"$type": ...} stands for a value that JSON cannot express. On failure -1 or NULL, and
 * glovebox_session_error has the reason. */
GLOVEBOX_API int glovebox_session_set(glovebox_session *s, const char *name, const char *json);
GLOVEBOX_API char *glovebox_session_get(glovebox_session *s, const char *name);
/* Sets how many levels deep new sessions may be forked (Python only; the default is any number). 0
 * saves the interpreter that waits for a fork. */
GLOVEBOX_API void glovebox_set_forks(glovebox *box, int levels);
/* Returns a session that begins with the current state of this one, and a copy of its files. They
 * share nothing, and may be closed in any order. NULL, and glovebox_session_error has the reason.
 */
GLOVEBOX_API glovebox_session *glovebox_session_fork(glovebox_session *session);
/* Runs a cell that is undone unless it succeeds (keep 1), unless its session is still alive (keep
 * 2), or in any case (keep 0). glovebox_result_kept returns 1 if the cell was kept and 0 if it was
 * undone; -1 for a cell that was not tried; -2 for a cell that could not be undone, because it
 * reached the copy of the earlier state: the session has ended. */
GLOVEBOX_API glovebox_result *glovebox_session_try(glovebox_session *s, const char *code, size_t n,
                                                   int keep);
GLOVEBOX_API int glovebox_result_kept(const glovebox_result *result);
/* Starts a new guest, also for a session that died: files are kept, variables are lost. 0, or -1.
 */
GLOVEBOX_API int glovebox_session_restart(glovebox_session *session);
/* Replaces what the session and its forks may reach, at once: "none", or "allow:HOST,..." at ports
 * that its first "net" named. Another thread may run a cell meanwhile; connections that are not
 * allowed any more end. 0, or -1. */
GLOVEBOX_API int glovebox_session_set_network(glovebox_session *session, const char *net);
/* Returns what it may reach now: "none", "host", or "allow:HOST,..."; the caller frees it with
 * glovebox_free. */
GLOVEBOX_API char *glovebox_session_network(glovebox_session *session);
/* The message of the last call that failed on this session, "" if none failed. */
GLOVEBOX_API const char *glovebox_session_error(const glovebox_session *session);
/* A function of the host that cells can call; it is called inside glovebox_session_exec. args is a
 * JSON list, kwargs a JSON object. Returns JSON, or NULL with the reason in *error: the guest gets
 * a RuntimeError, or an exception of the type that is at the beginning, as in "ValueError: no".
 * Both strings come from malloc; the library frees them. */
typedef char *(*glovebox_tool_fn)(void *ctx, const char *args, const char *kwargs, char **error);
/* glovebox_on_tool adds a tool to sessions that are opened after this call; description may be
 * NULL. 0, or -1. glovebox_on_final_answer decides whether they have final_answer(value), which
 * ends a cell with that value. */
GLOVEBOX_API int glovebox_on_tool(glovebox *box, const char *name, const char *description,
                                  glovebox_tool_fn fn, void *ctx);
/* As glovebox_on_tool, with parameters, which cells see in help() and which calls must match.
 * parameters is the JSON of a list of names, of a list of objects such as {"name": "n", "type":
 * "int", "default": 1}, or a JSON Schema. */
GLOVEBOX_API int glovebox_on_typed_tool(glovebox *box, const char *name, const char *description,
                                        const char *parameters, glovebox_tool_fn fn, void *ctx);
/* As glovebox_on_typed_tool, for an open session; replaces a tool with that name. parameters may be
 * NULL. */
GLOVEBOX_API int glovebox_session_on_tool(glovebox_session *s, const char *name,
                                          const char *description, const char *parameters,
                                          glovebox_tool_fn fn, void *ctx);
GLOVEBOX_API int glovebox_session_remove_tool(glovebox_session *s, const char *name);
GLOVEBOX_API void glovebox_on_final_answer(glovebox *box, int on);

/* ---- Language models ---- */
/* With the option "review", the model reads every program before it runs, and may refuse it. The
 * model is chosen as for a task. Open sessions keep the model with which they were opened. */
/* Gives a task to a model, waits for its end, and returns the document that the command with this
 * name prints with --json. The caller frees it with glovebox_free. `name` is "generate", "solve",
 * "fix", "transform", "math" or "analyze" (which reads the files of glovebox_add_file). json, n
 * bytes, is an object such as {"task": "print 20 primes"}, with the fields that only POST /v1/NAME
 * has. Programs are run with the handle's options. The model is chosen by "model", "provider",
 * "model-url", "key-file" and similar options; the task is bounded by "steps", "token-limit",
 * "cost-limit" and "task-timeout". The key is read from the environment, as by the commands. NULL
 * if no model was asked, and glovebox_error has the reason; otherwise the document says how the
 * task ended. glovebox_cancel ends the task. */
GLOVEBOX_API char *glovebox_task(glovebox *box, const char *name, const char *json, size_t n);
/* Called from inside glovebox_task with each event: a JSON object of n bytes, like a line of POST
 * /v1/NAME. glovebox_on_event takes NULL for no function. */
typedef void (*glovebox_event_fn)(void *ctx, const char *json, size_t n);
GLOVEBOX_API void glovebox_on_event(glovebox *box, glovebox_event_fn fn, void *ctx);

/* ---- Results; what they point to belongs to the result ---- */
/* Frees the result; NULL is fine. */
GLOVEBOX_API void glovebox_result_free(glovebox_result *result);

/* 1 if the program was started, ended by itself, returned 0, and passed all tests if there were
 * any; else 0. */
GLOVEBOX_API int glovebox_result_success(const glovebox_result *result);
/* The program's exit status; 128+N after signal N, 124 after a timeout, 137 out of memory, -1 if
 * nothing was started. */
GLOVEBOX_API int glovebox_result_exit_code(const glovebox_result *result);
/* The signal that killed it, 0 for none. */
GLOVEBOX_API int glovebox_result_signal(const glovebox_result *result);
GLOVEBOX_API int glovebox_result_timed_out(const glovebox_result *result);
GLOVEBOX_API int glovebox_result_oom_killed(const glovebox_result *result);
/* The program's output as bytes, with a NUL after the last byte. If there is more than the limit,
 * the middle is left out. ret_n may be NULL. */
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
/* The reason in one line if the failure is not the program's (no interpreter, no jail, wrong
 * options), else NULL. */
GLOVEBOX_API const char *glovebox_result_error(const glovebox_result *result);
/* The kind of the failure. "guest": by the program itself; "refused": by the guard or a policy;
 * "limit": the program reached a limit; "ours": by the request, this host or Glovebox, or the run
 * was cancelled, which says nothing about the program. NULL after a success. */
GLOVEBOX_API const char *glovebox_result_error_type(const glovebox_result *result);
/* The whole result, as the JSON document of `glovebox run --json`, or after glovebox_test of
 * `glovebox test --json`. "missing" lists the layers that the run did not have, with the reasons.
 * "warnings" lists the limits that it did not have, and whether there was no wall (backend "host").
 */
GLOVEBOX_API const char *glovebox_result_json(glovebox_result *result);

/* As JSON, NULL for none: the value of a cell's last expression; its displays, as a list of
 * {"kind", "data": {"text/plain": ..., "image/png": base64, ...}, "metadata", "dropped"}; its final
 * answer. */
GLOVEBOX_API const char *glovebox_result_value(glovebox_result *result);
GLOVEBOX_API const char *glovebox_result_results(glovebox_result *result);
GLOVEBOX_API const char *glovebox_result_final_answer(glovebox_result *result);

/* ---- The guard's verdict ---- */
/* 1 if the guard allowed the program or was not asked; 0 if it refused the program, or if nothing
 * could be started. */
GLOVEBOX_API int glovebox_result_allowed(const glovebox_result *result);
/* Why the guard refused the program, or its remark, in one line or in the form of the profile; ""
 * for none. */
GLOVEBOX_API const char *glovebox_result_reason(const glovebox_result *result);
/* The sum of the scores of all findings. */
GLOVEBOX_API int glovebox_result_risk(const glovebox_result *result);
/* The number of findings, which a program that passed may have, too. They are in the order of the
 * text. The strings below are NULL when i is out of range. */
GLOVEBOX_API size_t glovebox_result_finding_count(const glovebox_result *result);
/* The rule's name, such as "import-forbidden"; `glovebox check --explain NAME` explains it. */
GLOVEBOX_API const char *glovebox_result_finding_rule(const glovebox_result *result, size_t i);
/* "info", "low", "medium", "high" or "critical". */
GLOVEBOX_API const char *glovebox_result_finding_severity(const glovebox_result *result, size_t i);
/* 1 if this finding is a reason to refuse the program. */
GLOVEBOX_API int glovebox_result_finding_refuses(const glovebox_result *result, size_t i);
GLOVEBOX_API const char *glovebox_result_finding_message(const glovebox_result *result, size_t i);
/* What to do instead; NULL for none. */
GLOVEBOX_API const char *glovebox_result_finding_hint(const glovebox_result *result, size_t i);
/* Line and column, from 1; the column is in characters. 0 if unknown. */
GLOVEBOX_API int64_t glovebox_result_finding_line(const glovebox_result *result, size_t i);
GLOVEBOX_API int64_t glovebox_result_finding_column(const glovebox_result *result, size_t i);

/* ---- Feedback for the program's author ---- */
/* The error that ended the program, such as "ValueError"; NULL for none. */
GLOVEBOX_API const char *glovebox_result_exception_type(const glovebox_result *result);
GLOVEBOX_API const char *glovebox_result_exception_message(const glovebox_result *result);
/* The line in the program, from 1; 0 if unknown. */
GLOVEBOX_API int64_t glovebox_result_exception_line(const glovebox_result *result);
/* The number of hints about the failure, the most useful first; 0 after a success. */
GLOVEBOX_API size_t glovebox_result_feedback_count(const glovebox_result *result);
/* NULL when i is out of range. */
GLOVEBOX_API const char *glovebox_result_feedback(const glovebox_result *result, size_t i);
/* All feedback as one message for the model that wrote the program, "" after a success. */
GLOVEBOX_API const char *glovebox_result_feedback_text(glovebox_result *result);

/* ---- The results of the tests; 0 and NULL after anything but glovebox_test ---- */
GLOVEBOX_API size_t glovebox_result_test_count(const glovebox_result *result);
GLOVEBOX_API size_t glovebox_result_tests_passed(const glovebox_result *result);
/* The number of cases that neither passed nor failed: they could not be judged, for a reason that
 * is not the program's. */
GLOVEBOX_API size_t glovebox_result_test_errors(const glovebox_result *result);
/* 1 if the verdict is about the program, which could not influence its judge; 0 if something of
 * ours failed, or if the wall lacked a necessary part. glovebox_result_doubt returns the reason,
 * else NULL. */
GLOVEBOX_API int glovebox_result_trustworthy(const glovebox_result *result);
GLOVEBOX_API const char *glovebox_result_doubt(const glovebox_result *result);
/* The weight of the passed cases divided by the weight of all: from 0 to 1; -1 if there is no
 * score, because there were no cases or one could not be judged. */
GLOVEBOX_API double glovebox_result_score(const glovebox_result *result);
/* A case's name, in the order of the cases; NULL when i is out of range. */
GLOVEBOX_API const char *glovebox_result_test_name(const glovebox_result *result, size_t i);
GLOVEBOX_API int glovebox_result_test_passed(const glovebox_result *result, size_t i);
/* The call, such as "add(2, k=3)", cut if it is long; NULL for a whole program. */
GLOVEBOX_API const char *glovebox_result_test_call(const glovebox_result *result, size_t i);
/* As glovebox_result_error_type, for one case; NULL if it passed. A wrong answer is "guest". */
GLOVEBOX_API const char *glovebox_result_test_error_type(const glovebox_result *result, size_t i);
/* What came of a case, and of the whole test by its first case that did not pass: "passed",
 * "wrong", "exception", "timeout", "memory", "refused", "exited" or "ours". NULL when i is out of
 * range. */
GLOVEBOX_API const char *glovebox_result_test_outcome(const glovebox_result *result, size_t i);
GLOVEBOX_API const char *glovebox_result_outcome(const glovebox_result *result);
/* "OK", or the reason why the case failed. */
GLOVEBOX_API const char *glovebox_result_test_detail(const glovebox_result *result, size_t i);

/* ---- Code from a model's reply ---- */
/* Both take the options of `glovebox blocks`: names and values in turn, with a NULL at the end,
 * such as {"profile", "adk", "lang", "python,bash", "first", "true", NULL}. NULL for no options. */

/* Returns all blocks, as the JSON list of `glovebox blocks --json`, "[]" for none; the profiles
 * smolagents-json and kodeagent return an object. The caller frees it with glovebox_free. NULL, and
 * glovebox_error has the reason. */
GLOVEBOX_API char *glovebox_blocks(glovebox *box, const char *reply, size_t n,
                                   const char *const *options);
/* Returns the code to run, with a NUL after the last byte; ret_n may be NULL. The caller frees it
 * with glovebox_free. NULL if there is none, and glovebox_error has the reason, which may be sent
 * to the model. */
GLOVEBOX_API char *glovebox_code(glovebox *box, const char *reply, size_t n,
                                 const char *const *options, size_t *ret_n);
/* Returns a program's language, such as "python", found by its file's name (which may be NULL), its
 * #! line and its text. The string is a constant; it is "python", too, if there is no sign of a
 * language. */
GLOVEBOX_API const char *glovebox_detect_language(const char *file, const char *code, size_t n);

/* ---- Results as text for a model ---- */
/* Returns a result as text in a profile of `glovebox format`; NULL is "markdown". There is a NUL
 * after the last byte; ret_n may be NULL. The caller frees it with glovebox_free. NULL, and
 * glovebox_error has the reason. */
GLOVEBOX_API char *glovebox_format(glovebox *box, glovebox_result *result, const char *profile,
                                   size_t *ret_n);
/* As glovebox_format, for the JSON document of a result. */
GLOVEBOX_API char *glovebox_format_json(glovebox *box, const char *json, size_t n,
                                        const char *profile, size_t *ret_n);
/* Extracts the outputs from a text that was made in the profile "markdown" or "adk". Returns a JSON
 * list of strings, which the caller frees with glovebox_free. NULL, and glovebox_error has the
 * reason. */
GLOVEBOX_API char *glovebox_extract(glovebox *box, const char *text, size_t n, const char *profile);

#ifdef __cplusplus
}
#endif

#endif
