// Surge: before the only pod of a Deployment is evicted, the Deployment starts another one, and lets the old one go
// when that is ready. Asked for by the annotation tenon.sh/surge of the pod.
//
// What `kubectl rollout restart` does: an annotation of the Deployment's template changes, and the Deployment's own
// strategy does the rest. The annotation names the pod and the time, so record and effect are one write, which a
// process that starts finds again, and which would change nothing if it were repeated.
#include "ctl/node/eviction_parts.h"
#include "model/pod_predicates.h"
#include "text/duration.h"
#include "text/value_edit.h"

// --- the Deployment

static int64_t int_at(const Value *value, int64_t otherwise) {
    int64_t number;

    return value && value_to_int64(value, &number) ? number : otherwise;
}

static bool text_is(const Value *value, const char *text) {
    return value && value->kind == VALUE_STRING && slice_eq_text(value->text, text);
}

// Whether the Deployment is that of the pod, whose ReplicaSet has its name. One that selects by expressions alone is
// believed.
static bool selects(const Value *deployment, const Pod *pod, const Symbols *symbols) {
    const Value *labels = value_at(deployment, "spec", "selector", "matchLabels", NULL);

    if (!labels || labels->kind != VALUE_MAP)
        return true;
    for (vec_each(const ValueMember, member, &labels->map)) {
        Symbol key = symbol_find(symbols, member->key);
        Symbol value = key == INDEX_NONE ? INDEX_NONE : labels_get(&pod->labels, key);

        if (value == INDEX_NONE || member->value.kind != VALUE_STRING ||
            !slice_eq(symbol_text(symbols, value), member->value.text))
            return false;
    }
    return true;
}

// What maxSurge or maxUnavailable is of one replica: a percentage of maxSurge counts up, one of maxUnavailable down.
static int64_t of_one_replica(const Value *value, bool up, int64_t otherwise) {
    int64_t percent;

    if (!value || value->kind != VALUE_STRING)
        return int_at(value, otherwise);
    if (!slice_ends_with(value->text, SLICE("%")) ||
        !slice_to_int64(slice_first(value->text, value->text.len - 1), &percent))
        return otherwise;
    return (percent + (up ? 99 : 0)) / 100;
}

// Whether its strategy starts a pod, and takes none away before that is ready.
static bool starts_first(const Value *deployment) {
    const Value *rolling = value_at(deployment, "spec", "strategy", "rollingUpdate", NULL);

    return !text_is(value_at(deployment, "spec", "strategy", "type", NULL), "Recreate") &&
           of_one_replica(value_get_text(rolling, "maxSurge"), true, 1) > 0 &&
           of_one_replica(value_get_text(rolling, "maxUnavailable"), false, 0) == 0;
}

// Why it cannot start another pod; NULL: it can.
static const char *what_hinders(const Value *deployment, const Pod *pod, const Symbols *symbols) {
    const Value *paused = value_at(deployment, "spec", "paused", NULL);

    if (!selects(deployment, pod, symbols) || value_at(deployment, "metadata", "deletionTimestamp", NULL))
        return "it is of no Deployment";
    if (int_at(value_at(deployment, "spec", "replicas", NULL), 1) != 1)
        return "its Deployment has other replicas";
    if (paused && paused->kind == VALUE_BOOL && paused->boolean)
        return "its Deployment is paused";
    return starts_first(deployment) ? NULL : "the strategy of its Deployment takes the old pod away first";
}

// The time of the record about the pod; 0: none.
static int64_t started_ns(const Value *deployment, Slice uid) {
    const Value *record =
        value_at(deployment, "spec", "template", "metadata", "annotations", "tenon.sh/surge-for", NULL);
    int64_t at_ns;

    if (!record || record->kind != VALUE_STRING || !slice_starts_with(record->text, uid) ||
        record->text.len <= uid.len + 1 || time_parse(slice_from(record->text, uid.len + 1), &at_ns, NULL) != OK)
        return 0;
    return at_ns;
}

// --- steps

static KubeRef deployment_of(const Turn *turn, const Pod *pod) {
    return (KubeRef){KUBE_DEPLOYMENT, symbol_text(turn->symbols, pod->ns), pod_deployment(pod, turn->symbols)};
}

static void read_deployment(Turn *turn, const Pod *pod) {
    turn_intend(turn, INTENT_GET)->ref = deployment_of(turn, pod);
}

static void start(Turn *turn, const EvictionEntry *entry, const Pod *pod) {
    Slice uid = symbol_text(turn->symbols, pod->uid);
    Slice record =
        arena_printf(turn->arena, "%.*s/%.*s", SLICE_ARG(uid), SLICE_ARG(time_print(turn->arena, turn->wall_ns)));
    Value *body = arena_new(turn->arena, Value);
    Intent *intent;

    *body = value_map();
    value_put(turn->arena, value_make(turn->arena, body, "spec", "template", "metadata", "annotations", NULL),
              symbol_text(turn->symbols, NAME_SURGE_FOR), value_string(record));
    turn_patch(turn, KUBE_DEPLOYMENT, pod->ns, NAME_EMPTY, KUBE_OBJECT, body, entry->surge_revision);
    intent = vec_last(turn->intents);
    intent->ref = deployment_of(turn, pod);
}

static void give_up(Turn *turn, EvictionEntry *entry, Slice why) {
    entry->surge = SURGE_OVER;
    eviction_say_no_surge(turn, entry, why);
}

// Why the pod is to be evicted now; NULL: nothing says so.
static const char *what_ends_it(const Turn *turn, const EvictionEntry *entry, const Pod *pod) {
    if (!pod_surge_ns(pod, turn->symbols))
        return "the annotation tenon.sh/surge is neither \"true\" nor a positive duration such as \"10m\"";
    if (!pod_deployment(pod, turn->symbols).len)
        return "it is of no Deployment";
    return mono_reached(turn->now, entry->surge_until) ? "its time is over" : NULL;
}

bool eviction_surge_holds(Turn *turn, EvictionEntry *entry, const Pod *pod) {
    const char *end;

    if (labels_get(&pod->annotations, NAME_SURGE) == INDEX_NONE || entry->surge == SURGE_OVER)
        return false;
    if (!mono_is_set(entry->surge_until))
        entry->surge_until = mono_after(turn->now, pod_surge_ns(pod, turn->symbols));
    end = what_ends_it(turn, entry, pod);
    if (end) {
        give_up(turn, entry, slice_of(end));
        return false;
    }
    if (entry->surge == SURGE_STARTED) {
        turn_again(turn, entry->pod, mono_left(turn->now, entry->surge_until));
        return true;
    }
    entry->busy = true;
    if (entry->surge == SURGE_UNKNOWN)
        read_deployment(turn, pod);
    else
        start(turn, entry, pod);
    return true;
}

// --- answers

// `passed_ns`: since the Deployment was told, by the record of this process or of one that died.
static void begin_waiting(Turn *turn, EvictionEntry *entry, const Pod *pod, int64_t passed_ns) {
    entry->surge = SURGE_STARTED;
    entry->surge_until = mono_after(turn->now, pod_surge_ns(pod, turn->symbols) - (passed_ns > 0 ? passed_ns : 0));
    eviction_say_surge(turn, entry);
}

static void take_deployment(Turn *turn, EvictionEntry *entry, const Pod *pod, const Value *deployment) {
    int64_t at_ns = started_ns(deployment, symbol_text(turn->symbols, entry->uid));
    const char *hindrance = what_hinders(deployment, pod, turn->symbols);

    if (at_ns)
        begin_waiting(turn, entry, pod, turn->wall_ns - at_ns);
    else if (hindrance)
        give_up(turn, entry, slice_of(hindrance));
    else
        entry->surge = SURGE_FOUND;
    entry->surge_revision = kube_revision(deployment);
}

bool eviction_surge_take(Turn *turn, EvictionEntry *entry, const Completion *completion) {
    const Pod *pod = state_pod(turn->state, state_find(turn->state, KUBE_POD, entry->pod.ns, entry->pod.name));

    if (!pod || pod->uid != entry->uid)
        return true; // the next visit drops the entry
    switch (completion->code) {
    case OK:
        if (completion->type == INTENT_GET)
            take_deployment(turn, entry, pod, completion->object);
        else
            begin_waiting(turn, entry, pod, 0);
        return true;
    case ERR_DENIED:
    case ERR_INVALID:
    case ERR_NOT_FOUND:
        give_up(turn, entry, completion_text(completion));
        return true;
    default: // the Deployment may have changed, or the answer be lost
        entry->surge = SURGE_UNKNOWN;
        return false;
    }
}
