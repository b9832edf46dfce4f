// Waiting lines of pods whose eviction a budget refused: one per PodDisruptionBudget, and one per namespace for pods
// that several budgets cover. First refused, first to try again. A change of a budget costs as much as the pods that it
// lets try, however many wait. Behaviour: reference lifecycle.md 3.4, W14.
#include "ctl/common/pod_budgets.h"
#include "ctl/node/eviction_parts.h"
#include "ctl/node/eviction_queue.h"

// Key name of the line for several budgets: no budget can have this name.
enum { SEVERAL = NAME_DO_NOT_DISRUPT };

static const Key NOBODY;

static bool is_somebody(Key key) {
    return key.name != 0;
}

// Key of the pod's line; {0}: the State knows no budget that covers the pod.
static Key line_of(const Turn *turn, const EvictionEntry *entry) {
    const Pod *pod = state_pod(turn->state, state_find(turn->state, KUBE_POD, entry->pod.ns, entry->pod.name));
    Handle first = HANDLE_NONE;
    uint32_t count = pod ? pod_count_budgets(turn->state, pod, &first) : 0;

    if (count == 0)
        return NOBODY;
    return (Key){entry->pod.ns,
                 count > 1 ? (Symbol)SEVERAL : state_pod_disruption_budget(turn->state, first)->meta.name};
}

// --- the list of a line

// Sets the links of the entry's neighbours, or the ends of the line.
static void link_around(EvictionMemory *memory, EvictionLine *line, const EvictionEntry *entry, Key after_previous,
                        Key before_next) {
    EvictionEntry *previous = notes_find(&memory->entries, entry->previous);
    EvictionEntry *next = notes_find(&memory->entries, entry->next);

    *(previous ? &previous->next : &line->first) = after_previous;
    *(next ? &next->previous : &line->last) = before_next;
}

static void append(EvictionMemory *memory, EvictionLine *line, EvictionEntry *entry) {
    entry->previous = line->last;
    entry->next = NOBODY;
    link_around(memory, line, entry, entry->pod, entry->pod);
}

static void take_out(EvictionMemory *memory, EvictionLine *line, EvictionEntry *entry) {
    link_around(memory, line, entry, entry->next, entry->previous);
    entry->next = entry->previous = NOBODY;
}

// --- joining and leaving

void eviction_wait_leave(EvictionMemory *memory, EvictionEntry *entry) {
    EvictionLine *line = is_somebody(entry->line) ? notes_find(&memory->lines, entry->line) : NULL;

    if (line && entry->wait == EVICTION_WAITS_FOR_BUDGET)
        take_out(memory, line, entry);
    else if (line && line->trying > 0)
        line->trying--;
    if (line && !is_somebody(line->first) && line->trying == 0)
        notes_remove(&memory->lines, entry->line);
    entry->line = NOBODY;
    entry->wait = EVICTION_WAITS_FOR_NOTHING;
}

void eviction_wait_join(EvictionMemory *memory, const Turn *turn, EvictionEntry *entry) {
    Key line = line_of(turn, entry);

    if (entry->wait == EVICTION_WAITS_FOR_BUDGET && key_eq(entry->line, line))
        return;
    eviction_wait_leave(memory, entry);
    entry->wait = EVICTION_WAITS_FOR_BUDGET;
    entry->line = line;
    if (is_somebody(line))
        append(memory, notes_add(&memory->lines, line), entry);
}

// --- letting pods try again

static void let_first_try(EvictionMemory *memory, Turn *turn, EvictionLine *line) {
    EvictionEntry *entry = notes_find(&memory->entries, line->first);

    take_out(memory, line, entry);
    entry->wait = EVICTION_WAITS_FOR_ANSWER;
    entry->not_before = (Mono){0};
    line->trying++;
    turn_enqueue(turn, &eviction_queue_controller, entry->pod, 0);
}

static void let_try(EvictionMemory *memory, Turn *turn, Key key, int64_t room) {
    EvictionLine *line = notes_find(&memory->lines, key);

    while (line && is_somebody(line->first) && line->trying < room)
        let_first_try(memory, turn, line);
}

void eviction_wait_observe(EvictionMemory *memory, Turn *turn, const StateChange *change) {
    const PodDisruptionBudget *before = change->before, *after = change->after;
    Key key = {change->ns, change->name};
    bool other =
        before && (!after || after->meta.uid != before->meta.uid || after->meta.generation != before->meta.generation);

    // Pods that several budgets covered may be covered by one now.
    if (other)
        let_try(memory, turn, (Key){key.ns, SEVERAL}, INT64_MAX);
    let_try(memory, turn, key, other || !after ? INT64_MAX : after->disruptions_allowed);
    if (!after)
        notes_remove(&memory->lines, key);
}
