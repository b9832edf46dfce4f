// Behaviour: reference legacy.md 2.1, 2.2, 2.4, 2.5, 3.
#include "old/interpret.h"

#include "text/quantity.h"

// Members.

static Slice text_at(const Value *map, const char *key) {
    const Value *value = value_get(map, slice_of(key));

    return value && value->kind == VALUE_STRING ? value->text : SLICE("");
}

static int64_t number_at(const Value *map, const char *key, int64_t otherwise) {
    const Value *value = value_get(map, slice_of(key));

    if (value)
        value_to_int64(value, &otherwise);
    return otherwise;
}

static const Value *spec_of(const Value *object) {
    return value_get_text(object, "spec");
}

// Requirements: of the Provisioner's list, of the webhook, of its labels.

static Slice key_of(const Value *requirement) {
    Slice key = text_at(requirement, "key");

    return slice_eq(key, SLICE("beta.kubernetes.io/arch")) ? SLICE("kubernetes.io/arch") : key;
}

static bool lists(const Value *requirement, Slice value) {
    const Value *values = value_get_text(requirement, "values");

    for (uint32_t i = 0; values && i < values->list.count; i++) {
        if (slice_eq(values->list.items[i].text, value))
            return true;
    }
    return false;
}

static int64_t integer_of(Slice text) {
    int64_t number = 0;

    slice_to_int64(text, &number);
    return number;
}

static int64_t bound_of(const Value *requirement) {
    return integer_of(value_get_text(requirement, "values")->list.items[0].text);
}

// Whether a requirement lets a label have that value.
static bool lets(const Value *requirement, Slice value) {
    Slice operator= text_at(requirement, "operator");

    if (slice_eq(operator, SLICE("In")))
        return lists(requirement, value);
    if (slice_eq(operator, SLICE("NotIn")))
        return !lists(requirement, value);
    if (slice_eq(operator, SLICE("Gt")))
        return integer_of(value) > bound_of(requirement);
    if (slice_eq(operator, SLICE("Lt")))
        return integer_of(value) < bound_of(requirement);
    return slice_eq(operator, SLICE("Exists"));
}

static const Value *requirements_of(const Value *provisioner) {
    return value_get_text(spec_of(provisioner), "requirements");
}

static bool names(const Value *provisioner, const char *key) {
    const Value *list = requirements_of(provisioner);

    for (uint32_t i = 0; list && i < list->list.count; i++) {
        if (slice_eq_text(key_of(&list->list.items[i]), key))
            return true;
    }
    return false;
}

static bool is(Slice value, const char *text) {
    return slice_eq_text(value, text);
}

static bool names_machines(const Value *provisioner) {
    return names(provisioner, "node.kubernetes.io/instance-type") ||
           names(provisioner, "karpenter.k8s.aws/instance-family") ||
           names(provisioner, "karpenter.k8s.aws/instance-category") ||
           names(provisioner, "karpenter.k8s.aws/instance-generation");
}

// What the defaulting webhook added, where the key is not named.
static bool default_lets(const Value *provisioner, const char *key, Slice value) {
    if (strcmp(key, "kubernetes.io/os") == 0)
        return names(provisioner, key) || is(value, "linux");
    if (strcmp(key, "kubernetes.io/arch") == 0)
        return names(provisioner, key) || is(value, "amd64");
    if (strcmp(key, "karpenter.sh/capacity-type") == 0)
        return names(provisioner, key) || is(value, "on-demand");
    if (strcmp(key, "karpenter.k8s.aws/instance-category") == 0)
        return names_machines(provisioner) || is(value, "c") || is(value, "m") || is(value, "r");
    if (strcmp(key, "karpenter.k8s.aws/instance-generation") == 0)
        return names_machines(provisioner) || integer_of(value) > 2;
    return true;
}

static bool provisioner_lets(const Value *provisioner, const char *key, Slice value) {
    const Value *list = requirements_of(provisioner);
    Slice label = text_at(value_get_text(spec_of(provisioner), "labels"), key);

    if (label.len && !slice_eq(label, value))
        return false;
    for (uint32_t i = 0; list && i < list->list.count; i++) {
        if (slice_eq_text(key_of(&list->list.items[i]), key) && !lets(&list->list.items[i], value))
            return false;
    }
    return default_lets(provisioner, key, value);
}

// Labels that no machine has: a pod may ask for one that the Provisioner speaks of.

static bool is_label_of_machines(Slice key) {
    if (is(key, "topology.kubernetes.io/zone") || is(key, "karpenter.sh/capacity-type"))
        return true;
    for (uint32_t i = 0; i < OLD_TYPE_LABELS; i++) {
        if (slice_eq_text(key, old_type_keys[i]))
            return true;
    }
    return false;
}

static bool gives_label(Arena *arena, const Value *provisioner, Slice key, Slice value) {
    const char *name = arena_text(arena, key);
    bool is_spoken_of = names(provisioner, name) || text_at(value_get_text(spec_of(provisioner), "labels"), name).len;

    return is_spoken_of && provisioner_lets(provisioner, name, value);
}

static bool gives_labels(const Value *provisioner, const Value *pod) {
    const Value *selector = value_get_text(spec_of(pod), "nodeSelector");
    Arena arena = {0};
    bool gives = true;

    for (uint32_t i = 0; selector && i < selector->map.count; i++) {
        const ValueMember *member = &selector->map.items[i];

        gives = gives && (is_label_of_machines(member->key) ||
                          gives_label(&arena, provisioner, member->key, member->value.text));
    }
    arena_free(&arena);
    return gives;
}

// Taints. Startup taints need no toleration.

static bool tolerates(const Value *toleration, const Value *taint) {
    Slice effect = text_at(toleration, "effect");

    return slice_eq(text_at(toleration, "key"), text_at(taint, "key")) &&
           (!effect.len || slice_eq(effect, text_at(taint, "effect"))) &&
           (is(text_at(toleration, "operator"), "Exists") ||
            slice_eq(text_at(toleration, "value"), text_at(taint, "value")));
}

static bool is_tolerated(const Value *pod, const Value *taint) {
    const Value *tolerations = value_get_text(spec_of(pod), "tolerations");

    for (uint32_t i = 0; tolerations && i < tolerations->list.count; i++) {
        if (tolerates(&tolerations->list.items[i], taint))
            return true;
    }
    return false;
}

static bool tolerates_all(const Value *provisioner, const Value *pod) {
    const Value *taints = value_get_text(spec_of(provisioner), "taints");

    for (uint32_t i = 0; taints && i < taints->list.count; i++) {
        if (!is_tolerated(pod, &taints->list.items[i]))
            return false;
    }
    return true;
}

// Room and limits.

static int64_t quantity_at(const Value *map, const char *key, QuantityScale scale, int64_t otherwise) {
    const Value *value = value_get(map, slice_of(key));
    int64_t number = otherwise;

    if (value)
        quantity_parse(value->text, scale, &number, NULL);
    return number;
}

enum { MIB = 1 << 20 };

static int64_t request(const Value *pod, const char *resource, QuantityScale scale) {
    const Value *container = &value_get_text(spec_of(pod), "containers")->list.items[0];

    return quantity_at(value_at(container, "resources", "requests", NULL), resource, scale, 0);
}

static bool have_room(const OldType *type, const Value *pods, uint32_t count) {
    int64_t cpu = 0, memory = 0;

    for (uint32_t i = 0; i < count; i++) {
        cpu += request(&pods[i], "cpu", QUANTITY_MILLI);
        memory += request(&pods[i], "memory", QUANTITY_UNIT);
    }
    return cpu <= type->cpu_milli - OLD_OVERHEAD_MILLI && memory <= (type->memory_mib - OLD_OVERHEAD_MIB) * MIB;
}

static const Value *limits_of(const Value *provisioner) {
    return value_at(spec_of(provisioner), "limits", "resources", NULL);
}

bool old_has_limits(const Value *provisioner) {
    return limits_of(provisioner) != NULL;
}

bool old_limits_let(const Value *provisioner, const OldType *const *types, uint32_t count) {
    const Value *limits = limits_of(provisioner);
    int64_t cpu = 0, memory = 0;

    for (uint32_t i = 0; i < count; i++) {
        cpu += types[i]->cpu_milli;
        memory += types[i]->memory_mib * MIB;
    }
    return cpu <= quantity_at(limits, "cpu", QUANTITY_MILLI, INT64_MAX) &&
           memory <= quantity_at(limits, "memory", QUANTITY_UNIT, INT64_MAX);
}

// Launches.

static bool both_let(const Value *provisioner, const Value *pod, const char *key, const char *value) {
    Slice wanted = text_at(value_get_text(spec_of(pod), "nodeSelector"), key);

    return (!wanted.len || is(wanted, value)) && provisioner_lets(provisioner, key, slice_of(value));
}

static bool may_be_for(const Value *provisioner, const Value *pod, const OldType *type, uint32_t zone,
                       uint32_t capacity) {
    if (!tolerates_all(provisioner, pod) || !gives_labels(provisioner, pod))
        return false;
    for (uint32_t i = 0; i < OLD_TYPE_LABELS; i++) {
        if (!both_let(provisioner, pod, old_type_keys[i], type->labels[i]))
            return false;
    }
    return both_let(provisioner, pod, "topology.kubernetes.io/zone", old_zones[zone]) &&
           both_let(provisioner, pod, "karpenter.sh/capacity-type", old_capacities[capacity]);
}

// A machine is left out when it alone would breach a limit.
bool old_may_launch(const Value *provisioner, const Value *pods, uint32_t count, const OldType *type, uint32_t zone,
                    uint32_t capacity) {
    if (!(type->zones >> zone & 1) || !have_room(type, pods, count) || !old_limits_let(provisioner, &type, 1))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!may_be_for(provisioner, &pods[i], type, zone, capacity))
            return false;
    }
    return true;
}

static int64_t cheapest(const Value *provisioner, const Value *pod) {
    int64_t best = INT64_MAX;

    for (uint32_t i = 0; i < old_type_count * OLD_ZONES * OLD_CAPACITIES; i++) {
        const OldType *type = &old_types[i / (OLD_ZONES * OLD_CAPACITIES)];
        uint32_t zone = i / OLD_CAPACITIES % OLD_ZONES, capacity = i % OLD_CAPACITIES;
        int64_t price = old_price_micro(type, zone, capacity);

        if (price < best && old_may_launch(provisioner, pod, 1, type, zone, capacity))
            best = price;
    }
    return best;
}

OldOutcome old_outcome(const ValueList *provisioners, const Value *pod) {
    OldOutcome outcome = {0};

    for (vec_each(const Value, provisioner, provisioners)) {
        int64_t weight = number_at(spec_of(provisioner), "weight", 0), price = cheapest(provisioner, pod);
        bool is_better =
            !outcome.is_placed || weight > outcome.weight || (weight == outcome.weight && price < outcome.price_micro);

        if (price < INT64_MAX && is_better)
            outcome = (OldOutcome){true, price, weight};
    }
    return outcome;
}

// The end of nodes.

static bool is_true(const Value *value) {
    return value && value->kind == VALUE_BOOL && value->boolean;
}

OldFuture old_future(const Value *provisioner) {
    const Value *spec = spec_of(provisioner);
    int64_t empty = number_at(spec, "ttlSecondsAfterEmpty", -1), expire = number_at(spec, "ttlSecondsUntilExpired", -1);

    return (OldFuture){.goes_empty = empty >= 0,
                       .is_consolidated = is_true(value_at(spec, "consolidation", "enabled", NULL)),
                       .expires = expire >= 0,
                       .empty_s = empty,
                       .expire_s = expire};
}

bool old_is_taken(const Value *provisioner) {
    OldFuture future = old_future(provisioner);
    const Value *spec = spec_of(provisioner);
    bool has_both = value_get_text(spec, "provider") && value_get_text(spec, "providerRef");

    return !(future.goes_empty && future.is_consolidated) && !has_both;
}

// Selectors.

static bool is_alternative(Slice wanted, Slice value) {
    for (;;) {
        ptrdiff_t comma = slice_find(wanted, ',');

        if (slice_eq(slice_trim(comma < 0 ? wanted : slice_first(wanted, (size_t)comma)), value))
            return true;
        if (comma < 0)
            return false;
        wanted = slice_from(wanted, (size_t)comma + 1);
    }
}

bool old_selects(const Value *selector, const Value *tags) {
    for (vec_each(const ValueMember, member, &selector->map)) {
        const Value *value = value_get(tags, member->key);

        if (!value || !(is(member->value.text, "*") || is_alternative(member->value.text, value->text)))
            return false;
    }
    return true;
}
