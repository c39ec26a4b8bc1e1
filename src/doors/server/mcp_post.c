/* SPDX-License-Identifier: Apache-2.0 */
#include "server/mcp_post.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/num.h"

enum {
    ANSWERS_MAX = 512 << 20,
    LONG_MS = 5000, /* an answer that takes longer becomes a stream, which can be kept open */
    /* a stream without an event for this time gets a comment, so that it is kept open */
    SILENCE_MS = 15000,
    /* after its connection is lost, the client has this time to connect again */
    RESUME_MS = 15000,
    LOST_MAX = 256 << 20, /* bytes of all events that wait for clients with lost connections */
    NOTES_MAX = 100,      /* events kept for such a client, not counting answers */
    UNSENT_MAX = 256 << 10,
};

struct event {
    struct event *next;
    unsigned number;
    bool is_answer;
    char *text;
};

/* ---- life ---- */

struct mcp_client *mcp_post_client(struct mcp_post *post)
{
    return post->of ? &post->of->client : &post->own;
}

static void drop_event(struct mcp_post *post, struct event **at)
{
    struct event *event = *at;

    *at = event->next;
    if (post->end == &event->next)
        post->end = at;
    post->notes -= !event->is_answer;
    post->bytes -= strlen(event->text);
    free(event->text);
    free(event);
}

static void join_conversation(struct mcp_post *post)
{
    struct conversation *of = post->of;

    of->posts++;
    post->next_mine = of->first_post;
    post->place_mine = &of->first_post;
    if (post->next_mine)
        post->next_mine->place_mine = &post->next_mine;
    of->first_post = post;
}

static void leave_conversation(struct mcp_post *post)
{
    if (!post->place_mine)
        return;
    *post->place_mine = post->next_mine;
    if (post->next_mine)
        post->next_mine->place_mine = post->place_mine;
    post->place_mine = NULL;
}

static void post_free(struct mcp_post *post)
{
    *post->place = post->next;
    if (post->next)
        post->next->place = post->place;
    leave_conversation(post);
    while (post->events)
        drop_event(post, &post->events);
    if (post->of)
        conversation_release(post->of);
    buf_done(&post->answers);
    free(post->session_header);
    free(post);
}

static void cancel_calls(struct mcp_post *post)
{
    struct mcp_call *next;

    post->left++; /* keeps the post until all calls are cancelled */
    for (struct mcp_call *call = mcp_post_client(post)->calls; call; call = next) {
        next = call->next;
        if (call->ctx == post)
            mcp_call_cancel(call);
    }
    mcp_post_settle(post);
}

/* True if the client may resume the stream: only the older generations can. */
static bool may_come_back(const struct mcp_post *post)
{
    return post->of && !post->of->over && post->streams;
}

static void detach(struct mcp_post *post)
{
    post->call->own = NULL;
    post->call->gone = post->call->ended = NULL;
    post->call = NULL;
    post->answered = false;
    post->gone_ms = clock_mono_ms();
}

static void on_gone(struct call *call)
{
    struct mcp_post *post = call->own;

    detach(post);
    if (!may_come_back(post))
        cancel_calls(post);
}

static void on_ended(struct call *call)
{
    struct mcp_post *post = call->own;
    bool came = !call->x->failed;

    detach(post);
    if (!post->left && (came || !may_come_back(post)))
        post_free(post);
}

static void attach(struct mcp_post *post, struct call *call)
{
    post->call = call;
    post->gone_ms = 0;
    call->own = post;
    call->gone = on_gone;
    call->ended = on_ended;
}

struct mcp_post *mcp_post_new(struct call *call, struct conversation *of)
{
    struct mcp_hub *hub = call->server->mcp;
    struct mcp_post *post = xcalloc(1, sizeof *post);

    *post = (struct mcp_post){.next = hub->posts,
                              .place = &hub->posts,
                              .hub = hub,
                              .of = of,
                              .number = ++hub->post_number,
                              .left = 1,
                              .began_ms = clock_mono_ms()};
    if (post->next)
        post->next->place = &post->next;
    hub->posts = post;
    post->end = &post->events;
    buf_init(&post->answers, ANSWERS_MAX);
    memcpy(post->owner, call->owner, sizeof post->owner);
    if (of)
        join_conversation(post);
    else
        mcp_client_init(&post->own, call, post->owner);
    mcp_post_client(post)->service = &call->server->config->mcp;
    post->may_stream = http_list_has(http_header(call->x->head, "accept"), "text/event-stream");
    attach(post, call);
    return post;
}

/* ---- streams ---- */

void mcp_begin_stream(struct call *call)
{
    http_begin(call->x, 200, "text/event-stream", "X-Accel-Buffering: no\r\n");
}

/* Sends an empty event with an id, which exists since 2025-11-25: with this id a client can resume
 * the stream before any other event. */
static void prime(const struct mcp_post *post)
{
    const char *version = post->of ? post->of->client.version : NULL;

    if (!version || strcmp(version, MCP_NEWEST_OLD) < 0)
        return;
    AUTO_FREE char *text = xasprintf("id: %" PRIu64 "-0\nretry: 1000\ndata: \n\n", post->number);
    http_piece(post->call->x, str_from(text));
}

static void send_event(struct mcp_post *post, const struct event *event)
{
    AUTO_FREE char *id =
        post->of ? xasprintf("id: %" PRIu64 "-%u\n", post->number, event->number) : xstrdup("");
    AUTO_FREE char *text = xasprintf("%sevent: message\ndata: %s\n\n", id, event->text);

    post->said_ms = clock_mono_ms();
    http_piece(post->call->x, str_from(text));
}

static void forget_a_note(struct mcp_post *post)
{
    struct event **at = &post->events;

    while ((*at)->is_answer)
        at = &(*at)->next;
    drop_event(post, at);
}

static void add_event(struct mcp_post *post, struct str text, bool is_answer)
{
    struct event *event = xcalloc(1, sizeof *event);

    *event = (struct event){
        .number = ++post->event_n, .is_answer = is_answer, .text = xstrndup(text.p, text.n)};
    *post->end = event;
    post->end = &event->next;
    post->notes += !is_answer;
    post->bytes += text.n;
    if (post->call)
        send_event(post, event);
    if (!post->of)
        drop_event(post, &post->events);
    else if (post->notes > NOTES_MAX)
        forget_a_note(post);
}

static void begin_stream(struct mcp_post *post)
{
    post->streams = true;
    post->said_ms = clock_mono_ms();
    mcp_begin_stream(post->call);
    prime(post);
    if (post->answers.n)
        add_event(post, buf_str(&post->answers), true);
    buf_done(&post->answers);
}

static bool is_slow(const struct mcp_post *post)
{
    return post->call && http_unsent(post->call->x) > UNSENT_MAX;
}

void mcp_post_note(struct mcp_post *post, struct str text, bool is_progress)
{
    if (!post->may_stream || (is_progress && is_slow(post)))
        return;
    if (!post->streams && post->call && !post->batch)
        begin_stream(post);
    if (post->streams)
        add_event(post, text, false);
}

/* ---- answers ---- */

void mcp_post_answer(struct mcp_post *post, struct str text)
{
    if (post->streams) {
        add_event(post, text, true);
        return;
    }
    if (post->answers.n)
        (void)buf_addc(&post->answers, ',');
    (void)buf_add_str(&post->answers, text);
}

static void answer_at_once(struct mcp_post *post)
{
    size_t n = post->answers.n;
    int status = post->status ? post->status : n ? 200 : 202;
    char *text = buf_take(&post->answers);

    if (n && post->batch) {
        char *list = xasprintf("[%s]", text);
        free(text);
        text = list;
    }
    http_answer(post->call->x, &(struct http_answer){.status = status,
                                                     .extra = post->session_header,
                                                     .body = text,
                                                     .size = strlen(text)});
}

/* The post may be freed by this. */
static void give_end(struct mcp_post *post)
{
    post->answered = true;
    if (post->streams)
        http_end(post->call->x);
    else
        answer_at_once(post);
}

void mcp_post_settle(struct mcp_post *post)
{
    if (--post->left || post->answered)
        return;
    if (post->call)
        give_end(post);
    else if (!may_come_back(post))
        post_free(post);
}

/* ---- resuming a stream ---- */

static struct mcp_post *find_post(const struct conversation *of, uint64_t number)
{
    struct mcp_post *post = of->first_post;

    while (post && (post->number != number || !post->streams))
        post = post->next_mine;
    return post;
}

/* Ends the earlier connection: the daemon may not have noticed yet that it is lost. */
static void leave_old(struct mcp_post *post)
{
    struct call *old = post->call;

    if (!old)
        return;
    detach(post);
    http_break(old->x);
}

bool mcp_post_resume(struct conversation *of, struct call *call, struct str id)
{
    struct str number;
    int64_t post_number = -1, last = -1;

    if (!str_next(&id, '-', &number) || !num_int64(number, &post_number) || !num_int64(id, &last) ||
        last < 0)
        return false;
    struct mcp_post *post = find_post(of, (uint64_t)post_number);
    if (!post)
        return false;
    leave_old(post);
    attach(post, call);
    post->left++;
    post->said_ms = clock_mono_ms();
    mcp_begin_stream(call);
    http_piece(call->x, STR(":\n\n"));
    for (const struct event *event = post->events; event && post->call; event = event->next)
        if (event->number > last)
            send_event(post, event);
    mcp_post_settle(post);
    return true;
}

/* ---- time ---- */

/* True if the client can no longer resume this post. Newer posts come first; `lost` is the size of
 * the lost posts before this one. */
static bool is_lost_for_good(const struct mcp_post *post, size_t lost, int64_t now)
{
    return !post->call && post->gone_ms &&
           (now > post->gone_ms + RESUME_MS || lost + post->bytes > LOST_MAX);
}

static void mcp_post_look_at(struct mcp_post *post, size_t lost, int64_t now)
{
    if (is_lost_for_good(post, lost, now)) {
        post->streams = false; /* it may no longer be resumed */
        post->left++;
        cancel_calls(post);
        mcp_post_settle(post);
    } else if (post->call && !post->streams && post->left && post->may_stream && !post->batch &&
               now > post->began_ms + LONG_MS) {
        post->left++;
        begin_stream(post);
        mcp_post_settle(post);
    } else if (post->call && post->streams && !post->answered && now > post->said_ms + SILENCE_MS) {
        post->said_ms = now;
        http_piece(post->call->x, STR(":\n\n"));
    }
}

void mcp_posts_tick(struct mcp_hub *hub, int64_t now)
{
    size_t lost = 0;

    for (struct mcp_post *post = hub->posts, *next; post; post = next) {
        size_t bytes = post->call ? 0 : post->bytes;
        next = post->next;
        mcp_post_look_at(post, lost, now);
        lost += bytes;
    }
}

/* When an answer is finished, its connection may take the next request, which may end other posts.
 * So each step begins with the first post that is left. */
void mcp_posts_drop(struct conversation *of)
{
    struct mcp_post *post;

    while ((post = of->first_post)) {
        leave_conversation(post); /* NOLINT(clang-analyzer-unix.Malloc): a freed one has left */
        cancel_calls(post);
    }
}
