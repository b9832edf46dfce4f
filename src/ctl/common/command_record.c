#include "ctl/common/command_record.h"

static const Slice CANDIDATE = SLICE_INIT("candidate/awaits-"), REPLACEMENT = SLICE_INIT("replacement/joins");

Slice record_print(Arena *arena, const Record *record) {
    if (record->role == RECORD_REPLACEMENT)
        return arena_printf(arena, "%.*s/%.*s", SLICE_ARG(record->uuid), SLICE_ARG(REPLACEMENT));
    return arena_printf(arena, "%.*s/%.*s%u", SLICE_ARG(record->uuid), SLICE_ARG(CANDIDATE), record->replacements);
}

bool record_read(Slice text, Record *ret_record) {
    ptrdiff_t slash = slice_find(text, '/');
    int64_t number = 0;
    Slice rest;

    if (slash <= 0)
        return false;
    *ret_record = (Record){.uuid = slice_first(text, (size_t)slash), .role = RECORD_REPLACEMENT};
    rest = slice_from(text, (size_t)slash + 1);
    if (slice_eq(rest, REPLACEMENT))
        return true;
    if (!slice_starts_with(rest, CANDIDATE) || !slice_to_int64(slice_from(rest, CANDIDATE.len), &number) ||
        number < 0 || number > UINT16_MAX)
        return false;
    ret_record->role = RECORD_CANDIDATE;
    ret_record->replacements = (uint32_t)number;
    return true;
}

bool record_of_object(const ObjectMeta *meta, const Symbols *symbols, Record *ret_record) {
    Symbol text = labels_get(&meta->annotations, NAME_COMMAND);

    return text != INDEX_NONE && record_read(symbol_text(symbols, text), ret_record);
}
