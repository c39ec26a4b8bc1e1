/* SPDX-License-Identifier: Apache-2.0 */
#include "server/openapi.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "server/front.h"

static json_t *reference(const char *name)
{
    return json_pack("{s:o}", "$ref", json_sprintf("#/components/schemas/%s", name));
}

static json_t *content(const char *type, json_t *schema)
{
    return json_pack("{s:{s:o}}", type, "schema", schema);
}

/* {id} and similar parameters of the address. */
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

/* The schema of a line; a stream is one after the other. */
static const char *line_of(const struct route *r)
{
    static const char *const lines[][2] = {
        {"run", "RunEvent"},         {"exec", "CellEvent"},         {"test", "TestEvent"},
        {"batch", "BatchLine"},      {"generate", "GenerateEvent"}, {"solve", "SolveEvent"},
        {"fix", "TaskEvent"},        {"transform", "TaskEvent"},    {"math", "MathEvent"},
        {"analyze", "AnalyzeEvent"}, {"openSession", "OpenEvent"}};

    for (size_t i = 0; i < ARRAY_LEN(lines); i++)
        if (strcmp(r->name, lines[i][0]) == 0)
            return lines[i][1];
    return NULL;
}

static json_t *stream_content(const struct route *r)
{
    return json_pack("{s:o}", "schema", reference(line_of(r)));
}

static json_t *answer_content(const struct route *r)
{
    bool text = strcmp(r->answer, "Text") == 0, file = strcmp(r->answer, "File") == 0;
    json_t *c = text   ? content("text/plain", json_pack("{s:s}", "type", "string"))
                : file ? content("application/octet-stream",
                                 json_pack("{s:s, s:s}", "type", "string", "format", "binary"))
                       : content("application/json", reference(r->answer));

    if (r->flags & ROUTE_STREAMS && r->status == 200)
        json_object_set_new(c, "application/x-ndjson", stream_content(r));
    return c;
}

static json_t *responses(const struct route *r)
{
    json_t *all = json_object();
    json_t *good = json_pack("{s:s}", "description", "Done.");
    char status[8];

    snprintf(status, sizeof status, "%d", r->status);
    if (r->answer)
        json_object_set_new(good, "content", answer_content(r));
    json_object_set_new(all, status, good);
    if (r->flags & ROUTE_STREAMS && r->status != 200) /* that of each stream */
        json_object_set_new(all, "200",
                            json_pack("{s:s, s:{s:o}}", "description", "A stream.", "content",
                                      "application/x-ndjson", stream_content(r)));
    json_object_set_new(all, "default",
                        json_pack("{s:s, s:o}", "description", "Not done, and why.", "content",
                                  content("application/json", reference("Error"))));
    return all;
}

static bool has_required(const struct route *r)
{
    for (const struct field *const *t = r->fields; *t; t++)
        for (const struct field *f = *t; f->name; f++)
            if (f->required)
                return true;
    return false;
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
        json_object_set_new(op, "requestBody",
                            json_pack("{s:b, s:o}", "required", has_required(r), "content",
                                      content("application/json", reference(name))));
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
        json_object_set_new(schemas, name, fields_schema(r->fields));
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
