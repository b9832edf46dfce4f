// libcurl's callbacks for headers and body of an answer.
#include "net/http_receive.h"

#include "base/vec.h"

#include <strings.h>

enum { REPLY_BYTES_DEFAULT = 64 << 10, HEADER_BYTES_MAX = 256 << 10, HEAD_KEPT_MAX = 16 << 10 };
static const int64_t RETRY_AFTER_MAX_S = 3600;

static bool header_is(Slice line, const char *name, Slice *ret_value) {
    size_t len = strlen(name);

    if (line.len <= len || line.ptr[len] != ':' || strncasecmp(line.ptr, name, len) != 0)
        return false;
    *ret_value = slice_trim(slice_from(line, len + 1));
    return true;
}

// Reports a Date header; one that cannot be parsed is ignored.
static void tell_date(const HttpCall *call, Slice text) {
    const HttpDates *dates = &call->client->options.dates;
    Arena scratch = {0};
    time_t date;

    if (!dates->told)
        return;
    date = curl_getdate(arena_text(&scratch, text), NULL);
    arena_free(&scratch);
    if (date > 0)
        dates->told(dates->context, date * NS_PER_S, call->begun, clock_system_awake());
}

size_t http_take_header(char *bytes, size_t size, size_t count, void *context) {
    HttpCall *call = context;
    HttpReply *reply = call->reply;
    Slice line = {bytes, size * count}, value;
    int64_t seconds;

    call->header_bytes += line.len;
    if (call->header_bytes > HEADER_BYTES_MAX) {
        call->too_large = true;
        return 0;
    }
    if (slice_starts_with(line, SLICE("HTTP/"))) { // another answer: after a proxy's, or 100 Continue
        reply->retry_after_ns = 0;
        reply->is_json = false;
        reply->head.len = 0;
    } else if (call->request->keeps_headers && reply->head.len + line.len <= HEAD_KEPT_MAX) {
        buffer_append(&reply->head, line);
    }
    if (header_is(line, "Retry-After", &value) && slice_to_int64(value, &seconds) && seconds > 0)
        reply->retry_after_ns = (seconds < RETRY_AFTER_MAX_S ? seconds : RETRY_AFTER_MAX_S) * NS_PER_S;
    if (header_is(line, "Content-Type", &value))
        reply->is_json = slice_starts_with(value, SLICE("application/json"));
    if (header_is(line, "Date", &value))
        tell_date(context, value);
    return line.len;
}

// Appends to the reply. The budget is charged for the buffer's capacity, which doubles.
static bool keep(HttpCall *call, Slice text) {
    HttpReply *reply = call->reply;
    size_t before = reply->body.capacity, needed = reply->body.len + text.len;
    size_t wanted = needed <= before ? before : needed > 2 * before ? needed : 2 * before;

    if (wanted > reply->charged) {
        if (!memory_budget_take(reply->budget, wanted - reply->charged)) {
            call->over_budget = true;
            return false;
        }
        reply->charged = wanted;
    }
    buffer_append(&reply->body, text);
    return true;
}

// Passes a 2xx body to the sink, if there is one. Otherwise the body is kept up to its bound: a longer 2xx is refused,
// a longer error text is cut.
size_t http_take_body(char *bytes, size_t size, size_t count, void *context) {
    HttpCall *call = context;
    HttpReply *reply = call->reply;
    Slice text = {bytes, size * count};
    size_t room = call->request->reply_bytes_max ? call->request->reply_bytes_max : REPLY_BYTES_DEFAULT;
    long status = 0;
    bool counts;

    if (http_is_stopped(call)) // decompressing can keep this thread busy for seconds
        return 0;
    curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &status);
    reply->status = (int)status;
    counts = status / 100 == 2;
    if (counts && call->request->sink.take) {
        reply->ended_early = !call->request->sink.take(call->request->sink.context, text);
        return reply->ended_early ? 0 : text.len;
    }
    if (!counts && room > REPLY_BYTES_DEFAULT)
        room = REPLY_BYTES_DEFAULT;
    room -= reply->body.len;
    if (text.len > room && counts) {
        call->too_large = true;
        return 0;
    }
    return keep(call, slice_first(text, room)) ? text.len : 0;
}

uint32_t http_reply_headers(Arena *arena, const HttpReply *reply, HttpHeader **ret_headers) {
    Vec(HttpHeader) headers = {0};
    Slice rest = buffer_slice(&reply->head);

    while (rest.len) {
        ptrdiff_t end = slice_find(rest, '\n');
        Slice line = end < 0 ? rest : slice_first(rest, (size_t)end);
        ptrdiff_t colon = slice_find(line, ':');

        if (colon > 0)
            vec_push(arena, &headers,
                     (HttpHeader){slice_first(line, (size_t)colon), slice_trim(slice_from(line, (size_t)colon + 1))});
        rest = slice_from(rest, line.len + 1);
    }
    *ret_headers = headers.items;
    return headers.count;
}
