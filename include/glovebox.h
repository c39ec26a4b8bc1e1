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
 * A handle is used by one thread at a time; threads that run side by side each open their own. A
 * run is tied to the thread that called glovebox_run. Link with -lglovebox; the helper program
 * glovebox-jail must be beside the library, where `make install` puts it, or where the variable
 * GLOVEBOX_JAIL says.
 *
 * Strings are UTF-8 unless said otherwise. When memory is out, the library prints a line and
 * aborts; what a guest can make large has a limit and never comes to that.
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

/* The version of the library, such as "0.1.0". */
GLOVEBOX_API const char *glovebox_version(void);

/* ---- The handle ---- */

/* A handle with every option at its default. It reads no config file and no environment. The caller
 * closes it. */
GLOVEBOX_API glovebox *glovebox_open(void);
/* Frees the handle; NULL is fine. Results live on. */
GLOVEBOX_API void glovebox_close(glovebox *box);

/* Sets an option by the name it has on the command line, without dashes: "timeout" "5s", "memory"
 * "256m", "file" "data.csv:in/data.csv", "net" "host", "log" "off" (see `glovebox run --help`).
 * Lists grow with each call; flags take "true" or "false". 0, or -1 and glovebox_error says why. */
GLOVEBOX_API int glovebox_set(glovebox *box, const char *name, const char *value);
/* Puts a file into the workspace of every run of this handle; name is a relative path inside, the
 * bytes are copied. 0 or -1. */
GLOVEBOX_API int glovebox_add_file(glovebox *box, const char *name, const void *bytes, size_t n);
/* What the next runs read as standard input, copied; without it the input is empty. */
GLOVEBOX_API void glovebox_set_stdin(glovebox *box, const void *bytes, size_t n);

/* Called with output as it comes, from inside glovebox_run; stream is 1 or 2, the bytes are any
 * bytes. */
typedef void (*glovebox_output_fn)(void *ctx, int stream, const char *bytes, size_t n);
GLOVEBOX_API void glovebox_on_output(glovebox *box, glovebox_output_fn fn, void *ctx);

/* The message of the last call that failed on this handle, "" if none did. Valid until the next
 * call. */
GLOVEBOX_API const char *glovebox_error(const glovebox *box);

/* ---- Running ---- */

/* Runs a program to its end and gives a result that the caller frees; never NULL: what went wrong
 * is in the result (glovebox_result_error). language may be NULL to detect it; args may be NULL,
 * else ends with a NULL. */
GLOVEBOX_API glovebox_result *glovebox_run(glovebox *box, const char *language, const char *code,
                                           size_t n, const char *const *args);
/* Reads a program as glovebox_run does before it starts anything, and runs nothing: the result, the
 * caller's to free and never NULL, has a verdict and is otherwise that of a program that was not
 * started. Options such as "profile", "allow-imports" and "target" say what is allowed. */
GLOVEBOX_API glovebox_result *glovebox_check(glovebox *box, const char *language, const char *code,
                                             size_t n);
/* Ends the present run of this handle at once. May be called from another thread or a signal
 * handler. */
GLOVEBOX_API void glovebox_cancel(glovebox *box);

/* ---- Results; what they point to belongs to the result ---- */

/* Frees the result; NULL is fine. */
GLOVEBOX_API void glovebox_result_free(glovebox_result *result);

/* 1 when the program was started, ended by itself and returned 0; else 0. */
GLOVEBOX_API int glovebox_result_success(const glovebox_result *result);
/* 1 when the guard let the program pass, or was not asked; 0 when it refused. */
GLOVEBOX_API int glovebox_result_allowed(const glovebox_result *result);
/* Why it refused, or what it remarks, in one line or as the profile prescribes; "" for nothing. */
GLOVEBOX_API const char *glovebox_result_reason(const glovebox_result *result);
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
/* Everything, as the JSON document that `glovebox run --json` prints. */
GLOVEBOX_API const char *glovebox_result_json(glovebox_result *result);

#ifdef __cplusplus
}
#endif

#endif
