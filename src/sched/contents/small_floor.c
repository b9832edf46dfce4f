// Subgradient method (Held and Karp): Lagrange multipliers of rules between nodes are raised where the cheapest
// assignment breaks a rule. The price of the cheapest assignment is a lower bound for any multipliers, so each round
// gives one, and the best is kept.
#include "sched/contents/small_floor.h"

#include "sched/contents/cells.h"
#include "sched/contents/fill.h"
#include "sched/contents/items.h"
#include "sched/contents/places.h"
#include "sched/contents/split.h"

#include <math.h>

enum { ROUNDS_MAX = 100, PATIENCE = 6, PLACES_MAX = 1000 };
static const double MARGIN = 1e-9; // above the relative rounding error of sums of a hundred terms

// A rule between nodes: Σ activity ≤ bound, or ≥ bound.
typedef struct {
    double bound, price, activity; // `price`: the multiplier, ≥ 0
    bool at_least;
} Row;

typedef struct {
    SmallProblem *problem;
    const SmallFloorQuestion *question;
    SmallSplit split;
    uint64_t work; // work of a round
    SmallBase base;
    uint32_t *nodes_left; // per kind of node: nodes that are not stages of the split
    Vec(Row) rows;        // counts, limits, supplies, then kinds of nodes with `nodes_left`
    uint32_t first_limit, first_supply, first_node;
    uint32_t banned[SMALL_CELLS_MAX]; // per cell: items that may not be there in this run
    double *extra;                    // [cell * contents + content]: price of counts; INFINITY: banned
    double *claims;                   // [domain * contents + content]: least price
    uint32_t *sources;                // parallel: what has it: a cell, then from `cells` on a claim, then a node
    Deal *deal;                       // of the present round; NULL: not wanted
    uint32_t *times;                  // per kind of node: how many of them the deal has so far
} Search;

// --- rows

static void add_row(Search *search, double bound, bool at_least) {
    vec_push(search->problem->arena, &search->rows, (Row){.bound = bound, .at_least = at_least});
}

static void add_rows(Search *search) {
    const SmallProblem *problem = search->problem;

    for (vec_each(const SmallCount, count, &problem->counts))
        add_row(search, count->bound, count->at_least);
    search->first_limit = search->rows.count;
    for (uint32_t i = 0; i < problem->limits.count; i++)
        add_row(search, 1, false); // in shares of what is left
    search->first_supply = search->rows.count;
    for (vec_each(const double, supply, &problem->supplies))
        add_row(search, *supply, false);
    search->first_node = search->rows.count;
    for (uint32_t i = 0; i < problem->nodes.count; i++)
        add_row(search, search->nodes_left[i], false);
}

// --- prices with multipliers

// The price of a pod of an item in a cell by the multipliers of counts.
static double pod_price(const Search *search, uint32_t cell, uint32_t item) {
    double price = 0;

    for (uint32_t i = 0; i < search->problem->counts.count; i++) {
        const SmallCount *count = &search->problem->counts.items[i];

        if ((count->items >> item & 1) && (count->cells >> cell & 1))
            price += count->at_least ? -search->rows.items[i].price : search->rows.items[i].price;
    }
    return price;
}

static void fill_extra(Search *search, uint32_t cell) {
    const SmallProblem *problem = search->problem;
    double *extra = search->extra + (size_t)cell * problem->content_count, prices[SMALL_ITEMS_MAX];

    for (uint32_t item = 0; item < problem->item_count; item++)
        prices[item] = pod_price(search, cell, item);
    extra[0] = 0;
    for (uint32_t content = 1; content < problem->content_count; content++) {
        uint32_t item = (uint32_t)__builtin_ctz(problem->items_of[content]);

        extra[content] = extra[content - problem->items[item].stride] + prices[item];
    }
    for (uint32_t content = 1; content < problem->content_count && search->banned[cell]; content++) {
        if (problem->items_of[content] & search->banned[cell])
            extra[content] = INFINITY;
    }
}

static void offer(Search *search, size_t at, double price, uint32_t source) {
    if (price >= search->claims[at])
        return;
    search->claims[at] = price;
    search->sources[at] = source;
}

static double claim_price_with(const Search *search, const SmallPlace *claim) {
    double price = claim->price;

    for (uint32_t i = 0; i < search->problem->limits.count; i++)
        price +=
            search->rows.items[search->first_limit + i].price * small_share(&search->problem->limits.items[i], claim);
    if (claim->supply != INDEX_NONE)
        price += search->rows.items[search->first_supply + claim->supply].price;
    return price;
}

static void offer_place(Search *search, const SmallPlace *place, double price, uint32_t source) {
    const double *extra = search->extra + (size_t)place->cell * search->problem->content_count;
    size_t first = (size_t)small_split_domain(&search->split, place->cell) * search->problem->content_count;

    for (vec_each(const uint32_t, content, &place->contents))
        offer(search, first + *content, price + extra[*content], source);
}

static void price_contents(Search *search) {
    const SmallProblem *problem = search->problem;
    uint32_t contents = problem->content_count, cells = problem->cells.count;

    for (size_t i = 0; i < (size_t)search->split.domains.count * contents; i++)
        search->claims[i] = INFINITY;
    for (uint32_t cell = 0; cell < cells; cell++) {
        size_t first = (size_t)small_split_domain(&search->split, cell) * contents;

        fill_extra(search, cell);
        for (uint32_t content = 1; content < contents; content++)
            offer(search, first + content,
                  search->base.prices[(size_t)cell * contents + content] +
                      search->extra[(size_t)cell * contents + content],
                  cell);
    }
    for (uint32_t i = 0; i < problem->claims.count; i++) {
        const SmallPlace *claim = &problem->claims.items[i];

        if (claim->contents.count)
            offer_place(search, claim, claim_price_with(search, claim), cells + i);
    }
    for (uint32_t i = 0; i < problem->nodes.count; i++) {
        if (search->nodes_left[i])
            offer_place(search, &problem->nodes.items[i], search->rows.items[search->first_node + i].price,
                        cells + problem->claims.count + i);
    }
}

// --- activities of the cheapest assignment

static void note_counts(Search *search, uint32_t cell, uint32_t content) {
    const SmallProblem *problem = search->problem;

    for (uint32_t i = 0; i < problem->counts.count; i++) {
        const SmallCount *count = &problem->counts.items[i];

        if (count->cells >> cell & 1)
            search->rows.items[i].activity += (double)small_pods(problem, content, count->items);
    }
}

static void note_claim(Search *search, const SmallPlace *claim) {
    for (uint32_t i = 0; i < search->problem->limits.count; i++)
        search->rows.items[search->first_limit + i].activity += small_share(&search->problem->limits.items[i], claim);
    if (claim->supply != INDEX_NONE)
        search->rows.items[search->first_supply + claim->supply].activity++;
}

// What has a content: a claim or a kind of node, and the node's row if it is no stage.
typedef struct {
    const SmallPlace *place;
    uint32_t row; // INDEX_NONE: none
} Source;

static Source source_of(const Search *search, uint32_t domain, uint32_t node, uint32_t content) {
    const SmallProblem *problem = search->problem;
    uint32_t source = search->sources[(size_t)domain * problem->content_count + content], claims = problem->cells.count,
             nodes = claims + problem->claims.count;

    if (node != INDEX_NONE)
        return (Source){&problem->nodes.items[node], INDEX_NONE};
    if (source >= nodes)
        return (Source){&problem->nodes.items[source - nodes], search->first_node + source - nodes};
    if (source >= claims)
        return (Source){&problem->claims.items[source - claims], INDEX_NONE};
    source = search->base.claims[(size_t)source * problem->content_count + content];
    return (Source){&problem->claims.items[source], INDEX_NONE};
}

static void note_use(void *context, uint32_t domain, uint32_t node, uint32_t content) {
    Search *search = context;
    const SmallProblem *problem = search->problem;
    Source source = source_of(search, domain, node, content);
    uint32_t time = source.place->pool ? 0 : search->times[source.place - problem->nodes.items]++;

    if (source.row != INDEX_NONE)
        search->rows.items[source.row].activity++;
    if (source.place->pool)
        note_claim(search, source.place);
    note_counts(search, source.place->cell, content);
    if (search->deal)
        deal_add(search->deal, problem, source.place, time, content);
}

// Sums up the activities of the cheapest assignment, which is a deal.
static void note_assignment(Search *search) {
    Deals *deals = search->question->deals;

    for (vec_each(Row, row, &search->rows))
        row->activity = 0;
    memset(search->times, 0, search->problem->nodes.count * sizeof *search->times);
    search->deal = deals ? deals_begin(deals) : NULL;
    for (uint32_t i = 0; i < search->problem->solver->topology.groups.count && search->deal; i++)
        search->deal->settles |= search->problem->settled[i];
    small_split_each(&search->split, note_use, search);
    if (deals)
        deals_end(deals);
}

// --- rounds

// The lower bound at the present multipliers; INFINITY: the pods cannot be assigned.
static double bound(Search *search) {
    double value, size;

    price_contents(search);
    value = small_split_solve(&search->split, search->claims, search->extra);
    if (value == INFINITY)
        return INFINITY;
    size = fabs(value);
    for (vec_each(const Row, row, &search->rows)) {
        value += row->at_least ? row->price * row->bound : -row->price * row->bound;
        size += row->price * row->bound;
    }
    return value - size * MARGIN;
}

// By how much the cheapest assignment violates the row; negative: there is slack.
static double excess(const Row *row) {
    return row->at_least ? row->bound - row->activity : row->activity - row->bound;
}

// Moves the multipliers along the violations, by a step that would reach the plan's price. False: no row is violated,
// and none with a positive multiplier has slack.
static bool step(Search *search, double value, double factor) {
    double square = 0;

    note_assignment(search);
    for (vec_each(const Row, row, &search->rows)) {
        if (excess(row) > 0 || row->price > 0)
            square += excess(row) * excess(row);
    }
    if (square < 1e-12)
        return false;
    for (vec_each(Row, row, &search->rows))
        row->price = fmax(0, row->price + factor * (search->question->price - value) / square * excess(row));
    return true;
}

static double raise(Search *search, uint64_t rounds) {
    double best = 0, factor = 1;
    uint32_t since = 0;

    for (vec_each(Row, row, &search->rows))
        row->price = 0;
    for (uint32_t round = 0; round < rounds && round < ROUNDS_MAX; round++) {
        double value = bound(search);

        if (value == INFINITY)
            return INFINITY;
        since = value > best * (1 + 1e-5) ? 0 : since + 1;
        best = fmax(best, value);
        if (best >= search->question->price * (1 - 1e-6))
            break;
        if (since == PATIENCE) {
            factor /= 2;
            since = 0;
        }
        if (factor < 0.01 || !step(search, value, factor) ||
            !budget_spend(&search->problem->solver->budget, search->work))
            break;
    }
    return best;
}

// --- pods that stay together in a domain

// The least bound over the domains in which the owners may be together. Rules on the key of the split need none, as the
// split keeps them.
static double raise_each_domain(Search *search, uint64_t rounds) {
    const SmallProblem *problem = search->problem;
    const SmallTogether *together = NULL;
    double least = INFINITY;

    for (vec_each(const SmallTogether, rule, &problem->togethers)) {
        if (rule->key != search->split.key)
            together = rule;
    }
    if (!together)
        return raise(search, rounds);
    for (uint32_t cell = 0; cell < problem->cells.count; cell++) {
        if (small_hold_together(problem, together, cell, search->banned))
            least = fmin(least, raise(search, rounds / 2));
    }
    return least;
}

// --- all together

static double search_floor(SmallProblem *problem, const SmallFloorQuestion *question) {
    Search search = {.problem = problem, .question = question};
    size_t tables = (size_t)problem->cells.count * problem->content_count;
    double value;

    search.times = arena_array(problem->arena, uint32_t, problem->nodes.count);
    search.nodes_left = arena_array(problem->arena, uint32_t, problem->nodes.count);
    if (!small_fill(problem, question->steps / 4, &search.base) ||
        !small_split_init(&search.split, problem, question->steps / 2, search.nodes_left))
        return 0;
    add_rows(&search);
    search.extra = arena_array(problem->arena, double, tables);
    search.claims = arena_array(problem->arena, double, (size_t)search.split.domains.count * problem->content_count);
    search.sources = arena_array(problem->arena, uint32_t, (size_t)search.split.domains.count * problem->content_count);
    search.work = search.split.work + 2 * tables + 1;
    value = raise_each_domain(&search, question->steps / search.work);
    return value < INFINITY ? value : 0;
}

double small_floor(Solver *solver, const SmallFloorQuestion *question) {
    Arena arena = {0};
    SmallProblem problem = {.arena = &arena, .solver = solver, .settled = question->settled, .places_max = PLACES_MAX};
    double value = 0;

    if (question->price > 0 && small_make_items(&problem, question->placed) && small_number_contents(&problem) &&
        small_split_pairs(&problem) <= question->steps / 2) {
        small_make_cells(&problem);
        if (small_make_places(&problem))
            value = search_floor(&problem, question);
    }
    arena_free(&arena);
    return value;
}
