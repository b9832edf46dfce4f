// Topology groups: identity, counts, and the domains that they allow.
#include "sched/index/topology.h"

#include "base/buffer.h"
#include "base/numbers.h"

#include <stdlib.h>

void topology_init(Topology *topology, Arena *arena, Universe *universe, const Cluster *cluster) {
    *topology = (Topology){.arena = arena, .universe = universe, .cluster = cluster};
}

// A sorted copy without duplicates.
static SymbolVec symbols_sorted(Arena *arena, const SymbolVec *symbols) {
    SymbolVec sorted = {0};

    if (!symbols->count)
        return sorted;
    sorted.items = arena_copy(arena, symbols->items, symbols->count * sizeof *symbols->items);
    sorted.count = sorted.capacity = symbols->count;
    qsort(sorted.items, sorted.count, sizeof *sorted.items, u32_compare);
    sorted.count = 0;
    for (uint32_t i = 0; i < sorted.capacity; i++) {
        if (sorted.count == 0 || sorted.items[i] != sorted.items[sorted.count - 1])
            sorted.items[sorted.count++] = sorted.items[i];
    }
    return sorted;
}

static PodMatch match_for(Topology *topology, Symbol ns, const PodAffinityTerm *term) {
    PodMatch match = {.selector = term->selector};
    SymbolVec names = {0};

    for (vec_each(Symbol, name, &term->namespaces))
        vec_push(topology->arena, &names, *name);
    if (term->namespace_selector && term->namespace_selector->expressions.count == 0)
        match.all_namespaces = true;
    else if (term->namespace_selector) {
        for (vec_each(Namespace, space, &topology->cluster->namespaces)) {
            if (selector_matches(term->namespace_selector, &space->meta.labels))
                vec_push(topology->arena, &names, space->meta.name);
        }
    } else if (!names.count)
        vec_push(topology->arena, &names, ns);
    match.namespaces = symbols_sorted(topology->arena, &names);
    return match;
}

static int compare_expressions(const void *a, const void *b) {
    const Expression *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

// Prints the canonical text of a selector: expressions sorted by key and operator, values sorted. Symbols are printed
// as numbers, as texts are compared within one solve only.
static void print_selector(Buffer *text, const LabelSelector *selector) {
    Arena scratch = {0};
    Expression *sorted;

    if (!selector) {
        buffer_printf(text, "nothing;");
        return;
    }
    sorted = arena_copy(&scratch, selector->expressions.items, selector->expressions.count * sizeof *sorted);
    qsort(sorted, selector->expressions.count, sizeof *sorted, compare_expressions);
    for (uint32_t i = 0; i < selector->expressions.count; i++) {
        SymbolVec values = symbols_sorted(&scratch, &sorted[i].values);

        buffer_printf(text, "%u %d", sorted[i].key, sorted[i].op);
        for (vec_each(Symbol, value, &values))
            buffer_printf(text, " %u", *value);
        buffer_printf(text, ",");
    }
    buffer_printf(text, ";");
    arena_free(&scratch);
}

static int compare_matches(const void *a, const void *b) {
    const Slice *x = a, *y = b;

    return slice_cmp(*x, *y);
}

// Prints matches sorted: their order makes no difference.
static void print_matches(Topology *topology, Buffer *text, const PodMatchVec *matches) {
    Slice *parts = arena_array(topology->arena, Slice, matches->count);

    for (uint32_t i = 0; i < matches->count; i++) {
        Buffer part = {0};

        buffer_printf(&part, "|%d:", matches->items[i].all_namespaces);
        for (vec_each(Symbol, ns, &matches->items[i].namespaces))
            buffer_printf(&part, "%u,", *ns);
        print_selector(&part, matches->items[i].selector);
        parts[i] = arena_slice(topology->arena, buffer_slice(&part));
        buffer_free(&part);
    }
    qsort(parts, matches->count, sizeof *parts, compare_matches);
    for (uint32_t i = 0; i < matches->count; i++) {
        if (i == 0 || !slice_eq(parts[i], parts[i - 1]))
            buffer_append(text, parts[i]);
    }
}

// The index of an equal text, or INDEX_NONE.
static uint32_t text_find(const IndexMap *index, const SliceVec *texts, Slice text) {
    uint32_t cursor = 0, found;

    while ((found = index_map_next(index, slice_hash(text), &cursor)) != INDEX_NONE) {
        if (slice_eq(texts->items[found], text))
            break;
    }
    return found;
}

static void text_add(Arena *arena, IndexMap *index, SliceVec *texts, Slice text) {
    index_map_add(arena, index, slice_hash(text), texts->count);
    vec_push(arena, texts, arena_slice(arena, text));
}

static uint32_t group_add(Topology *topology, TopologyGroup group, Buffer *text) {
    uint32_t number;

    print_matches(topology, text, &group.matches);
    number = text_find(&topology->index, &topology->texts, buffer_slice(text));
    if (number == INDEX_NONE) {
        number = topology->groups.count;
        text_add(topology->arena, &topology->index, &topology->texts, buffer_slice(text));
        group.key =
            group.topology_key == NAME_HOSTNAME ? INDEX_NONE : universe_key(topology->universe, group.topology_key);
        if (group.key != INDEX_NONE) {
            uint32_t atoms = topology->universe->keys.items[group.key].atoms;

            group.words = topology->universe->keys.items[group.key].words;
            group.least = arena_array(topology->arena, int32_t, atoms);
            group.most = arena_array(topology->arena, int32_t, atoms);
            group.supported = bitset_new(topology->arena, atoms);
        }
        if (!group.total)
            group.total = arena_new(topology->arena, int64_t);
        vec_push(topology->arena, &topology->groups, group);
    }
    buffer_free(text);
    return number;
}

uint32_t topology_spread_group(Topology *topology, Symbol ns, const TopologySpread *spread, uint32_t filter) {
    TopologyGroup group = {.kind = GROUP_SPREAD,
                           .topology_key = spread->topology_key,
                           .max_skew = spread->max_skew,
                           .min_domains = spread->min_domains,
                           .filter = filter};
    PodMatch match = {.selector = spread->selector};
    Buffer text = {0};

    // kube-scheduler counts no pods for an empty selector, as for a missing one. That it counts the new pod itself
    // makes no difference, as max skew is at least 1.
    if (match.selector && match.selector->expressions.count == 0)
        match.selector = NULL;
    vec_push(topology->arena, &match.namespaces, ns);
    vec_push(topology->arena, &group.matches, match);
    buffer_printf(&text, "spread %u %d %d %u", group.topology_key, group.max_skew, group.min_domains, filter);
    return group_add(topology, group, &text);
}

// The index of the total that is shared by the groups of the same terms (their keys and matches).
static uint32_t family_of(Topology *topology, const TopologyGroup *group, const PodAffinityTerm *terms,
                          uint32_t term_count) {
    SymbolVec keys = {0};
    Buffer text = {0};
    uint32_t number;

    for (uint32_t i = 0; i < term_count; i++)
        vec_push(topology->arena, &keys, terms[i].topology_key);
    keys = symbols_sorted(topology->arena, &keys);
    for (vec_each(Symbol, key, &keys))
        buffer_printf(&text, "%u,", *key);
    print_matches(topology, &text, &group->matches);
    number = text_find(&topology->family_index, &topology->family_texts, buffer_slice(&text));
    if (number == INDEX_NONE) {
        number = topology->family_totals.count;
        text_add(topology->arena, &topology->family_index, &topology->family_texts, buffer_slice(&text));
        vec_push(topology->arena, &topology->family_totals, arena_new(topology->arena, int64_t));
    }
    buffer_free(&text);
    return number;
}

uint32_t topology_affinity_group(Topology *topology, Symbol ns, GroupKind kind, Symbol topology_key,
                                 const PodAffinityTerm *terms, uint32_t term_count) {
    TopologyGroup group = {.kind = kind, .topology_key = topology_key, .filter = INDEX_NONE};
    Buffer text = {0};

    for (uint32_t i = 0; i < term_count; i++)
        vec_push(topology->arena, &group.matches, match_for(topology, ns, &terms[i]));
    buffer_printf(&text, "affinity %d %u", kind, topology_key);
    if (term_count > 1) { // whether a pod may be the first depends on the terms of all keys
        uint32_t family = family_of(topology, &group, terms, term_count);

        group.total = topology->family_totals.items[family];
        buffer_printf(&text, " %u", family);
    }
    return group_add(topology, group, &text);
}

uint32_t topology_filter(Topology *topology, const NodeFilter *filter) {
    Buffer text = {0};
    uint32_t number;

    if (!filter->terms.count && !filter->honor_taints)
        return INDEX_NONE;
    for (uint32_t i = 0; i < filter->terms.count; i++)
        buffer_printf(&text, "%u,", filter->terms.items[i]);
    if (filter->honor_taints) {
        buffer_printf(&text, "taints");
        for (vec_each(Toleration, toleration, filter->tolerations))
            buffer_printf(&text, ";%u %u %d %d", toleration->key, toleration->value, toleration->op,
                          toleration->effect);
    }
    number = text_find(&topology->filter_index, &topology->filter_texts, buffer_slice(&text));
    if (number == INDEX_NONE) {
        number = topology->filters.count;
        text_add(topology->arena, &topology->filter_index, &topology->filter_texts, buffer_slice(&text));
        vec_push(topology->arena, &topology->filters, *filter);
    }
    buffer_free(&text);
    return number;
}

static bool match_selects(const PodMatch *match, Symbol ns, const Labels *labels) {
    bool found = match->all_namespaces;

    for (uint32_t i = 0; i < match->namespaces.count && !found; i++)
        found = match->namespaces.items[i] == ns;
    return found && selector_matches(match->selector, labels);
}

bool topology_group_selects(const TopologyGroup *group, Symbol ns, const Labels *labels) {
    for (vec_each(PodMatch, match, &group->matches)) {
        if (!match_selects(match, ns, labels))
            return false;
    }
    return true;
}

void topology_record(Topology *topology, TopologyGroup *group, const uint64_t *mask, bool certain, int32_t count) {
    const LabelKey *key = &topology->universe->keys.items[group->key];
    bool single = bitset_count(mask, key->words) == 1;
    bool counted = false;

    for (bitset_each(atom, mask, key->words)) {
        if (atom >= key->value_count)
            continue; // not a domain: the label is absent, or its value is unknown
        group->most[atom] += count;
        counted = true;
        if (single && certain)
            group->least[atom] += count;
    }
    group->undecided |= counted && !certain;
    if (counted) {
        *group->total += count;
        group->changes++;
    }
}

void topology_record_elsewhere(TopologyGroup *group, int32_t count) {
    *group->total += count;
    group->changes++;
}

void topology_start(TopologyGroup *group) {
    group->waits = false;
    group->changes++;
}

// Whether a pod may start a domain: it matches its own rule, no other pod does, and the group does not wait.
static bool may_start(const TopologyGroup *group, bool self) {
    return *group->total == 0 && self && !group->waits;
}

void topology_decide(TopologyGroup *group, uint32_t atom, bool counted, int32_t count) {
    if (counted)
        group->least[atom] += count;
    else
        group->most[atom] -= count;
    group->changes++;
}

// The host of a node for rules of a kind.
static uint32_t host_for(GroupKind kind, uint32_t bin, uint32_t first) {
    if (first == INDEX_NONE) // it is no host
        return kind == GROUP_SPREAD || kind == GROUP_AFFINITY ? INDEX_NONE : bin;
    return kind == GROUP_AFFINITY ? bin : first;
}

void topology_share_hosts(Topology *topology, const uint32_t *bins, uint32_t count) {
    uint32_t *of_kind[GROUP_INVERSE + 1];

    for (GroupKind kind = GROUP_SPREAD; kind <= GROUP_INVERSE; kind++) {
        of_kind[kind] = arena_array(topology->arena, uint32_t, count);
        for (uint32_t bin = 0; bin < count; bin++)
            of_kind[kind][bin] = host_for(kind, bin, bins[bin]);
    }
    for (vec_each(TopologyGroup, group, &topology->groups)) {
        if (group->key == INDEX_NONE)
            group->hosts = (HostBins){of_kind[group->kind], count};
    }
}

void topology_record_bin(Topology *topology, TopologyGroup *group, uint32_t bin, int32_t count) {
    bin = topology_host(group, bin);
    if (bin == INDEX_NONE)
        return;
    if (bin >= group->bin_capacity) {
        uint32_t capacity = group->bin_capacity ? group->bin_capacity : 16;
        int32_t *larger;

        while (capacity <= bin)
            capacity *= 2;
        larger = arena_array(topology->arena, int32_t, capacity);
        if (group->bin_capacity)
            memcpy(larger, group->on_bin, group->bin_capacity * sizeof *larger);
        group->on_bin = larger;
        group->bin_capacity = capacity;
    }
    group->on_bin[bin] += count;
    *group->total += count;
    group->changes++;
}

int32_t topology_spread_minimum(const TopologyGroup *group) {
    int32_t minimum = INT32_MAX;

    if (group->min_domains > 0 && group->supported_count < (uint32_t)group->min_domains)
        return 0;
    for (bitset_each(atom, group->supported, group->words)) {
        if (group->least[atom] < minimum)
            minimum = group->least[atom];
    }
    return minimum == INT32_MAX ? 0 : minimum;
}

static bool domain_allowed(const TopologyGroup *group, bool self, uint32_t atom, int32_t minimum) {
    switch (group->kind) {
    case GROUP_SPREAD:
        return bitset_has(group->supported, atom) && group->most[atom] + self - minimum <= group->max_skew;
    case GROUP_AFFINITY:
        return group->least[atom] > 0 || may_start(group, self);
    default:
        return group->most[atom] == 0;
    }
}

void topology_allow(const Topology *topology, const TopologyGroup *group, bool self, uint64_t *mask) {
    const LabelKey *key = &topology->universe->keys.items[group->key];
    int32_t minimum = group->kind == GROUP_SPREAD ? topology_spread_minimum(group) : 0;
    // Spread and affinity need a node with the label; anti-affinity is met by nodes without it.
    bool need_label = group->kind == GROUP_SPREAD || group->kind == GROUP_AFFINITY;

    for (bitset_each(atom, mask, key->words)) {
        if (atom >= key->value_count ? need_label : !domain_allowed(group, self, atom, minimum))
            bitset_clear(mask, atom);
    }
}

uint32_t topology_allowance(const TopologyGroup *group, bool self, uint32_t atom, uint32_t limit) {
    int64_t allowance = limit;

    if (!self)
        return limit; // the rule does not count the pod itself
    if (group->kind == GROUP_SPREAD)
        allowance = (int64_t)group->max_skew + topology_spread_minimum(group) - group->most[atom];
    else if (group->kind == GROUP_ANTI_AFFINITY)
        allowance = 1;
    return allowance < (int64_t)limit ? (allowance < 0 ? 0 : (uint32_t)allowance) : limit;
}

bool topology_spread_holds(const TopologyGroup *group) {
    int32_t minimum = topology_spread_minimum(group);

    for (bitset_each(atom, group->supported, group->words)) {
        if (group->most[atom] - minimum > group->max_skew)
            return false;
    }
    return true;
}

uint32_t topology_bin_allowance(const TopologyGroup *group, bool self, uint32_t bin, uint32_t limit) {
    int32_t count = topology_on_bin(group, bin);
    int64_t allowance;

    if (bin != INDEX_NONE && topology_host(group, bin) == INDEX_NONE)
        return 0;
    switch (group->kind) {
    case GROUP_SPREAD: // the minimum is 0, as a new node can always be opened
        allowance = self ? (int64_t)group->max_skew - count : count <= group->max_skew ? limit : 0;
        break;
    case GROUP_AFFINITY:
        allowance = count > 0 || may_start(group, self) ? limit : 0;
        break;
    case GROUP_ANTI_AFFINITY:
        allowance = count > 0 ? 0 : self ? 1 : limit;
        break;
    default:
        allowance = count > 0 ? 0 : limit;
    }
    return allowance < 0 ? 0 : allowance < (int64_t)limit ? (uint32_t)allowance : limit;
}
