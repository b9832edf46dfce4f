// Warnings about valid input.
#include "cli/load_notes.h"

#include "model/pod_bounds.h"
#include "model/well_known.h"

static bool provides(const InstanceTypeVec *types, Symbol key) {
    for (vec_each(const InstanceType, type, types)) {
        const Requirement *requirement = requirements_get(&type->requirements, key);

        if (requirement && requirement_operator(requirement) != OP_DOES_NOT_EXIST)
            return true;
    }
    return false;
}

void note_idle_requirements(Loaded *loaded, const NodePool *pool, const InstanceTypeVec *types) {
    Cluster *cluster = &loaded->cluster;

    for (vec_each(const Expression, expression, &pool->template_spec.requirements)) {
        Symbol key = label_key_normalize(&cluster->symbols, expression->key);
        Slice meant = label_meant(&cluster->symbols, key), owner = label_owner(&cluster->symbols, key);

        if (label_is_well_known(&cluster->symbols, key) || (!meant.len && !owner.len) || provides(types, key))
            continue;
        vec_push(&loaded->arena, &loaded->warnings,
                 (Warning){.text = arena_printf(
                               &loaded->arena,
                               "%.*s:%u, NodePool %.*s: no instance type has the label %.*s%s%.*s: the requirement "
                               "chooses nothing, nodes only carry it%s%.*s%s",
                               SLICE_ARG(pool->meta.file), expression->line,
                               SLICE_ARG(symbol_text(&cluster->symbols, pool->meta.name)),
                               SLICE_ARG(symbol_text(&cluster->symbols, key)), owner.len ? ", which is of " : "",
                               SLICE_ARG(owner), meant.len ? "; did you mean " : "", SLICE_ARG(meant),
                               meant.len ? "?" : "")});
    }
}

// Pods of one scheduler that are not planned.
typedef struct {
    Symbol scheduler;
    uint32_t count;
    const Pod *first;
} LeftOut;
typedef Vec(LeftOut) LeftOutVec;

static void count_left_out(Arena *arena, LeftOutVec *list, const Pod *pod) {
    for (vec_each(LeftOut, known, list)) {
        if (known->scheduler == pod->spec->scheduler) {
            known->count++;
            return;
        }
    }
    vec_push(arena, list, (LeftOut){pod->spec->scheduler, 1, pod});
}

void leave_out_foreign_pods(Loaded *loaded, PendingPodVec *pods) {
    const Symbols *symbols = &loaded->cluster.symbols;
    LeftOutVec left_out = {0};
    uint32_t kept = 0;

    for (vec_each(const PendingPod, pending, pods)) {
        Symbol scheduler = pending->pod->spec->scheduler;

        if (scheduler == NAME_EMPTY || slice_eq_text(symbol_text(symbols, scheduler), "default-scheduler") ||
            pending->pod->unschedulable || pending->from_deleting_node)
            pods->items[kept++] = *pending;
        else
            count_left_out(&loaded->arena, &left_out, pending->pod);
    }
    pods->count = kept;
    for (vec_each(const LeftOut, scheduler, &left_out))
        vec_push(&loaded->arena, &loaded->warnings,
                 (Warning){.text = arena_printf(
                               &loaded->arena, "%u pod%s of scheduler %.*s %s left out (%s%.*s): it places them itself",
                               scheduler->count, scheduler->count == 1 ? "" : "s",
                               SLICE_ARG(symbol_text(symbols, scheduler->scheduler)),
                               scheduler->count == 1 ? "is" : "are", scheduler->count == 1 ? "" : "first ",
                               SLICE_ARG(pod_print_name(&loaded->arena, symbols, scheduler->first)))});
}

void note_dropped_preferences(Loaded *loaded, const PendingPodVec *pods) {
    const Pod *first = NULL;
    uint32_t count = 0;

    for (vec_each(const PendingPod, pending, pods)) {
        if (!pending->pod->spec->dropped_preferences)
            continue;
        first = first ? first : pending->pod;
        count++;
    }
    if (!first)
        return;
    vec_push(&loaded->arena, &loaded->warnings,
             (Warning){.text = arena_printf(
                           &loaded->arena, "%u pod%s with too many preferences (%s%.*s): %.*s", count,
                           count == 1 ? "" : "s", count == 1 ? "" : "first ",
                           SLICE_ARG(pod_print_name(&loaded->arena, &loaded->cluster.symbols, first)),
                           SLICE_ARG(pod_preferences_text(&loaded->arena, first->spec->dropped_preferences)))});
}

void note_read_in_part(Loaded *loaded, const Plan *plan) {
    uint32_t count = plan->read_in_part.count;
    const Pod *first;

    if (!count)
        return;
    first = plan->read_in_part.items[0];
    vec_push(
        &loaded->arena, &loaded->warnings,
        (Warning){.text = arena_printf(&loaded->arena, "%u pod%s that run%s (%s%.*s): " READ_IN_PART_TEXT, count,
                                       count == 1 ? "" : "s", count == 1 ? "s" : "", count == 1 ? "" : "first ",
                                       SLICE_ARG(pod_print_name(&loaded->arena, &loaded->cluster.symbols, first)))});
}
