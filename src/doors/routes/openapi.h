/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ROUTES_OPENAPI_H
#define ROUTES_OPENAPI_H

#include <jansson.h>

/* Makes the OpenAPI 3.1 document from the routes and the tables of their fields; the caller frees.
 * It depends on nothing else, so a SIGHUP does not change it. Making it takes milliseconds, so the
 * server keeps one for all requests (server->openapi). */
char *openapi_text(void);
/* The schemas of answers, by name (openapi_schemas.c). */
json_t *openapi_schemas(void);

#endif
