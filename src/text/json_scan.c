// Finding the ends of JSON values.
#include "text/json_scan.h"

typedef enum { MARK_NONE, MARK_QUOTE, MARK_OPEN, MARK_CLOSE, MARK_ESCAPE } Mark;

static const uint8_t marks[256] = {
    ['"'] = MARK_QUOTE, ['{'] = MARK_OPEN,  ['['] = MARK_OPEN,
    ['}'] = MARK_CLOSE, [']'] = MARK_CLOSE, ['\\'] = MARK_ESCAPE,
};

// The position after the string that starts at `at`, or the end.
static const char *string_end(const char *at, const char *end) {
    at++;
    while ((at = json_string_mark(at, end)) < end) {
        if (*at == '"')
            return at + 1;
        if (end - at < 2)
            return end;
        at += 2;
    }
    return end;
}

// The length of a '\\' outside of strings and of what it escapes. Nothing may be escaped there, but simdjson, too,
// begins no string at an escaped quote: both must agree on where strings are, or the parser would look behind the end.
static size_t escape_len(const char *at, const char *end) {
    return end - at > 1 && (at[1] == '"' || at[1] == '\\') ? 2 : 1;
}

const char *json_value_end(const char *at, const char *end) {
    size_t depth = 0;

    while (at < end) {
        switch (marks[(unsigned char)*at]) {
        case MARK_NONE:
        case MARK_ESCAPE:
            at += *at == '\\' ? escape_len(at, end) : 1;
            if (depth > 0 || (at < end && !json_is_space(*at)))
                continue;
            break;
        case MARK_QUOTE:
            at = string_end(at, end);
            break;
        case MARK_OPEN:
            depth++;
            at++;
            continue;
        default:
            depth -= depth > 0;
            at++;
        }
        if (depth == 0)
            return at;
    }
    return end;
}

// --- lists

typedef struct {
    Arena *arena;
    const char *at, *end;
    uint32_t most;
    bool has_items;
    JsonList *list;
} ListScan;

static void skip_space(ListScan *scan) {
    while (scan->at < scan->end && json_is_space(*scan->at))
        scan->at++;
}

// Skips white space and the character `c`. False: something else follows.
static bool take(ListScan *scan, char c) {
    skip_space(scan);
    if (scan->at == scan->end || *scan->at != c)
        return false;
    scan->at++;
    return true;
}

static bool take_element(ListScan *scan) {
    const char *start;

    skip_space(scan);
    start = scan->at;
    if (start == scan->end || *start != '{' || scan->list->elements.count == scan->most)
        return false;
    scan->at = json_value_end(start, scan->end);
    vec_push(scan->arena, &scan->list->elements, (Slice){start, (size_t)(scan->at - start)});
    return true;
}

static bool take_elements(ListScan *scan, const char *document) {
    scan->at++;
    scan->list->before = (Slice){document, (size_t)(scan->at - document)};
    do {
        if (!take_element(scan))
            return false;
    } while (take(scan, ','));
    scan->list->after.ptr = scan->at;
    return take(scan, ']');
}

static bool take_key(ListScan *scan, Slice *ret_key) {
    const char *start;

    if (!take(scan, '"'))
        return false;
    start = scan->at;
    scan->at = json_string_mark(start, scan->end);
    *ret_key = (Slice){start, (size_t)(scan->at - start)};
    return take(scan, '"') && take(scan, ':');
}

// Skips a number or word. Which of them there are, the parser decides; brackets and quotes are in none.
static bool take_word(ListScan *scan) {
    const char *start = scan->at;

    while (scan->at < scan->end && marks[(unsigned char)*scan->at] == MARK_NONE && !json_is_space(*scan->at) &&
           *scan->at != ',')
        scan->at++;
    return scan->at > start;
}

static bool take_member(ListScan *scan, const char *document) {
    Slice key;

    if (!take_key(scan, &key))
        return false;
    skip_space(scan);
    if (scan->at == scan->end)
        return false;
    if (slice_eq(key, SLICE("items"))) {
        if (scan->has_items || *scan->at != '[')
            return false;
        scan->has_items = true;
        return take_elements(scan, document);
    }
    switch (marks[(unsigned char)*scan->at]) {
    case MARK_QUOTE:
    case MARK_OPEN:
        scan->at = json_value_end(scan->at, scan->end);
        return true;
    default:
        return take_word(scan);
    }
}

bool json_list_find(Arena *arena, const char *at, const char *end, uint32_t most, JsonList *ret_list) {
    JsonList list = {0};
    ListScan scan = {.arena = arena, .at = at, .end = end, .most = most, .list = &list};

    if (!take(&scan, '{'))
        return false;
    do {
        if (!take_member(&scan, at))
            return false;
    } while (take(&scan, ','));
    if (!take(&scan, '}') || !scan.has_items)
        return false;
    list.end = scan.at;
    list.after.len = (size_t)(list.end - list.after.ptr);
    *ret_list = list;
    return true;
}
