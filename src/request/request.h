/* SPDX-License-Identifier: Apache-2.0
 *
 * A front door's request, as plain data. Everything is lent: it must live until session_run
 * returns.
 */
#ifndef REQUEST_REQUEST_H
#define REQUEST_REQUEST_H

#include "base/str.h"
#include "jail/layers.h"
#include "jail/limits.h"
#include "languages/language.h"

struct backend;
struct backend_pool;
struct json_t;
struct run_record;

/* A text that can run with the program, and is not its code. */
struct beside_text {
    const char *what; /* the name of a file, or in words */
    struct str text;
    const char
        *language;      /* whose text it is; NULL: no profile judges it, only a reviewer reads it */
    const char *unread; /* why it cannot be read, if it is no text; or NULL */
    bool follows;       /* it runs after the code, with the code's names */
};

/* Receives the record that would be written to the run log: a daemon writes it in another thread,
 * and later. Called in the thread of the run; it must copy the record. -1 with *err when it is
 * lost, or may be, because the log fails at present. */
struct run_sink {
    int (*append)(void *ctx, const struct run_record *record, struct err *err);
    void *ctx;
};

struct reviewer; /* request/reviewer.h */

struct run_request {
    struct str code;
    struct python_text *text; /* for its tree, if the caller has it or needs it; or NULL */
    const char *file;         /* its name, for messages and detection; NULL for text without one */
    const char *language;     /* hint; NULL or "auto" to detect */
    const struct language_table *languages;
    const char
        *python; /* for programs in Python: a version or a path (languages/pythons.h); or NULL */
    char *const *args; /* the program's own; NULL-terminated, or NULL */

    char *const *files; /* SRC[:NAME] specs of host files and folders; NULL-terminated, or NULL */
    const struct named_bytes *inputs; /* by their paths in the workspace */
    size_t input_count;
    const char *work_dir;        /* a host folder that is the workspace, kept between runs */
    bool work_dir_kept;          /* true: the guest has a copy of it, and nothing is written back */
    const char *const *withheld; /* files hidden from the guest, wherever they are; or NULL */
    const char *out_dir;         /* where new and changed files are copied to */

    int stdin_fd;     /* -1 for an empty input */
    char *const *env; /* K=V, or K to pass the host's value on; NULL-terminated, or NULL */
    char *const *ro;  /* SRC[:DST] host paths to show; NULL-terminated, or NULL */
    /* Absolute paths inside at which folders of the workspace are shown, too; NULL-terminated, or
     * NULL. */
    char *const *writable;

    uint64_t owner;                    /* in a daemon: a number for each owner */
    const char *backend;               /* NULL: jail */
    const struct backend *own_backend; /* instead of a named one; or NULL */
    struct backend_pool *pool;  /* (backends/pool.h), lent; NULL: nothing is ready in advance */
    const char *image;          /* of the container, where the backend has them; or NULL */
    const char *runtime;        /* the same; NULL: the engine's default */
    const char *dockerfile;     /* a file or a folder to build the image from; or NULL */
    struct str dockerfile_text; /* or its text; .p NULL for none */
    const struct named_bytes *build_files; /* that the text can copy */
    size_t build_file_count;
    char *const *pip; /* texts with packages (languages/pip_packages.h); NULL-terminated, or NULL */
    bool allow_unsafe;
    bool net_host;
    layer_mask without;
    layer_mask required;
    struct jail_limits limits;
    /* What the user set is refused if it cannot be enforced: bits 1 << enum jail_limit. */
    unsigned asked;
    bool asked_no_net; /* a closed network */
    uint64_t output_limit;
    int retries;
    int64_t retry_delay_ms;

    bool cold;                       /* nothing is shared with other runs, not even a zygote */
    bool no_check;                   /* run it without the guard */
    bool review;                     /* the reviewer must approve the program, even with no_check */
    const struct reviewer *reviewer; /* lent; NULL: nothing is approved */
    bool only_read;    /* refuse every program that the guard cannot read, whatever the profile */
    bool reads_beside; /* guard and reviewer also read files and `beside` before anything runs */
    const struct beside_text *beside; /* more texts that will run: calls of cases, a checker */
    size_t beside_count;
    const char *profile; /* a policy's name or file; NULL: "standard", "host" without a wall */
    char *const *allow_imports, *const *forbid_imports; /* "a,b.*"; NULL-terminated, or NULL */
    unsigned target; /* Python 3.N; 0: the version in the interpreter's name, or else the newest */
    const char *prelude;     /* a file of ours that runs before the code */
    struct str prelude_text; /* instead of that file; .p NULL for none */

    const char *context; /* a JSON document that outlives the run (context/context.h), or NULL */
    const struct json_t
        *context_document;  /* or that document itself: the result has a changed copy */
    const char *invocation; /* the key of errors, results and explored files in it; NULL for none */
    const char *execution_id; /* to be written into the context, or NULL */
    char *const *data;        /* NAME=FILE.json, bound to variables; NULL-terminated, or NULL */
    const struct named_bytes *values; /* the same as names and JSON texts */
    size_t value_count;
    bool optimize_data; /* read the CSV files among the inputs, and report their contents */

    const char *log; /* the log file; NULL for the default, "off" for none */
    bool log_code;
    const struct run_sink *sink; /* used instead of a log; or NULL */
};

/* The defaults of request.def as settings_request makes them: 30 s, 512 MiB, and so on. */
void run_request_init(struct run_request *request);
bool request_has_prelude(const struct run_request *request);
/* The name of the image that is asked for, or of the Dockerfile; NULL for none. */
const char *request_image(const struct run_request *request);

#define RUN_SOURCE_MAX       (16u << 20)
#define RUN_DOCKERFILE_MAX   (1u << 20)
/* The maximum that execve takes for one argument, or for a variable with its name. */
#define RUN_ARGUMENT_MAX     ((128u << 10) - 1)
/* The smallest value of a limit that is not 0; the jail's own folders and descriptors count. */
#define RUN_INODES_LEAST     8u
#define RUN_OPEN_FILES_LEAST 8u
#define RUN_BYTES_LEAST      4096u /* of memory and disk: a page */

#endif
