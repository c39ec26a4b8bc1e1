/* SPDX-License-Identifier: Apache-2.0
 *
 * The schemas of answers. tests/http/ compares them with the daemon's answers.
 */
#include "routes/openapi.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "request/limits.h"

#define ERROR_TYPES "guest,refused,limit,ours"
#define OUTCOMES    "passed,wrong,exception,timeout,memory,refused,exited,ours"
#define CELL_ENDS   "done,failed,interrupted,killed,died,refused"

/* The members that the documents of all tasks have. */
#define TASK                                                                                       \
    "success boolean language string provider string model string conversation Message[] "         \
    "stopped =done,steps,tokens,cost,time,gave_up,cancelled,failed steps object[] "                \
    "usage Usage{} duration_ms integer error null|Failure "

#define ENVIRONMENT                                                                                \
    "id string path string python string base string kind string tag string maker string "         \
    "requirements string[] created_ms integer bytes integer last_used_ms integer "

/* Pairs "name type", separated by blanks. A type may be "null|TYPE". "[]" after a type means a list
 * of it, and "{}" an object whose members have it. "=a,b" is one of the strings a and b. A type
 * that begins with a capital letter is another schema. A '?' after a name: the member may be
 * missing. */
static const struct {
    const char *name, *members;
} schemas[] = {
    {"Error", "error Failure"},
    {"Failure", "kind =usage,policy,limit,timeout,system,unsupported,guest,bug message string"},
    {"Status", "status string"},
    {"DaemonStatus",
     "pid integer version string state =serving,stopping listening string[] started_ms integer "
     "uptime_ms integer sessions integer running integer waiting integer runs integer"},
    {"Stopping", "stopping boolean pid integer drain_ms integer"},
    {"Document", "openapi string info object paths object components object"},
    {
        "Result",
#define RESULT_FIELD(name, type, value) #name " " type " "
#define RESULT_STREAM(name, capture)                                                               \
#name " string " #name "_bytes integer " #name "_truncated boolean " #name                     \
          "_head_bytes integer " #name "_tail_bytes integer " #name "_base64? string "
#include "result/result.def"
    },
    {"Cell", "session string number integer ended =" CELL_ENDS " attempt null|=kept,dropped,lost "
             "exited boolean"},
    {"Display", "kind =value,display data any{} metadata any{} dropped Dropped[]"},
    {"Dropped", "mime string bytes integer why string"},
    {"Missing", "layer string why string lost boolean"},
    {"Exception",
     "type string message string line null|integer column null|integer "
     "file null|string cell null|integer statement null|string traceback string hint null|string"},
    {"Compilation", "success boolean exit_code integer stderr string duration_ms integer "
                    "cached boolean"},
    {"File", "path string path_base64? string size integer sha256 null|string mime string "
             "change =new,modified,deleted content_base64? string content_mode? integer "
             "content_skipped? string"},
    {"Skipped",
     "path null|string path_base64? string reason string direction =in,out more? integer"},
    {"Denied", "name string count integer"},
    {"Connection", "host string port null|integer address null|string allowed boolean reason "
                   "null|string count integer bytes_in integer bytes_out integer"},
    {"Verdict", "allowed boolean stage null|=input,syntax,imports,patterns,review,context,layers "
                "reason null|string risk integer findings Finding[] "
                "findings_left_out? integer"},
    {"Finding", "rule string severity =info,low,medium,high,critical points integer refuses "
                "boolean message string "
                "hint null|string name null|string module null|string call null|string "
                "label null|string line null|integer column null|integer end_line null|integer "
                "end_column null|integer prelude_line null|integer excerpt null|string "
                "excerpt_base64? string excerpt_column null|integer"},
    {"CheckResult", "files Checked[] allowed boolean"},
    {"Checked", "path string verdict null|Verdict error? Failure"},
    {"TestResult", "total integer passed integer failed integer errors integer score null|number "
                   "all_passed boolean outcome =" OUTCOMES
                   " trustworthy boolean doubt null|string message null|string "
                   "test_results Case[] coverage null|Coverage feedback_text string"},
    {"Case",
     "name string call null|string test string passed boolean error_type null|=" ERROR_TYPES " "
     "outcome =" OUTCOMES
     " output null|string actual null|string expected null|string detail null|string "
     "hint null|string duration_ms number stdout string stderr string weight number "
     "exception null|CaseException lines? integer[]"},
    {"CaseException", "type string message string line null|integer traceback string"},
    {"Coverage", "lines integer run integer never_run integer[]"},
    {"BatchResult", "results BatchEntry[]"},
    {"BatchLine", "index integer status integer result BatchEntry"},
    {"VerdictEvent", "event =verdict time_ms integer id string verdict Verdict"},
    {"PreparingEvent", "event =preparing time_ms integer message string"},
    {"WarningEvent", "event =warning time_ms integer message string"},
    {"StartedEvent", "event =started time_ms integer id string language string backend string "
                     "isolation string[] missing Missing[]"},
    {"StdoutEvent", "event =stdout time_ms integer text string base64? string"},
    {"StderrEvent", "event =stderr time_ms integer text string base64? string"},
    {"DeniedEvent", "event =denied time_ms integer name string"},
    {"LimitEvent", "event =limit time_ms integer limit string"},
    {"FileEvent", "event =file time_ms integer path string size integer sha256 null|string "
                  "mime string change =new,modified,deleted"},
    {"DisplayEvent", "event =display time_ms integer bundle Display"},
    {"ProgressEvent",
     "event =progress time_ms integer elapsed_ms integer memory_bytes integer cpu_ms null|integer"},
    {"ToolEvent", "event =tool time_ms integer call integer session string name string args any[] "
                  "kwargs any{} timeout_ms integer"},
    {"InputEvent", "event =input time_ms integer call integer session string prompt string "
                   "hidden boolean timeout_ms integer"},
    {"CaseEvent", "event =case time_ms integer number integer name string call null|string "
                  "passed boolean error_type null|=" ERROR_TYPES " outcome =" OUTCOMES " "
                  "detail null|string"},
    {"OpenedEvent", "event =opened time_ms integer session Session"},
    {"FinishedEvent", "event =finished time_ms integer result Result"},
    {"TestedEvent", "event =finished time_ms integer result TestResult"},
    {"AsksEvent", "event =asks time_ms integer step integer sample? integer"},
    {"TextEvent", "event =text time_ms integer step integer sample? integer text string"},
    {"NoteEvent", "event =note time_ms integer step integer sample? integer text string"},
    {"CodeEvent", "event =code time_ms integer step integer sample? integer code string"},
    {"StepEvent", "event =step time_ms integer step integer sample? integer document object"},
    {"RanEvent", "event =ran time_ms integer step integer sample? integer result Result"},
    {"GeneratedEvent", "event =finished time_ms integer result Generated"},
    {"Generated",
     "code null|string language string provider string model string reply string "
     "finish =unknown,stop,length,calls,paused,refused attempts integer verdict null|Verdict "
     "usage Usage{} error null|string"},
    {"Message", "role =system,user,assistant,tool content string tool_calls? ToolCall[] "
                "tool_call_id? string"},
    {"ToolCall", "id string name string arguments string"},
    {"Sample", "sample integer stopped string attempts integer score number won boolean"},
    {"TaskResult", TASK "code null|string attempts integer samples? Sample[]"},
    {"Solved", TASK
     "code null|string answer any answer_by null|=final_answer,reply,output solution null|string "
     "style string calls string result null|Result"},
    {"Computed", TASK "expression null|string value null|string"},
    {"Analyzed", TASK "code null|string answer null|string attempts integer"},
    {"AnalyzedEvent", "event =finished time_ms integer result Analyzed"},
    {"TaskedEvent", "event =finished time_ms integer result TaskResult"},
    {"SolvedEvent", "event =finished time_ms integer result Solved"},
    {"ComputedEvent", "event =finished time_ms integer result Computed"},
    {"Usage", "requests integer prompt_tokens null|integer completion_tokens null|integer "
              "total_tokens null|integer cached_tokens null|integer cost null|number"},
    {"Backends", "backends Backend[]"},
    {"Backend", "name string alias string summary string wall boolean abilities Ability{} "
                "about object"},
    {"Ability", "can boolean why_not null|string how null|string"},
    {"Environments", "environments EnvironmentEntry[]"},
    {"EnvironmentEntry", "names string[] " ENVIRONMENT},
    {"Environment", "name null|string packages Package[] " ENVIRONMENT},
    {"Package", "name string version string file string sha256 string bytes integer"},
    {"MadeEvent", "event =finished time_ms integer result Environment"},
    {"Removed", "removed string"},
    {"Runs", "runs Run[]"},
    {"Run",
     "id string time null|string time_ms integer source_sha256 string language string "
     "backend string program string verdict object limits any isolation string[] "
     "outcome string exit_code integer signal integer duration_ms integer cpu_ms integer "
     "stdout_bytes integer stderr_bytes integer files_count integer max_memory_bytes integer "
     "attempts integer denied any network Connection[] error null|string code? null|string"},
    {"Session",
     "id string name null|string language string state =idle,busy,dead parent null|string "
     "cells integer created_ms integer used_ms integer idle_ms integer "
     "memory_bytes integer cpu_ms number interpreter string python null|string "
     "backend string isolation string[] "
     "missing Missing[] warnings string[] why null|string"},
    {"Sessions", "sessions Session[]"},
    {"About", "name string version string openapi string help string docs string"},
    {"Closed", "id string closed boolean"},
    {"Interrupted", "id string interrupted boolean"},
    {"Network", "id string net string"},
    {"Committed", "id string image string"},
    {"Values",
     "values object missing string[] failed object names? string[] variables? Variable[]"},
    {"Variable", "name string type string value string"},
    {"Done", "id string done boolean"},
    {"Files", "files SessionFile[]"},
    {"SessionFile", "path string size integer mtime_ms integer"},
};

static json_t *one_of_texts(json_t *o, struct str rest)
{
    json_t *list = json_array();
    struct str text;

    while (str_next(&rest, ',', &text))
        json_array_append_new(list, json_stringn(text.p, text.n));
    json_object_set_new(o, "type", json_string("string"));
    json_object_set_new(o, "enum", list);
    return o;
}

static json_t *plain_type(struct str type)
{
    json_t *o = json_object();

    if (str_is(type, "any"))
        return o;
    if (type.p[0] == '=')
        return one_of_texts(o, str_slice(type, 1, type.n));
    if (type.p[0] >= 'A' && type.p[0] <= 'Z')
        json_object_set_new(o, "$ref",
                            json_sprintf("#/components/schemas/%.*s", (int)type.n, type.p));
    else
        json_object_set_new(o, "type", json_stringn(type.p, type.n));
    return o;
}

static json_t *type_schema(struct str type)
{
    bool list = str_ends(type, "[]"), map = str_ends(type, "{}"), null = str_starts(type, "null|");

    if (list || map)
        return json_pack("{s:s, s:o}", "type", list ? "array" : "object",
                         list ? "items" : "additionalProperties",
                         plain_type(str_slice(type, 0, type.n - 2)));
    if (!null)
        return plain_type(type);
    return json_pack("{s:[o, {s:s}]}", "anyOf", plain_type(str_slice(type, 5, type.n)), "type",
                     "null");
}

static json_t *schema_of(const char *members)
{
    json_t *properties = json_object(), *required = json_array();
    struct str rest = str_from(members), name, type;

    while (str_next(&rest, ' ', &name) && str_next(&rest, ' ', &type)) {
        bool optional = str_ends(name, "?");
        AUTO_FREE char *key = xstrndup(name.p, name.n - optional);
        json_object_set_new(properties, key, type_schema(type));
        if (!optional)
            json_array_append_new(required, json_string(key));
    }
    return json_pack("{s:s, s:o, s:o}", "type", "object", "properties", properties, "required",
                     required);
}

/* ---- lines of a stream ---- */

#define OF_TASKS "AsksEvent TextEvent NoteEvent CodeEvent StepEvent RanEvent "
#define OF_RUNS                                                                                    \
    "PreparingEvent VerdictEvent WarningEvent StartedEvent StdoutEvent StderrEvent DeniedEvent "   \
    "LimitEvent "                                                                                  \
    "FileEvent DisplayEvent ProgressEvent "

/* `members` has the names of schemas, separated by blanks; the field `event` distinguishes them. */
static const struct {
    const char *name, *members;
} unions[] = {
    {"RunEvent", OF_RUNS "FinishedEvent"},
    {"CellEvent", OF_RUNS "ToolEvent InputEvent FinishedEvent"},
    {"TestEvent", "PreparingEvent CaseEvent TestedEvent"},
    {"OpenEvent", "PreparingEvent OpenedEvent"},
    {"EnvironmentEvent", "PreparingEvent MadeEvent"},
    {"GenerateEvent", OF_TASKS "GeneratedEvent"},
    {"SolveEvent", OF_TASKS OF_RUNS "ToolEvent SolvedEvent"},
    {"TaskEvent", OF_TASKS OF_RUNS "TaskedEvent"},
    {"AnalyzeEvent", OF_TASKS OF_RUNS "AnalyzedEvent"},
    {"MathEvent", OF_TASKS OF_RUNS "ComputedEvent"},
};

static json_t *reference(struct str name)
{
    return json_pack("{s:o}", "$ref",
                     json_sprintf("#/components/schemas/%.*s", (int)name.n, name.p));
}

static json_t *union_schema(const json_t *all, const char *members)
{
    json_t *list = json_array(), *mapping = json_object();
    struct str rest = str_from(members), name;

    while (str_next(&rest, ' ', &name)) {
        AUTO_FREE char *key = xstrndup(name.p, name.n);
        const json_t *properties = json_object_get(json_object_get(all, key), "properties");
        const json_t *event = json_object_get(json_object_get(properties, "event"), "enum");
        json_t *ref = reference(name);
        json_object_set(mapping, json_string_value(json_array_get(event, 0)),
                        json_object_get(ref, "$ref"));
        json_array_append_new(list, ref);
    }
    return json_pack("{s:o, s:{s:s, s:o}}", "oneOf", list, "discriminator", "propertyName", "event",
                     "mapping", mapping);
}

json_t *openapi_schemas(void)
{
    json_t *all = json_object();

    for (size_t i = 0; i < ARRAY_LEN(schemas); i++)
        json_object_set_new(all, schemas[i].name, schema_of(schemas[i].members));
    json_object_set_new(all, "LimitsSet", limits_schema());
    for (size_t i = 0; i < ARRAY_LEN(unions); i++)
        json_object_set_new(all, unions[i].name, union_schema(all, unions[i].members));
    json_object_set_new(
        all, "BatchEntry",
        json_pack("{s:[o, o]}", "anyOf", reference(STR("Result")), reference(STR("Error"))));
    return all;
}
