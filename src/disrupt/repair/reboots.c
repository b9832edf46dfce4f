// The annotation, read and written.
#include "disrupt/repair/reboots.h"

#include "base/buffer.h"
#include "base/time.h"
#include "text/duration.h"

static const int64_t WINDOW_NS = REBOOT_WINDOW_H * NS_PER_HOUR;

// Takes the next time from `rest`. False: it cannot be read, or is too long ago.
static bool take_recent(Slice *rest, int64_t now_ns, Slice *ret_text) {
    ptrdiff_t comma = slice_find(*rest, ',');
    int64_t at_ns;

    *ret_text = comma < 0 ? *rest : slice_first(*rest, (size_t)comma);
    *rest = comma < 0 ? (Slice){0} : slice_from(*rest, (size_t)comma + 1);
    return time_parse(*ret_text, &at_ns, NULL) == OK && ns_add(at_ns, WINDOW_NS) > now_ns;
}

static Slice annotation_of(const NodeClaim *claim, const Symbols *symbols) {
    Symbol annotation = labels_get(&claim->meta.annotations, NAME_REBOOTS);

    return annotation == INDEX_NONE ? (Slice){0} : symbol_text(symbols, annotation);
}

uint32_t reboots_lately(const NodeClaim *claim, const Symbols *symbols, int64_t now_ns) {
    Slice rest = annotation_of(claim, symbols), text;
    uint32_t count = 0;

    while (rest.len)
        count += take_recent(&rest, now_ns, &text);
    return count;
}

Slice reboots_add(Arena *arena, const NodeClaim *claim, const Symbols *symbols, int64_t now_ns) {
    Slice rest = annotation_of(claim, symbols), text, written;
    Buffer kept = {0};

    while (rest.len) {
        if (take_recent(&rest, now_ns, &text))
            buffer_printf(&kept, "%.*s,", SLICE_ARG(text));
    }
    buffer_append(&kept, time_print(arena, now_ns));
    written = arena_slice(arena, buffer_slice(&kept));
    buffer_free(&kept);
    return written;
}
