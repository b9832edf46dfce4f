// Links parts, and writes them.
#include "sched/fleet/parts.h"

#include "base/numbers.h"
#include "sched/plan_write.h"

#include <stdlib.h>

void parts_init(FleetSearch *search) {
    uint32_t count = search->input->sources.count;

    search->parent = arena_array(search->arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++)
        search->parent[i] = i;
}

uint32_t part_of(FleetSearch *search, uint32_t source) {
    uint32_t *parent = search->parent;

    while (parent[source] != source)
        source = parent[source] = parent[parent[source]];
    return source;
}

uint32_t part_of_claim(FleetSearch *search, uint32_t bin) {
    return part_of(search, search->owner.items[bin - search->solver->node_count]);
}

void part_link(FleetSearch *search, uint32_t source, uint32_t other) {
    uint32_t a = part_of(search, source), b = part_of(search, other);

    search->parent[a > b ? a : b] = a < b ? a : b;
}

// --- the parts that a change touches

static void add_root(FleetSearch *search, U32Vec *roots, uint32_t source) {
    uint32_t root = part_of(search, source);

    if (!u32_vec_has(roots, root))
        vec_push(&search->trial, roots, root);
}

static void add_fillers(FleetSearch *search, U32Vec *roots, uint32_t bin) {
    for (vec_each(const Delivered, delivered, &search->delivered)) {
        if (delivered->bin == bin)
            add_root(search, roots, delivered->source);
    }
}

static U32Vec touched_parts(FleetSearch *search, const U32Vec *sources) {
    U32Vec roots = {0};

    for (vec_each(const uint32_t, source, sources)) {
        add_root(search, &roots, *source);
        add_fillers(search, &roots, search->bin_of_source[*source]);
    }
    for (vec_each(const SavedBin, saved, &search->change.saved)) {
        if (saved->bin.pool)
            add_root(search, &roots, part_of_claim(search, saved->bin.number));
    }
    return roots;
}

// --- a proposal

static void sort_numbers(U32Vec *numbers) {
    if (numbers->count)
        qsort(numbers->items, numbers->count, sizeof *numbers->items, u32_compare);
}

static bool is_in(FleetSearch *search, const U32Vec *roots, uint32_t source) {
    return u32_vec_has(roots, part_of(search, source));
}

static void add_source(FleetSearch *search, Arena *arena, FleetPart *part, uint32_t source) {
    const FleetSource *of = &search->input->sources.items[source];

    vec_push(arena, &part->sources, source);
    part->price_per_hour += of->price_per_hour;
    part->disruption += of->disruption;
}

static PlannedClaim *add_claim(FleetSearch *search, Arena *arena, ClaimSpecs *specs, FleetPart *part, const Bin *bin) {
    PlannedClaim *claim = vec_add(arena, &part->claims);

    search->solver->result = arena;
    solver_write_claim(search->solver, specs, bin, claim);
    part->claims_per_hour += claim->offering->price_per_hour;
    return claim;
}

FleetPart part_propose(FleetSearch *search, const U32Vec *sources) {
    Solver *solver = search->solver;
    U32Vec roots = touched_parts(search, sources), together = {0};
    ClaimSpecs specs = {0};
    FleetPart part = {0};

    for (vec_each(const uint32_t, source, &search->gone)) {
        if (is_in(search, &roots, *source))
            vec_push(&search->trial, &together, *source);
    }
    for (vec_each(const uint32_t, source, sources))
        vec_push(&search->trial, &together, *source);
    sort_numbers(&together);
    for (vec_each(const uint32_t, source, &together))
        add_source(search, &search->trial, &part, *source);
    for (uint32_t i = solver->node_count; i < solver->bins.count; i++) {
        const Bin *bin = &solver->bins.items[i];

        if (!bin->gone && (i >= search->change.bin_count || u32_vec_has(&roots, part_of_claim(search, i))))
            add_claim(search, &search->trial, &specs, &part, bin);
    }
    return part;
}

// --- keeping

static void forget_deliveries(FleetSearch *search, uint32_t bin) {
    uint32_t kept = 0;

    for (vec_each(const Delivered, delivered, &search->delivered)) {
        if (delivered->bin != bin)
            search->delivered.items[kept++] = *delivered;
    }
    search->delivered.count = kept;
}

static void note_deliveries(FleetSearch *search, uint32_t source) {
    for (vec_each(const Move, move, &search->change.moves)) {
        if (move->count > 0 && move->bin < search->solver->node_count)
            vec_push(search->arena, &search->delivered,
                     (Delivered){move->bin, move->class, (uint32_t)move->count, source});
    }
}

void part_keep(FleetSearch *search, const U32Vec *sources) {
    U32Vec roots = touched_parts(search, sources);

    for (uint32_t i = 1; i < roots.count; i++)
        search->parent[roots.items[i]] = roots.items[0];
    for (vec_each(const uint32_t, source, sources)) {
        search->verdicts[*source].fate = GOES;
        vec_push(search->arena, &search->gone, *source);
        forget_deliveries(search, search->bin_of_source[*source]);
    }
    if (!roots.count)
        return; // no sources
    note_deliveries(search, roots.items[0]);
    while (search->owner.count < search->solver->bins.count - search->solver->node_count)
        vec_push(search->arena, &search->owner, roots.items[0]);
}

// --- writing

// The moved pods of a part that have not been given a place yet, by class.
typedef struct {
    uint32_t class, pod;
} MovedPod;
typedef Vec(MovedPod) MovedPods;

typedef struct {
    FleetSearch *search;
    Arena *arena, scratch;
    MovedPods *of_source; // per source
    uint32_t *number;     // per source that names a part: index into `parts`
    FleetPartVec parts;
    MovedPods *pods; // per part, by class
} Writing;

static void sort_pods_by_source(Writing *writing) {
    const ClassTable *table = &writing->search->solver->classes;

    writing->of_source = arena_array(&writing->scratch, MovedPods, writing->search->input->sources.count);
    for (uint32_t class = 0; class < table->classes.count; class ++) {
        const PodClass *of = &table->classes.items[class];

        for (uint32_t i = 0; i < of->count; i++) {
            uint32_t pod = table->pods[of->first + i], home = writing->search->input->homes[pod];

            if (home != INDEX_NONE && writing->search->verdicts[home].fate == GOES)
                vec_push(&writing->scratch, &writing->of_source[home], (MovedPod){class, pod});
        }
    }
}

static void collect_sources(Writing *writing) {
    FleetSearch *search = writing->search;
    uint32_t count = search->input->sources.count;

    writing->number = arena_array(&writing->scratch, uint32_t, count);
    memset(writing->number, 0xff, count * sizeof *writing->number);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t root = part_of(search, i);

        if (search->verdicts[i].fate != GOES)
            continue;
        if (writing->number[root] == INDEX_NONE) {
            writing->number[root] = writing->parts.count;
            vec_push(writing->arena, &writing->parts, (FleetPart){0});
        }
        add_source(search, writing->arena, &writing->parts.items[writing->number[root]], i);
    }
}

static int compare_moved(const void *a, const void *b) {
    const MovedPod *x = a, *y = b;

    return x->class != y->class ? (x->class > y->class) - (x->class < y->class) : (x->pod > y->pod) - (x->pod < y->pod);
}

static void collect_pods(Writing *writing) {
    writing->pods = arena_array(&writing->scratch, MovedPods, writing->parts.count);
    for (uint32_t i = 0; i < writing->parts.count; i++) {
        MovedPods *pods = &writing->pods[i];

        for (vec_each(const uint32_t, source, &writing->parts.items[i].sources)) {
            for (vec_each(const MovedPod, pod, &writing->of_source[*source]))
                vec_push(&writing->scratch, pods, *pod);
        }
        if (pods->count)
            qsort(pods->items, pods->count, sizeof *pods->items, compare_moved);
    }
}

// Takes pods of a class from those of a part. `class` is set to INDEX_NONE for those that were taken.
static void take(Writing *writing, uint32_t part, uint32_t class, uint32_t count, U32Vec *ret_pods) {
    MovedPods *pods = &writing->pods[part];
    uint32_t low = 0, high = pods->count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (pods->items[middle].class < class)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < pods->count && pods->items[low].class == class && count; low++) {
        if (pods->items[low].pod == INDEX_NONE)
            continue;
        vec_push(writing->arena, ret_pods, pods->items[low].pod);
        pods->items[low].pod = INDEX_NONE;
        count--;
    }
}

static void write_claims(Writing *writing) {
    FleetSearch *search = writing->search;
    Solver *solver = search->solver;
    ClaimSpecs specs = {0};

    for (uint32_t i = solver->node_count; i < solver->bins.count; i++) {
        const Bin *bin = &solver->bins.items[i];
        PlannedClaim *claim;
        uint32_t part;

        if (bin->gone)
            continue;
        part = writing->number[part_of_claim(search, i)];
        claim = add_claim(search, writing->arena, &specs, &writing->parts.items[part], bin);
        claim->name = arena_printf(writing->arena, "%.*s-%u",
                                   SLICE_ARG(symbol_text(solver->universe.symbols, bin->pool->pool->meta.name)),
                                   i - solver->node_count + 1);
        for (vec_each(const BinPods, pods, &bin->pods))
            take(writing, part, pods->class, pods->count, &claim->pods);
        sort_numbers(&claim->pods);
    }
}

static int compare_delivered(const void *a, const void *b) {
    const Delivered *x = a, *y = b;

    return x->bin != y->bin ? (x->bin > y->bin) - (x->bin < y->bin) : (x->class > y->class) - (x->class < y->class);
}

static U32Vec *delivery_to(Writing *writing, FleetPart *part, uint32_t node) {
    if (!part->deliveries.count || vec_last(&part->deliveries)->node != node)
        vec_push(writing->arena, &part->deliveries, (FleetDelivery){.node = node});
    return &vec_last(&part->deliveries)->pods;
}

static void write_deliveries(Writing *writing) {
    FleetSearch *search = writing->search;
    const Solver *solver = search->solver;

    if (search->delivered.count)
        qsort(search->delivered.items, search->delivered.count, sizeof(Delivered), compare_delivered);
    for (vec_each(const Delivered, delivered, &search->delivered)) {
        uint32_t part = writing->number[part_of(search, delivered->source)];
        uint32_t node = (uint32_t)(solver->bins.items[delivered->bin].node - solver->input->nodes.items);

        take(writing, part, delivered->class, delivered->count,
             delivery_to(writing, &writing->parts.items[part], node));
    }
}

static double merit(const FleetPart *part) {
    return (part->price_per_hour - part->claims_per_hour) / (part->disruption + 1e-9);
}

static int compare_parts(const void *a, const void *b) {
    const FleetPart *x = a, *y = b;

    if (merit(x) != merit(y))
        return merit(x) > merit(y) ? -1 : 1;
    return (x->sources.items[0] > y->sources.items[0]) - (x->sources.items[0] < y->sources.items[0]);
}

FleetPartVec parts_write(FleetSearch *search, Arena *arena) {
    Writing writing = {.search = search, .arena = arena};

    sort_pods_by_source(&writing);
    collect_sources(&writing);
    collect_pods(&writing);
    write_claims(&writing);
    write_deliveries(&writing);
    if (writing.parts.count)
        qsort(writing.parts.items, writing.parts.count, sizeof *writing.parts.items, compare_parts);
    arena_free(&writing.scratch);
    return writing.parts;
}
