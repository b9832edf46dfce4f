// The transport in memory.
#include "aws/support/memory.h"

#include "base/alloc.h"

#include <stdio.h>

static Moment now(void *self) {
    MemoryTransport *memory = self;
    Moment moment;

    pthread_mutex_lock(&memory->lock);
    moment = memory->moment;
    pthread_mutex_unlock(&memory->lock);
    return moment;
}

static void pass(MemoryTransport *memory, int64_t ns) {
    memory->moment.now = mono_after(memory->moment.now, ns);
    memory->moment.wall_ns += ns;
}

void memory_pass(MemoryTransport *memory, int64_t ns) {
    pthread_mutex_lock(&memory->lock);
    pass(memory, ns);
    pthread_mutex_unlock(&memory->lock);
}

static bool rest(void *self, int64_t ns) {
    MemoryTransport *memory = self;
    bool goes_on;

    pthread_mutex_lock(&memory->lock);
    goes_on = !memory->is_stopped;
    if (goes_on && ns > 0) {
        vec_push(&memory->arena, &memory->rests, ns);
        pass(memory, ns);
    }
    pthread_mutex_unlock(&memory->lock);
    return goes_on;
}

static const MemorySent *record(MemoryTransport *memory, const AwsRequest *request) {
    Buffer headers = {0};
    MemorySent sent = {
        .method = request->method,
        .url = arena_text(&memory->arena, request->url),
        .body = arena_text(&memory->arena, request->body),
        .timeout_ns = request->timeout_ns,
    };

    for (uint32_t i = 0; i < request->header_count; i++)
        buffer_printf(&headers, "%.*s: %.*s\n", SLICE_ARG(request->headers[i].name),
                      SLICE_ARG(request->headers[i].value));
    sent.headers = arena_text(&memory->arena, buffer_slice(&headers));
    buffer_free(&headers);
    vec_push(&memory->arena, &memory->sent, sent);
    return arena_copy(&memory->arena, &sent, sizeof sent);
}

static MemoryReply next_reply(const MemoryTransport *memory) {
    uint32_t number = memory->sent.count - 1;

    assert_true(memory->reply_count > 0);
    return memory->replies[number < memory->reply_count ? number : memory->reply_count - 1];
}

static void add_header(Arena *arena, HttpHeader *headers, AwsAnswer *answer, Slice name, Slice value) {
    headers[answer->header_count++] = (HttpHeader){name, arena_slice(arena, value)};
}

static void add_date(Arena *arena, HttpHeader *headers, AwsAnswer *answer, int64_t wall_ns) {
    time_t seconds = wall_ns / NS_PER_S;
    char text[64];
    struct tm parts;

    gmtime_r(&seconds, &parts);
    (void)strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
    add_header(arena, headers, answer, SLICE("Date"), slice_of(text));
}

// The script runs without the lock, so that it may look at the transport.
static ErrCode send(void *self, Arena *arena, const AwsRequest *request, AwsAnswer *ret_answer, Err *err) {
    enum { HEADERS = 2 };
    MemoryTransport *memory = self;
    HttpHeader *headers = arena_array(arena, HttpHeader, HEADERS);
    const MemorySent *sent;
    MemoryReply reply = {0};
    Moment moment;

    pthread_mutex_lock(&memory->lock);
    sent = record(memory, request);
    if (!memory->answer)
        reply = next_reply(memory);
    pthread_mutex_unlock(&memory->lock);
    if (memory->answer)
        reply = memory->answer(memory->context, sent);
    memory_pass(memory, reply.takes_ns);
    moment = now(memory);
    if (reply.code != OK)
        return err_set(err, reply.code, "the transport fails");
    *ret_answer = (AwsAnswer){.status = reply.status ? reply.status : 200,
                              .headers = headers,
                              .body = arena_slice(arena, slice_of(reply.body))};
    if (reply.header.name.len)
        add_header(arena, headers, ret_answer, reply.header.name, reply.header.value);
    if (reply.has_date)
        add_date(arena, headers, ret_answer, moment.wall_ns + reply.date_ahead_ns);
    return OK;
}

MemoryTransport *memory_new(void) {
    MemoryTransport *memory = NEW(MemoryTransport);

    pthread_mutex_init(&memory->lock, NULL);
    memory->transport = (AwsTransport){send, now, rest, memory};
    memory->moment = (Moment){{NS_PER_S}, MEMORY_BEGIN_NS};
    return memory;
}

void memory_free(MemoryTransport *memory) {
    pthread_mutex_destroy(&memory->lock);
    arena_free(&memory->arena);
    free(memory);
}

int64_t memory_rested_ns(const MemoryTransport *memory) {
    int64_t sum = 0;

    for (vec_each(const int64_t, ns, &memory->rests))
        sum += *ns;
    return sum;
}

const char *memory_header(MemoryTransport *memory, uint32_t number, const char *name) {
    Slice wanted = arena_printf(&memory->arena, "%s: ", name);
    const char *at = strstr(memory->sent.items[number].headers, wanted.ptr);

    if (!at)
        return NULL;
    at += wanted.len;
    return arena_text(&memory->arena, (Slice){at, strcspn(at, "\n")});
}
