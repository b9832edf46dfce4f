// The annotation, read and written.
#include "disrupt/repair/history.h"

#include "base/buffer.h"
#include "base/time.h"
#include "text/duration.h"

static const int64_t WINDOW_NS = REPAIR_WINDOW_MIN * NS_PER_MIN;

static Slice cut(Slice *rest, char at) {
    ptrdiff_t end = slice_find(*rest, at);
    Slice first = end < 0 ? *rest : slice_first(*rest, (size_t)end);

    *rest = end < 0 ? (Slice){0} : slice_from(*rest, (size_t)end + 1);
    return first;
}

static bool read_one(Slice text, PastRepair *ret_repair) {
    Slice at = cut(&text, '/'), zone = cut(&text, '/');

    *ret_repair = (PastRepair){.zone = zone, .image = text};
    return time_parse(at, &ret_repair->at_ns, NULL) == OK;
}

PastRepairVec repair_history_read(Arena *arena, const NodePool *pool, const Symbols *symbols, int64_t now_ns) {
    Symbol annotation = labels_get(&pool->meta.annotations, NAME_REPAIRS);
    Slice rest = annotation == INDEX_NONE ? (Slice){0} : symbol_text(symbols, annotation);
    PastRepairVec repairs = {0};

    while (rest.len) {
        PastRepair repair;

        if (read_one(cut(&rest, ','), &repair) && ns_add(repair.at_ns, WINDOW_NS) > now_ns)
            vec_push(arena, &repairs, repair);
    }
    return repairs;
}

static void print(Arena *arena, const PastRepair *repair, Buffer *text) {
    buffer_printf(text, "%s%.*s/%.*s/%.*s", buffer_slice(text).len ? "," : "",
                  SLICE_ARG(time_print(arena, repair->at_ns)), SLICE_ARG(repair->zone), SLICE_ARG(repair->image));
}

Slice repair_history_add(Arena *arena, const NodePool *pool, const Symbols *symbols, PastRepair repair) {
    PastRepairVec repairs = repair_history_read(arena, pool, symbols, repair.at_ns);
    Buffer text = {0};
    Slice written;

    for (vec_each(const PastRepair, past, &repairs))
        print(arena, past, &text);
    print(arena, &repair, &text);
    written = arena_slice(arena, buffer_slice(&text));
    buffer_free(&text);
    return written;
}

uint32_t repair_pace(uint32_t total) {
    uint32_t pace = (uint32_t)(((uint64_t)total * REPAIR_PACE_PERCENT + 99) / 100);

    return pace ? pace : 1;
}
