// One attempt to place a pod: find nodes that pass, choose one, or say why there is none and whom to move.
#include <stdlib.h>

#include "sim/scheduler/usher_parts.h"

enum { NODES_MIN = 100, PERCENT_MIN = 5 };

// How many nodes that pass are enough.
static uint32_t enough_nodes(const Usher *usher, uint32_t nodes) {
    uint32_t percent = usher->percentage, enough;

    if (nodes < NODES_MIN)
        return nodes;
    if (percent == 0)
        percent = nodes / 125 >= 50 - PERCENT_MIN ? PERCENT_MIN : 50 - nodes / 125;
    enough = (uint32_t)((uint64_t)nodes * percent / 100);
    return enough < NODES_MIN ? NODES_MIN : enough;
}

static UsherResult nowhere(uint32_t plugins, Slice message) {
    return (UsherResult){.node = USHER_NONE, .nominated = USHER_NONE, .plugins = plugins, .message = message};
}

// The names that matchFields of every term allow; false: some term allows others, too.
static bool pinned_nodes(const UsherTrial *trial, UsherList *ret_nodes) {
    const UsherPod *pod = trial->pod;

    for (uint32_t i = 0; i < pod->pin_count; i++) {
        if (!pod->pins[i].has_in)
            return false;
    }
    for (uint32_t i = 0; i < pod->pin_count; i++) {
        for (uint32_t j = 0; j < pod->pins[i].in.count; j++) {
            uint32_t node = usher_find_node(trial->usher, pod->pins[i].in.items[j]);

            if (node != USHER_NONE && !usher_list_has(ret_nodes, node))
                usher_list_add(ret_nodes, node);
        }
    }
    return pod->pin_count > 0;
}

// Whether node and room decide alone, as for most pods.
static bool is_plain(const UsherTrial *trial) {
    const UsherClass *class = trial->class;

    return !trial->usher->nominated_total && !trial->volume_count && !trial->active_anti.count && !class->hard.count &&
           !class->affinity.count && !class->anti_affinity.count && !trial->shape->spec.host_ports.count;
}

static UsherReason filter_plain(UsherTrial *trial, uint32_t node) {
    UsherVerdict *verdict = usher_shape_look(trial->usher, trial->class->shape, trial->pod->pins, node);

    return verdict->side != REASON_FITS ? (UsherReason)verdict->side
                                        : usher_room_look(trial->usher, trial->shape, verdict, node);
}

// Looks at nodes from where the last walk ended, until enough pass.
static void walk(UsherTrial *trial, const UsherList *nodes, UsherList *feasible, UsherDiagnosis *diagnosis) {
    Usher *usher = trial->usher;
    uint32_t enough = enough_nodes(usher, nodes->count), looked_at = 0, at = usher->start % nodes->count;
    bool plain = is_plain(trial);

    for (; looked_at < nodes->count && feasible->count < enough; looked_at++) {
        uint32_t node = nodes->items[at];
        UsherReason reason = plain ? filter_plain(trial, node) : usher_filter(trial, node);

        at = at + 1 == nodes->count ? 0 : at + 1;
        usher->reasons[node] = (uint8_t)reason;
        if (reason == REASON_FITS)
            usher_list_add(feasible, node);
        else if (usher->nominated_total) // it was refused beside pods that are not there any more
            usher_diagnosis_add(diagnosis, trial, node, reason);
    }
    usher->counts.nodes_walked += looked_at;
    usher->start = (usher->start + looked_at) % usher->order.count;
}

// Reasons are put together only when no node passed.
static void diagnose(UsherTrial *trial, const UsherList *nodes, UsherDiagnosis *diagnosis) {
    for (uint32_t i = 0; i < nodes->count && !trial->usher->nominated_total; i++)
        usher_diagnosis_add(diagnosis, trial, nodes->items[i], (UsherReason)trial->usher->reasons[nodes->items[i]]);
}

static uint32_t rejecting_plugins(const UsherDiagnosis *diagnosis) {
    static const uint32_t plugins[] = {
#define X(name, plugin, may_help, text) plugin,
        USHER_REASONS(X)
#undef X
    };
    uint32_t all = 0;

    for (uint32_t i = 0; i < REASON_COUNT; i++)
        all |= diagnosis->reasons[i] ? plugins[i] : 0;
    return all;
}

// A pod that is refused before any node is looked at. Nobody is preempted for it, and a nomination stays: the filter
// of resource claims was not asked either, which has kube-scheduler stumble over it afterwards; "not found" is that.
static UsherResult refuse(const UsherTrial *trial, uint32_t nodes) {
    return nowhere(trial->refused_plugin,
                   arena_printf(&trial->usher->attempt_arena, "0/%u nodes are available: %.*s. not found", nodes,
                                SLICE_ARG(trial->refused)));
}

// What comes of it when no node passes.
static UsherResult give_up(UsherTrial *trial, UsherDiagnosis *diagnosis) {
    Usher *usher = trial->usher;
    UsherResult result = nowhere(rejecting_plugins(diagnosis), (Slice){0});
    UsherPreemption preemption = usher_preempt(trial);
    Slice text = usher_diagnosis_print(&usher->attempt_arena, usher, diagnosis);

    result.message = text;
    result.clear_nomination = preemption.clear_nomination;
    result.nominated = preemption.node;
    result.victims = preemption.victims;
    if (preemption.node == USHER_NONE)
        result.message = arena_printf(&usher->attempt_arena, "%.*s no new claims to deallocate, preemption: %.*s",
                                      SLICE_ARG(text), SLICE_ARG(preemption.message));
    return result;
}

// A failure is the same for every pod of a class as long as nothing changed.
static void remember(UsherTrial *trial, const UsherResult *result) {
    UsherClass *class = trial->class;

    if (result->node != USHER_NONE || result->victims.count || trial->pod->claim_count || trial->pod->pin_count ||
        trial->pod->nominated != USHER_NONE || trial->usher->nominated_total)
        return;
    free(class->failed_message);
    class->failed_message = malloc(result->message.len + 1);
    CHECK(class->failed_message, "out of memory");
    if (result->message.len)
        memcpy(class->failed_message, result->message.ptr, result->message.len);
    class->failed_message[result->message.len] = 0;
    class->failed_plugins = result->plugins;
    class->failed_at = trial->usher->change;
}

static bool is_remembered(const Usher *usher, const UsherPod *pod) {
    const UsherClass *class = &usher->classes[pod->class_index];

    return class->failed_message && class->failed_at == usher->change && !pod->claim_count && !pod->pin_count &&
           pod->nominated == USHER_NONE && class->services_epoch == usher->services_epoch;
}

static UsherResult attempt_nodes(UsherTrial *trial, const UsherList *nodes, UsherDiagnosis *diagnosis) {
    Usher *usher = trial->usher;
    UsherResult result = {.nominated = USHER_NONE};

    usher->feasible.count = 0;
    if (nodes->count)
        walk(trial, nodes, &usher->feasible, diagnosis);
    if (usher->feasible.count) {
        result.node = usher_pick(trial, &usher->feasible);
        result.waits_for_volumes = trial->waits_for_volumes;
        return result;
    }
    diagnose(trial, nodes, diagnosis);
    if (nodes->count < usher->order.count) {
        diagnosis->reasons[REASON_PINNED] = usher->order.count - nodes->count;
        for (uint32_t i = 0; i < usher->order.count; i++) {
            if (!usher_list_has(nodes, usher->order.items[i]))
                usher->reasons[usher->order.items[i]] = REASON_PINNED;
        }
    }
    return give_up(trial, diagnosis);
}

static UsherResult attempt(UsherTrial *trial) {
    Usher *usher = trial->usher;
    UsherDiagnosis diagnosis = {.nodes = usher->order.count};
    uint32_t nominated = trial->pod->nominated;
    UsherList pinned = {0};
    UsherResult result;

    if (trial->refused.len)
        return refuse(trial, usher->order.count);
    if (nominated != USHER_NONE && usher->nodes[nominated].present && usher_filter(trial, nominated) == REASON_FITS)
        return (UsherResult){.node = nominated, .nominated = USHER_NONE, .waits_for_volumes = trial->waits_for_volumes};
    if (!pinned_nodes(trial, &pinned))
        return attempt_nodes(trial, &usher->order, &diagnosis);
    result = attempt_nodes(trial, &pinned, &diagnosis);
    free(pinned.items);
    return result;
}

UsherResult usher_attempt(Usher *usher, uint32_t slot) {
    UsherTrial trial;
    UsherResult result;
    const UsherClass *class = &usher->classes[usher->pods[slot].class_index];

    usher->counts.attempts++;
    if (usher_order(usher)->count == 0)
        return nowhere(PLUGIN_NONE, SLICE("no nodes available to schedule pods"));
    if (is_remembered(usher, &usher->pods[slot])) {
        usher->counts.attempts_remembered++;
        return nowhere(class->failed_plugins, slice_of(class->failed_message));
    }
    arena_rewind(&usher->attempt_arena, (ArenaMark){0});
    usher_trial_begin(&trial, usher, slot);
    result = attempt(&trial);
    remember(&trial, &result);
    usher_trial_end(&trial);
    return result;
}
