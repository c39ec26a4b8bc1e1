/* SPDX-License-Identifier: Apache-2.0
 *
 * The place of a model: its provider, address and key, from the settings and from the variables
 * that people already have.
 */
#ifndef LLM_PLACE_H
#define LLM_PLACE_H

#include "llm/provider.h"

struct llm_place {
    const struct provider *provider;
    char *model;            /* as the server knows it */
    char *base;             /* the address, without a slash at the end */
    char *key;              /* NULL for none */
    const char *key_header; /* the text before the key */
};

/* `model` is used if the settings name none. Without `online`, address and key are not required. -1
 * with ERR_USAGE; call llm_place_done in both cases. */
int llm_place_find(const struct model_settings *settings, const char *model, bool online,
                   struct llm_place *ret, struct err *err);
void llm_place_done(struct llm_place *place); /* wipes the key */

/* The URL of a request: the path is inserted before the base's own query. The caller frees. */
char *llm_place_url(const struct llm_place *place, const char *path);

#endif
