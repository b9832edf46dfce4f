// The integer program over columns, and the loop with the checker around it.
//
// Its rows hold for every valid plan. A solution that no scheduler could carry out is refused by the checker, and that
// combination is cut off. So the first plan that the checker accepts is the cheapest.
#include "exact/problem.h"
#include "exact/program.h"
#include "text/json.h"

#include <math.h>
#include <sys/resource.h>

enum { REFUSALS_MAX = 60, TIMES_MAX = ITEMS_MAX };

typedef struct {
    Problem *problem;
    Program program;
    int *left_out;  // variable by item
    int first;      // variable of the first column
    uint32_t count; // pods in all
    double cap;     // INFINITY: none
    double *costs, *values;
    const int *guards; // variable by guard
} Search;

static int column_variable(const Search *search, const Column *column) {
    return search->first + (int)(column - search->problem->columns.items);
}

// Adds factor × (pods of some items that are in a domain). `counted`: only on nodes that count for that spread.
static void add_counts(Search *search, uint32_t row, uint32_t key, uint32_t domain, uint32_t items, double factor,
                       uint64_t counted) {
    for (vec_each(const Column, column, &search->problem->columns)) {
        uint32_t count = column_pods(search->problem, column, items);

        if (count && column_domain(search->problem, column, key) == domain &&
            (search->problem->cells.items[column->cell].counted & counted) == counted)
            program_term(&search->program, row, column_variable(search, column), factor * count);
    }
}

// The domains of a key that columns have.
static U32Vec column_domains(const Search *search, uint32_t key, uint64_t counted) {
    U32Vec domains = {0};

    for (vec_each(const Column, column, &search->problem->columns)) {
        uint32_t domain = column_domain(search->problem, column, key);

        if (domain != DOMAIN_ABSENT && domain != DOMAIN_OPEN && !judge_symbols_contain(&domains, domain) &&
            (search->problem->cells.items[column->cell].counted & counted) == counted)
            vec_push(search->problem->world.arena, &domains, domain);
    }
    return domains;
}

// ---- pods, nodes, pools

static void add_variables(Search *search) {
    Problem *problem = search->problem;

    search->left_out = arena_array(problem->world.arena, int, problem->items.count + 1);
    for (uint32_t i = 0; i < problem->items.count; i++) {
        search->left_out[i] = program_variable(&search->program, problem->items.items[i].count);
    }
    search->first = (int)search->program.most.count;
    for (vec_each(const Column, column, &problem->columns)) {
        double times = column->node == INDEX_NONE ? TIMES_MAX : 1;

        for (uint32_t i = 0; i < problem->items.count; i++) {
            uint32_t count = content_of(problem, column->content, i);
            uint32_t fits = count ? problem->items.items[i].count / count : TIMES_MAX;

            times = fmin(times, fits);
        }
        program_variable(&search->program, times);
    }
}

static void add_pod_rows(Search *search) {
    Problem *problem = search->problem;

    for (uint32_t i = 0; i < problem->items.count; i++) {
        uint32_t row = program_row(&search->program, problem->items.items[i].count, problem->items.items[i].count);

        program_term(&search->program, row, search->left_out[i], 1);
        for (vec_each(const Column, column, &problem->columns)) {
            if (content_of(problem, column->content, i))
                program_term(&search->program, row, column_variable(search, column),
                             content_of(problem, column->content, i));
        }
    }
}

static void add_node_rows(Search *search) {
    for (uint32_t node = 0; node < search->problem->world.nodes.count; node++) {
        uint32_t row = program_row(&search->program, -INFINITY, 1);

        for (vec_each(const Column, column, &search->problem->columns)) {
            if (column->node == node)
                program_term(&search->program, row, column_variable(search, column), 1);
        }
    }
}

static void add_limit_rows(Search *search) {
    Problem *problem = search->problem;

    for (vec_each(const Pool, pool, &problem->world.pools)) {
        const Amounts *left = &problem->limits_left[pool - problem->world.pools.items];

        for (uint32_t i = 0; i < RESOURCE_MAX; i++) {
            double scale = fmax(1, (double)left->of[i]);
            uint32_t row;

            if (!amounts_has(left, i) || left->of[i] < 0)
                continue;
            row = program_row(&search->program, -INFINITY, (double)left->of[i] / scale);
            for (vec_each(const Column, column, &problem->columns)) {
                if (column->node == INDEX_NONE && problem->families.items[column->family].claim->pool == pool)
                    program_term(&search->program, row, column_variable(search, column),
                                 (double)column->charge.of[i] / scale);
            }
        }
    }
}

static void add_reservation_rows(Search *search) {
    Problem *problem = search->problem;
    U32Vec done = {0};

    for (vec_each(const Column, column, &problem->columns)) {
        uint32_t row;

        if (column->reservation == INDEX_NONE || judge_symbols_contain(&done, column->reservation))
            continue;
        vec_push(problem->world.arena, &done, column->reservation);
        row = program_row(&search->program, -INFINITY,
                          (double)judge_reservation_left(&problem->scene, column->reservation));
        for (vec_each(const Column, other, &problem->columns)) {
            if (other->reservation == column->reservation)
                program_term(&search->program, row, column_variable(search, other), 1);
        }
    }
}

// ---- anti-affinity and affinity

static void add_anti_rows(Search *search, const AntiRule *rule) {
    U32Vec domains = column_domains(search, rule->key, 0);

    for (uint32_t i = 0; i < domains.count; i++) {
        uint32_t others = rule->matched & ~rule->owners, row;
        int owned;

        if (rule->matched & rule->owners) {
            row = program_row(&search->program, -INFINITY, 1);
            add_counts(search, row, rule->key, domains.items[i], rule->owners, 1, 0);
        }
        if (!others)
            continue;
        owned = program_variable(&search->program, 1);
        row = program_row(&search->program, -INFINITY, 0); // owners ≤ N × owned
        add_counts(search, row, rule->key, domains.items[i], rule->owners, 1, 0);
        program_term(&search->program, row, owned, -(double)search->count);
        row = program_row(&search->program, -INFINITY, search->count); // others ≤ N × (1 − owned)
        add_counts(search, row, rule->key, domains.items[i], others, 1, 0);
        program_term(&search->program, row, owned, search->count);
    }
}

// The number of domains that may have matching pods without a first pod that starts one; 2 means more.
static uint32_t count_company(const AffinityRule *rule) {
    for (uint32_t i = 1; i < rule->seeds.count; i++) {
        if (rule->seeds.items[i] != rule->seeds.items[0])
            return 2;
    }
    return rule->others ? 2 : rule->seeds.count > 0;
}

// The row of what starts an affinity group: at most one column. A group that counts pods without its rule does not
// start where any of them is placed, since kube-scheduler may bind that one first; of all valid plans one binds it
// last.
static uint32_t add_starts_row(Search *search, const AffinityRule *rule) {
    uint32_t starts = program_row(&search->program, -INFINITY, 0), alone; // Σ starts ≤ started
    int started = program_variable(&search->program, rule->may_start);

    program_term(&search->program, starts, started, -1);
    if (!rule->others || search->problem->question->plans == EXACT_ALL_VALID)
        return starts;
    alone = program_row(&search->program, -INFINITY, search->count); // others ≤ N × (1 − started)
    program_term(&search->program, alone, started, search->count);
    for (vec_each(const Column, column, &search->problem->columns)) {
        uint32_t count = column_pods(search->problem, column, rule->others);

        if (count)
            program_term(&search->program, alone, column_variable(search, column), count);
    }
    return starts;
}

// Owners are in domains with matching pods, bound or planned, or where the first of the group starts.
static void add_affinity_rows(Search *search, const AffinityRule *rule) {
    U32Vec domains = column_domains(search, rule->key, 0);
    uint32_t starts = add_starts_row(search, rule);

    for (uint32_t i = 0; i < domains.count; i++) {
        uint32_t row;
        int start;

        if (judge_symbols_contain(&rule->seeds, domains.items[i]))
            continue;
        start = program_variable(&search->program, 1);
        program_term(&search->program, starts, start, 1);
        row = program_row(&search->program, -INFINITY, 0); // owners ≤ N × (others + start)
        add_counts(search, row, rule->key, domains.items[i], rule->owners & ~rule->others, 1, 0);
        add_counts(search, row, rule->key, domains.items[i], rule->others, -(double)search->count, 0);
        program_term(&search->program, row, start, -(double)search->count);
    }
    // An undecided claim needs matching pods in all of its domains, at least two, or starts the group.
    for (vec_each(const Column, column, &search->problem->columns)) {
        if (count_company(rule) + rule->may_start < 2 &&
            column_domain(search->problem, column, rule->key) == DOMAIN_OPEN &&
            column_pods(search->problem, column, rule->owners))
            program_term(&search->program, starts, column_variable(search, column), 1);
    }
}

static void add_host_affinity_rows(Search *search, const AffinityRule *rule) {
    uint32_t starts = add_starts_row(search, rule);

    for (vec_each(const Column, column, &search->problem->columns)) {
        if (column_pods(search->problem, column, rule->owners) && !column_pods(search->problem, column, rule->others) &&
            (column->node == INDEX_NONE || !judge_symbols_contain(&rule->seeds, column->node)))
            program_term(&search->program, starts, column_variable(search, column), 1);
    }
}

// ---- spreads

typedef struct {
    const SpreadRule *rule;
    uint64_t counted;
    U32Vec domains;
    int least;     // variable: the least count of a domain
    int is_raised; // variable: minDomains is met, the least count may be more than 0
    uint32_t raised_row;
} Spreading;

// Whether a node of the plan is in the domain: 1 when one is, 0 when none is.
static int exists_variable(Search *search, const Spreading *spreading, uint32_t domain, bool exists) {
    int variable = program_variable(&search->program, 1);
    uint32_t forced, allowed;

    if (exists) {
        program_term(&search->program, program_row(&search->program, 1, 1), variable, 1);
        return variable;
    }
    forced = program_row(&search->program, -INFINITY, 0);  // columns ≤ N × exists
    allowed = program_row(&search->program, -INFINITY, 0); // exists ≤ columns
    program_term(&search->program, forced, variable, -(double)search->count);
    program_term(&search->program, allowed, variable, 1);
    for (vec_each(const Column, column, &search->problem->columns)) {
        if (column_domain(search->problem, column, spreading->rule->key) != domain ||
            (search->problem->cells.items[column->cell].counted & spreading->counted) == 0)
            continue;
        program_term(&search->program, forced, column_variable(search, column), 1);
        program_term(&search->program, allowed, column_variable(search, column), -1);
    }
    return variable;
}

// Owners in the domain: bound + owners − least ≤ maxSkew where there are any.
static void add_skew_row(Search *search, const Spreading *spreading, uint32_t domain, int64_t bound) {
    const SpreadRule *rule = spreading->rule;
    int64_t room = rule->spread->max_skew - bound;
    uint32_t counting = rule->owners & rule->matched, row;
    int used;

    row = program_row(&search->program, -INFINITY, (double)(room >= 0 ? room : room + 1000));
    add_counts(search, row, rule->key, domain, counting, 1, spreading->counted);
    program_term(&search->program, row, spreading->least, -1);
    if (room >= 0)
        return;
    used = program_variable(&search->program, 1);
    program_term(&search->program, row, used, 1000);
    row = program_row(&search->program, -INFINITY, 0); // owners ≤ N × used
    add_counts(search, row, rule->key, domain, rule->owners, 1, 0);
    program_term(&search->program, row, used, -(double)search->count);
}

// least ≤ what the domain has, where it counts.
static void add_least_row(Search *search, const Spreading *spreading, uint32_t domain, int64_t bound, int exists) {
    const SpreadRule *rule = spreading->rule;
    bool reachable = judge_symbols_contain(&rule->reachable, domain);
    uint32_t row = program_row(&search->program, -INFINITY, (double)bound + (reachable ? 0 : 1000));

    program_term(&search->program, row, spreading->least, 1);
    add_counts(search, row, rule->key, domain, rule->matched, -1, spreading->counted);
    if (search->problem->question->plans != EXACT_PROMISED) // as the checker counts undecided claims
        add_counts(search, row, rule->key, DOMAIN_OPEN, rule->matched, -1, 0);
    if (!reachable)
        program_term(&search->program, row, exists, 1000);
}

static void add_domain(Arena *arena, U32Vec *domains, uint32_t domain) {
    if (domain != INDEX_NONE && !judge_symbols_contain(domains, domain))
        vec_push(arena, domains, domain);
}

static void find_spread_domains(Search *search, Spreading *spreading) {
    Problem *problem = search->problem;
    const SpreadRule *rule = spreading->rule;

    spreading->domains = column_domains(search, rule->key, spreading->counted);
    for (uint32_t i = 0; i < rule->reachable.count; i++)
        add_domain(problem->world.arena, &spreading->domains, rule->reachable.items[i]);
    for (uint32_t bin = 0; bin < problem->world.nodes.count; bin++) {
        Domain domain = judge_scene_domain(&problem->scene, bin, rule->spread->key);

        if (judge_spread_counts_bin(&problem->scene, rule->class_index, rule->spread, bin))
            add_domain(problem->world.arena, &spreading->domains, judge_domain_only(&domain));
    }
}

static void add_spread_rows(Search *search, uint32_t index) {
    const SpreadRule *rule = &search->problem->spreads.items[index];
    Spreading spreading = {.rule = rule, .counted = UINT64_C(1) << index};
    uint32_t row;

    find_spread_domains(search, &spreading);
    spreading.least = program_variable(&search->program, 500);
    spreading.is_raised = program_variable(&search->program, 1);
    spreading.raised_row = program_row(&search->program, 0, INFINITY); // domains ≥ minDomains × raised
    program_term(&search->program, spreading.raised_row, spreading.is_raised, -(double)rule->spread->min_domains);
    row = program_row(&search->program, -INFINITY, 0); // least ≤ 500 × raised
    program_term(&search->program, row, spreading.least, 1);
    program_term(&search->program, row, spreading.is_raised, -500);
    for (uint32_t i = 0; i < spreading.domains.count; i++) {
        bool exists;
        int64_t bound = exact_bound_in(search->problem, rule, spreading.domains.items[i], &exists);
        int variable = exists_variable(search, &spreading, spreading.domains.items[i], exists);

        program_term(&search->program, spreading.raised_row, variable, 1);
        add_least_row(search, &spreading, spreading.domains.items[i], bound, variable);
        add_skew_row(search, &spreading, spreading.domains.items[i], bound);
    }
    for (vec_each(const Column, column, &search->problem->columns)) { // an undecided one may be in any
        if (column_domain(search->problem, column, rule->key) == DOMAIN_OPEN)
            program_term(&search->program, spreading.raised_row, column_variable(search, column), 100);
    }
}

// The price is at most the cap: what is dearer need not be searched.
static void add_cap_row(Search *search) {
    uint32_t row;

    if (!isfinite(search->cap))
        return;
    row = program_row(&search->program, -INFINITY, search->cap * 1000);
    for (vec_each(const Column, column, &search->problem->columns)) {
        if (column->price > 0)
            program_term(&search->program, row, column_variable(search, column), column->price * 1000);
    }
}

static void add_rows(Search *search) {
    Problem *problem = search->problem;

    add_cap_row(search);
    add_pod_rows(search);
    add_node_rows(search);
    add_limit_rows(search);
    search->guards = exact_add_guard_rows(problem, &search->program, search->first);
    add_reservation_rows(search);
    for (vec_each(const AntiRule, rule, &problem->antis))
        add_anti_rows(search, rule);
    for (vec_each(const AffinityRule, rule, &problem->affinities)) {
        if (rule->key == INDEX_NONE)
            add_host_affinity_rows(search, rule);
        else
            add_affinity_rows(search, rule);
    }
    for (uint32_t i = 0; i < problem->spreads.count; i++)
        add_spread_rows(search, i);
}

// ---- solving

static ProgramStatus solve(Search *search, bool by_price, const ExactQuestion *question) {
    Problem *problem = search->problem;

    search->costs = arena_array(problem->world.arena, double, search->program.most.count);
    search->values = arena_array(problem->world.arena, double, search->program.most.count);
    for (uint32_t i = 0; i < problem->items.count && !by_price; i++)
        search->costs[search->left_out[i]] = 1;
    for (vec_each(const Column, column, &problem->columns)) // in tenths of a cent, for Cbc's tolerances
        search->costs[column_variable(search, column)] = by_price ? column->price * 1000 : 0;
    return program_solve(&search->program, search->costs, question->seconds, search->values);
}

static UseVec uses_of(const Search *search) {
    UseVec uses = {0};

    for (uint32_t i = 0; i < search->problem->columns.count; i++) {
        uint32_t times = (uint32_t)search->values[search->first + (int)i];

        if (times)
            vec_push(search->problem->world.arena, &uses, (Use){i, times});
    }
    return uses;
}

// Forbids all of the uses together: `more` is 1 where a column is used as often as here or more, and not all may be.
static void cut_off(Search *search, const UseVec *uses) {
    uint32_t cut = program_row(&search->program, -INFINITY, (double)uses->count - 1);

    for (vec_each(const Use, use, uses)) {
        int variable = search->first + (int)use->column, more;
        double most = search->program.most.items[variable];
        uint32_t row;

        if (most == 1) {
            program_term(&search->program, cut, variable, 1);
            continue;
        }
        more = program_variable(&search->program, 1);
        row = program_row(&search->program, -INFINITY, use->times - 1.0);
        program_term(&search->program, row, variable, 1);
        program_term(&search->program, row, more, -(most - use->times + 1));
        program_term(&search->program, cut, more, 1);
    }
}

// Whether the checker accepts the plan; its first violation if not.
static bool is_accepted(Search *search, const ExactQuestion *question, Slice plan, Slice *ret_violation) {
    Arena *arena = search->problem->world.arena;
    ViolationVec violations = {0};
    ParseOptions options = {0};
    WarningVec warnings = {0};
    DocumentVec documents = {0};
    Err err;

    *ret_violation = SLICE("unreadable");
    if (json_parse(arena, SLICE("exact"), plan, &options, &documents, &warnings, &err) != OK ||
        check_plan(arena, question->manifests, question->catalog, &documents.items[0].root, &question->options,
                   &violations, &err) != OK)
        return false;
    if (violations.count)
        *ret_violation = arena_printf(arena, "%.*s: %.*s: %.*s", SLICE_ARG(violations.items[0].kind),
                                      SLICE_ARG(violations.items[0].pod), SLICE_ARG(violations.items[0].text));
    return violations.count == 0;
}

static double price_of(const Problem *problem, const UseVec *uses) {
    double price = 0;

    for (vec_each(const Use, use, uses))
        price += use->times * problem->columns.items[use->column].price;
    return price;
}

static double used_seconds(int who) {
    struct rusage usage;

    getrusage(who, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

// Of this process and of those that solved programs for it: a machine that is busy does not decide what is proved.
static double processor_seconds(void) {
    return used_seconds(RUSAGE_SELF) + used_seconds(RUSAGE_CHILDREN);
}

// The cheapest plan that leaves out that many pods and that the checker takes.
static ProgramStatus search_level(Search *search, const ExactQuestion *question, ExactAnswer *answer) {
    double started = processor_seconds();

    for (;;) {
        ProgramStatus status =
            processor_seconds() - started > question->seconds ? PROGRAM_UNKNOWN : solve(search, true, question);
        UseVec uses;
        Slice violation;

        if (status != PROGRAM_OPTIMAL)
            return status;
        if (exact_cut_waste(search->problem, &search->program, search->first, search->guards, search->values) ||
            (question->plans != EXACT_ALL_VALID &&
             exact_cut_soft(search->problem, &search->program, search->first, search->values)))
            continue;
        uses = uses_of(search);
        answer->plan = exact_write_plan(search->problem, &uses);
        answer->price_per_hour = price_of(search->problem, &uses);
        if (is_accepted(search, question, answer->plan, &violation))
            return PROGRAM_OPTIMAL;
        answer->refused++;
        answer->refused_for = violation;
        if (uses.count == 0 || answer->refused == REFUSALS_MAX)
            return PROGRAM_UNKNOWN;
        cut_off(search, &uses);
    }
}

// The fewest pods that have to stay out, then the least price; a level that the checker refuses as a whole is left.
static void search_levels(Search *search, const ExactQuestion *question, ExactAnswer *answer) {
    Problem *problem = search->problem;
    uint32_t level = program_row(&search->program, 0, isfinite(search->cap) ? 0 : INFINITY);
    uint32_t out = 0;
    ProgramStatus status;

    for (uint32_t i = 0; i < problem->items.count; i++)
        program_term(&search->program, level, search->left_out[i], 1);
    if (!isfinite(search->cap)) {
        if (solve(search, false, question) != PROGRAM_OPTIMAL)
            return;
        for (uint32_t i = 0; i < problem->items.count; i++)
            out += (uint32_t)search->values[search->left_out[i]];
    }
    do {
        if (out > question->unplaced_most) {
            answer->status = EXACT_LEAVES_MORE;
            return;
        }
        search->program.rows.items[level].least = search->program.rows.items[level].most = out;
        status = search_level(search, question, answer);
        answer->unplaced = out++;
    } while (status == PROGRAM_INFEASIBLE && !isfinite(search->cap) && out <= search->count);
    if (status == PROGRAM_OPTIMAL)
        answer->status = EXACT_OPTIMUM;
    else if (status == PROGRAM_INFEASIBLE)
        answer->status = EXACT_NOTHING;
    else if (answer->refused == REFUSALS_MAX)
        answer->because = "the checker refused too many plans";
}

static ErrCode make_problem(Problem *problem, Err *err) {
    const ExactQuestion *question = problem->question;
    World *world = &problem->world;

    TRY(judge_read_case(world, question->manifests, question->catalog, err));
    judge_scene_make(world, &problem->scene);
    problem->limits_left = arena_array(world->arena, Amounts, world->pools.count + 1);
    for (uint32_t i = 0; i < world->pools.count; i++)
        problem->limits_left[i] = judge_pool_limits_left(&problem->scene, &world->pools.items[i]);
    exact_make_items(problem);
    if (problem->too_large)
        return OK;
    exact_make_rules(problem);
    exact_judge_contents(problem);
    TRY(exact_make_families(problem, err));
    if (!problem->too_large)
        exact_make_columns(problem);
    return OK;
}

static void search_problem(Problem *problem, ExactAnswer *answer) {
    const ExactQuestion *question = problem->question;
    Search search = {.problem = problem,
                     .program = {.arena = problem->world.arena},
                     .count = problem->pod_count,
                     .cap = question->known_placed == problem->pod_count ? question->price_cap : INFINITY};

    answer->pods = problem->pod_count;
    answer->kinds = exact_kinds(problem);
    problem->every = problem->columns;
    if (isfinite(search.cap) && !problem->too_large)
        exact_drop_dear_columns(problem, search.cap);
    if (!problem->too_large && problem->columns.count > COLUMNS_MAX)
        problem->too_large = "too many contents of nodes";
    answer->because = problem->too_large ? problem->too_large : "out of time";
    answer->columns = problem->columns.count;
    if (problem->too_large)
        return;
    add_variables(&search);
    add_rows(&search);
    search_levels(&search, question, answer);
}

ErrCode exact_solve(Arena *arena, const ExactQuestion *question, ExactAnswer *ret_answer, Err *err) {
    Problem *problem = arena_new(arena, Problem);
    ExactAnswer answer = {.status = EXACT_NOT_PROVED};
    ErrCode code;

    problem->question = question;
    problem->world = (World){.arena = arena,
                             .ignore_preferences = question->options.ignore_preferences,
                             .best_effort_min_values = question->options.best_effort_min_values};
    symbols_init(&problem->world.symbols);
    code = make_problem(problem, err);
    if (code == OK)
        search_problem(problem, &answer);
    symbols_free(&problem->world.symbols);
    TRY(code);
    *ret_answer = answer;
    return OK;
}
