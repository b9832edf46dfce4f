// Relaxation, dynamic program, branch and bound; for large nodes rounding and exchanging.
#include "sched/packing/knapsack.h"

#include "sched/index/lanes.h"

#include <math.h>
#include <stdlib.h>

// Maximum width of the dynamic program's table, and of its cells.
enum { UNITS_MAX = 1024, CELLS_MAX = 1 << 18 };
// Steps of branching to fill the room that an exchange freed.
enum { EXCHANGE_STEPS = 30 };

// An item that may be in a content worth more than the target.
typedef struct {
    uint32_t item, most;
    uint32_t units;      // its size in the table's dimension, rounded down
    int64_t whole;       // the same in full
    const int64_t *size; // per dimension
    double worth;
    double profit;  // worth minus the price of its size in the other dimensions
    double density; // worth per price of its size
    double hope;    // upper bound of contents with it
} Candidate;

typedef struct KnapsackSearch {
    const Packing *packing;
    const PackKind *kind;
    const double *multipliers; // per unit of the scaled dimensions
    Candidate *candidates;     // densest first
    uint32_t count;
    uint32_t dim;     // the table's dimension
    uint32_t *priced; // the others whose room has a price
    uint32_t priced_count;
    int64_t unit; // size of one unit of the table's dimension
    uint32_t units, units_max;
    double *table;         // [candidate * (units + 1) + left]: most profit of that candidate and later ones
    int64_t *room;         // [depth * dims]: free room at each depth of branching, and one as work space
    uint32_t *base;        // per candidate: count in the node before branching
    uint32_t *counts;      // per candidate: count in the present branch
    uint32_t *best_counts; // per candidate, base included
    double best, target;
    double open; // the highest bound of a branch that was not searched, as steps were used up
    uint32_t steps, steps_max;
    double *relaxed; // per item of the packing: work space
} KnapsackSearch;

void knapsack_init(Knapsack *knapsack, Arena *arena, const Packing *packing) {
    KnapsackSearch *search = arena_new(arena, KnapsackSearch);
    uint32_t items = packing->items.count;

    *knapsack = (Knapsack){.packing = packing, .search = search};
    simplex_init(&knapsack->simplex, arena, packing);
    search->packing = packing;
    search->units_max = CELLS_MAX / (items + 1) < UNITS_MAX ? CELLS_MAX / (items + 1) : UNITS_MAX;
    search->candidates = arena_array(arena, Candidate, items);
    search->room = arena_array(arena, int64_t, (size_t)(items + 2) * packing->dims);
    search->base = arena_array(arena, uint32_t, items);
    search->counts = arena_array(arena, uint32_t, items);
    search->best_counts = arena_array(arena, uint32_t, items);
    search->relaxed = arena_array(arena, double, items);
    search->priced = arena_array(arena, uint32_t, packing->dims);
    search->table = arena_array_raw(arena, double, (size_t)(items + 1) * (search->units_max + 1));
}

// --- the relaxation

static double price_of_size(const Packing *packing, const double *multipliers, uint32_t item) {
    const double *size = packing->scaled_sizes + (size_t)item * packing->dims;
    double sum = 0;

    for (uint32_t dim = 0; dim < packing->dims; dim++)
        sum += multipliers[dim] * size[dim];
    return sum;
}

static double price_of_room(const Packing *packing, const double *multipliers, uint32_t dim, const int64_t *room) {
    return multipliers[dim] * ((double)room[dim] / packing->scales[dim]);
}

static double relaxed_bound(const Knapsack *knapsack, uint32_t kind, const double *worth) {
    const Packing *packing = knapsack->packing;
    const double *multipliers = knapsack->simplex.multipliers;
    PackTakes takes = packing_takes(packing, kind);
    double bound = 0;

    for (uint32_t dim = 0; dim < packing->dims; dim++)
        bound += price_of_room(packing, multipliers, dim, packing->kinds.items[kind].room);
    for (uint32_t i = 0; i < takes.count; i++) {
        uint32_t item = takes.items[i], most = simplex_most(&knapsack->simplex, item);
        double gain = most ? worth[item] - price_of_size(packing, multipliers, item) : 0;

        if (gain > 0)
            bound += most * gain;
    }
    return bound;
}

// --- contents

static uint32_t how_many_fit(const KnapsackSearch *search, uint32_t at, const int64_t *room) {
    const Candidate *candidate = &search->candidates[at];
    const int64_t *size = candidate->size;
    uint32_t most = candidate->most - search->base[at];

    if (room[search->dim] < candidate->whole) // most often the one that is full
        return 0;
    for (uint32_t dim = 0; dim < search->packing->dims && most; dim++) {
        if (size[dim] > 0 && room[dim] < size[dim] * most)
            most = (uint32_t)(room[dim] / size[dim]);
    }
    return most;
}

// `ret_room` may be `room`.
static void take(const KnapsackSearch *search, uint32_t at, const int64_t *room, uint32_t count, int64_t *ret_room) {
    const int64_t *size = search->candidates[at].size;

    for (uint32_t dim = 0; dim < search->packing->dims; dim++)
        ret_room[dim] = room[dim] - size[dim] * count;
}

static void keep_if_better(KnapsackSearch *search, double value) {
    if (value <= search->best)
        return;
    search->best = value;
    for (uint32_t i = 0; i < search->count; i++)
        search->best_counts[i] = search->base[i] + search->counts[i];
}

// --- the table

// The dimension whose room is worth most.
static uint32_t choose_dimension(const KnapsackSearch *search) {
    uint32_t best = 0;
    double most = -1;

    for (uint32_t dim = 0; dim < search->packing->dims; dim++) {
        double share = price_of_room(search->packing, search->multipliers, dim, search->kind->room);

        if (share > most) {
            most = share;
            best = dim;
        }
    }
    return best;
}

static void find_priced(KnapsackSearch *search) {
    search->priced_count = 0;
    for (uint32_t dim = 0; dim < search->packing->dims; dim++) {
        if (dim != search->dim && search->multipliers[dim] != 0)
            search->priced[search->priced_count++] = dim;
    }
}

static int compare_candidates(const void *a, const void *b) {
    const Candidate *x = a, *y = b;

    if (x->density != y->density)
        return x->density > y->density ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

// Lists the items that can be in a content worth more than the target.
static void list_candidates(Knapsack *knapsack, const double *worth, double bound) {
    KnapsackSearch *search = knapsack->search;
    const Packing *packing = search->packing;
    PackTakes takes = packing_takes(packing, knapsack->simplex.kind);

    search->count = 0;
    for (uint32_t i = 0; i < takes.count; i++) {
        uint32_t item = takes.items[i], most = simplex_most(&knapsack->simplex, item);
        const int64_t *size = packing->items.items[item].size;
        double price, own;

        if (!most || worth[item] <= 0)
            continue;
        price = price_of_size(packing, search->multipliers, item);
        if (bound + fmin(0, worth[item] - price) <= search->target)
            continue;
        own = search->multipliers[search->dim] * packing->scaled_sizes[(size_t)item * packing->dims + search->dim];
        search->candidates[search->count++] = (Candidate){.item = item,
                                                          .most = most,
                                                          .whole = size[search->dim],
                                                          .size = size,
                                                          .worth = worth[item],
                                                          .profit = worth[item] - (price - own),
                                                          .density = price > 0 ? worth[item] / price : INFINITY,
                                                          .hope = bound + fmin(0, worth[item] - price)};
    }
    if (search->count)
        qsort(search->candidates, search->count, sizeof *search->candidates, compare_candidates);
}

// Fills the node by density, for a first content.
static void fill_densest_first(KnapsackSearch *search) {
    double value = 0;

    memcpy(search->room, search->kind->room, search->packing->dims * sizeof *search->room);
    for (uint32_t at = 0; at < search->count; at++) {
        search->counts[at] = how_many_fit(search, at, search->room);
        take(search, at, search->room, search->counts[at], search->room);
        value += search->counts[at] * search->candidates[at].worth;
    }
    keep_if_better(search, value);
    memset(search->counts, 0, search->count * sizeof *search->counts);
}

// Drops items that cannot be in a content better than the best so far, unless this one has them.
static void drop_hopeless(KnapsackSearch *search) {
    uint32_t kept = 0;

    for (uint32_t i = 0; i < search->count; i++) {
        const Candidate candidate = search->candidates[i];

        if (candidate.hope <= fmax(search->best, search->target) && !search->best_counts[i])
            continue;
        search->candidates[kept] = candidate;
        search->best_counts[kept++] = search->best_counts[i];
    }
    search->count = kept;
}

static int64_t gcd(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

// The unit of the table: the common divisor of the sizes if the table is not too wide then, else the finest possible.
static void choose_unit(KnapsackSearch *search) {
    int64_t room = search->kind->room[search->dim], common = 0;

    CHECK(search->units_max, "a table without columns");
    for (uint32_t i = 0; i < search->count; i++)
        common = gcd(search->candidates[i].whole, common);
    search->unit = room / search->units_max + 1;
    if (common > search->unit)
        search->unit = common;
    CHECK(search->unit > 0, "room of %lld", (long long)room);
    search->units = (uint32_t)(room / search->unit);
    for (uint32_t i = 0; i < search->count; i++) {
        Candidate *candidate = &search->candidates[i];

        candidate->units = (uint32_t)(candidate->whole / search->unit);
    }
}

// Counts of items are not limited here, which only raises the bound.
static void fill_table(KnapsackSearch *search) {
    uint32_t width = search->units + 1;

    memset(search->table + (size_t)search->count * width, 0, width * sizeof *search->table);
    for (uint32_t at = search->count; at-- > 0;) {
        double *row = search->table + (size_t)at * width;
        const Candidate *candidate = &search->candidates[at];

        memcpy(row, row + width, width * sizeof *row);
        if (candidate->profit <= 0)
            continue;
        if (candidate->units == 0) {
            for (uint32_t left = 0; left < width; left++)
                row[left] += candidate->profit * candidate->most;
            continue;
        }
        lanes_raise(candidate->units, candidate->profit, width, row);
    }
}

// Upper bound of `value` plus candidates from `at` on in what `count` more of a size leave of that room.
static double table_bound(const KnapsackSearch *search, uint32_t at, const int64_t *room, const int64_t *size,
                          uint32_t count, double value) {
    uint32_t left = (uint32_t)((room[search->dim] - size[search->dim] * count) / search->unit);
    double bound = value + search->table[(size_t)at * (search->units + 1) + left];

    for (uint32_t i = 0; i < search->priced_count; i++) {
        uint32_t dim = search->priced[i];

        bound += search->multipliers[dim] * ((double)(room[dim] - size[dim] * count) / search->packing->scales[dim]);
    }
    return bound;
}

static double whole_bound(const KnapsackSearch *search) {
    double bound = search->table[search->units];

    for (uint32_t i = 0; i < search->priced_count; i++)
        bound += price_of_room(search->packing, search->multipliers, search->priced[i], search->kind->room);
    return bound;
}

// --- branch and bound

// A count of one candidate. Choices are made by descending bound, with equal bounds by descending count.
typedef struct {
    double bound;
    uint32_t count;
} Choice;

// The choices of a candidate. `bounds`: of the first counts, computed once.
enum { BOUNDS_KEPT = 32 };

typedef struct {
    uint32_t at, most;
    const int64_t *room;
    double value;
    double bounds[BOUNDS_KEPT];
} Choices;

static double bound_of_count(const KnapsackSearch *search, const Choices *choices, uint32_t count) {
    const Candidate *candidate = &search->candidates[choices->at];

    return table_bound(search, choices->at + 1, choices->room, candidate->size, count,
                       choices->value + count * candidate->worth);
}

static void keep_bounds(const KnapsackSearch *search, Choices *choices) {
    for (uint32_t count = 0; count <= choices->most && count < BOUNDS_KEPT; count++)
        choices->bounds[count] = bound_of_count(search, choices, count);
}

// The choice after `last`; false: there is none.
static bool next_choice(const KnapsackSearch *search, const Choices *choices, const Choice *last, Choice *ret_choice) {
    bool found = false;

    for (uint32_t count = 0; count <= choices->most; count++) {
        double bound = count < BOUNDS_KEPT ? choices->bounds[count] : bound_of_count(search, choices, count);

        if (bound > last->bound || (bound == last->bound && count >= last->count))
            continue;
        if (found && bound < ret_choice->bound)
            continue;
        *ret_choice = (Choice){bound, count};
        found = true;
    }
    return found;
}

// Whether the steps are used up; notes the bound of the branch that is left open.
static bool out_of_steps(KnapsackSearch *search, double bound) {
    if (search->steps++ < search->steps_max)
        return false;
    search->open = fmax(search->open, bound);
    return true;
}

// Decides candidate `at` and all later ones, on top of `value` and with the room of `depth`.
static void branch(KnapsackSearch *search, uint32_t at, uint32_t depth, double value) {
    const int64_t *room = search->room + (size_t)depth * search->packing->dims;
    int64_t *next = search->room + (size_t)(depth + 1) * search->packing->dims;
    Choice choice = {INFINITY, UINT32_MAX};
    Choices choices;
    uint32_t most = 0;

    while (at < search->count && !(most = how_many_fit(search, at, room)))
        at++;
    if (at == search->count) {
        keep_if_better(search, value);
        return;
    }
    choices.at = at;
    choices.most = most;
    choices.room = room;
    choices.value = value;
    keep_bounds(search, &choices);
    for (Choice last = choice; next_choice(search, &choices, &last, &choice); last = choice) {
        search->steps += most / 8;
        if (choice.bound <= fmax(search->best, search->target))
            break;
        if (out_of_steps(search, choice.bound))
            break;
        search->counts[at] = choice.count;
        take(search, at, room, choice.count, next);
        branch(search, at + 1, depth + 1, value + choice.count * search->candidates[at].worth);
    }
    search->counts[at] = 0;
}

// Branches from a node with `base` in it, with a new count of steps.
static void branch_from_base(KnapsackSearch *search, uint32_t steps_max) {
    double value = 0;

    memcpy(search->room, search->kind->room, search->packing->dims * sizeof *search->room);
    for (uint32_t at = 0; at < search->count; at++) {
        if (!search->base[at])
            continue;
        take(search, at, search->room, search->base[at], search->room);
        value += search->base[at] * search->candidates[at].worth;
    }
    search->steps = 0;
    search->steps_max = steps_max;
    branch(search, 0, 0, value);
}

// --- contents of large nodes

// Puts a share of the relaxation's solution into the node and branches from there: the rest of the room is small enough
// for branching.
static void round_relaxation(Knapsack *knapsack, uint32_t steps) {
    static const double shares[] = {0.9, 0.75, 0.5};
    KnapsackSearch *search = knapsack->search;

    simplex_solution(&knapsack->simplex, search->relaxed);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        int64_t *room = search->room;

        memset(search->base, 0, search->count * sizeof *search->base);
        memcpy(room, search->kind->room, search->packing->dims * sizeof *room);
        for (uint32_t at = 0; at < search->count; at++) {
            double wanted = search->relaxed[search->candidates[at].item] * shares[i] + 1e-9;
            uint32_t fits = how_many_fit(search, at, room);

            search->base[at] = wanted >= fits ? fits : wanted > 0 ? (uint32_t)wanted : 0;
            take(search, at, room, search->base[at], room);
        }
        branch_from_base(search, steps);
        knapsack->work += (uint64_t)search->steps * 30;
    }
}

// Removes one of each of two items from the best content and branches for a better one.
static bool exchange(KnapsackSearch *search, uint32_t a, uint32_t b) {
    double before = search->best;

    if (!search->best_counts[a] || !search->best_counts[b] || (a == b && search->best_counts[a] < 2))
        return false;
    memcpy(search->base, search->best_counts, search->count * sizeof *search->base);
    search->base[a]--;
    search->base[b]--;
    branch_from_base(search, EXCHANGE_STEPS);
    return search->best > before * (1 + 1e-12);
}

static void exchange_pairs(Knapsack *knapsack, uint32_t steps) {
    KnapsackSearch *search = knapsack->search;
    uint32_t done = 0;
    bool better = true;

    while (better && done < steps) {
        better = false;
        for (uint32_t a = 0; a < search->count; a++) {
            for (uint32_t b = a; b < search->count && done < steps; b++) {
                search->steps = 0;
                better |= exchange(search, a, b);
                done += search->steps;
            }
        }
    }
    knapsack->work += (uint64_t)done * 30;
}

// Finds better contents where branching was not finished. Bounds are not changed.
static void polish(Knapsack *knapsack, uint32_t steps) {
    KnapsackSearch *search = knapsack->search;
    double open = search->open, target = search->target;

    search->target = 0; // a content below the target may lead to one above it
    round_relaxation(knapsack, steps);
    exchange_pairs(knapsack, steps);
    search->open = open;
    search->target = target;
}

// --- all together

static void search_contents(Knapsack *knapsack, uint32_t kind, const KnapsackQuestion *question,
                            KnapsackAnswer *answer) {
    KnapsackSearch *search = knapsack->search;

    search->kind = &knapsack->packing->kinds.items[kind];
    search->multipliers = knapsack->simplex.multipliers;
    search->target = question->target;
    search->best = search->open = 0;
    search->dim = choose_dimension(search);
    find_priced(search);
    list_candidates(knapsack, question->worth, answer->bound);
    memset(search->base, 0, search->count * sizeof *search->base);
    fill_densest_first(search);
    drop_hopeless(search);
    choose_unit(search);
    fill_table(search);
    knapsack->work += (uint64_t)(search->count + 1) * search->units;
    answer->bound = fmin(answer->bound, fmax(question->target, whole_bound(search)));
    branch_from_base(search, question->steps);
    knapsack->work += (uint64_t)search->steps * 30;
    if (question->polish && search->steps > question->steps)
        polish(knapsack, question->steps);
}

static KnapsackAnswer solve(Knapsack *knapsack, uint32_t kind, const KnapsackQuestion *question, uint32_t *ret_counts) {
    KnapsackSearch *search = knapsack->search;
    KnapsackAnswer answer = {0};

    memset(ret_counts, 0, knapsack->packing->items.count * sizeof *ret_counts);
    knapsack->work += (uint64_t)packing_takes(knapsack->packing, kind).count * knapsack->packing->dims *
                      (simplex_solve(&knapsack->simplex, kind, question->worth, question->left) + 2);
    answer.bound = relaxed_bound(knapsack, kind, question->worth);
    if (answer.bound <= question->target || question->steps == 0)
        return answer;
    search_contents(knapsack, kind, question, &answer);
    // A content worth more than the target was found, or is below the bound of the open branches.
    answer.bound = fmin(answer.bound, fmax(fmax(search->best, search->open), question->target));
    if (search->best <= question->target)
        return answer;
    answer.value = search->best;
    for (uint32_t i = 0; i < search->count; i++)
        ret_counts[search->candidates[i].item] = search->best_counts[i];
    return answer;
}

KnapsackAnswer knapsack_solve(Knapsack *knapsack, uint32_t kind, const KnapsackQuestion *question,
                              uint32_t *ret_counts) {
    uint64_t before = knapsack->work;
    KnapsackAnswer answer = solve(knapsack, kind, question, ret_counts);

    packing_spend(knapsack->packing, knapsack->work - before);
    return answer;
}
