// Each round solves the program over the contents so far and asks every place for a content that is worth more than it
// costs at the program's prices. The bounds of these answers prove a floor, so each round gives one; the best is kept.
#include "sched/contents/column_floor.h"

#include "sched/contents/best_content.h"
#include "sched/contents/cells.h"
#include "sched/contents/items.h"
#include "sched/contents/places.h"
#include "sched/packing/lp.h"

#include <math.h>

enum {
    ROUNDS_MAX = 40,
    BRANCH_STEPS = 400,
    HASTY_STEPS = 20,
    SETS_MAX = 64,
    BRANCHES_MAX = 40,
    PLACES_MAX = 4000,
    HASTY_COLUMNS = 100,
    HASTY_STRIDE = 4001
};
static const double TOLERANCE = 1e-9; // a content counts as worth more from this share above its price on
static const double MARGIN = 1e-8;    // covers TOLERANCE and rounding (floor.md, section 5)
static const double SETTLED = 1e-4;   // relative gap of program and proof at which the search ends
static const double EMERGENCY = 10;   // times the plan's price: of a pod that no content of the program has
static const double HASTY = 1.5;      // times the plan's price: a program that costs more has pods without contents
static const double WHOLE = 1e-6;     // a number of nodes is whole if it is as near as that

// Claims whose number is branched on: of a pool, of a type (a row of it), with room in a dimension. INDEX_NONE: any.
typedef struct {
    uint32_t pool, row, dim;
} NodeSet;

// A part of all plans, by bounds of the number of nodes in each set.
typedef struct {
    double floor;
    double *lower, *upper; // per set
    uint32_t set;          // the set to branch on, and how many nodes of it the program uses; INDEX_NONE: none
    double nodes;
} Branch;

typedef struct {
    SmallProblem *problem;
    const SmallFloorQuestion *question;
    ContentSearch *contents;
    Lp *lp;
    // Rows: items, counts, limits, supplies, nodes, sets.
    uint32_t rows, first_count, first_limit, first_supply, first_node, first_set;
    double *duals;         // per row; of the sign that its kind has
    double *lower, *upper; // per row
    double *worth;         // [cell * items + item]
    Vec(NodeSet) sets;
    Vec(Branch) branches;             // that are not branched on
    U32Vec columns;                   // claims of the columns of contents, in their order; INDEX_NONE: a node
    uint32_t banned[SMALL_CELLS_MAX]; // per cell: items that may not be there in this run
    double *surplus;                  // per supply, then per kind of node: the most a content is worth above its price
    double factor;                    // what the duals must be multiplied by, so that no claim's content is worth more
    uint32_t emergencies;             // the first columns
    uint32_t steps;                   // of branching for a content
    uint64_t work, work_end;
    // New columns.
    Vec(double) costs, values;
    Vec(int) starts, at;
} ColumnSearch;

// --- the program

static void entry(ColumnSearch *search, uint32_t row, double value) {
    if (value == 0)
        return;
    vec_push(search->problem->arena, &search->at, (int)row);
    vec_push(search->problem->arena, &search->values, value);
}

static void begin_column(ColumnSearch *search, double cost) {
    vec_push(search->problem->arena, &search->costs, cost);
    vec_push(search->problem->arena, &search->starts, (int)search->at.count);
}

static void add_columns(ColumnSearch *search) {
    vec_push(search->problem->arena, &search->starts, (int)search->at.count);
    lp_add_columns(search->lp, &(LpColumns){search->costs.count, search->costs.items, search->starts.items,
                                            search->at.items, search->values.items});
    search->costs.count = search->starts.count = search->at.count = search->values.count = 0;
}

// Columns at a price above all others that keep every row of which too little is there, so that there is a solution.
static void add_emergency(ColumnSearch *search) {
    const SmallProblem *problem = search->problem;
    double price = EMERGENCY * search->question->price;

    for (uint32_t item = 0; item < problem->item_count; item++) {
        begin_column(search, price);
        entry(search, item, 1);
    }
    for (uint32_t i = 0; i < problem->counts.count; i++) {
        if (!problem->counts.items[i].at_least)
            continue;
        begin_column(search, price);
        entry(search, search->first_count + i, 1);
    }
    for (uint32_t i = 0; i < search->sets.count; i++) {
        begin_column(search, price);
        entry(search, search->first_set + i, 1);
    }
    search->emergencies = search->costs.count;
    add_columns(search);
}

static void set_rows(ColumnSearch *search) {
    if (search->lp)
        lp_set_rows(search->lp, search->lower, search->upper);
    else
        search->lp = lp_new(search->rows, search->lower, search->upper);
}

static void make_program(ColumnSearch *search) {
    const SmallProblem *problem = search->problem;
    double *lower = search->lower, *upper = search->upper;

    for (uint32_t row = 0; row < search->rows; row++) {
        lower[row] = -INFINITY;
        upper[row] = row < search->first_set ? 1 : INFINITY; // limits are in shares of what is left
    }
    for (uint32_t item = 0; item < problem->item_count; item++)
        lower[item] = upper[item] = problem->items[item].count;
    for (uint32_t i = 0; i < problem->counts.count; i++) {
        const SmallCount *count = &problem->counts.items[i];

        lower[search->first_count + i] = count->at_least ? count->bound : -INFINITY;
        upper[search->first_count + i] = count->at_least ? INFINITY : count->bound;
    }
    for (uint32_t i = 0; i < problem->supplies.count; i++)
        upper[search->first_supply + i] = problem->supplies.items[i];
    for (uint32_t i = 0; i < problem->nodes.count; i++)
        upper[search->first_node + i] = problem->nodes.items[i].bins.count;
    set_rows(search);
    add_emergency(search);
}

// --- sets of claims

static bool is_in_set(const NodeSet *set, const SmallPlace *claim) {
    return (set->pool == INDEX_NONE || set->pool == claim->pool->number) &&
           (set->row == INDEX_NONE || set->row == claim->row) && (set->dim == INDEX_NONE || claim->room[set->dim] > 0);
}

static void add_set(ColumnSearch *search, NodeSet set) {
    for (vec_each(const NodeSet, known, &search->sets)) {
        if (known->pool == set.pool && known->row == set.row && known->dim == set.dim)
            return;
    }
    if (search->sets.count < SETS_MAX)
        vec_push(search->problem->arena, &search->sets, set);
}

static void find_sets(ColumnSearch *search) {
    const SmallProblem *problem = search->problem;
    const Solver *solver = problem->solver;

    add_set(search, (NodeSet){INDEX_NONE, INDEX_NONE, INDEX_NONE});
    for (uint32_t dim = 0; dim < solver->classes.dimensions.count; dim++) {
        if (problem->demand[dim] > 0)
            add_set(search, (NodeSet){INDEX_NONE, INDEX_NONE, dim});
    }
    for (uint32_t pool = 0; pool < solver->pools.count; pool++)
        add_set(search, (NodeSet){pool, INDEX_NONE, INDEX_NONE});
    for (vec_each(const SmallPlace, claim, &problem->claims))
        add_set(search, (NodeSet){claim->pool->number, claim->row, INDEX_NONE});
}

// --- prices

static bool is_in(const SmallCount *count, uint32_t cell, uint32_t item) {
    return (count->items >> item & 1) && (count->cells >> cell & 1);
}

static double worth_in(const ColumnSearch *search, uint32_t cell, uint32_t item) {
    double worth = search->duals[item];

    for (uint32_t i = 0; i < search->problem->counts.count; i++) {
        if (is_in(&search->problem->counts.items[i], cell, item))
            worth += search->duals[search->first_count + i];
    }
    return worth;
}

// A price that proves something: what has no upper bound is not charged, what has no lower one is not paid for.
static double signed_price(const ColumnSearch *search, uint32_t row, double price) {
    if (search->upper[row] == INFINITY)
        price = fmax(0, price);
    return search->lower[row] == -INFINITY ? fmin(0, price) : price;
}

static void read_duals(ColumnSearch *search) {
    const SmallProblem *problem = search->problem;
    const double *duals = lp_duals(search->lp);

    for (uint32_t row = 0; row < search->rows; row++)
        search->duals[row] = signed_price(search, row, duals[row]);
    for (uint32_t cell = 0; cell < problem->cells.count; cell++) {
        for (uint32_t item = 0; item < problem->item_count; item++)
            search->worth[(size_t)cell * problem->item_count + item] = worth_in(search, cell, item);
    }
    search->work += (uint64_t)problem->cells.count * problem->item_count * problem->counts.count;
}

// What limits and sets charge a claim.
static double charge_of(ColumnSearch *search, const SmallPlace *claim) {
    double charge = 0;

    for (uint32_t i = 0; i < search->problem->limits.count; i++)
        charge -= search->duals[search->first_limit + i] * small_share(&search->problem->limits.items[i], claim);
    for (uint32_t i = 0; i < search->sets.count; i++) {
        double price = search->duals[search->first_set + i];

        charge -= price != 0 && is_in_set(&search->sets.items[i], claim) ? price : 0;
    }
    search->work += search->sets.count;
    return charge;
}

// --- a round

// Adds the column of a content. `row`: of its supply or its kind of node; INDEX_NONE: none.
static void add_column(ColumnSearch *search, const SmallPlace *place, uint32_t row, const uint32_t *counts) {
    const SmallProblem *problem = search->problem;

    begin_column(search, place->pool ? place->price : 0);
    for (uint32_t item = 0; item < problem->item_count; item++)
        entry(search, item, counts[item]);
    for (uint32_t i = 0; i < problem->counts.count; i++) {
        double pods = 0;

        for (uint32_t item = 0; item < problem->item_count; item++)
            pods += is_in(&problem->counts.items[i], place->cell, item) ? counts[item] : 0;
        entry(search, search->first_count + i, pods);
    }
    for (uint32_t i = 0; i < problem->limits.count && place->pool; i++)
        entry(search, search->first_limit + i, small_share(&problem->limits.items[i], place));
    for (uint32_t i = 0; i < search->sets.count && place->pool; i++)
        entry(search, search->first_set + i, is_in_set(&search->sets.items[i], place));
    if (row != INDEX_NONE)
        entry(search, row, 1);
    vec_push(problem->arena, &search->columns, place->pool ? (uint32_t)(place - problem->claims.items) : INDEX_NONE);
}

// Asks a place. Returns the most that a content of it is worth, or its `price` if none is worth more.
static double ask(ColumnSearch *search, const SmallPlace *place, uint32_t number, uint32_t row, double price) {
    const SmallProblem *problem = search->problem;
    ContentQuestion question = {.place = place,
                                .number = number,
                                .banned = search->banned[place->cell],
                                .worth = search->worth + (size_t)place->cell * problem->item_count,
                                .target = price + fabs(price) * TOLERANCE,
                                .steps = search->steps};
    ContentAnswer answer = content_search(search->contents, &question);

    search->work += answer.work;
    if (answer.value > question.target)
        add_column(search, place, row, answer.counts);
    return answer.bound > question.target ? answer.bound : price;
}

static void ask_claim(ColumnSearch *search, uint32_t number) {
    const SmallPlace *claim = &search->problem->claims.items[number];
    double charge = charge_of(search, claim), worth;
    uint32_t row = claim->supply == INDEX_NONE ? INDEX_NONE : search->first_supply + claim->supply;

    if (row != INDEX_NONE) {
        double *surplus = &search->surplus[claim->supply];

        worth = ask(search, claim, number, row, claim->price + charge - search->duals[row]);
        *surplus = fmax(*surplus, worth - claim->price - charge);
        return;
    }
    worth = ask(search, claim, number, row, claim->price + charge);
    if (worth > claim->price + charge)
        search->factor = fmin(search->factor, claim->price / (worth - charge));
}

static void ask_node(ColumnSearch *search, uint32_t number) {
    const SmallProblem *problem = search->problem;
    uint32_t row = search->first_node + number;

    search->surplus[problem->supplies.count + number] =
        ask(search, &problem->nodes.items[number], problem->claims.count + number, row, -search->duals[row]);
}

// The floor that the answers of a round prove.
static double proven(const ColumnSearch *search) {
    const SmallProblem *problem = search->problem;
    double value = 0, size = 0;

    for (uint32_t row = 0; row < search->rows; row++) {
        double price = search->duals[row], bound = price > 0 ? search->lower[row] : search->upper[row];

        if (price == 0 || (row >= search->first_supply && row < search->first_set))
            continue;
        value += price * bound;
        size += fabs(price * bound);
    }
    for (uint32_t i = 0; i < problem->supplies.count; i++)
        value -= search->surplus[i] * problem->supplies.items[i];
    for (uint32_t i = 0; i < problem->nodes.count; i++)
        value -= search->surplus[problem->supplies.count + i] * problem->nodes.items[i].bins.count;
    return search->factor * (value - MARGIN * size);
}

// Asks all places. False: the work or the budget is used up, and nothing is proved.
static bool ask_all(ColumnSearch *search) {
    const SmallProblem *problem = search->problem;
    uint64_t before = search->work;

    search->factor = 1;
    search->steps = BRANCH_STEPS;
    memset(search->surplus, 0, (problem->supplies.count + problem->nodes.count) * sizeof *search->surplus);
    for (uint32_t i = 0; i < problem->claims.count && search->work < search->work_end; i++)
        ask_claim(search, i);
    for (uint32_t i = 0; i < problem->nodes.count && search->work < search->work_end; i++)
        ask_node(search, i);
    return budget_spend(&problem->solver->budget, search->work - before) && search->work < search->work_end;
}

// While pods have no content yet, prices are far from what they will be: some columns are enough. `start`: the first
// claim that is asked.
static void ask_some(ColumnSearch *search, uint32_t start) {
    const SmallProblem *problem = search->problem;

    search->steps = HASTY_STEPS;
    for (uint32_t i = 0; i < problem->nodes.count; i++)
        ask_node(search, i);
    for (uint32_t i = 0; i < problem->claims.count && search->costs.count < HASTY_COLUMNS; i++)
        ask_claim(search, (start + i * HASTY_STRIDE) % problem->claims.count);
}

// --- rounds

static bool is_near_price(const ColumnSearch *search, double floor) {
    return floor >= search->question->price * (1 - SETTLED);
}

// The best floor of some rounds.
static double run_rounds(ColumnSearch *search) {
    double best = 0;

    for (uint32_t round = 0; round < ROUNDS_MAX && search->work < search->work_end; round++) {
        if (search->costs.count)
            add_columns(search);
        if (!lp_solve(search->lp, &search->problem->solver->budget))
            break;
        search->work += lp_work(search->lp);
        read_duals(search);
        if (lp_objective(search->lp) > HASTY * search->question->price) {
            ask_some(search, round);
            if (search->costs.count)
                continue;
        }
        if (!ask_all(search))
            break;
        best = fmax(best, proven(search));
        if (!search->costs.count || is_near_price(search, best) || best >= lp_objective(search->lp) * (1 - SETTLED))
            break;
    }
    return best;
}

// --- branches

// The number of nodes of a set that the program uses, and what they cost.
static double number_of(const ColumnSearch *search, const NodeSet *set, const double *times, double *ret_price) {
    double nodes = 0;

    *ret_price = 0;
    for (uint32_t i = 0; i < search->columns.count - search->costs.count; i++) { // the last ones are to be added
        const SmallPlace *claim =
            search->columns.items[i] == INDEX_NONE ? NULL : &search->problem->claims.items[search->columns.items[i]];

        if (!claim || times[i] <= 0 || !is_in_set(set, claim))
            continue;
        nodes += times[i];
        *ret_price += times[i] * claim->price;
    }
    return nodes;
}

// The set to branch on, whose number of nodes is broken: where rounding it changes the price most. INDEX_NONE: none.
static uint32_t choose_set(const ColumnSearch *search, double *ret_nodes) {
    const double *times = lp_columns(search->lp) + search->emergencies;
    uint32_t best = INDEX_NONE;
    double most = 0;

    for (uint32_t i = 0; i < search->sets.count; i++) {
        double price, nodes = number_of(search, &search->sets.items[i], times, &price), down = nodes - floor(nodes);

        if (fmin(down, 1 - down) < WHOLE || fmin(down, 1 - down) * price / nodes <= most)
            continue;
        most = fmin(down, 1 - down) * price / nodes;
        best = i;
        *ret_nodes = nodes;
    }
    return best;
}

// Finds the floor of a branch and keeps it, with what it is to be branched on.
static void add_branch(ColumnSearch *search, const Branch *from, uint32_t set, double lower, double upper) {
    Arena *arena = search->problem->arena;
    size_t bytes = search->sets.count * sizeof(double);
    Branch branch = {.lower = arena_copy(arena, from->lower, bytes), .upper = arena_copy(arena, from->upper, bytes)};

    if (set != INDEX_NONE) {
        branch.lower[set] = fmax(branch.lower[set], lower);
        branch.upper[set] = fmin(branch.upper[set], upper);
    }
    memcpy(search->lower + search->first_set, branch.lower, bytes);
    memcpy(search->upper + search->first_set, branch.upper, bytes);
    set_rows(search);
    branch.floor = fmax(from->floor, run_rounds(search));
    branch.set = choose_set(search, &branch.nodes);
    vec_push(arena, &search->branches, branch);
}

static Branch *lowest_branch(const ColumnSearch *search) {
    Branch *lowest = search->branches.items;

    for (vec_each(Branch, branch, &search->branches)) {
        if (branch->floor < lowest->floor)
            lowest = branch;
    }
    return lowest;
}

// Whether each item has a place where it may be.
static bool is_possible(const ColumnSearch *search) {
    uint32_t placed = 0;

    for (vec_each(const SmallPlace, claim, &search->problem->claims))
        placed |= claim->items & ~search->banned[claim->cell];
    for (vec_each(const SmallPlace, node, &search->problem->nodes))
        placed |= node->items & ~search->banned[node->cell];
    return placed == (uint32_t)((UINT64_C(1) << search->problem->item_count) - 1);
}

// Every plan is in one of the branches, so the lowest of their floors is one of all plans. That branch is divided,
// until its floor is near the price or the work is used up.
static double run(ColumnSearch *search) {
    Branch all = {.lower = search->lower + search->first_set, .upper = search->upper + search->first_set}, *lowest;

    search->branches.count = search->columns.count = 0;
    search->costs.count = search->starts.count = search->at.count = search->values.count = 0;
    make_program(search);
    add_branch(search, &all, INDEX_NONE, 0, 0);
    for (uint32_t i = 0; i < BRANCHES_MAX; i++) {
        Branch branch;

        lowest = lowest_branch(search);
        if (lowest->set == INDEX_NONE || is_near_price(search, lowest->floor) || search->work >= search->work_end)
            break;
        branch = *lowest;
        *lowest = *vec_last(&search->branches);
        search->branches.count--;
        add_branch(search, &branch, branch.set, -INFINITY, floor(branch.nodes));
        add_branch(search, &branch, branch.set, floor(branch.nodes) + 1, INFINITY);
    }
    lp_free(search->lp);
    search->lp = NULL;
    return lowest_branch(search)->floor;
}

// --- pods that stay together in a domain

// The least floor over the domains in which the owners of the first such rule may be together.
static double run_each_domain(ColumnSearch *search, uint64_t steps) {
    const SmallProblem *problem = search->problem;
    double least = INFINITY;

    search->work_end = steps;
    if (!problem->togethers.count)
        return run(search);
    for (uint32_t cell = 0; cell < problem->cells.count && least > 0; cell++) {
        search->work_end = search->work + steps / 2;
        if (small_hold_together(problem, &problem->togethers.items[0], cell, search->banned) && is_possible(search))
            least = fmin(least, run(search));
    }
    return least;
}

// --- all together

static double search_floor(SmallProblem *problem, const SmallFloorQuestion *question) {
    ColumnSearch search = {.problem = problem, .question = question};
    Arena *arena = problem->arena;
    double least;

    search.first_count = problem->item_count;
    search.first_limit = search.first_count + problem->counts.count;
    search.first_supply = search.first_limit + problem->limits.count;
    search.first_node = search.first_supply + problem->supplies.count;
    search.first_set = search.first_node + problem->nodes.count;
    find_sets(&search);
    search.rows = search.first_set + search.sets.count;
    search.lower = arena_array(arena, double, search.rows);
    search.upper = arena_array(arena, double, search.rows);
    search.duals = arena_array(arena, double, search.rows);
    search.worth = arena_array(arena, double, (size_t)problem->cells.count * problem->item_count);
    search.surplus = arena_array(arena, double, problem->supplies.count + problem->nodes.count);
    search.contents = content_search_new(problem, problem->claims.count + problem->nodes.count);
    least = run_each_domain(&search, question->steps);
    return least < INFINITY ? least : 0;
}

double column_floor(Solver *solver, const SmallFloorQuestion *question) {
    Arena arena = {0};
    SmallProblem problem = {
        .arena = &arena, .solver = solver, .settled = question->settled, .merges = true, .places_max = PLACES_MAX};
    double value = 0;

    if (question->price > 0 && small_make_items(&problem, question->placed)) {
        small_make_cells(&problem);
        if (small_make_places(&problem))
            value = search_floor(&problem, question);
    }
    arena_free(&arena);
    return value;
}
