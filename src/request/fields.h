/* SPDX-License-Identifier: Apache-2.0
 *
 * The fields of a JSON request: one row per field. Decoding and the OpenAPI description are both
 * made from the rows, so that the description is true.
 */
#ifndef REQUEST_FIELDS_H
#define REQUEST_FIELDS_H

#include <jansson.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "request/setting.h"

/* The type of the struct's member, and the JSON that is accepted for it. Texts and JSON values are
 * lent by the document. */
enum field_kind {
    FIELD_TEXT,    /* struct str: any text; .p NULL when absent */
    FIELD_WORD,    /* const char *: text without NUL; NULL when absent */
    FIELD_CHOICE,  /* int: 1 + index into choices; 0 when absent */
    FIELD_BOOL,    /* enum tri */
    FIELD_COUNT,   /* int64_t from 0; -1 when absent */
    FIELD_MS,      /* as FIELD_COUNT */
    FIELD_BYTES,   /* as FIELD_COUNT */
    FIELD_NUMBER,  /* double from 0; -1 when absent */
    FIELD_WORDS,   /* json_t *: an array of text, or one text with commas; NULL when
                      absent */
    FIELD_MAP,     /* json_t *: an object with texts as values */
    FIELD_FILES,   /* json_t *: [{name, content, encoding}], or {name: content} */
    FIELD_ARRAY,   /* json_t *: an array; its objects are described by `items` */
    FIELD_OBJECT,  /* json_t *: an object with any members */
    FIELD_CASES,   /* json_t *: an array of objects, or the text of a case file */
    FIELD_ANY,     /* json_t *: any value */
    FIELD_SETTING, /* a row of request.def: read into struct request_settings */
};

enum tri { TRI_ABSENT, TRI_FALSE, TRI_TRUE };

/* The settings of a request: those of the daemon, changed by its fields. */
struct request_settings {
    struct settings settings;
    struct setting_lent *lent; /* gets the values that are made from the fields */
};

struct field {
    const char *name; /* NULL ends the table */
    enum field_kind kind;
    size_t offset;
    const char *help;
    bool required;
    enum field_code code;
    const char *const *choices;
    const struct field *items;
    const char *initial;           /* its value when absent, for people */
    const struct setting *setting; /* for FIELD_SETTING: its name comes from there */
};

/* Fills *ret from the object; every member is set, to "absent" if the object does not have it (null
 * counts as absent). -1: ERR_USAGE for a field that is unknown (with the nearest known one), of
 * another type, or missing; ERR_POLICY for one that this daemon does not permit. */
int fields_read(const struct field *const *tables, json_t *object,
                const struct request_rules *rules, void *ret, struct err *err);

/* The first step of fields_read: sets all fields of a table to "absent". */
void fields_absent(const struct field *table, void *ret);

/* What the field's value can become; CODE_UNSAID only where it holds no text. */
enum field_code field_code(const struct field *field);
bool field_holds_text(const struct field *field);

/* A JSON Schema of type object. */
json_t *fields_schema(const struct field *const *tables);

#endif
