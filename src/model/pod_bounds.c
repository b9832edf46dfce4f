// Counting what a pod asks, and dropping preferences.
#include "model/pod_bounds.h"

#include <inttypes.h>

static const struct {
    uint32_t most;
    const char *what;
} bounds[] = {
#define X(name, most, what) {most, what},
    POD_BOUNDS(X)
#undef X
};

// --- words: expressions, values, namespaces

static uint64_t expressions_words(const ExpressionVec *expressions) {
    uint64_t words = expressions->count;

    for (vec_each(const Expression, expression, expressions))
        words += expression->values.count;
    return words;
}

static uint64_t selector_words(const LabelSelector *selector) {
    return selector ? expressions_words(&selector->expressions) : 0;
}

static uint64_t term_words(const PodAffinityTerm *term) {
    return selector_words(term->selector) + selector_words(term->namespace_selector) + term->namespaces.count;
}

static uint64_t terms_words(const PodAffinityTermVec *terms) {
    uint64_t words = 0;

    for (vec_each(const PodAffinityTerm, term, terms))
        words += term_words(term);
    return words;
}

// --- what must hold

static void count_node_affinity(const PodSpec *spec, uint64_t *counts) {
    for (vec_each(const NodeTerm, term, &spec->required_node_terms)) {
        counts[POD_BOUND_NODE_EXPRESSIONS] += term->expressions.count;
        counts[POD_BOUND_NODE_VALUES] += expressions_words(&term->expressions) - term->expressions.count;
    }
}

static void count_spreads(const PodSpec *spec, uint64_t *counts) {
    for (vec_each(const TopologySpread, spread, &spec->spreads)) {
        if (spread->schedule_anyway)
            continue;
        counts[POD_BOUND_SPREADS]++;
        counts[POD_BOUND_SELECTORS] += selector_words(spread->selector);
    }
}

PodBound pod_bound_exceeded(const PodSpec *spec, uint64_t *ret_count) {
    uint64_t counts[POD_BOUND_COUNT] = {
        [POD_BOUND_RESOURCES] = spec->requests.count,
        [POD_BOUND_NODE_SELECTOR] = spec->node_selector.count,
        [POD_BOUND_NODE_TERMS] = spec->required_node_terms.count,
        [POD_BOUND_AFFINITY_TERMS] = spec->affinity.required.count,
        [POD_BOUND_ANTI_AFFINITY_TERMS] = spec->anti_affinity.required.count,
        [POD_BOUND_SELECTORS] = terms_words(&spec->affinity.required) + terms_words(&spec->anti_affinity.required),
        [POD_BOUND_TOLERATIONS] = spec->tolerations.count,
        [POD_BOUND_HOST_PORTS] = spec->host_ports.count,
        [POD_BOUND_VOLUMES] = spec->volumes.count,
    };
    PodBound bound = 0;

    count_node_affinity(spec, counts);
    count_spreads(spec, counts);
    while (bound < POD_BOUND_COUNT && counts[bound] <= bounds[bound].most)
        bound++;
    if (bound < POD_BOUND_COUNT)
        *ret_count = counts[bound];
    return bound;
}

Slice pod_bound_text(Arena *arena, PodBound bound, uint64_t count) {
    return arena_printf(arena,
                        "the pod has %" PRIu64 " %s, more than the %u that are planned for: give it fewer, or a node "
                        "by hand",
                        count, bounds[bound].what, bounds[bound].most);
}

// --- preferences

// A preference: its weight, and how many words it has.
typedef struct {
    int32_t weight;
    uint64_t words;
} Preference;

enum { WEIGHT_MAX = 100 };

// The preferences that stay, as bits. Heaviest first, while there is room: one that is too long for what is left stays
// out, and lighter ones may still go in.
static void choose(const Preference *preferences, uint32_t count, bool *ret_kept) {
    uint32_t room = POD_PREFERENCES_MAX;
    uint64_t words = POD_PREFERENCE_WORDS_MAX;

    for (int32_t weight = WEIGHT_MAX; weight >= 0 && room; weight--) {
        for (uint32_t i = 0; i < count && room; i++) {
            if (preferences[i].weight != weight || preferences[i].words > words)
                continue;
            ret_kept[i] = true;
            words -= preferences[i].words;
            room--;
        }
    }
}

// Closes up `items` to those that are kept; how many that are.
#define KEEP_ITEMS(vec, kept)                                                                                          \
    do {                                                                                                               \
        uint32_t left_ = 0;                                                                                            \
        for (uint32_t i_ = 0; i_ < (vec)->count; i_++) {                                                               \
            if ((kept)[i_])                                                                                            \
                (vec)->items[left_++] = (vec)->items[i_];                                                              \
        }                                                                                                              \
        (vec)->count = left_;                                                                                          \
    } while (0)

static void bound_node_terms(Arena *scratch, NodeTermVec *terms) {
    Preference *preferences = arena_array(scratch, Preference, terms->count);
    bool *kept = arena_array(scratch, bool, terms->count);

    for (uint32_t i = 0; i < terms->count; i++)
        preferences[i] = (Preference){terms->items[i].weight, expressions_words(&terms->items[i].expressions)};
    choose(preferences, terms->count, kept);
    KEEP_ITEMS(terms, kept);
}

static void bound_pod_terms(Arena *scratch, PodAffinityTermVec *terms) {
    Preference *preferences = arena_array(scratch, Preference, terms->count);
    bool *kept = arena_array(scratch, bool, terms->count);

    for (uint32_t i = 0; i < terms->count; i++)
        preferences[i] = (Preference){terms->items[i].weight, term_words(&terms->items[i])};
    choose(preferences, terms->count, kept);
    KEEP_ITEMS(terms, kept);
}

// Those that must hold stay, however many.
static void bound_spreads(Arena *scratch, TopologySpreadVec *spreads) {
    Preference *preferences = arena_array(scratch, Preference, spreads->count);
    bool *kept = arena_array(scratch, bool, spreads->count);

    for (uint32_t i = 0; i < spreads->count; i++) {
        const TopologySpread *spread = &spreads->items[i];

        preferences[i] = (Preference){spread->schedule_anyway ? 1 : -1, selector_words(spread->selector)};
    }
    choose(preferences, spreads->count, kept);
    for (uint32_t i = 0; i < spreads->count; i++)
        kept[i] |= !spreads->items[i].schedule_anyway;
    KEEP_ITEMS(spreads, kept);
}

static uint32_t count_rules(const PodSpec *spec) {
    return spec->preferred_node_terms.count + spec->affinity.preferred.count + spec->anti_affinity.preferred.count +
           spec->spreads.count;
}

void pod_preferences_bound(PodSpec *spec) {
    uint32_t before = count_rules(spec);
    Arena scratch = {0};

    if (!before)
        return;
    bound_node_terms(&scratch, &spec->preferred_node_terms);
    bound_pod_terms(&scratch, &spec->affinity.preferred);
    bound_pod_terms(&scratch, &spec->anti_affinity.preferred);
    bound_spreads(&scratch, &spec->spreads);
    spec->dropped_preferences = before - count_rules(spec);
    arena_free(&scratch);
}

Slice pod_preferences_text(Arena *arena, uint32_t dropped) {
    return arena_printf(arena,
                        "%u of the pod's preferences %s not planned for, those with the lowest weights: of each kind "
                        "%d are read, with %d expressions, values and namespaces in all",
                        dropped, dropped == 1 ? "is" : "are", POD_PREFERENCES_MAX, POD_PREFERENCE_WORDS_MAX);
}
