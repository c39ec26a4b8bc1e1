/* SPDX-License-Identifier: Apache-2.0
 *
 * `glovebox mcp --install`: the configuration with which a client starts the server.
 */
#ifndef CLI_MCP_INSTALL_H
#define CLI_MCP_INSTALL_H

#include "request/settings.h"

struct mcp_install {
    char *client;           /* its name */
    bool write;             /* into its file; else to standard output */
    char *http;             /* the daemon's address; NULL: the client starts this program */
    const char *config;     /* the file of --config; NULL for none */
    const char *token_file; /* the same of --token-file */
};

/* The client starts this program with the options of this command line. 0, or -1 with *err; a file
 * is then as it was. */
int mcp_install(const struct mcp_install *install, const struct settings *settings, int argc,
                char **argv, struct err *err);

#endif
