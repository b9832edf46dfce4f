// The price of disturbing pods.
#include "disrupt/cost.h"

#include "model/pod_predicates.h"

static const double COST_MAX = 10;

// A whole number of 32 bits in decimal, with a sign or without, as Go's ParseInt takes it.
static bool read_int32(Slice text, int64_t *ret_value) {
    bool has_sign = text.len && (text.ptr[0] == '-' || text.ptr[0] == '+'), negative = has_sign && text.ptr[0] == '-';
    Slice digits = slice_from(text, has_sign);
    int64_t value = 0;

    for (size_t i = 0; i < digits.len; i++) {
        if (digits.ptr[i] < '0' || digits.ptr[i] > '9' || value > INT32_MAX)
            return false;
        value = value * 10 + (digits.ptr[i] - '0');
    }
    *ret_value = negative ? -value : value;
    return digits.len && *ret_value >= INT32_MIN && *ret_value <= INT32_MAX;
}

// The annotation that counts, whether it can be read or not. INDEX_NONE: there is none.
static Symbol cost_annotation(const Pod *pod, CostRules rules) {
    Symbol cost = labels_get(&pod->annotations, NAME_DISRUPTION_COST);

    if (cost == INDEX_NONE && !rules.managed && !pod_deletion_cost_is_own(pod))
        cost = labels_get(&pod->annotations, NAME_POD_DELETION_COST);
    return cost;
}

bool pod_cost_is_readable(const Pod *pod, const Symbols *symbols, CostRules rules) {
    Symbol cost = cost_annotation(pod, rules);
    int64_t value;

    return cost == INDEX_NONE || read_int32(symbol_text(symbols, cost), &value);
}

double pod_eviction_cost(const Pod *pod, const Symbols *symbols, CostRules rules) {
    Symbol annotation = cost_annotation(pod, rules);
    int64_t value = 0;
    double cost;

    if (annotation != INDEX_NONE && !read_int32(symbol_text(symbols, annotation), &value))
        value = 0;
    cost = 1 + (double)value / (1 << 27) + (double)pod->priority / (1 << 25);
    return cost < -COST_MAX ? -COST_MAX : cost > COST_MAX ? COST_MAX : cost;
}

double node_reschedule_cost(const Pod *const *pods, uint32_t count, const Symbols *symbols, CostRules rules) {
    double sum = 1;

    for (uint32_t i = 0; i < count; i++) {
        double cost = pod_is_reschedulable(pods[i]) ? pod_eviction_cost(pods[i], symbols, rules) : 0;

        sum += cost > 0 ? cost : 0;
    }
    return sum;
}

double claim_lifetime_left(const NodeClaim *claim, int64_t wall_ns) {
    double lifetime = (double)claim->spec.expire_after_ns, left;

    if (claim->spec.expire_after_ns == DURATION_NEVER || claim->spec.expire_after_ns == 0)
        return 1;
    left = (lifetime - (double)(wall_ns - claim->meta.created_ns)) / lifetime;
    return left < 0 ? 0 : left > 1 ? 1 : left;
}
