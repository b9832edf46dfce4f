// The kubelet's settings, field by field.
#include "cloud/aws/nodeclass/kubelet_rules.h"

#include "cloud/aws/nodeclass/kubelet_fields.h"
#include "text/duration.h"
#include "text/quantity.h"

static const char *const signals[] = {"memory.available",  "nodefs.available",   "nodefs.inodesFree",
                                      "imagefs.available", "imagefs.inodesFree", "pid.available"};
static const char *const reservations[] = {"cpu", "memory", "ephemeral-storage", "pid"};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static bool is_one_of(Slice text, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (slice_eq_text(text, words[i]))
            return true;
    }
    return false;
}

// A member that is a map; NULL: absent.
static const Value *map_of(const Value *kubelet, const char *name) {
    const Value *map = value_get(kubelet, slice_of(name));

    return map && map->kind == VALUE_MAP ? map : NULL;
}

static bool is_present(const Value *value) {
    return value && value->kind != VALUE_NULL;
}

// --- types

static Slice check_fields(Arena *arena, const Value *kubelet) {
    for (vec_each(const ValueMember, member, &kubelet->map)) {
        const KubeletField *field = kubelet_field(member->key);
        const char *mismatch;

        if (!field)
            return arena_printf(arena, "unknown field \"%.*s\"", SLICE_ARG(member->key));
        if (slice_eq_text(member->key, "registerWithTaints"))
            return SLICE("registerWithTaints is set from the NodePool's taints and cannot be in spec.kubelet");
        if (slice_eq_text(member->key, "maxPods") && member->value.kind == VALUE_STRING)
            continue; // an expression
        mismatch = kubelet_field_mismatch(field, &member->value);
        if (mismatch)
            return arena_printf(arena, "%.*s: %s, got a %s", SLICE_ARG(member->key), mismatch,
                                value_kind_text(member->value.kind));
    }
    return SLICE("");
}

// --- bounds

// A percentage from 0 to 100, or a quantity that is not negative.
static bool is_threshold(Slice text) {
    bool percent = slice_ends_with(text, SLICE("%"));
    int64_t amount;

    if (slice_starts_with(text, SLICE("-")))
        return false;
    if (percent)
        return quantity_parse(slice_first(text, text.len - 1), QUANTITY_MILLI, &amount, NULL) == OK &&
               amount <= 100 * 1000;
    return quantity_parse(text, QUANTITY_UNIT, &amount, NULL) == OK;
}

static bool is_grace_period(Slice text) {
    int64_t ns;

    return duration_parse(text, &ns, NULL) == OK && ns >= 0;
}

static Slice check_signals(Arena *arena, const Value *kubelet, const char *name, bool (*is_valid)(Slice),
                           const char *expected) {
    const Value *map = map_of(kubelet, name);

    for (uint32_t i = 0; map && i < map->map.count; i++) {
        const ValueMember *member = &map->map.items[i];

        if (!is_one_of(member->key, signals, COUNT(signals)))
            return arena_printf(arena,
                                "%s: unknown signal \"%.*s\"; expected memory.available, nodefs.available, "
                                "nodefs.inodesFree, imagefs.available, imagefs.inodesFree or pid.available",
                                name, SLICE_ARG(member->key));
        if (member->value.kind == VALUE_STRING && !is_valid(member->value.text))
            return arena_printf(arena, "%s[%.*s]: expected %s, got \"%.*s\"", name, SLICE_ARG(member->key), expected,
                                SLICE_ARG(member->value.text));
    }
    return SLICE("");
}

// Whether each key of `map` is in `other`; ret_key: the first that is not.
static bool keys_are_in(const Value *map, const Value *other, Slice *ret_key) {
    for (uint32_t i = 0; map && i < map->map.count; i++) {
        if (value_get(other, map->map.items[i].key))
            continue;
        *ret_key = map->map.items[i].key;
        return false;
    }
    return true;
}

static Slice check_eviction(Arena *arena, const Value *kubelet) {
    static const char threshold[] = "a percentage from 0% to 100% or a quantity of at least 0";
    static const char *const names[] = {"evictionHard", "evictionSoft", "evictionMinimumReclaim"};
    const Value *soft = map_of(kubelet, "evictionSoft"), *grace = map_of(kubelet, "evictionSoftGracePeriod");
    Slice key, complaint = {0};

    for (size_t i = 0; i < COUNT(names) && !complaint.len; i++)
        complaint = check_signals(arena, kubelet, names[i], is_threshold, threshold);
    if (!complaint.len)
        complaint = check_signals(arena, kubelet, "evictionSoftGracePeriod", is_grace_period,
                                  "a duration of at least 0 like \"1m30s\"");
    if (complaint.len)
        return complaint;
    if (!keys_are_in(soft, grace, &key))
        return arena_printf(arena, "evictionSoft[%.*s] has no matching evictionSoftGracePeriod", SLICE_ARG(key));
    if (!keys_are_in(grace, soft, &key))
        return arena_printf(arena, "evictionSoftGracePeriod[%.*s] has no matching evictionSoft", SLICE_ARG(key));
    return SLICE("");
}

static Slice check_reserved(Arena *arena, const Value *kubelet, const char *name) {
    const Value *map = map_of(kubelet, name);

    for (uint32_t i = 0; map && i < map->map.count; i++) {
        const ValueMember *member = &map->map.items[i];

        if (!is_one_of(member->key, reservations, COUNT(reservations)))
            return arena_printf(arena, "%s: unknown resource \"%.*s\"; expected cpu, memory, ephemeral-storage or pid",
                                name, SLICE_ARG(member->key));
        if (member->value.kind == VALUE_STRING && slice_starts_with(member->value.text, SLICE("-")))
            return arena_printf(arena, "%s[%.*s]: must not be negative, got \"%.*s\"", name, SLICE_ARG(member->key),
                                SLICE_ARG(member->value.text));
    }
    return SLICE("");
}

// The member as a number. False: absent.
static bool number_of(const Value *kubelet, const char *name, int64_t *ret_number) {
    const Value *value = value_get(kubelet, slice_of(name));

    return is_present(value) && value_to_int64(value, ret_number);
}

static Slice check_numbers(Arena *arena, const Value *kubelet) {
    static const struct {
        const char *name;
        int64_t max;
    } bounds[] = {{"imageGCHighThresholdPercent", 100},
                  {"imageGCLowThresholdPercent", 100},
                  {"podsPerCore", INT32_MAX},
                  {"evictionMaxPodGracePeriod", INT32_MAX},
                  {"maxPods", INT32_MAX}};
    int64_t number, low, high;

    for (size_t i = 0; i < COUNT(bounds); i++) {
        if (number_of(kubelet, bounds[i].name, &number) && (number < 0 || number > bounds[i].max))
            return arena_printf(arena, "%s: expected a number from 0 to %lld, got %lld", bounds[i].name,
                                (long long)bounds[i].max, (long long)number);
    }
    if (number_of(kubelet, "imageGCLowThresholdPercent", &low) &&
        number_of(kubelet, "imageGCHighThresholdPercent", &high) && low >= high)
        return SLICE("imageGCHighThresholdPercent must be greater than imageGCLowThresholdPercent");
    return SLICE("");
}

static Slice check_bounds(Arena *arena, const Value *kubelet) {
    Slice complaint = check_eviction(arena, kubelet);

    if (!complaint.len)
        complaint = check_reserved(arena, kubelet, "kubeReserved");
    if (!complaint.len)
        complaint = check_reserved(arena, kubelet, "systemReserved");
    return complaint.len ? complaint : check_numbers(arena, kubelet);
}

// --- expressions

// The first expression: "maxPods", or "kubeReserved[cpu]"; empty: none.
static Slice find_expression(Arena *arena, const Value *kubelet) {
    static const char *const names[] = {"kubeReserved", "systemReserved"};
    const Value *max_pods = value_get_text(kubelet, "maxPods");

    if (max_pods && max_pods->kind == VALUE_STRING)
        return SLICE("maxPods");
    for (size_t i = 0; i < COUNT(names); i++) {
        const Value *map = map_of(kubelet, names[i]);

        for (uint32_t entry = 0; map && entry < map->map.count; entry++) {
            const ValueMember *member = &map->map.items[entry];
            int64_t amount;

            if (member->value.kind == VALUE_STRING &&
                quantity_parse(member->value.text, QUANTITY_MILLI, &amount, NULL) == ERR_INVALID)
                return arena_printf(arena, "%s[%.*s]", names[i], SLICE_ARG(member->key));
        }
    }
    return SLICE("");
}

static KubeletFinding refuse_expression(Arena *arena, Slice field, bool expressions) {
    if (expressions)
        return (KubeletFinding){
            SLICE("KubeletExpressionInvalid"),
            arena_printf(arena, "%.*s: tenon does not evaluate expressions; write a value", SLICE_ARG(field))};
    return (KubeletFinding){
        SLICE("KubeletExpressionsDisabled"),
        arena_printf(arena, "%.*s is an expression, and the feature gate NodeClassCEL is off", SLICE_ARG(field))};
}

// --- families

static Slice check_family(Arena *arena, const Value *kubelet, const AmiFamily *family) {
    const Value *dns = value_get_text(kubelet, "clusterDNS");
    bool takes_all = slice_eq_text(family->name, "AL2023") || family->is_custom;

    if (takes_all)
        return SLICE("");
    for (vec_each(const ValueMember, member, &kubelet->map)) {
        if (!kubelet_field(member->key)->managed)
            return arena_printf(arena, "%.*s cannot be set with the AMI family %.*s", SLICE_ARG(member->key),
                                SLICE_ARG(family->name));
    }
    if (!family->honours_pods_per_core && is_present(value_get_text(kubelet, "podsPerCore")))
        return arena_printf(arena, "podsPerCore cannot be set with the AMI family %.*s", SLICE_ARG(family->name));
    if (dns && dns->kind == VALUE_LIST && dns->list.count > 1)
        return arena_printf(arena, "clusterDNS can have one address with the AMI family %.*s, got %u",
                            SLICE_ARG(family->name), dns->list.count);
    return SLICE("");
}

KubeletFinding kubelet_check(Arena *arena, const Value *kubelet, const AmiFamily *family, bool expressions) {
    Slice complaint, expression;

    if (!is_present(kubelet))
        return (KubeletFinding){0};
    if (kubelet->kind != VALUE_MAP)
        return (KubeletFinding){SLICE("InvalidKubeletConfiguration"), SLICE("expected a map")};
    complaint = check_fields(arena, kubelet);
    if (!complaint.len)
        complaint = check_bounds(arena, kubelet);
    if (complaint.len)
        return (KubeletFinding){SLICE("InvalidKubeletConfiguration"), complaint};
    expression = find_expression(arena, kubelet);
    if (expression.len)
        return refuse_expression(arena, expression, expressions);
    complaint = check_family(arena, kubelet, family);
    return complaint.len ? (KubeletFinding){SLICE("UnsupportedKubeletConfiguration"), complaint} : (KubeletFinding){0};
}
