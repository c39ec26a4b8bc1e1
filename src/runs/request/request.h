/* SPDX-License-Identifier: Apache-2.0
 *
 * A front door's request, as plain data. Everything is lent: it must live until run_program
 * returns.
 */
#ifndef REQUEST_REQUEST_H
#define REQUEST_REQUEST_H

#include "base/str.h"
#include "languages/language.h"
#include "limits/layers.h"
#include "limits/limits.h"

struct backend;
struct backend_pool;
struct json_t;
struct run_record;

/* A text that can run with the program and is not part of its code. */
struct beside_text {
    const char *what; /* the name of a file, or a description */
    struct str text;
    const char *language; /* NULL: no profile judges the text, only a reviewer reads it */
    const char *unread;   /* why it cannot be read, if it is not text; or NULL */
    bool follows;         /* it runs after the code, and can use the code's names */
};

/* Receives the record that would be written to the run log: a daemon writes it later, in another
 * thread. Called in the thread of the run; it must copy the record. -1 with *err if the record is
 * or may be lost, because the log currently fails. */
struct run_sink {
    int (*append)(void *ctx, const struct run_record *record, struct err *err);
    void *ctx;
};

struct reviewer; /* request/reviewer.h */

/* The program and its input, except files. */
struct request_program {
    struct str code;
    struct python_text *text; /* to keep the code's tree, if the caller has or needs it; or NULL */
    const char *file;         /* its name, for messages and detection; NULL if it has none */
    const char *language;     /* the language's name; NULL or "auto" to detect it */
    const struct language_table *languages;
    const char
        *python;       /* for Python programs: a version or a path (languages/pythons.h); or NULL */
    char *const *args; /* the arguments of the program; NULL-terminated, or NULL */
    int stdin_fd;      /* -1 for an empty input */
    char *const *env;  /* K=V, or K to pass the host's value; NULL-terminated, or NULL */
    const char *prelude; /* a file of ours that runs before the code */
    bool value; /* the value of a last expression is in the result, if the language can (Python) */
    struct str prelude_text; /* replaces that file; .p NULL for none */
};

/* The files at the start, and where files are written to. */
struct request_workspace {
    char *const *files; /* SRC[:NAME] specs of host files and folders; NULL-terminated, or NULL */
    const struct named_bytes *inputs; /* files with their paths in the workspace */
    size_t input_count;
    const char *work_dir; /* a host folder that is the workspace, kept between runs */
    const char *cwd;      /* the folder of the workspace in which the program starts; or NULL */
    bool work_dir_kept;   /* the guest gets a copy of work_dir, and nothing is written back */
    const char *const *withheld; /* files hidden from the guest, wherever they are; or NULL */
    const char *out_dir;         /* where new and changed files are copied to */
    char *const *ro; /* SRC[:DST] host paths to show read-only; NULL-terminated, or NULL */
    /* Absolute paths inside at which folders of the workspace are also shown; NULL-terminated, or
     * NULL. */
    char *const *writable;
    bool places;       /* links to it at the places of other sandboxes (views_add_places) */
    char *const *data; /* NAME=FILE.json, read into variables; NULL-terminated, or NULL */
    const struct named_bytes *values; /* more of these, as names and JSON texts */
    size_t value_count;
    bool optimize_data; /* read the CSV files among the inputs, and report their contents */
};

/* The backend and the wall of the run. */
struct request_place {
    const char *backend;               /* NULL: jail */
    const struct backend *own_backend; /* replaces the named backend; or NULL */
    struct backend_pool *pool;  /* lent (backends/pool.h); NULL: nothing is ready in advance */
    const char *image;          /* of the container, where the backend has containers; or NULL */
    const char *runtime;        /* of the container; NULL: the engine's default */
    const char *dockerfile;     /* a file or a folder to build the image from; or NULL */
    struct str dockerfile_text; /* or its text; .p NULL for none */
    const struct named_bytes *build_files; /* files that the Dockerfile can copy */
    size_t build_file_count;
    const char *environment; /* the name of one (environments/environments.h); or NULL */
    bool packages_given;     /* for this program, and not for all */
    bool only_known;         /* no package is fetched for it */
    char *const *pip; /* lists of packages (environments/requirement.h); NULL-terminated, or NULL */
    bool allow_unsafe;
    bool net_host;
    const char *net_rules; /* the hosts that it may reach (network/rules.h); or NULL */
    layer_mask without;
    layer_mask required;
    bool asked_no_net; /* the user chose a closed network */
    bool cold;         /* nothing is shared with other runs, not even a zygote */
};

/* The checks before the program runs, and their rules. */
struct request_policy {
    bool no_check;                   /* run the program without the guard */
    bool review;                     /* the reviewer must approve the program, even with no_check */
    const struct reviewer *reviewer; /* lent; NULL: no program is approved */
    bool only_read;    /* refuse every program that the guard cannot read, whatever the profile */
    bool reads_beside; /* guard and reviewer also read files and `beside` before anything runs */
    const struct beside_text *beside; /* more texts that will run: calls of cases, a checker */
    size_t beside_count;
    const char *profile; /* a policy's name or file; NULL: "standard", or "host" without a wall */
    char *const *allow_imports, *const *forbid_imports; /* "a,b.*"; NULL-terminated, or NULL */
    unsigned target; /* Python 3.N; 0: the version in the interpreter's name, or else the newest */
};

/* Set by the front door: the owner of the run, the number of attempts, and the log. */
struct request_door {
    uint64_t owner; /* in a daemon: a number that is different for each owner */
    int retries;
    int64_t retry_delay_ms;
    const char *log; /* the log file; NULL for the default, "off" for none */
    bool log_code;
    const struct run_sink *sink; /* replaces the log; or NULL */
};

/* A JSON document that outlives the run (text/context.h). */
struct request_context {
    const char *path;              /* its file, or NULL */
    const struct json_t *document; /* or the document itself: the result gets a changed copy */
    const char *invocation; /* the key of errors, results and explored files in it; NULL for none */
    const char *execution_id; /* written into the context, or NULL */
};

struct run_request {
    struct request_program program;
    struct request_workspace workspace;
    struct request_place place;
    struct request_policy policy;
    struct request_door door;
    struct request_context context;
    struct jail_limits limits;
    /* The limits that the user set, bits 1 << enum jail_limit: an error if one cannot be
     * enforced. */
    unsigned asked;
    uint64_t output_limit;
};

/* The defaults of request.def as settings_request makes them: 30 s, 512 MiB, and so on. */
void run_request_init(struct run_request *request);
bool request_has_prelude(const struct run_request *request);
/* Appends the names of the variables that come with the program, each followed by a NUL; only "*"
 * if there are too many. */
void request_given(const struct run_request *request, struct buf *ret);
/* Returns the name of the requested image, or of the Dockerfile; NULL for none. */
const char *request_image(const struct run_request *request);

#define RUN_SOURCE_MAX       (16u << 20)
#define RUN_DOCKERFILE_MAX   (1u << 20)
/* The maximum length that execve takes for one argument, or for a variable with its name. */
#define RUN_ARGUMENT_MAX     ((128u << 10) - 1)
/* The smallest values of limits that are not 0: the jail's own folders and descriptors count. */
#define RUN_INODES_LEAST     8u
#define RUN_OPEN_FILES_LEAST 8u
#define RUN_BYTES_LEAST      4096u /* of memory and of disk: a page */

#endif
