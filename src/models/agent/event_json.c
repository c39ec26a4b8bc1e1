/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/event_json.h"

#include "base/clock.h"
#include "formats/encoded.h"

static json_t *named(const char *name, const struct agent_event *event)
{
    json_t *object = json_pack("{s:s, s:I, s:i}", "event", name, "time_ms",
                               (json_int_t)clock_wall_ms(), "step", event->step);

    if (event->sample)
        json_object_set_new(object, "sample", json_integer(event->sample));
    return object;
}

static void event_json_add_run(struct agent_lines *lines, const struct agent_event *event)
{
    if (event->run->kind != RUN_FINISHED) {
        event_lines_add(&lines->run, event->run);
        return;
    }
    json_t *object = named("ran", event);

    event_lines_flush(&lines->run);
    json_object_set_new(object, "result", result_document(event->run->result));
    event_lines_put(&lines->run, object);
}

void agent_lines_add(struct agent_lines *lines, const struct agent_event *event)
{
    static const struct {
        const char *name, *member; /* the member for the event's text; NULL: it has no text */
    } rows[] = {
        [AGENT_ASKS] = {"asks", NULL},   [AGENT_TEXT] = {"text", "text"},
        [AGENT_NOTE] = {"note", "text"}, [AGENT_CODE] = {"code", "code"},
        [AGENT_STEP] = {"step", NULL},
    };

    if (event->kind == AGENT_RUN) {
        event_json_add_run(lines, event);
        return;
    }
    json_t *object = named(rows[event->kind].name, event);
    if (rows[event->kind].member)
        json_object_set_new(object, rows[event->kind].member, json_text(event->text));
    if (event->kind == AGENT_STEP)
        json_object_set(object, "document", (json_t *)(uintptr_t)event->document);
    event_lines_put(&lines->run, object);
}

void agent_lines_finish(struct agent_lines *lines, json_t *document)
{
    event_lines_flush(&lines->run);
    event_lines_put(&lines->run, event_finished(document));
}
