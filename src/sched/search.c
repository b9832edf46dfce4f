// Stages, attempts, and comparison of solutions.
#include "sched/search.h"

#include "sched/bin/home_pool.h"
#include "sched/bin/settle.h"
#include "sched/contents/deal_place.h"
#include "sched/fewer_domains.h"
#include "sched/input/pod_priority.h"
#include "sched/packing/patterns_place.h"
#include "sched/place/failures.h"
#include "sched/place/improve.h"
#include "sched/place/outweighed.h"
#include "sched/place/place.h"
#include "sched/place/weigh_again.h"
#include "sched/proof.h"

#include <math.h>
#include <stdlib.h>

// --- comparison

static void rank_classes(Search *search) {
    const PodClassVec *classes = &search->solver->classes.classes;
    const Cluster *cluster = search->solver->input->cluster;
    int32_t *of_class = arena_array(search->arena, int32_t, classes->count);
    int32_t *priorities = arena_array(search->arena, int32_t, classes->count);
    uint32_t distinct = 0;
    bool differ = false;

    search->ranks = arena_array(search->arena, uint32_t, classes->count);
    for (uint32_t i = 0; i < classes->count; i++) {
        priorities[i] = of_class[i] = pod_priority(cluster, classes->items[i].pod);
        differ |= priorities[i] != priorities[0];
    }
    search->rank_count = 1;
    if (!differ) // the usual case
        return;
    qsort(priorities, classes->count, sizeof *priorities, pod_priority_compare);
    for (uint32_t i = 0; i < classes->count; i++) {
        if (!i || priorities[i] != priorities[distinct - 1])
            priorities[distinct++] = priorities[i];
    }
    search->rank_count = distinct;
    for (uint32_t i = 0; i < classes->count; i++) {
        while (priorities[search->ranks[i]] != of_class[i])
            search->ranks[i]++;
    }
}

// Positive: `a` places more pods of the highest priority in which the two differ.
static int64_t compare_placed(const Search *search, const Solution *a, const Solution *b) {
    Arena scratch = {0};
    int64_t *more = arena_array(&scratch, int64_t, search->rank_count), difference = 0;

    for (uint32_t i = 0; i < search->solver->classes.classes.count; i++)
        more[search->ranks[i]] += (int64_t)a->placed[i] - b->placed[i];
    for (uint32_t rank = 0; rank < search->rank_count && !difference; rank++)
        difference = more[rank];
    arena_free(&scratch);
    return difference;
}

// More pods placed is better, those of higher priority first; then the lower price; then fewer nodes; then the earlier
// attempt. Limits that are charged with the largest types make pods pass by heavier pools, which further pods are
// worth, but not a lower price.
static bool is_better(const Search *search, const Solution *solution, const Solution *than) {
    int64_t more = compare_placed(search, solution, than);

    if (more)
        return more > 0;
    if (search->cautious)
        return false;
    if (fabs(solution->price - than->price) > 1e-9)
        return solution->price < than->price;
    return solution->bins.count < than->bins.count;
}

// Fewer domains for claims make pods pass by heavier pools. Further pods are worth that, but not a lower price.
static bool passes_by_heavier(const Search *search, const Solution *solution, uint32_t below_home) {
    return below_home > search->below_home && compare_placed(search, solution, &search->best) <= 0;
}

// The only place where the best solution is replaced. Keeps the present solution if it is better than the best one or,
// with `as_good`, no worse. Returns whether it was kept; else it is gone, and another one must be started or resumed.
static bool keep_if_better(Search *search, bool as_good) {
    uint32_t below_home = claims_below_home(search->solver, search->home_weight);
    Solution solution;

    solution_keep(search->solver, &solution);
    if (search->best.arena &&
        ((as_good ? is_better(search, &search->best, &solution) : !is_better(search, &solution, &search->best)) ||
         passes_by_heavier(search, &solution, below_home))) {
        solution_drop(&solution);
        return false;
    }
    solution_drop(&search->best);
    search->best = solution;
    search->below_home = below_home;
    search->strategy = search->solver->strategy;
    return true;
}

typedef void GoOn(Search *search);

// Goes on from a copy of the best solution, and keeps what comes of it if it is better or, with `as_good`, no worse:
// settling what was loosened meanwhile may cost more than the changes have saved. Returns whether it was kept.
static bool go_on_from_best(Search *search, GoOn *go_on, bool as_good) {
    bool kept;

    solution_start(search->solver, &search->best);
    go_on(search);
    kept = keep_if_better(search, as_good);
    solution_resume(search->solver, &search->best);
    return kept;
}

// --- attempts

static bool is_over(const Search *search) {
    return budget_is_over(&search->solver->budget);
}

static bool improves(const Search *search) {
    return search->effort != EFFORT_FAST && !search->solver->input->search.skip_improvement;
}

static bool has_left_over(const Solver *solver) {
    for (vec_each(const PodClass, class, &solver->classes.classes)) {
        if (class->placed < class->count)
            return true;
    }
    return false;
}

// Places pods that found no place before pods were moved.
static void place_left_over(Solver *solver) {
    if (!has_left_over(solver))
        return;
    solver_forget_failures(solver);
    solver_place(solver);
}

static void improve(Search *search, bool endless) {
    Solver *solver = search->solver;
    int64_t started = search_now(search);

    solver_improve(solver, search->effort, endless);
    place_left_over(solver);
    search->timings.improve += search_now(search) - started;
}

// Places pods that found no place within fewer domains outside of them, where no spread that must stay settled counts
// their nodes.
static void place_beyond(Search *search) {
    Solver *solver = search->solver;
    LabelSetId within = solver->within;

    solver->within = LABEL_SET_EMPTY;
    loosen_spreads(solver, search->initial.groups);
    place_left_over(solver);
    solver->within = within;
}

// Charges limits as Karpenter does, with the largest type that a claim may become. Fewer claims are opened in a pool
// that is near its limits, but these can grow for pods that must be beside theirs.
static void charge_largest(Solver *solver) {
    for (vec_each(Pool, pool, &solver->pools))
        pool->charge_largest |= pool->limited;
}

// Tries a strategy. The best solution of all attempts 0 is improved at the end. Further attempts break ties differently
// and are improved at once, as they are few and small. The first attempt of all is made even when the budget is used
// up.
static void try_attempt(Search *search, Strategy strategy, uint32_t attempt) {
    Solver *solver = search->solver;
    int64_t started = search_now(search);

    if (search->best.arena && is_over(search))
        return;
    solution_start(solver, &search->initial);
    if (search->cautious)
        charge_largest(solver);
    solver->strategy = strategy;
    solver->attempt = attempt;
    solver->settles = attempt % 2;
    random_seed(&solver->random, attempt);
    if (strategy == STRATEGY_PATTERNS)
        solver_place_patterns(solver, search->lp_plan);
    solver_place(solver);
    if (solver->within != LABEL_SET_EMPTY && solver->domains_settled)
        place_beyond(search);
    search->timings.place[strategy] += search_now(search) - started;
    if (attempt && improves(search))
        improve(search, false);
    keep_if_better(search, false);
}

// --- which attempts

// Small inputs have more attempts: they cost little, and a single bad choice has a large effect there. If pods are left
// over (because of a volume's zone, an affinity group that started in the wrong domain, or a limit), larger inputs have
// too.
enum { FEW_PODS = 1000, ATTEMPTS = 6, ATTEMPT_PODS_MAX = 5000 };

// Inputs of a few pods have even more attempts, as many as cost about 10 ms.
enum { TINY_PODS_TIMES_ATTEMPTS = 400, TINY_ATTEMPTS = 40 };

// The number of attempts. EFFORT_BEST, which improves each for long, does not repeat the additional ones for few pods.
static uint32_t attempts_for(Effort effort, uint32_t pods) {
    uint32_t attempts = effort == EFFORT_BEST ? 0 : TINY_PODS_TIMES_ATTEMPTS / (pods ? pods : 1);

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
            (limited || class_last_variant(class)->keys.count || class_last_variant(class)->bin_checks.count))
            return true;
    }
    return false;
}

static bool attempts_pay(const Search *search) {
    const PlanInput *input = search->solver->input;
    bool few = input->pending.count <= FEW_PODS && improves(search);

    if (input->search.one_attempt)
        return false;
    return few || (input->pending.count <= ATTEMPT_PODS_MAX && choices_matter(search->solver));
}

static void try_strategies(Search *search, uint32_t strategies, uint32_t attempt) {
    for (Strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        if (strategies >> strategy & 1)
            try_attempt(search, strategy, attempt);
    }
}

// --- stages

// Whether the best solution is proved to be the cheapest. EFFORT_FAST proves nothing.
static bool is_settled(Search *search) {
    return search->effort != EFFORT_FAST && proof_is_cheapest(search);
}

// Tries all strategies with other tie-breaks.
static void try_attempts(Search *search, uint32_t strategies) {
    const uint32_t patterns = 1U << STRATEGY_PATTERNS; // not patterns, which have no ties
    uint32_t attempts = attempts_for(search->effort, search->solver->input->pending.count);

    for (uint32_t attempt = 1; attempt < attempts && !is_settled(search); attempt++)
        try_strategies(search, strategies == patterns ? patterns : strategies & ~patterns, attempt);
}

// Tries the strategies once more where pods are left over beside limits: charged with the largest types, and with
// minValues that are best effort given up.
static void try_within_limits(Search *search, uint32_t strategies) {
    Solver *solver = search->solver;

    search->cautious = true;
    try_strategies(search, strategies, 0);
    search->cautious = false;
    solution_resume(solver, &search->best);
    if (solver->input->min_values != MIN_VALUES_BEST_EFFORT || !has_left_over(solver))
        return;
    solver->lowers_values = true;
    try_strategies(search, strategies, 0);
    solver->lowers_values = false;
    solution_resume(solver, &search->best);
}

// --- deals

// Makes a plan of a deal. It is kept if it is better than the best one and has no more outweighed claims. False: it
// has.
static bool try_deal(Search *search, const Deal *deal, DealManner manner, const uint32_t *levels,
                     const Outweighed *outweighed) {
    Solver *solver = search->solver;
    Outweighed than = *outweighed;

    solution_start(solver, &search->initial);
    solver->strategy = STRATEGY_PATTERNS;
    solver->attempt = 0;
    deal_place(solver, deal, manner, levels);
    solver_place(solver);
    if (!outweighed_holds(&than))
        return false;
    keep_if_better(search, false);
    return true;
}

// Tries a deal in each manner. Other pools than those of the deal are of use only where claims were outweighed.
static void try_manners(Search *search, const Deal *deal, const uint32_t *levels, const Outweighed *outweighed) {
    bool holds = true;

    for (DealManner manner = DEAL_IN_DOMAINS; manner <= DEAL_IN_HEAVIEST_POOLS; manner++) {
        if (deal->price >= search->best.price || is_over(search) || (manner == DEAL_IN_HEAVIEST_POOLS && holds))
            return;
        holds &= try_deal(search, deal, manner, levels, outweighed);
    }
}

// Tries the deals that are cheaper than the best solution. They belong to the strategy of patterns: whole nodes, chosen
// by their price.
static void try_deals(Search *search) {
    Arena scratch = {0};
    int64_t started = search_now(search);
    Outweighed outweighed;
    uint32_t *levels;

    proof_begin(search);
    if (!search->deals.count)
        return;
    outweighed_init(&outweighed, search->solver, class_home_weights(search->solver, &scratch));
    levels = deal_levels(search->solver, &scratch);
    for (uint32_t i = 0; i < search->deals.count && i < DEALS_MAX; i++)
        try_manners(search, &search->deals.items[i], levels, &outweighed);
    deals_free(&search->deals);
    arena_free(&scratch);
    solution_resume(search->solver, &search->best);
    search->timings.place[STRATEGY_PATTERNS] += search_now(search) - started;
}

// --- all attempts

// Tries the strategies that are new in this stage, then all of them with other tie-breaks, and resumes the best
// solution.
static void try_orders(Search *search, uint32_t fresh, uint32_t strategies) {
    Solver *solver = search->solver;

    try_strategies(search, fresh, 0);
    solution_resume(solver, &search->best);
    if (strategies >> STRATEGY_PATTERNS & 1 && search->effort != EFFORT_FAST)
        try_deals(search);
    if (attempts_pay(search))
        try_attempts(search, strategies);
    solution_resume(solver, &search->best);
    if (has_limits(solver) && has_left_over(solver))
        try_within_limits(search, strategies);
}

// Whether a pod is left over that outranks one that is placed.
static bool leaves_out_higher(const Search *search) {
    uint32_t lowest_placed = 0, highest_left = UINT32_MAX;

    for (uint32_t i = 0; i < search->solver->classes.classes.count; i++) {
        const PodClass *class = &search->solver->classes.classes.items[i];

        if (class->placed && search->ranks[i] > lowest_placed)
            lowest_placed = search->ranks[i];
        if (class->placed < class->count && search->ranks[i] < highest_left)
            highest_left = search->ranks[i];
    }
    return highest_left < lowest_placed;
}

// Tries all strategies with pods of higher priority first: others may have taken their room, or made a spread uneven
// that counts them. Patterns place most pods at once, whatever their priority is.
static void try_by_priority(Search *search, uint32_t strategies) {
    search->solver->first_ranks = search->ranks;
    try_orders(search, strategies & ~(1U << STRATEGY_PATTERNS), strategies);
    search->solver->first_ranks = NULL;
}

static void try_all(Search *search, uint32_t fresh, uint32_t strategies) {
    try_orders(search, fresh, strategies);
    if (leaves_out_higher(search))
        try_by_priority(search, strategies);
}

// Tries to place more pods by keeping no preferred rule.
static void try_bare(Search *search, uint32_t strategies) {
    search->solver->keeps_none = true;
    try_all(search, strategies, strategies);
    search->solver->keeps_none = false;
}

static bool weighs(const Search *search) {
    return plan_weighs(search->solver->input);
}

static void improve_best(Search *search) {
    improve(search, search->last && search->solver->input->search.budget_ns);
}

// With settled domains moving pods may make room for others, even where settling alone makes none.
static void settle_and_improve_best(Search *search) {
    search->solver->settles = true;
    place_left_over(search->solver);
    improve_best(search);
}

static void improve_stage(Search *search) {
    Solver *solver = search->solver;

    if (!improves(search) || is_over(search) || is_settled(search))
        return;
    go_on_from_best(search, improve_best, true);
    if (!solver->domains_settled && domains_are_waited_for(solver) && !is_over(search))
        go_on_from_best(search, settle_and_improve_best, false);
    solver->settles = false;
}

// Tries to place pods that spreads keep waiting: new claims stay out of some domains, and spreads settle on the others.
static void try_fewer_domains(Search *search, bool alone) {
    enum { SETTLES = 1 }; // odd attempts settle even where that places no more pods
    Solver *solver = search->solver;
    LabelSetIdVec sets = {0};
    Arena scratch = {0};

    if (!domains_are_waited_for(solver))
        return;
    fewer_domains_find(solver, search->initial.groups, alone, &scratch, &sets);
    search->home_weight = class_home_weights(solver, &scratch);
    search->below_home = claims_below_home(solver, search->home_weight);
    for (vec_each(const LabelSetId, set, &sets)) {
        solver->within = *set;
        try_attempt(search, STRATEGY_MARGINAL_PRICE, SETTLES);
    }
    solver->within = LABEL_SET_EMPTY;
    search->home_weight = NULL;
    search->below_home = 0;
    solver->strategy = search->strategy;
    solver->attempt = 0;
    solver->settles = false;
    solution_resume(solver, &search->best);
    arena_free(&scratch);
}

// The last resort, as a plan that is found so has little left to be improved. Spreads keep as many domains as they can.
static void place_in_fewer_domains(Search *search) {
    const Arena *best = search->best.arena;

    if (!improves(search) || !attempts_pay(search))
        return;
    try_fewer_domains(search, false);
    try_fewer_domains(search, true);
    if (search->best.arena != best)
        improve_stage(search);
}

static void weigh_rules(Search *search) {
    search->weighed = weigh_again(search->solver);
}

static void weigh_rules_and_place(Search *search) {
    weigh_rules(search);
    place_left_over(search->solver);
}

// Prices of rules that were measured in a solution that is not kept say nothing of the best one.
static void weigh_best(Search *search, GoOn *weigh) {
    if (!go_on_from_best(search, weigh, true))
        weigh_forget_prices(search->solver);
}

// Tries the strategies and improves the best solution.
static void run_stage(Search *search, uint32_t fresh, uint32_t strategies) {
    Solver *solver = search->solver;

    try_all(search, fresh, strategies);
    if (weighs(search) && has_left_over(solver))
        try_bare(search, strategies);
    solver->strategy = search->strategy;
    solver->attempt = 0;
    solver->settles = false;
    improve_stage(search);
    place_in_fewer_domains(search);
    if (weighs(search))
        weigh_best(search, weigh_rules_and_place);
}

// Makes the LpPlan, which patterns and the floor need.
static void make_lp_plan(Search *search) {
    int64_t started = search_now(search);

    search->lp_plan = arena_new(search->arena, LpPlan);
    lp_plan_make(search->lp_plan, search->arena, search->solver, NULL);
    search->timings.floor = search_now(search) - started;
}

static void find_patterns(Search *search) {
    int64_t started = search_now(search);

    if (!search->lp_plan)
        make_lp_plan(search);
    lp_plan_plan(search->lp_plan, search->effort);
    search->timings.place[STRATEGY_PATTERNS] += search_now(search) - started;
}

// Begins a stage. `before`: strategies that earlier stages have tried.
static void begin_stage(Search *search, Effort effort, uint32_t strategies, uint32_t before) {
    const uint32_t patterns = 1U << STRATEGY_PATTERNS; // tried in each stage, as each effort has other patterns

    search->effort = effort;
    search->last = search->solver->input->search.effort == effort;
    if (strategies & patterns)
        find_patterns(search);
    run_stage(search, (strategies & ~before) | (strategies & patterns), strategies);
}

// Of large inputs first fit makes plans that are a third dearer than others; it is there for pods that these leave
// over.
static uint32_t all_strategies(const Solver *solver) {
    uint32_t strategies = 1U << STRATEGY_MARGINAL_PRICE | 1U << STRATEGY_PATTERNS;

    if (solver->input->pending.count <= ATTEMPT_PODS_MAX || has_left_over(solver))
        strategies |= 1U << STRATEGY_FIRST_FIT;
    if (solver->input->pending.count <= FEW_PODS)
        strategies |= 1U << STRATEGY_EMPTIEST_FIRST;
    return strategies;
}

void search_run(Search *search, Arena *arena, Solver *solver) {
    const PlanSearch *asked = &solver->input->search;
    uint32_t first = asked->strategies ? asked->strategies : 1U << STRATEGY_MARGINAL_PRICE;
    uint32_t all;

    *search = (Search){.solver = solver, .arena = arena};
    rank_classes(search);
    solution_keep(solver, &search->initial);
    begin_stage(search, EFFORT_FAST, first, 0);
    budget_begin_search(&solver->budget);
    if (asked->effort == EFFORT_FAST)
        return;
    if (!asked->skip_floor && !search->lp_plan)
        make_lp_plan(search);
    all = asked->strategies ? asked->strategies : all_strategies(solver);
    begin_stage(search, EFFORT_NORMAL, all, first);
    if (asked->effort == EFFORT_BEST)
        begin_stage(search, EFFORT_BEST, all, all);
    deals_free(&search->deals); // if they were not tried
}

void search_weigh_again(Search *search) {
    if (!weighs(search) || search->weighed)
        return;
    budget_begin_proof(&search->solver->budget);
    weigh_best(search, weigh_rules);
}
