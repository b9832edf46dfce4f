#include "ctl/common/command_record.h"

#include "base/time.h"

#include <inttypes.h>

static const Slice CANDIDATE = SLICE_INIT("candidate/awaits-"), REPLACEMENT = SLICE_INIT("replacement/joins"),
                   DRAINS = SLICE_INIT("drains-");

Slice record_print(Arena *arena, const Record *record) {
    if (record->role == RECORD_REPLACEMENT)
        return arena_printf(arena, "%.*s/%.*s", SLICE_ARG(record->uuid), SLICE_ARG(REPLACEMENT));
    if (record->bound_ns == INT64_MAX)
        return arena_printf(arena, "%.*s/%.*s%u", SLICE_ARG(record->uuid), SLICE_ARG(CANDIDATE), record->replacements);
    return arena_printf(arena, "%.*s/%.*s%u/%.*s%" PRId64 "s", SLICE_ARG(record->uuid), SLICE_ARG(CANDIDATE),
                        record->replacements, SLICE_ARG(DRAINS), record->bound_ns / NS_PER_S);
}

// "drains-600s", or nothing.
static bool read_bound(Slice text, int64_t *ret_ns) {
    Slice number;
    int64_t seconds = 0;

    *ret_ns = INT64_MAX;
    if (!text.len)
        return true;
    if (!slice_starts_with(text, DRAINS) || text.ptr[text.len - 1] != 's')
        return false;
    number = slice_from(slice_first(text, text.len - 1), DRAINS.len);
    if (!slice_to_int64(number, &seconds) || seconds < 0 || seconds > INT64_MAX / NS_PER_S)
        return false;
    *ret_ns = seconds * NS_PER_S;
    return true;
}

// "<n>", or "<n>/drains-<s>s".
static bool read_candidate(Slice text, Record *ret_record) {
    ptrdiff_t slash = slice_find(text, '/');
    Slice count = slash < 0 ? text : slice_first(text, (size_t)slash);
    Slice bound = slash < 0 ? (Slice){0} : slice_from(text, (size_t)slash + 1);
    int64_t number = 0;

    if (!slice_to_int64(count, &number) || number < 0 || number > UINT16_MAX || (slash >= 0 && !bound.len))
        return false;
    ret_record->role = RECORD_CANDIDATE;
    ret_record->replacements = (uint32_t)number;
    return read_bound(bound, &ret_record->bound_ns);
}

bool record_read(Slice text, Record *ret_record) {
    ptrdiff_t slash = slice_find(text, '/');
    Slice rest;

    if (slash <= 0)
        return false;
    *ret_record = (Record){.uuid = slice_first(text, (size_t)slash), .role = RECORD_REPLACEMENT, .bound_ns = INT64_MAX};
    rest = slice_from(text, (size_t)slash + 1);
    return slice_eq(rest, REPLACEMENT) ||
           (slice_starts_with(rest, CANDIDATE) && read_candidate(slice_from(rest, CANDIDATE.len), ret_record));
}

bool record_of_object(const ObjectMeta *meta, const Symbols *symbols, Record *ret_record) {
    Symbol text = labels_get(&meta->annotations, NAME_COMMAND);

    return text != INDEX_NONE && record_read(symbol_text(symbols, text), ret_record);
}
