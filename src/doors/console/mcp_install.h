/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox mcp --install`: the configuration that makes a client start the server.
 */
#ifndef CONSOLE_MCP_INSTALL_H
#define CONSOLE_MCP_INSTALL_H

#include "request/settings.h"

struct mcp_install {
    char *client;           /* its name */
    char *remove;           /* the client whose entry is removed; NULL: none */
    bool project;           /* in the client's file of the current folder */
    bool shows;             /* the command says what is shown: --ro, --rw or --roots */
    bool write;             /* into the client's file; otherwise to standard output */
    char *http;             /* the daemon's address; NULL: the client starts this program */
    const char *config;     /* the file of --config; NULL for none */
    const char *token_file; /* the file of --token-file; NULL for none */
};

/* Writes a configuration that starts this program with the options of this command line. 0, or -1
 * with *err; then the file is not changed. */
int mcp_install(const struct mcp_install *install, const struct settings *settings, int argc,
                char **argv, struct err *err);

#endif
