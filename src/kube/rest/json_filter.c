// The filter: one look at each byte, and a stack of the open maps and lists.
#include "kube/rest/json_filter.h"

#include "base/check.h"
#include "text/json_scan.h"

enum { KEPT_BYTES_MAX = 1 << 20 }; // a buffer larger than this is freed after a document

static void add_steps(JsonFilterPath *path, const char *text) {
    Slice rest = slice_of(text);

    while (rest.len) {
        ptrdiff_t blank = slice_find(rest, ' ');
        size_t len = blank < 0 ? rest.len : (size_t)blank;

        CHECK(path->count < JSON_FILTER_STEPS_MAX, "path '%s' is too long", text);
        path->steps[path->count++] = slice_first(rest, len);
        rest = slice_from(rest, len + 1);
    }
}

void json_filter_drop(JsonFilter *json_filter, const char *prefix, const char *path) {
    JsonFilterPath *own = &json_filter->paths[json_filter->path_count];

    CHECK(json_filter->path_count < JSON_FILTER_PATHS_MAX, "more than %d paths", JSON_FILTER_PATHS_MAX);
    *own = (JsonFilterPath){0};
    add_steps(own, prefix);
    add_steps(own, path);
    for (uint32_t i = 0; i < own->count; i++) {
        CHECK(own->steps[i].len < JSON_FILTER_KEY_MAX, "a key of path '%s' is too long", path);
        json_filter->by_length[i][own->steps[i].len] |= UINT64_C(1) << json_filter->path_count;
    }
    CHECK(own->count > 0 && !slice_eq_text(own->steps[own->count - 1], "*"), "elements of lists cannot be dropped");
    json_filter->path_count++;
}

void json_filter_reset(JsonFilter *json_filter) {
    json_filter->out.len = 0;
    json_filter->depth = 0;
    json_filter->expect = JSON_FILTER_VALUE;
    json_filter->token = JSON_FILTER_BETWEEN;
    json_filter->escaped = json_filter->is_key = json_filter->dropping = false;
    json_filter->failed = OK;
    if (json_filter->out.capacity > KEPT_BYTES_MAX)
        json_filter_free(json_filter);
}

void json_filter_free(JsonFilter *json_filter) {
    buffer_free(&json_filter->out);
    memory_budget_give(json_filter->budget, json_filter->charged);
    json_filter->charged = 0;
}

static bool fail(JsonFilter *json_filter, ErrCode code) {
    json_filter->failed = code;
    return false;
}

static bool emit(JsonFilter *json_filter, Slice bytes) {
    Buffer *out = &json_filter->out;

    if (json_filter->dropping)
        return true;
    if (bytes.len > json_filter->bytes_max - out->len)
        return fail(json_filter, ERR_TOO_LARGE);
    if (bytes.len > out->capacity - out->len) {
        buffer_append(out, bytes);
        return true;
    }
    memcpy(out->bytes + out->len, bytes.ptr, bytes.len);
    out->len += bytes.len;
    return true;
}

static bool emit_char(JsonFilter *json_filter, char c) {
    Buffer *out = &json_filter->out;

    if (json_filter->dropping || out->len >= json_filter->bytes_max || out->len == out->capacity)
        return emit(json_filter, (Slice){&c, 1});
    out->bytes[out->len++] = c;
    return true;
}

static JsonFilterLevel *level(JsonFilter *json_filter) {
    return &json_filter->levels[json_filter->depth - 1];
}

// The paths in `from` that match `step` at the present depth. Most levels have none left, and cost nothing.
static uint64_t paths_after(const JsonFilter *json_filter, uint64_t from, Slice step) {
    uint32_t at = json_filter->depth - 1;
    uint64_t result = 0;

    if (!from || at >= JSON_FILTER_STEPS_MAX)
        return 0;
    for (uint64_t left = from & json_filter->by_length[at][step.len]; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);

        if (slice_eq(json_filter->paths[i].steps[at], step))
            result |= UINT64_C(1) << i;
    }
    return result;
}

// Decides, after a complete key, whether the member is dropped; if so, its comma and key are removed from the output.
static void decide(JsonFilter *json_filter) {
    Slice key = {json_filter->key, json_filter->key_len};

    json_filter->member_paths =
        json_filter->key_len < JSON_FILTER_KEY_MAX ? paths_after(json_filter, level(json_filter)->paths, key) : 0;
    for (uint64_t left = json_filter->member_paths; left; left &= left - 1) {
        if (json_filter->paths[__builtin_ctzll(left)].count == json_filter->depth) {
            json_filter->out.len = json_filter->member_start;
            json_filter->dropping = true;
            json_filter->drop_depth = 0;
            return;
        }
    }
    level(json_filter)->has_members = true;
}

// Handles the end of a value, which may also end the document or the dropped member.
static bool value_ends(JsonFilter *json_filter) {
    Slice text;
    bool more;

    if (json_filter->dropping) {
        json_filter->dropping = json_filter->drop_depth > 0;
        if (json_filter->dropping)
            return true;
    }
    json_filter->expect = JSON_FILTER_AFTER;
    if (json_filter->depth)
        return true;
    text = buffer_slice(&json_filter->out);
    more = json_filter->take(json_filter->context, text);
    json_filter_reset(json_filter);
    return more;
}

static bool open_level(JsonFilter *json_filter, char bracket) {
    uint64_t paths;

    if (json_filter->dropping) {
        json_filter->drop_depth++;
        return true;
    }
    if (json_filter->depth == JSON_FILTER_DEPTH_MAX)
        return fail(json_filter, ERR_INVALID);
    if (!json_filter->depth)
        paths = json_filter->path_count == 64 ? UINT64_MAX : (UINT64_C(1) << json_filter->path_count) - 1;
    else
        paths = level(json_filter)->is_map ? json_filter->member_paths
                                           : paths_after(json_filter, level(json_filter)->paths, SLICE("*"));
    json_filter->levels[json_filter->depth++] = (JsonFilterLevel){.is_map = bracket == '{', .paths = paths};
    json_filter->expect = bracket == '{' ? JSON_FILTER_KEY : JSON_FILTER_VALUE;
    return emit_char(json_filter, bracket);
}

static bool close_level(JsonFilter *json_filter, char bracket) {
    if (json_filter->dropping) {
        if (!json_filter->drop_depth)
            return fail(json_filter, ERR_INVALID);
        json_filter->drop_depth--;
        return value_ends(json_filter);
    }
    if (!json_filter->depth || level(json_filter)->is_map != (bracket == '}'))
        return fail(json_filter, ERR_INVALID);
    json_filter->depth--;
    return emit_char(json_filter, bracket) && value_ends(json_filter);
}

// Handles a comma. That of a map is written with the next member that is kept, that of a list at once.
static bool comma(JsonFilter *json_filter) {
    if (json_filter->dropping)
        return true;
    if (!json_filter->depth || json_filter->expect != JSON_FILTER_AFTER)
        return fail(json_filter, ERR_INVALID);
    if (level(json_filter)->is_map) {
        json_filter->expect = JSON_FILTER_KEY;
        return true;
    }
    json_filter->expect = JSON_FILTER_VALUE;
    return emit_char(json_filter, ',');
}

static bool begin_string(JsonFilter *json_filter) {
    json_filter->token = JSON_FILTER_IN_STRING;
    json_filter->is_key = !json_filter->dropping && json_filter->depth && level(json_filter)->is_map &&
                          json_filter->expect == JSON_FILTER_KEY;
    if (json_filter->is_key) {
        json_filter->member_start = json_filter->out.len;
        json_filter->key_len = 0;
        if (level(json_filter)->has_members && !emit_char(json_filter, ','))
            return false;
    } else if (!json_filter->dropping && (!json_filter->depth || json_filter->expect != JSON_FILTER_VALUE)) {
        return fail(json_filter, ERR_INVALID);
    }
    return emit_char(json_filter, '"');
}

static bool end_string(JsonFilter *json_filter) {
    json_filter->token = JSON_FILTER_BETWEEN;
    if (!emit_char(json_filter, '"'))
        return false;
    if (!json_filter->is_key)
        return value_ends(json_filter);
    json_filter->is_key = false;
    json_filter->expect = JSON_FILTER_COLON;
    decide(json_filter);
    return true;
}

static void note_key(JsonFilter *json_filter, Slice bytes) {
    if (bytes.len > JSON_FILTER_KEY_MAX - json_filter->key_len)
        bytes.len = JSON_FILTER_KEY_MAX - json_filter->key_len;
    memcpy(json_filter->key + json_filter->key_len, bytes.ptr, bytes.len);
    json_filter->key_len += (uint32_t)bytes.len;
}

// Copies a string up to its quote or the end of the bytes. Returns the number of bytes; 0: failed.
static size_t pass_string(JsonFilter *json_filter, Slice bytes) {
    size_t at = 0;

    if (json_filter->escaped) {
        json_filter->escaped = false;
        at = 1;
    }
    for (;;) {
        at = (size_t)(json_string_mark(bytes.ptr + at, bytes.ptr + bytes.len) - bytes.ptr);
        if (at == bytes.len || bytes.ptr[at] == '"')
            break;
        at += 2; // the escaped character is not a quote
        if (at > bytes.len) {
            json_filter->escaped = true;
            at = bytes.len;
            break;
        }
    }
    if (json_filter->is_key)
        note_key(json_filter, slice_first(bytes, at));
    if (!emit(json_filter, slice_first(bytes, at)))
        return 0;
    if (at == bytes.len)
        return at;
    return end_string(json_filter) ? at + 1 : 0;
}

// Part of a number, true, false or null.
static bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '+' || c == '.' || c == 'E';
}

static size_t pass_word(JsonFilter *json_filter, Slice bytes) {
    size_t at = 0;

    while (at < bytes.len && is_word(bytes.ptr[at]))
        at++;
    if (!emit(json_filter, slice_first(bytes, at)))
        return 0;
    if (at == bytes.len)
        return at;
    json_filter->token = JSON_FILTER_BETWEEN;
    if (!value_ends(json_filter))
        return 0;
    return at ? at : SIZE_MAX; // nothing consumed: the byte is looked at again
}

static bool pass_mark(JsonFilter *json_filter, char c) {
    switch (c) {
    case ' ':
    case '\n':
    case '\r':
    case '\t':
        return true;
    case '{':
    case '[':
        if (!json_filter->dropping && (json_filter->expect != JSON_FILTER_VALUE || (!json_filter->depth && c == '[')))
            return fail(json_filter, ERR_INVALID);
        return open_level(json_filter, c);
    case '}':
    case ']':
        return close_level(json_filter, c);
    case ',':
        return comma(json_filter);
    case ':':
        if (!json_filter->dropping && json_filter->expect != JSON_FILTER_COLON)
            return fail(json_filter, ERR_INVALID);
        if (!json_filter->dropping || !json_filter->drop_depth)
            json_filter->expect = JSON_FILTER_VALUE;
        return emit_char(json_filter, ':');
    case '"':
        return begin_string(json_filter);
    default:
        if (!is_word(c) ||
            (!json_filter->dropping && (!json_filter->depth || json_filter->expect != JSON_FILTER_VALUE)))
            return fail(json_filter, ERR_INVALID);
        json_filter->token = JSON_FILTER_IN_WORD;
        return true;
    }
}

// Skips the content of a dropped list or map, up to its closing bracket or the end of the bytes; returns the number of
// bytes. Two thirds of a watch's bytes come here. When the bytes end inside a string, or after a
// '\\', the filter remembers that.
static size_t skip_dropped(JsonFilter *json_filter, Slice bytes) {
    JsonNesting nesting = {.depth = json_filter->drop_depth, .escaped = json_filter->escaped};
    const char *end = bytes.ptr + bytes.len, *at = json_nesting_end(&nesting, bytes.ptr, end);

    if (at < end) { // the closing bracket itself is left to close_level
        json_filter->escaped = false;
        json_filter->drop_depth = 1;
        return (size_t)(at - bytes.ptr);
    }
    json_filter->drop_depth = (uint32_t)nesting.depth;
    if (nesting.in_string) {
        json_filter->token = JSON_FILTER_IN_STRING;
        json_filter->is_key = false;
    }
    json_filter->escaped = nesting.escaped;
    return bytes.len;
}

static bool pass(JsonFilter *json_filter, Slice bytes) {
    if (!json_filter->depth && !json_filter->out.len && json_filter->token == JSON_FILTER_BETWEEN)
        json_filter->expect = JSON_FILTER_VALUE;
    while (bytes.len) {
        size_t taken = 1;

        if (json_filter->token == JSON_FILTER_IN_STRING) {
            taken = pass_string(json_filter, bytes);
        } else if (json_filter->token == JSON_FILTER_IN_WORD) {
            taken = pass_word(json_filter, bytes);
        } else {
            char c;

            if (json_filter->dropping && json_filter->drop_depth)
                bytes = slice_from(bytes, skip_dropped(json_filter, bytes));
            if (!bytes.len)
                break;
            c = bytes.ptr[0];

            if (!pass_mark(json_filter, c))
                return false;
            taken = json_filter->token == JSON_FILTER_IN_WORD ? SIZE_MAX : 1; // the first byte of a word is part of it
        }
        if (!taken)
            return false;
        bytes = slice_from(bytes, taken == SIZE_MAX ? 0 : taken);
    }
    return true;
}

// The budget is checked after each piece: the buffer grows by the size of a piece, some kilobytes, or doubles.
bool json_filter_feed(JsonFilter *json_filter, Slice bytes) {
    bool goes_on = pass(json_filter, bytes);
    size_t held = json_filter->out.capacity;

    if (held > json_filter->charged) {
        if (!memory_budget_take(json_filter->budget, held - json_filter->charged)) {
            json_filter->over_budget = true;
            json_filter->failed = ERR_TOO_LARGE;
            return false;
        }
        json_filter->charged = held;
    }
    return goes_on;
}
