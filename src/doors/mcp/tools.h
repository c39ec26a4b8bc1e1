/* SPDX-License-Identifier: Apache-2.0
 *
 * The tools, one row each. Descriptions, schemas of arguments and results, and the readers of
 * arguments are made from the same tables.
 */
#ifndef MCP_TOOLS_H
#define MCP_TOOLS_H

#include "mcp/parts.h"
#include "request/run_ask.h"

/* A member of a structured result. */
struct tool_output {
    const char *name; /* NULL ends the table */
    const char *type; /* a type of JSON Schema; NULL: any value */
    bool maybe;       /* it may be null */
};

enum tool_session { TOOL_ALONE, TOOL_MAY_HAVE_SESSION, TOOL_IN_SESSION };
enum tool_hint {
    TOOL_READS = 1 << 0,    /* it changes nothing */
    TOOL_DESTROYS = 1 << 1, /* it may remove or overwrite something */
    TOOL_REPEATS = 1 << 2,  /* a second call with the same arguments changes nothing more */
};

struct mcp_tool {
    const char *name, *title, *about;
    struct ask_form form; /* of its arguments */
    const struct tool_output *output;
    void (*work)(struct mcp_call *call); /* in a worker */
    enum tool_session session;
    unsigned hints;
    bool runs;  /* the limits of the sandbox are added to the description */
    bool opens; /* it makes a session */
    bool closes;
};

extern const struct mcp_tool mcp_tools[]; /* ends with a row without a name */

const struct mcp_tool *tool_find(struct str name);
/* False if the server's owner has chosen other tools (--tools). */
bool tool_is_offered(const struct mcp_service *service, const struct mcp_tool *tool);
/* Appends a text of ours about the tools that are offered: a part "<NAME:text>" is only in it if
 * the tool NAME is offered, and "<!NAME:text>" if it is not. */
void tool_words(const struct mcp_service *service, const char *text, struct buf *ret);
/* The result of tools/list: the same for every client. */
json_t *tools_list(const struct mcp_service *service);
/* Begins the call of a tool. Takes the call over. */
void tools_call(struct mcp_call *call);

/* ---- for the tools ---- */

/* The settings that a tool's arguments are read into. */
struct tool_arguments {
    struct settings ask; /* first */
    const char *session_id, *path, *language;
    struct str command, content;
    int64_t timeout; /* in milliseconds */
    int64_t offset, limit;
    int encoding;
    struct request_parts parts;
    struct run_request request;
};
/* Reads the arguments. -1: the call has its failed result. Call tool_arguments_done in every case.
 */
int tool_arguments_read(struct mcp_call *call, struct tool_arguments *ret);
/* -1 with *err: the language is unknown, or the server does not offer it. */
int tool_check_offered(const struct mcp_call *call, const char *language, struct err *err);
void tool_arguments_done(struct tool_arguments *arguments);
/* True if a run with this limit had all the time that the server allows. */
bool tool_has_all_time(const struct mcp_call *call, int64_t wall_ms);

/* Sets the answer of a call: {content, structuredContent, isError}. Takes both values over. */
void tool_answer(struct mcp_call *call, json_t *content, json_t *structured, bool failed);
json_t *tool_text(struct str text);
/* An item that names a resource; NULL if the client does not know such items. */
json_t *tool_link(const struct mcp_call *call, const char *uri, struct str name, const char *mime,
                  int64_t size);

/* Sets the answer about a run or a cell (reply.c): text for the model, pictures as images, and the
 * structured result. `session` is the session's ID, or NULL for a run in a sandbox of its own,
 * whose files are kept now. */
void reply_run(struct mcp_call *call, const struct result *result, const char *session);

/* tool_run.c */
void tool_execute_code(struct mcp_call *call);
void tool_run_command(struct mcp_call *call);
/* tool_files.c */
void tool_write_file(struct mcp_call *call);
void tool_read_file(struct mcp_call *call);
void tool_list_files(struct mcp_call *call);
/* Puts the files of the argument `files` into the session. */
int tool_put_files(struct session *session, const struct request_parts *parts, struct err *err);
/* tool_check.c */
void tool_check_code(struct mcp_call *call);
void tool_test_code(struct mcp_call *call);
/* tool_session.c */
void tool_create_session(struct mcp_call *call);
void tool_fork_session(struct mcp_call *call);

#endif
