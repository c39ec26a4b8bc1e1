/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_OPENAPI_H
#define SERVER_OPENAPI_H

#include <jansson.h>

/* The OpenAPI 3.1 document, made from the routes and the tables of their fields; the caller
 * frees. It depends on nothing else, so the same text holds after SIGHUP. It takes milliseconds to
 * make: the server keeps one for all requests (server->openapi). */
char *openapi_text(void);
/* The schemas of answers, by name (openapi_schemas.c). */
json_t *openapi_schemas(void);

#endif
