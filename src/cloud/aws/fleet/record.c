// The annotation's form.
#include "cloud/aws/fleet/record.h"

enum { TOKEN_MAX = 128, CLAIMS_MAX = 1000000 };

Slice launch_record_print(Arena *arena, const LaunchRecord *record) {
    return arena_printf(arena, "%.*s/%u/%u", SLICE_ARG(record->token), record->rank, record->count);
}

// The part before the next '/', which is taken off `rest`.
static Slice take_part(Slice *rest) {
    ptrdiff_t slash = slice_find(*rest, '/');
    Slice part = slash < 0 ? *rest : slice_first(*rest, (size_t)slash);

    *rest = slash < 0 ? (Slice){0} : slice_from(*rest, (size_t)slash + 1);
    return part;
}

static bool read_number(Slice text, uint32_t *ret_number) {
    int64_t number = 0;

    if (!text.len || text.ptr[0] == '-' || !slice_to_int64(text, &number) || number > CLAIMS_MAX)
        return false;
    *ret_number = (uint32_t)number;
    return true;
}

bool launch_record_read(Slice text, LaunchRecord *ret_record) {
    LaunchRecord record = {.token = take_part(&text)};

    if (!record.token.len || record.token.len > TOKEN_MAX || !read_number(take_part(&text), &record.rank))
        return false;
    if (text.len && (!read_number(text, &record.count) || record.rank >= record.count))
        return false;
    *ret_record = record;
    return true;
}
