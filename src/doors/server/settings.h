/* SPDX-License-Identifier: Apache-2.0
 *
 * Settings of the operator: where the daemon listens, which clients it serves, and how much one of
 * them may use.
 *
 * A struct config is a set of settings that does not change. A reload makes a new config;
 * requests and sessions keep the config under which they began, and each holds a reference.
 */
#ifndef SERVER_SETTINGS_H
#define SERVER_SETTINGS_H

#include <stdatomic.h>

#include "hosting/tokens.h"
#include "mcp/mcp.h"
#include "network/rules.h"
#include "request/setting.h"
#include "review/review.h"

struct server_settings {
    struct settings common; /* first: its tables count on it */
    struct opt_list listen, host_names, allow, images;
    char *token_file, *access_log, *config;
    int access_format; /* 0: text, 1: JSON */
    bool quiet, print_config, lock_policy;
    struct opt_help help;
    bool background, stop, status, json;
    char *output;     /* messages of a daemon in the background are written to this file */
    int64_t end_with; /* the daemon stops when this process ends; 0: none */
    int64_t workers, queue, connections, sessions;
    int64_t drain_ms, header_ms, body_ms, idle_ms, session_idle_ms;
    uint64_t max_body, max_upload, max_collect, guests_memory;
    int64_t ceilings[SETTING_COUNT]; /* of one run: --max-NAME */
    struct opt_list models;          /* further models that clients may choose */
};

/* References are held by the server (the current config), and by each job and each opening of a
 * session (the config that it began with). They are counted without a lock, in any thread; the last
 * config_drop frees the config. After there is a second reference, only config_mcp changes it, in
 * the loop. */
struct config {
    atomic_uint references;
    struct server_settings settings;
    struct opt_set set;
    struct opt_args args;
    struct request_rules rules;
    struct net_rules nets;          /* of --allow net: */
    struct request_rules own_rules; /* for the daemon's own user, over its Unix socket */
    struct token_list tokens;
    struct review *review; /* the daemon's reviewer; NULL: it has none */
    unsigned owners;       /* config_owners */
    /* as `rules`, for the tools of /mcp, whose errors do not name the manual of the HTTP API */
    struct request_rules mcp_rules;
    struct mcp_service mcp; /* valid if has_mcp: see config_mcp */
    bool has_mcp;
};

/* Reads the command line, the environment, and the user's config file with its section [serve]. A
 * config file in the working folder is not read. NULL with *err; with --help only the command line
 * is read. `elsewhere` as in struct opt_set. */
struct config *config_make(int argc, char **argv, bool (*elsewhere)(struct str key),
                           struct err *err);
struct config *config_hold(struct config *config);
void config_drop(struct config *config); /* NULL is fine */
/* The number of owners: the different names of tokens, and the daemon's own user on the Unix
 * socket. */
unsigned config_owners(const struct config *config);
/* The service for clients of the Model Context Protocol, made at the first call. Only the loop may
 * call this. NULL with *err. */
const struct mcp_service *config_mcp(struct config *config, struct err *err);

/* For help. */
extern const struct opt serve_options[], serve_model_options[], ceiling_options[],
    background_options[], serve_general[];

#endif
