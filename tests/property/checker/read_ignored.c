// Pods that a planner must ignore, whatever kube-scheduler would do with them (scheduling.md 4.1 and 1.7).
#include "checker/read.h"

// Labels that a pod may select although their domain is Karpenter's.
static bool is_well_known(const World *world, Slice key) {
    static const char *const core[] = {
        "karpenter.sh/nodepool",           "karpenter.sh/capacity-type",
        "karpenter.kwok.sh/instance-size", "karpenter.kwok.sh/instance-family",
        "karpenter.kwok.sh/instance-cpu",  "karpenter.kwok.sh/instance-memory",
    };

    for (size_t i = 0; i < sizeof core / sizeof *core; i++) {
        if (slice_eq_text(key, core[i]))
            return true;
    }
    for (uint32_t i = 0; i < world->type_keys.count; i++) {
        if (slice_eq(judge_text(world, world->type_keys.items[i]), key))
            return true;
    }
    return false;
}

static bool is_in_domain(Slice domain, Slice restricted) {
    return slice_eq(domain, restricted) || (domain.len > restricted.len && slice_ends_with(domain, restricted) &&
                                            domain.ptr[domain.len - restricted.len - 1] == '.');
}

static Ignored key_verdict(const World *world, Symbol symbol) {
    Slice key = judge_text(world, symbol), domain = {key.ptr, 0};
    ptrdiff_t slash = slice_find(key, '/');

    if (slice_eq_text(key, "kubernetes.io/hostname"))
        return IGNORED_YES;
    if (is_well_known(world, key) || slash < 0)
        return IGNORED_NO;
    domain.len = (size_t)slash;
    if (is_in_domain(domain, SLICE("karpenter.sh")))
        return IGNORED_YES;
    // Domains of cloud providers are restricted only where that provider runs.
    return is_in_domain(domain, SLICE("karpenter.kwok.sh")) || is_in_domain(domain, SLICE("karpenter.k8s.aws"))
               ? IGNORED_MAYBE
               : IGNORED_NO;
}

static bool is_label_value(Slice value) {
    if (value.len > 63)
        return false;
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');

        if (!is_letter && (i == 0 || i + 1 == value.len || (c != '-' && c != '_' && c != '.')))
            return false;
    }
    return true;
}

static Ignored worse(Ignored a, Ignored b) {
    return a > b ? a : b;
}

static Ignored expression_verdict(World *world, const Expression *expression, bool in_first_term) {
    Ignored verdict = key_verdict(world, expression->key);
    bool negative = (expression->op == OPERATOR_GT && expression->states.least <= 0) ||
                    (expression->op == OPERATOR_LT && expression->states.most < -1);

    for (uint32_t i = 0; i < expression->states.values.count; i++) {
        if (!is_label_value(judge_text(world, expression->states.values.items[i])))
            verdict = worse(verdict, IGNORED_MAYBE);
    }
    // Validation refuses an In without values and a bound that is no integer; both match nothing.
    if (negative || judge_states_are_empty(&world->symbols, &expression->states))
        verdict = worse(verdict, IGNORED_MAYBE);
    if (slice_eq_text(judge_text(world, expression->key), "karpenter.sh/nodepool") &&
        expression->op == OPERATOR_DOES_NOT_EXIST)
        verdict = worse(verdict, in_first_term ? IGNORED_YES : IGNORED_MAYBE);
    return verdict;
}

Ignored judge_read_ignored(World *world, const Value *spec) {
    const Value *selector = value_get_text(spec, "nodeSelector");
    const Value *list = judge_read_list(
        value_at(spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", NULL),
        "nodeSelectorTerms");
    LabelVec labels = judge_read_labels(world, selector);
    Ignored verdict = IGNORED_NO;

    for (vec_each(Label, label, &labels)) {
        verdict = worse(verdict, key_verdict(world, judge_read_key(world, judge_text(world, label->key))));
        if (!is_label_value(judge_text(world, label->value)))
            verdict = worse(verdict, IGNORED_MAYBE);
    }
    for (uint32_t i = 0; i < judge_read_count(list); i++) {
        NodeTerm term = judge_read_node_term(world, &list->list.items[i]);

        if (term.has_fields)
            return IGNORED_YES;
        for (vec_each(Expression, expression, &term.expressions))
            verdict = worse(verdict, expression_verdict(world, expression, i == 0));
    }
    return verdict;
}
