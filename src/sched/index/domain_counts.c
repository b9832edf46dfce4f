// If m is the minimum at the end, each domain has at least m pods and, if an owner was placed there, at most m + max
// skew. m is unknown, so the bounds are the widest over all possible m, from the present minimum on.
#include "sched/index/domain_counts.h"

typedef struct {
    const DomainCounts *counts;
    const TopologyGroup *group;
    int64_t *least, *most; // per domain: bounds for one m
} Level;

static int64_t max_of(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int64_t min_of(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static bool minimum_is_zero(const TopologyGroup *group) {
    return group->min_domains > 0 && group->supported_count < (uint32_t)group->min_domains;
}

static int64_t sum(const int64_t *values, uint32_t count) {
    int64_t all = 0;

    for (uint32_t i = 0; i < count; i++)
        all += values[i];
    return all;
}

// Tightens the bounds when only owners are counted: a domain gets at least what the others cannot take, and at most
// what they do not need.
static void propagate(Level *level) {
    const DomainCounts *counts = level->counts;
    int64_t least = sum(level->least, counts->count), most = sum(level->most, counts->count);

    for (uint32_t i = 0; i < counts->count; i++) {
        int64_t low = counts->owners - (most - level->most[i]), high = counts->owners - (least - level->least[i]);

        level->least[i] = max_of(level->least[i], low);
        level->most[i] = min_of(level->most[i], high);
    }
}

// The bounds for the minimum m. False: m is impossible, as the pods are too many or too few for it.
static bool fill_level(Level *level, int64_t m, bool needs_least) {
    const DomainCounts *counts = level->counts;
    const TopologyGroup *group = level->group;

    for (uint32_t i = 0; i < counts->count; i++) {
        uint32_t atom = counts->atoms[i];

        level->least[i] = needs_least ? max_of(0, m - group->least[atom]) : 0;
        level->most[i] = min_of(counts->owners, max_of(0, m + group->max_skew - group->most[atom]));
    }
    if (sum(level->least, counts->count) > counts->counted || sum(level->most, counts->count) < counts->owners)
        return false;
    if (counts->owners == counts->counted)
        propagate(level);
    return true;
}

static void widen(DomainCounts *counts, const Level *level, bool first) {
    for (uint32_t i = 0; i < counts->count; i++) {
        counts->least[i] = first ? level->least[i] : min_of(counts->least[i], level->least[i]);
        counts->most[i] = first ? level->most[i] : max_of(counts->most[i], level->most[i]);
    }
}

static int64_t least_today(const DomainCounts *counts, const TopologyGroup *group) {
    int64_t least = INT32_MAX;

    for (uint32_t i = 0; i < counts->count; i++)
        least = min_of(least, group->least[counts->atoms[i]]);
    return least;
}

bool domain_counts_make(DomainCounts *counts, Arena *arena, const TopologyGroup *group) {
    Level level = {counts, group, arena_array(arena, int64_t, group->supported_count),
                   arena_array(arena, int64_t, group->supported_count)};
    bool found = false, zero = minimum_is_zero(group);
    int64_t m;

    counts->atoms = arena_array(arena, uint32_t, group->supported_count);
    counts->least = arena_array(arena, int64_t, group->supported_count);
    counts->most = arena_array(arena, int64_t, group->supported_count);
    for (bitset_each(atom, group->supported, group->words))
        counts->atoms[counts->count++] = atom;
    if (!counts->count)
        return false;
    if (zero) {
        found = fill_level(&level, 0, false);
        if (found)
            widen(counts, &level, true);
        return found;
    }
    m = least_today(counts, group);
    for (int64_t last = m + counts->counted; m <= last; m++) {
        if (!fill_level(&level, m, true))
            continue;
        widen(counts, &level, !found);
        found = true;
    }
    return found;
}
