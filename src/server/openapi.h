/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_OPENAPI_H
#define SERVER_OPENAPI_H

#include <jansson.h>

/* The OpenAPI 3.1 document, made from the routes and the tables of their fields; the caller
 * frees. */
char *openapi_text(void);
/* The schemas of answers, by name (openapi_schemas.c). */
json_t *openapi_schemas(void);

#endif
