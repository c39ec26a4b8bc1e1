/* SPDX-License-Identifier: Apache-2.0 */
#include "routes/openapi.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "routes/routes.h"

static json_t *reference(const char *name)
{
    return json_pack("{s:o}", "$ref", json_sprintf("#/components/schemas/%s", name));
}

/* `names` is "A|B": the answer has one of these schemas. */
static json_t *answer_schema(const char *names)
{
    const char *bar = strchr(names, '|');
    AUTO_FREE char *first = bar ? xstrndup(names, (size_t)(bar - names)) : NULL;

    return bar ? json_pack("{s:[o,o]}", "anyOf", reference(first), reference(bar + 1))
               : reference(names);
}

static json_t *content(const char *type, json_t *schema)
{
    return json_pack("{s:{s:o}}", type, "schema", schema);
}

/* Adds {id} and the other parameters in the address. */
static void add_path_parameters(const char *path, json_t *list)
{
    struct str rest = str_from(path), part;

    while (str_next(&rest, '/', &part)) {
        if (part.n < 3 || part.p[0] != '{')
            continue;
        json_array_append_new(list,
                              json_pack("{s:s#, s:s, s:b, s:{s:s}}", "name", part.p + 1,
                                        (int)part.n - 2, "in", "path", "required", 1, "schema",
                                        "type", str_is(part, "{call}") ? "integer" : "string"));
    }
}

static void add_query_parameters(const struct query_field *q, json_t *list)
{
    for (; q && q->name; q++)
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:{s:s}}", "name", q->name, "in", "query",
                                        "description", q->help, "schema", "type", "string"));
}

/* A stream is a sequence of lines. */
static json_t *stream_content(const struct route *r)
{
    return json_pack("{s:o}", "schema", reference(r->event));
}

static json_t *answer_content(const struct route *r)
{
    bool text = strcmp(r->answer, "Text") == 0, file = strcmp(r->answer, "File") == 0;
    json_t *c = text   ? content("text/plain", json_pack("{s:s}", "type", "string"))
                : file ? content("application/octet-stream",
                                 json_pack("{s:s, s:s}", "type", "string", "format", "binary"))
                       : content("application/json", answer_schema(r->answer));

    if (r->event)
        json_object_set_new(c, "application/x-ndjson", stream_content(r));
    return c;
}

/* Every stream has the status 200. If the JSON document has another status, both are in one
 * response 2XX, because generators look for the JSON in the first response that succeeds. */
static json_t *responses(const struct route *r)
{
    json_t *all = json_object();
    bool two = r->event && r->status != 200;
    char status[8] = "2XX", text[64] = "Done.";

    if (two)
        snprintf(text, sizeof text, "Done: %d with the document, 200 with a stream.", r->status);
    else
        snprintf(status, sizeof status, "%d", r->status);
    json_t *good = json_pack("{s:s}", "description", text);
    if (r->answer)
        json_object_set_new(good, "content", answer_content(r));
    json_object_set_new(all, status, good);
    json_object_set_new(all, "default",
                        json_pack("{s:s, s:o}", "description", "Not done, and why.", "content",
                                  content("application/json", reference("Error"))));
    return all;
}

static const char *tag_of(const struct route *r)
{
    if (str_starts(str_from(r->path), "/v1/sessions"))
        return "sessions";
    if (str_starts(str_from(r->path), "/v1/runs"))
        return "log";
    bool runs = r->method == HTTP_POST && strcmp(r->name, "stop") != 0;
    return runs ? "programs" : "daemon";
}

static json_t *operation(const struct route *r)
{
    json_t *op = json_pack("{s:s, s:s, s:[s]}", "operationId", r->name, "summary", r->summary,
                           "tags", tag_of(r));
    json_t *parameters = json_array();

    add_path_parameters(r->path, parameters);
    add_query_parameters(r->query, parameters);
    if (json_array_size(parameters))
        json_object_set(op, "parameters", parameters);
    json_decref(parameters);
    if (r->flags & ROUTE_JSON) {
        char name[80];
        snprintf(name, sizeof name, "%sRequest", r->name);
        name[0] = (char)(name[0] - ('a' - 'A'));
        json_t *schema = ask_schema(&r->form);
        json_object_set_new(op, "requestBody",
                            json_pack("{s:b, s:o}", "required",
                                      json_object_get(schema, "required") != NULL, "content",
                                      content("application/json", reference(name))));
        json_decref(schema);
    }
    if (r->flags & ROUTE_UPLOAD)
        json_object_set_new(
            op, "requestBody",
            json_pack("{s:b, s:o}", "required", 1, "content",
                      content("application/octet-stream",
                              json_pack("{s:s, s:s}", "type", "string", "format", "binary"))));
    json_object_set_new(op, "responses", responses(r));
    if (r->flags & ROUTE_OPEN)
        json_object_set_new(op, "security", json_array());
    return op;
}

static void add_route(const struct route *r, json_t *paths, json_t *schemas)
{
    static const char *const methods[] = {
        [HTTP_GET] = "get", [HTTP_POST] = "post", [HTTP_PUT] = "put", [HTTP_DELETE] = "delete"};
    json_t *at = json_object_get(paths, r->path);

    if (!at)
        json_object_set_new(paths, r->path, at = json_object());
    json_object_set_new(at, methods[r->method], operation(r));
    if (r->flags & ROUTE_JSON) {
        char name[80];
        snprintf(name, sizeof name, "%sRequest", r->name);
        name[0] = (char)(name[0] - ('a' - 'A'));
        json_object_set_new(schemas, name, ask_schema(&r->form));
    }
}

char *openapi_text(void)
{
    json_t *paths = json_object(), *schemas = openapi_schemas();

    for (const struct route *r = routes; r->path; r++)
        if (!(r->flags & ROUTE_PROTOCOL))
            add_route(r, paths, schemas);
    json_t *doc = json_pack(
        "{s:s, s:{s:s, s:s, s:s, s:{s:s}}, s:[{s:s}], s:[{s:[]}], s:o, s:{s:o, s:{s:{s:s, s:s}}}}",
        "openapi", "3.1.0", "info", "title", "Glovebox", "version", GLOVEBOX_VERSION, "description",
        "Runs programs behind a wall.", "license", "name", "Apache-2.0", "servers", "url", "/",
        "security", "token", "paths", paths, "components", "schemas", schemas, "securitySchemes",
        "token", "type", "http", "scheme", "bearer");
    char *text = json_dumps(doc, JSON_COMPACT);

    json_decref(doc);
    return text ? text : xstrdup("{}");
}
