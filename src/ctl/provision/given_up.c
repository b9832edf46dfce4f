// Events about preferred rules that pods do without, because keeping them would cost more than they are worth.
#include "ctl/provision/apply.h"

#include "sched/weighed_text.h"

enum {
    GIVEN_UP_MAX = 100, // pods that are told by one plan: the recorder lets so many through at once
    RULES_TOLD_MAX = 5, // rules named in an event, the heaviest
};

static bool any_given_up(const WeighedPods *weighed) {
    for (vec_each(const WeighedRule, rule, &weighed->rules)) {
        if (rule->left_out)
            return true;
    }
    return false;
}

// The bits of the rules that the group's pod with that index does without.
static uint32_t given_up_bits(const WeighedPods *weighed, uint32_t index) {
    uint32_t bits = 0;

    for (vec_each(const WeighedRule, rule, &weighed->rules))
        bits |= rule->bit & ~weighed->kept.items[index];
    return bits;
}

// "node affinity: zone In [a] (weight 20): 34% dearer".
static Slice rule_text(Arena *arena, const WeighedRule *rule) {
    Slice cost = weighed_cost_text(arena, weighed_cost(rule, false));

    return arena_printf(arena, "%.*s (weight %d)%s%.*s", SLICE_ARG(rule->text), (int)rule->weight, cost.len ? ": " : "",
                        SLICE_ARG(cost));
}

static Slice message_text(Arena *arena, const WeighedPods *weighed, uint32_t bits) {
    Slice text = SLICE("Planned without preferred ");
    uint32_t told = 0, more = 0;

    for (vec_each(const WeighedRule, rule, &weighed->rules)) {
        if (!(bits & rule->bit))
            continue;
        if (told == RULES_TOLD_MAX) {
            more++;
            continue;
        }
        text =
            arena_printf(arena, "%.*s%s%.*s", SLICE_ARG(text), told++ ? "; " : "", SLICE_ARG(rule_text(arena, rule)));
    }
    return more ? arena_printf(arena, "%.*s; and %u other(s)", SLICE_ARG(text), more) : text;
}

// Tells at most so many pods of a group. Returns how many were told.
static uint32_t tell_group(Apply *apply, const WeighedPods *weighed, uint32_t most) {
    uint32_t told = 0;

    for (uint32_t i = 0; i < weighed->pods.count && told < most; i++) {
        uint32_t pending = weighed->pods.items[i], bits = given_up_bits(weighed, i);
        KnownPod *known;

        if (!provision_wants_place(apply, pending))
            continue;
        known = known_pod(index_of(apply), apply->numbers[pending]);
        if (known->given_up == bits)
            continue;
        known->given_up = bits;
        if (!bits)
            continue;
        told++;
        provision_pod_event(apply->turn, apply->solved->input->pending.items[pending].pod, false, "PreferenceGivenUp",
                            message_text(apply->turn->arena, weighed, bits));
    }
    return told;
}

void provision_report_given_up(Apply *apply) {
    uint32_t groups = 0, left = GIVEN_UP_MAX, share;

    for (vec_each(const WeighedPods, weighed, &apply->solved->plan->weighed))
        groups += any_given_up(weighed);
    share = groups && groups < GIVEN_UP_MAX ? GIVEN_UP_MAX / groups : 1;
    for (vec_each(const WeighedPods, weighed, &apply->solved->plan->weighed))
        left -= tell_group(apply, weighed, share < left ? share : left);
}
