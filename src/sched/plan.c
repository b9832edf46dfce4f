// One solve, from input to plan.
#include "sched/contents/small_floor.h"
#include "sched/packing/patterns_place.h"
#include "sched/place/improve.h"
#include "sched/place/place.h"
#include "sched/plan_write.h"
#include "sched/prepare.h"
#include "sched/solution.h"

#include <math.h>

const char *strategy_text(Strategy strategy) {
    static const char *const texts[] = {[STRATEGY_FIRST_FIT] = "first-fit",
                                        [STRATEGY_EMPTIEST_FIRST] = "emptiest-first",
                                        [STRATEGY_MARGINAL_PRICE] = "marginal-price",
                                        [STRATEGY_PATTERNS] = "patterns"};

    return texts[strategy];
}

// What is being solved, and the best solution so far.
typedef struct {
    Solver *solver;
    const PlanSearch *asked;
    Solution initial, best;
    uint32_t *first_fit; // per class: what the first fit that places most does; NULL: none yet
    uint32_t first_fit_count;
    LpPlan *lp_plan;   // NULL: neither patterns nor a floor are asked for
    Strategy strategy; // of the best
    bool cautious;     // limits are charged with the largest types
    PlanTimings timings;
} Search;

static int64_t now(const PlanSearch *asked) {
    return asked->now_ns ? asked->now_ns(asked->now_context) : 0;
}

// More pods placed is better; then the lower price; then fewer nodes; then the earlier attempt.
static bool is_better(const Solution *solution, const Solution *than) {
    if (solution->placed_count != than->placed_count)
        return solution->placed_count > than->placed_count;
    if (fabs(solution->price - than->price) > 1e-9)
        return solution->price < than->price;
    return solution->bins.count < than->bins.count;
}

// Whether a solution places at least as many pods of every class as the first fit.
static bool covers_first_fit(const Search *search, const Solution *solution) {
    for (uint32_t i = 0; search->first_fit && i < search->solver->classes.classes.count; i++) {
        if (solution->placed[i] < search->first_fit[i])
            return false;
    }
    return true;
}

static void note_first_fit(Search *search, const Solution *solution) {
    if (search->first_fit && solution->placed_count <= search->first_fit_count)
        return;
    search->first_fit = arena_copy(search->solver->arena, solution->placed,
                                   search->solver->classes.classes.count * sizeof *solution->placed);
    search->first_fit_count = solution->placed_count;
    if (search->best.arena && !covers_first_fit(search, &search->best))
        solution_drop(&search->best);
}

// Where not all pods can be placed, who is left over is not a matter of price: other strategies must place what the
// best first fit does.
static void keep_if_better(Search *search) {
    Solution solution;

    solution_keep(search->solver, &solution);
    if (search->solver->strategy == STRATEGY_FIRST_FIT)
        note_first_fit(search, &solution);
    if (!covers_first_fit(search, &solution) || (search->best.arena && !is_better(&solution, &search->best))) {
        solution_drop(&solution);
        return;
    }
    solution_drop(&search->best);
    search->best = solution;
    search->strategy = search->solver->strategy;
}

static bool improves(const PlanSearch *asked) {
    return asked->effort != EFFORT_FAST && !asked->skip_improvement;
}

static bool has_left_over(const Solver *solver) {
    for (vec_each(const PodClass, class, &solver->classes.classes)) {
        if (class->placed < class->count)
            return true;
    }
    return false;
}

static void improve(Search *search) {
    Solver *solver = search->solver;
    int64_t started = now(search->asked);

    solver_improve(solver, search->asked);
    if (has_left_over(solver)) { // there may be room now
        solver_forget_failures(solver);
        solver_place(solver);
    }
    search->timings.improve += now(search->asked) - started;
}

// As Karpenter charges limits: from the beginning each claim takes the largest type that it may become. Fewer claims
// open in a pool that is short of room, but those can grow for whoever must be beside their pods.
static void charge_largest(Solver *solver) {
    for (vec_each(Pool, pool, &solver->pools))
        pool->charge_largest |= pool->limited;
}

// Attempt 0 is the ordinary way; the best such solution is improved at the end. Further ones break ties otherwise and
// are improved at once, for they are few and small. What is kept is not touched again until it is resumed.
static void try_attempt(Search *search, Strategy strategy, uint32_t attempt) {
    int64_t started = now(search->asked);

    solution_start(search->solver, &search->initial);
    if (search->cautious)
        charge_largest(search->solver);
    search->solver->strategy = strategy;
    search->solver->attempt = attempt;
    random_seed(&search->solver->random, attempt);
    if (strategy == STRATEGY_PATTERNS)
        solver_place_patterns(search->solver, search->lp_plan);
    solver_place(search->solver);
    search->timings.place[strategy] += now(search->asked) - started;
    if (attempt && improves(search->asked))
        improve(search);
    keep_if_better(search);
}

// --- which attempts

// Small inputs are solved in more ways: it costs little, and a single unlucky choice weighs much there. With pods left
// over (of a volume's zone, of an affine group that started in the wrong place, at a limit) somewhat larger ones are
// too.
enum { FEW_PODS = 1000, ATTEMPTS = 6, ATTEMPT_PODS_MAX = 5000, FLOOR_PODS = 100 };
enum { SMALL_FLOOR_STEPS = 8000000 };  // about 15 ms at most
static const double NEAR_FLOOR = 0.99; // of the price: a floor that says enough

// A handful of pods is tried in more ways still, as many as cost no more than 10 ms or so.
enum { TINY_PODS_TIMES_ATTEMPTS = 400, TINY_ATTEMPTS = 40 };

static uint32_t attempts_for(uint32_t pods) {
    uint32_t attempts = TINY_PODS_TIMES_ATTEMPTS / (pods ? pods : 1);

    return attempts < ATTEMPTS ? ATTEMPTS : attempts > TINY_ATTEMPTS ? TINY_ATTEMPTS : attempts;
}

static bool has_limits(const Solver *solver) {
    for (vec_each(const Pool, pool, &solver->pools)) {
        if (pool->limited)
            return true;
    }
    return false;
}

static bool choices_matter(const Solver *solver) {
    bool limited = has_limits(solver);

    for (vec_each(const PodClass, class, &solver->classes.classes)) {
        if (class->placed < class->count &&
            (limited || vec_last(&class->variants)->keys.count || vec_last(&class->variants)->bin_checks.count))
            return true;
    }
    return false;
}

static uint32_t strategies_of(const PlanInput *input) {
    const PlanSearch *asked = &input->search;
    uint32_t strategies = 1U << STRATEGY_FIRST_FIT | 1U << STRATEGY_MARGINAL_PRICE | 1U << STRATEGY_PATTERNS;

    if (asked->strategies)
        return asked->strategies;
    if (asked->effort == EFFORT_FAST)
        return 1U << STRATEGY_MARGINAL_PRICE;
    if (input->pending.count <= FEW_PODS)
        strategies |= 1U << STRATEGY_EMPTIEST_FIRST;
    return strategies;
}

static void try_strategies(Search *search, const PlanInput *input, uint32_t attempt) {
    for (Strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        bool again = attempt && strategy == STRATEGY_PATTERNS && strategies_of(input) != 1U << STRATEGY_PATTERNS;

        if (strategies_of(input) >> strategy & 1 && !again) // patterns know no other ties
            try_attempt(search, strategy, attempt);
    }
}

static void search_all(Search *search, const PlanInput *input) {
    bool few = input->pending.count <= FEW_PODS && improves(search->asked);

    try_strategies(search, input, 0);
    solution_resume(search->solver, &search->best);
    if (!search->asked->one_attempt &&
        (few || (input->pending.count <= ATTEMPT_PODS_MAX && choices_matter(search->solver)))) {
        for (uint32_t attempt = 1; attempt < attempts_for(input->pending.count); attempt++)
            try_strategies(search, input, attempt);
    }
    solution_resume(search->solver, &search->best);
    if (has_limits(search->solver) && has_left_over(search->solver)) {
        search->cautious = true;
        try_strategies(search, input, 0);
        solution_resume(search->solver, &search->best);
    }
    search->solver->strategy = search->strategy;
    search->solver->attempt = 0;
    if (improves(search->asked))
        improve(search);
}

// --- all together

static bool wants_floor(const PlanSearch *asked) {
    return asked->effort != EFFORT_FAST && !asked->skip_floor;
}

// What patterns and the floor are made from.
static void make_lp_plan(Search *search, Arena *work, const PlanInput *input) {
    int64_t started = now(search->asked);
    bool patterns = strategies_of(input) >> STRATEGY_PATTERNS & 1;

    if (!patterns && !wants_floor(search->asked))
        return;
    search->lp_plan = arena_new(work, LpPlan);
    lp_plan_make(search->lp_plan, work, search->solver);
    search->timings.floor = now(search->asked) - started;
    started = now(search->asked);
    if (patterns)
        lp_plan_plan(search->lp_plan, search->asked->effort);
    search->timings.place[STRATEGY_PATTERNS] = now(search->asked) - started;
}

// The spreads that came to count the domains with nodes instead of those that pools could open.
static bool *find_settled(Search *search, const Solution *final) {
    Solver *solver = search->solver;
    bool *settled = arena_array(solver->arena, bool, solver->topology.groups.count);

    for (uint32_t i = 0; i < solver->topology.groups.count; i++) {
        const TopologyGroup *group = &final->groups[i];

        settled[i] =
            group->supported && !bitset_eq(group->supported, search->initial.groups[i].supported, group->words);
    }
    return settled;
}

// What whole contents of nodes prove, for few pods. The solution stays as it is.
static double find_small_floor(Search *search, const Solution *final) {
    Solver *solver = search->solver;
    SmallFloorQuestion question = {.placed = final->placed,
                                   .settled = find_settled(search, final),
                                   .price = final->price,
                                   .steps = SMALL_FLOOR_STEPS};
    double floor;

    solution_start(solver, &search->initial);
    floor = small_floor(solver, &question);
    solution_resume(solver, final);
    return floor;
}

// More is looked for while the price is not near what is proved.
static double find_floor(Search *search, uint32_t pods) {
    int64_t started = now(search->asked);
    Solution final;
    double floor;

    if (!wants_floor(search->asked))
        return NAN;
    solution_keep(search->solver, &final);
    floor = lp_plan_floor(search->lp_plan, search->solver);
    if (pods <= FLOOR_PODS && floor < final.price * NEAR_FLOOR)
        floor = fmax(floor, find_small_floor(search, &final));
    if (search->asked->effort == EFFORT_BEST || floor < final.price * NEAR_FLOOR) {
        // The effort grows with the pods: for few it is cheap, and a floor from resources alone says little of few
        // nodes.
        lp_plan_prove(search->lp_plan, pods <= FLOOR_PODS ? EFFORT_BEST : search->asked->effort);
        floor = fmax(floor, lp_plan_floor(search->lp_plan, search->solver));
    }
    search->timings.floor += now(search->asked) - started;
    return floor;
}

static void solve(Arena *work, Arena *arena, const PlanInput *input, Plan *ret_plan) {
    Solver *solver = arena_new(work, Solver);
    Search search = {.solver = solver, .asked = &input->search};
    int64_t started = now(search.asked), at;
    double floor;

    solver_init(solver, work, input);
    solution_keep(solver, &search.initial);
    search.timings.prepare = now(search.asked) - started;
    make_lp_plan(&search, work, input);
    search_all(&search, input);
    floor = find_floor(&search, input->pending.count);
    at = now(search.asked);
    solver->result = arena;
    solver_write_plan(solver, ret_plan);
    solutions_free(solver);
    search.timings.write = now(search.asked) - at;
    search.timings.total = now(search.asked) - started;
    ret_plan->floor_per_hour = floor;
    ret_plan->timings = search.timings;
    ret_plan->strategy = solver->strategy;
}

void plan_solve(Arena *arena, const PlanInput *input, Plan *ret_plan) {
    Arena work = {0};

    solve(&work, arena, input, ret_plan);
    arena_free(&work);
}
