// The sieve: one look at each byte, a stack of the maps and lists that are open.
#include "kube/rest/sieve.h"

#include "base/check.h"

#include <endian.h>

enum { KEPT_BYTES_MAX = 1 << 20 }; // more of the buffer is given back after a document

static void add_steps(SievePath *path, const char *text) {
    Slice rest = slice_of(text);

    while (rest.len) {
        ptrdiff_t blank = slice_find(rest, ' ');
        size_t len = blank < 0 ? rest.len : (size_t)blank;

        CHECK(path->count < SIEVE_STEPS_MAX, "path '%s' is too long", text);
        path->steps[path->count++] = slice_first(rest, len);
        rest = slice_from(rest, len + 1);
    }
}

void sieve_drop(Sieve *sieve, const char *prefix, const char *path) {
    SievePath *own = &sieve->paths[sieve->path_count];

    CHECK(sieve->path_count < SIEVE_PATHS_MAX, "more than %d paths", SIEVE_PATHS_MAX);
    *own = (SievePath){0};
    add_steps(own, prefix);
    add_steps(own, path);
    CHECK(own->count > 0 && !slice_eq_text(own->steps[own->count - 1], "*"), "elements of lists cannot be dropped");
    sieve->path_count++;
}

void sieve_reset(Sieve *sieve) {
    sieve->out.len = 0;
    sieve->depth = 0;
    sieve->expect = SIEVE_VALUE;
    sieve->token = SIEVE_BETWEEN;
    sieve->escaped = sieve->is_key = sieve->dropping = false;
    sieve->failed = OK;
    if (sieve->out.capacity > KEPT_BYTES_MAX)
        sieve_free(sieve);
}

void sieve_free(Sieve *sieve) {
    buffer_free(&sieve->out);
    memory_budget_give(sieve->budget, sieve->charged);
    sieve->charged = 0;
}

static bool fail(Sieve *sieve, ErrCode code) {
    sieve->failed = code;
    return false;
}

static bool emit(Sieve *sieve, Slice bytes) {
    Buffer *out = &sieve->out;

    if (sieve->dropping)
        return true;
    if (bytes.len > sieve->bytes_max - out->len)
        return fail(sieve, ERR_TOO_LARGE);
    if (bytes.len > out->capacity - out->len) {
        buffer_append(out, bytes);
        return true;
    }
    memcpy(out->bytes + out->len, bytes.ptr, bytes.len);
    out->len += bytes.len;
    return true;
}

static bool emit_char(Sieve *sieve, char c) {
    Buffer *out = &sieve->out;

    if (sieve->dropping || out->len >= sieve->bytes_max || out->len == out->capacity)
        return emit(sieve, (Slice){&c, 1});
    out->bytes[out->len++] = c;
    return true;
}

static SieveLevel *level(Sieve *sieve) {
    return &sieve->levels[sieve->depth - 1];
}

// The paths of `from` that take `step` at the depth that is open. Most levels have none left, and cost nothing.
static uint64_t paths_after(const Sieve *sieve, uint64_t from, Slice step) {
    uint64_t result = 0;

    for (uint64_t left = from; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);

        if (sieve->paths[i].count >= sieve->depth && slice_eq(sieve->paths[i].steps[sieve->depth - 1], step))
            result |= UINT64_C(1) << i;
    }
    return result;
}

// A key is whole: does the member pass? What was written of it (its comma and key) is taken back if not.
static void decide(Sieve *sieve) {
    Slice key = {sieve->key, sieve->key_len};

    sieve->member_paths = sieve->key_len < SIEVE_KEY_MAX ? paths_after(sieve, level(sieve)->paths, key) : 0;
    for (uint64_t left = sieve->member_paths; left; left &= left - 1) {
        if (sieve->paths[__builtin_ctzll(left)].count == sieve->depth) {
            sieve->out.len = sieve->member_start;
            sieve->dropping = true;
            sieve->drop_depth = 0;
            return;
        }
    }
    level(sieve)->has_members = true;
}

// A value is over: the document, or what is dropped, may be so with it.
static bool value_ends(Sieve *sieve) {
    Slice text;
    bool more;

    if (sieve->dropping) {
        sieve->dropping = sieve->drop_depth > 0;
        if (sieve->dropping)
            return true;
    }
    sieve->expect = SIEVE_AFTER;
    if (sieve->depth)
        return true;
    text = buffer_slice(&sieve->out);
    more = sieve->take(sieve->context, text);
    sieve_reset(sieve);
    return more;
}

static bool open_level(Sieve *sieve, char bracket) {
    uint64_t paths;

    if (sieve->dropping) {
        sieve->drop_depth++;
        return true;
    }
    if (sieve->depth == SIEVE_DEPTH_MAX)
        return fail(sieve, ERR_INVALID);
    if (!sieve->depth)
        paths = sieve->path_count == 64 ? UINT64_MAX : (UINT64_C(1) << sieve->path_count) - 1;
    else
        paths = level(sieve)->is_map ? sieve->member_paths : paths_after(sieve, level(sieve)->paths, SLICE("*"));
    sieve->levels[sieve->depth++] = (SieveLevel){.is_map = bracket == '{', .paths = paths};
    sieve->expect = bracket == '{' ? SIEVE_KEY : SIEVE_VALUE;
    return emit_char(sieve, bracket);
}

static bool close_level(Sieve *sieve, char bracket) {
    if (sieve->dropping) {
        if (!sieve->drop_depth)
            return fail(sieve, ERR_INVALID);
        sieve->drop_depth--;
        return value_ends(sieve);
    }
    if (!sieve->depth || level(sieve)->is_map != (bracket == '}'))
        return fail(sieve, ERR_INVALID);
    sieve->depth--;
    return emit_char(sieve, bracket) && value_ends(sieve);
}

// The comma of a map is written with the next member that passes; that of a list at once.
static bool comma(Sieve *sieve) {
    if (sieve->dropping)
        return true;
    if (!sieve->depth || sieve->expect != SIEVE_AFTER)
        return fail(sieve, ERR_INVALID);
    if (level(sieve)->is_map) {
        sieve->expect = SIEVE_KEY;
        return true;
    }
    sieve->expect = SIEVE_VALUE;
    return emit_char(sieve, ',');
}

static bool begin_string(Sieve *sieve) {
    sieve->token = SIEVE_IN_STRING;
    sieve->is_key = !sieve->dropping && sieve->depth && level(sieve)->is_map && sieve->expect == SIEVE_KEY;
    if (sieve->is_key) {
        sieve->member_start = sieve->out.len;
        sieve->key_len = 0;
        if (level(sieve)->has_members && !emit_char(sieve, ','))
            return false;
    } else if (!sieve->dropping && (!sieve->depth || sieve->expect != SIEVE_VALUE)) {
        return fail(sieve, ERR_INVALID);
    }
    return emit_char(sieve, '"');
}

static bool end_string(Sieve *sieve) {
    sieve->token = SIEVE_BETWEEN;
    if (!emit_char(sieve, '"'))
        return false;
    if (!sieve->is_key)
        return value_ends(sieve);
    sieve->is_key = false;
    sieve->expect = SIEVE_COLON;
    decide(sieve);
    return true;
}

static void note_key(Sieve *sieve, Slice bytes) {
    if (bytes.len > SIEVE_KEY_MAX - sieve->key_len)
        bytes.len = SIEVE_KEY_MAX - sieve->key_len;
    memcpy(sieve->key + sieve->key_len, bytes.ptr, bytes.len);
    sieve->key_len += (uint32_t)bytes.len;
}

// A byte of all eight that equals `c` has its highest bit set in the answer, and so may those behind it.
static uint64_t equals(uint64_t eight, unsigned char c) {
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t zero_where = eight ^ (ones * c);

    return (zero_where - ones) & ~zero_where & (ones << 7);
}

// The first quote or '\\' from `at` on, or `end`: eight bytes at a time, since strings are most of what passes.
static const char *string_mark(const char *at, const char *end) {
    for (; end - at >= 8; at += 8) {
        uint64_t eight, marks;

        memcpy(&eight, at, sizeof eight);
        eight = le64toh(eight);
        marks = equals(eight, '"') | equals(eight, '\\');
        if (marks)
            return at + __builtin_ctzll(marks) / 8;
    }
    while (at < end && *at != '"' && *at != '\\')
        at++;
    return at;
}

// Lets the string on up to its quote or the end of the bytes. Returns how many were taken; 0: failed.
static size_t pass_string(Sieve *sieve, Slice bytes) {
    size_t at = 0;

    if (sieve->escaped) {
        sieve->escaped = false;
        at = 1;
    }
    for (;;) {
        at = (size_t)(string_mark(bytes.ptr + at, bytes.ptr + bytes.len) - bytes.ptr);
        if (at == bytes.len || bytes.ptr[at] == '"')
            break;
        at += 2; // what is escaped is no mark
        if (at > bytes.len) {
            sieve->escaped = true;
            at = bytes.len;
            break;
        }
    }
    if (sieve->is_key)
        note_key(sieve, slice_first(bytes, at));
    if (!emit(sieve, slice_first(bytes, at)))
        return 0;
    if (at == bytes.len)
        return at;
    return end_string(sieve) ? at + 1 : 0;
}

// Numbers, true, false, null.
static bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '+' || c == '.' || c == 'E';
}

static size_t pass_word(Sieve *sieve, Slice bytes) {
    size_t at = 0;

    while (at < bytes.len && is_word(bytes.ptr[at]))
        at++;
    if (!emit(sieve, slice_first(bytes, at)))
        return 0;
    if (at == bytes.len)
        return at;
    sieve->token = SIEVE_BETWEEN;
    if (!value_ends(sieve))
        return 0;
    return at ? at : SIZE_MAX; // nothing taken: the byte is looked at again
}

static bool pass_mark(Sieve *sieve, char c) {
    switch (c) {
    case ' ':
    case '\n':
    case '\r':
    case '\t':
        return true;
    case '{':
    case '[':
        if (!sieve->dropping && (sieve->expect != SIEVE_VALUE || (!sieve->depth && c == '[')))
            return fail(sieve, ERR_INVALID);
        return open_level(sieve, c);
    case '}':
    case ']':
        return close_level(sieve, c);
    case ',':
        return comma(sieve);
    case ':':
        if (!sieve->dropping && sieve->expect != SIEVE_COLON)
            return fail(sieve, ERR_INVALID);
        if (!sieve->dropping || !sieve->drop_depth)
            sieve->expect = SIEVE_VALUE;
        return emit_char(sieve, ':');
    case '"':
        return begin_string(sieve);
    default:
        if (!is_word(c) || (!sieve->dropping && (!sieve->depth || sieve->expect != SIEVE_VALUE)))
            return fail(sieve, ERR_INVALID);
        sieve->token = SIEVE_IN_WORD;
        return true;
    }
}

// Behind the string whose inside starts at `at`; when the bytes end before it does, that is noted.
static const char *skip_string(Sieve *sieve, const char *at, const char *end) {
    while ((at = string_mark(at, end)) < end) {
        if (*at == '"')
            return at + 1;
        if (end - at < 2) {
            sieve->escaped = true;
            break;
        }
        at += 2;
    }
    sieve->token = SIEVE_IN_STRING;
    sieve->is_key = false;
    return end;
}

// Passes over what is inside a dropped list or map, up to the bracket that ends it or the end of the bytes. That is two
// thirds of what a watch tells, so nothing is done here but counting brackets outside of strings. How many bytes.
static size_t skip_dropped(Sieve *sieve, Slice bytes) {
    static const bool counts[256] = {['"'] = true, ['{'] = true, ['}'] = true, ['['] = true, [']'] = true};
    const char *at = bytes.ptr, *end = at + bytes.len;

    while (at < end) {
        char c = *at;

        if (!counts[(unsigned char)c]) {
            at++;
        } else if (c == '"') {
            at = skip_string(sieve, at + 1, end);
        } else if (c == '{' || c == '[') {
            sieve->drop_depth++;
            at++;
        } else {
            if (sieve->drop_depth == 1) // the last one is for close_level
                break;
            sieve->drop_depth--;
            at++;
        }
    }
    return (size_t)(at - bytes.ptr);
}

static bool pass(Sieve *sieve, Slice bytes) {
    if (!sieve->depth && !sieve->out.len && sieve->token == SIEVE_BETWEEN)
        sieve->expect = SIEVE_VALUE;
    while (bytes.len) {
        size_t taken = 1;

        if (sieve->token == SIEVE_IN_STRING) {
            taken = pass_string(sieve, bytes);
        } else if (sieve->token == SIEVE_IN_WORD) {
            taken = pass_word(sieve, bytes);
        } else {
            char c;

            if (sieve->dropping && sieve->drop_depth)
                bytes = slice_from(bytes, skip_dropped(sieve, bytes));
            if (!bytes.len)
                break;
            c = bytes.ptr[0];

            if (!pass_mark(sieve, c))
                return false;
            taken = sieve->token == SIEVE_IN_WORD ? SIZE_MAX : 1; // a word's first byte is part of it
        }
        if (!taken)
            return false;
        bytes = slice_from(bytes, taken == SIZE_MAX ? 0 : taken);
    }
    return true;
}

// The buffer grows by what is fed, some kilobytes at a time, or doubles: so it is looked at afterwards.
bool sieve_feed(Sieve *sieve, Slice bytes) {
    bool goes_on = pass(sieve, bytes);
    size_t held = sieve->out.capacity;

    if (held > sieve->charged) {
        if (!memory_budget_take(sieve->budget, held - sieve->charged)) {
            sieve->over_budget = true;
            sieve->failed = ERR_TOO_LARGE;
            return false;
        }
        sieve->charged = held;
    }
    return goes_on;
}
