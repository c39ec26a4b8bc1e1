/* SPDX-License-Identifier: Apache-2.0
 *
 * Clients of MCP: the files that they read, and the form of an entry in each.
 */
#ifndef CONSOLE_MCP_CLIENTS_H
#define CONSOLE_MCP_CLIENTS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/err.h"

#define SERVER "glovebox"
#define TOKEN  "GLOVEBOX_TOKEN" /* the variable that has the daemon's token */

enum file_kind { FILE_JSON, FILE_TOML, FILE_YAML };
/* The members of an entry, beside those of most clients: command, args; url, headers. */
enum entry_form { ENTRY_USUAL, ENTRY_ZED, ENTRY_OPENCODE, ENTRY_GOOSE };

/* A path without a slash at its beginning is below the home folder; the project's is below the
 * current folder. */
struct client {
    const char *name, *title, *path;
    const char *project; /* the file of a project; NULL: the client has none */
    const char *section; /* the object with the servers */
    enum file_kind kind;
    enum entry_form form;
    /* the member "type" of an entry that starts a program, and of one with a daemon's address;
     * NULL: it has none */
    const char *program_type, *address_type;
    const char *address;    /* the member for a daemon's address */
    const char *no_address; /* why there is none */
    const char *token;      /* how the client writes a variable of the environment */
    /* The client's own command that adds a server. `add` is before the program, `before_args` is
     * before the program's arguments; if it is "%", the entry follows as JSON instead. NULL: there
     * is no such command. */
    const char *add, *before_args;
};

/* NULL with *err; NULL as the name is an error, too. */
const struct client *client_find(const char *option, const char *name, struct err *err);

/* The entry that starts a program. Takes both values over. */
json_t *client_entry(const struct client *client, json_t *program, json_t *arguments);
/* The entry with a daemon's address, given as HOST:PORT or as a URL. */
json_t *client_entry_at(const struct client *client, const char *given);

#endif
