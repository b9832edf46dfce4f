// Why a pod fits nowhere, in kube-scheduler's words: "0/5 nodes are available: 2 Insufficient cpu, 3 node(s) …".
#include <stdlib.h>

#include "sim/scheduler/usher_parts.h"

static void add_lacks(UsherDiagnosis *diagnosis, const UsherTrial *trial, uint32_t node) {
    uint64_t lacks = usher_room_lacks(trial->usher, trial->shape, node);

    diagnosis->too_many_pods += usher_room_is_short_of_pods(trial->usher, node);
    for (; lacks; lacks &= lacks - 1)
        diagnosis->short_of[__builtin_ctzll(lacks)]++;
}

static void add_taint(UsherDiagnosis *diagnosis, const UsherTrial *trial, uint32_t node) {
    Usher *usher = trial->usher;
    const Taint *taint =
        usher_taint_in_the_way(usher->symbols, &trial->shape->spec.tolerations, &usher->nodes[node].taints);

    if (taint)
        vec_push(&usher->attempt_arena, &diagnosis->taints,
                 arena_printf(&usher->attempt_arena, "node(s) had untolerated taint {%.*s: %.*s}",
                              SLICE_ARG(symbol_text(usher->symbols, taint->key)),
                              SLICE_ARG(symbol_text(usher->symbols, taint->value))));
}

void usher_diagnosis_add(UsherDiagnosis *diagnosis, const UsherTrial *trial, uint32_t node, UsherReason reason) {
    diagnosis->reasons[reason]++;
    if (reason == REASON_ROOM || reason == REASON_ROOM_NEVER)
        add_lacks(diagnosis, trial, node);
    if (reason == REASON_TAINT && trial->usher->name_taints)
        add_taint(diagnosis, trial, node);
}

static int slice_order(const void *a, const void *b) {
    return slice_cmp(*(const Slice *)a, *(const Slice *)b);
}

static void add_line(Arena *arena, SliceVec *lines, uint32_t count, Slice text) {
    if (count)
        vec_push(arena, lines, arena_printf(arena, "%u %.*s", count, SLICE_ARG(text)));
}

static void add_room(Arena *arena, const Usher *usher, const UsherDiagnosis *diagnosis, SliceVec *lines) {
    add_line(arena, lines, diagnosis->too_many_pods, SLICE("Too many pods"));
    for (uint32_t i = 0; i < usher->column_count; i++) {
        Slice name = symbol_text(usher->symbols, usher->columns[i].resource);

        add_line(arena, lines, diagnosis->short_of[i], arena_printf(arena, "Insufficient %.*s", SLICE_ARG(name)));
    }
}

// Equal texts become one line with their number.
static void add_taints(Arena *arena, const UsherDiagnosis *diagnosis, SliceVec *lines) {
    uint32_t count = diagnosis->taints.count;

    if (!count)
        return;
    qsort(diagnosis->taints.items, count, sizeof(Slice), slice_order);
    for (uint32_t i = 0, first = 0; i < count; i++) {
        if (i + 1 < count && slice_eq(diagnosis->taints.items[i], diagnosis->taints.items[i + 1]))
            continue;
        add_line(arena, lines, i + 1 - first, diagnosis->taints.items[i]);
        first = i + 1;
    }
}

Slice usher_diagnosis_print(Arena *arena, Usher *usher, const UsherDiagnosis *diagnosis) {
    static const char *const texts[] = {
#define X(name, plugin, may_help, text) (text),
        USHER_REASONS(X)
#undef X
    };
    SliceVec lines = {0};
    Slice text = arena_printf(arena, "0/%u nodes are available:", diagnosis->nodes);

    add_room(arena, usher, diagnosis, &lines);
    add_taints(arena, diagnosis, &lines);
    for (uint32_t i = 0; i < REASON_COUNT; i++) {
        if (texts[i][0] && !(i == REASON_TAINT && diagnosis->taints.count))
            add_line(arena, &lines, diagnosis->reasons[i], slice_of(texts[i]));
    }
    if (lines.count)
        qsort(lines.items, lines.count, sizeof(Slice), slice_order);
    for (uint32_t i = 0; i < lines.count; i++)
        text = arena_printf(arena, "%.*s%s %.*s", SLICE_ARG(text), i ? "," : "", SLICE_ARG(lines.items[i]));
    return lines.count ? arena_printf(arena, "%.*s.", SLICE_ARG(text)) : text;
}
