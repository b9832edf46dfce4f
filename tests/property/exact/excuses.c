// Why a pod may have opened a claim of a lighter pool: each place that heavier pools have for it was blocked.
//
// A place is blocked while the limits of its pool are used up, or while a rule of the pod forbids its domain: a spread
// that is full there, an anti-affinity, an affinity group that has started elsewhere. What blocks it when the pod is
// placed is still there at the end, so an excuse is a condition on the whole plan (guards.c). Behaviour: reference
// scheduling.md 5.4: new claims by weight, for each pod as the rules stand then.
#include "exact/problem.h"

static bool is_same_limit(const Problem *problem, const Guard *one, const Guard *other) {
    const Served *a = &problem->served.items[one->index], *b = &problem->served.items[other->index];

    return a->limited == b->limited && memcmp(a->charge.of, b->charge.of, sizeof a->charge.of) == 0;
}

static uint32_t add_guard(Problem *problem, Guard guard) {
    for (uint32_t i = 0; i < problem->guards.count; i++) {
        const Guard *known = &problem->guards.items[i];

        if (known->kind == guard.kind && known->domain == guard.domain && known->items == guard.items &&
            (guard.kind == GUARD_LIMIT ? is_same_limit(problem, known, &guard) : known->index == guard.index))
            return i;
    }
    vec_push(problem->world.arena, &problem->guards, guard);
    return problem->guards.count - 1;
}

// A place that is looked at: its guards so far.
typedef struct {
    Problem *problem;
    const Served *served;
    const U32Vec *from; // domains of the cell of the claim
    U32Vec guards;
    bool is_blocked; // for certain
} Blocking;

static void guard_by(Blocking *blocking, Guard guard) {
    Arena *arena = blocking->problem->world.arena;
    uint32_t number = add_guard(blocking->problem, guard), at = blocking->guards.count;

    if (judge_symbols_contain(&blocking->guards, number))
        return;
    vec_push(arena, &blocking->guards, number);
    for (; at > 0 && blocking->guards.items[at - 1] > number; at--) {
        blocking->guards.items[at] = blocking->guards.items[at - 1];
        blocking->guards.items[at - 1] = number;
    }
}

// The domain of the place where it is another one than the claim's; INDEX_NONE: it is the same, or one of those that
// the claim is open to.
static uint32_t other_domain(const Blocking *blocking, uint32_t key) {
    uint32_t place = blocking->problem->cells.items[blocking->served->cell].domains.items[key],
             claim = blocking->from->items[key];

    return place == claim || claim == DOMAIN_OPEN ? INDEX_NONE : place;
}

static void guard_spreads(Blocking *blocking) {
    uint32_t item = blocking->served->item;

    for (uint32_t i = 0; i < blocking->problem->spreads.count; i++) {
        const SpreadRule *rule = &blocking->problem->spreads.items[i];
        uint32_t domain = rule->owners >> item & 1 ? other_domain(blocking, rule->key) : INDEX_NONE;

        if (domain != INDEX_NONE)
            guard_by(blocking, (Guard){GUARD_SPREAD, i, domain, rule->matched >> item & 1});
    }
}

static void guard_antis(Blocking *blocking) {
    uint32_t item = blocking->served->item;

    for (uint32_t i = 0; i < blocking->problem->antis.count; i++) {
        const AntiRule *rule = &blocking->problem->antis.items[i];
        uint32_t minded =
            (rule->owners >> item & 1 ? rule->matched : 0) | (rule->matched >> item & 1 ? rule->owners : 0);
        uint32_t domain = minded ? other_domain(blocking, rule->key) : INDEX_NONE;

        if (domain != INDEX_NONE)
            guard_by(blocking, (Guard){GUARD_ANTI, i, domain, minded});
    }
}

// A group that cannot start has no company there; one that can has it not once it has started elsewhere.
static void guard_affinities(Blocking *blocking) {
    for (uint32_t i = 0; i < blocking->problem->affinities.count; i++) {
        const AffinityRule *rule = &blocking->problem->affinities.items[i];
        uint32_t domain;

        if (rule->key == INDEX_NONE || !(rule->owners >> blocking->served->item & 1))
            continue;
        domain = other_domain(blocking, rule->key);
        if (domain == INDEX_NONE || judge_symbols_contain(&rule->seeds, domain))
            continue;
        if (rule->may_start)
            guard_by(blocking, (Guard){GUARD_AFFINITY, i, blocking->from->items[rule->key], 0});
        else
            blocking->is_blocked = true;
    }
}

// Whether a place of the same pool in the same domains needs less of the limits: then that one counts.
static bool needs_more(const Problem *problem, const Served *served) {
    for (vec_each(const Served, other, &problem->served)) {
        double share, than;

        if (!served->limited || other->limited != served->limited || other->item != served->item || other == served ||
            !exact_is_same_place(problem, served->item, other->cell, served->cell))
            continue;
        share = exact_share_of_limits(problem, served);
        than = exact_share_of_limits(problem, other);
        if (than < share || (than <= share && other < served))
            return true;
    }
    return false;
}

// Whether all guards of one place are among those of the other, which is blocked with it then.
static bool is_part(const U32Vec *guards, const U32Vec *of) {
    for (vec_each(const uint32_t, guard, guards)) {
        if (!judge_symbols_contain(of, *guard))
            return false;
    }
    return true;
}

static void add_place(Problem *problem, Excuse *excuse, U32Vec guards) {
    uint32_t kept = 0;

    for (vec_each(const U32Vec, known, &excuse->blocked)) {
        if (is_part(known, &guards))
            return;
    }
    for (vec_each(const U32Vec, known, &excuse->blocked)) {
        if (!is_part(&guards, known))
            excuse->blocked.items[kept++] = *known;
    }
    excuse->blocked.count = kept;
    vec_push(problem->world.arena, &excuse->blocked, guards);
}

static void block(Problem *problem, Excuse *excuse, const KnownExcuse *of, uint32_t number) {
    Blocking blocking = {
        .problem = problem, .served = &problem->served.items[number], .from = &problem->cells.items[of->cell].domains};

    if (blocking.served->item != of->item || blocking.served->weight <= of->weight ||
        (of->hard && blocking.served->soft) || needs_more(problem, blocking.served))
        return;
    if (blocking.served->limited)
        guard_by(&blocking, (Guard){GUARD_LIMIT, number, INDEX_NONE, 0});
    guard_spreads(&blocking);
    guard_antis(&blocking);
    guard_affinities(&blocking);
    if (blocking.is_blocked)
        return;
    excuse->is_void |= blocking.guards.count == 0;
    add_place(problem, excuse, blocking.guards);
}

static bool is_equal(const Excuse *one, const Excuse *other) {
    for (uint32_t i = 0; i < one->blocked.count && i < other->blocked.count; i++) {
        if (one->blocked.items[i].count != other->blocked.items[i].count ||
            !is_part(&one->blocked.items[i], &other->blocked.items[i]))
            return false;
    }
    return one->is_void == other->is_void && one->blocked.count == other->blocked.count;
}

static uint32_t add_excuse(Problem *problem, Excuse excuse) {
    for (uint32_t i = 0; i < problem->excuses.count; i++) {
        if (is_equal(&problem->excuses.items[i], &excuse))
            return i;
    }
    vec_push(problem->world.arena, &problem->excuses, excuse);
    return problem->excuses.count - 1;
}

static uint32_t find_excuse(Problem *problem, KnownExcuse wanted) {
    Excuse excuse = {0};

    for (vec_each(const KnownExcuse, known, &problem->known_excuses)) {
        if (known->item == wanted.item && known->cell == wanted.cell && known->weight == wanted.weight &&
            known->hard == wanted.hard)
            return known->excuse;
    }
    for (uint32_t i = 0; i < problem->served.count; i++)
        block(problem, &excuse, &wanted, i);
    wanted.excuse = add_excuse(problem, excuse);
    vec_push(problem->world.arena, &problem->known_excuses, wanted);
    return wanted.excuse;
}

// ---- PreferNoSchedule: such taints are put up with where no other place is left, scheduling.md 5.8.

uint32_t exact_soft_excuse(Problem *problem, uint32_t item, uint32_t cell) {
    return find_excuse(problem, (KnownExcuse){.item = item, .cell = cell, .weight = INT64_MIN, .hard = true});
}

uint32_t exact_hard_items(Problem *problem, uint32_t items, uint32_t cell) {
    uint32_t hard = 0;

    for (uint32_t i = 0; i < problem->items.count; i++) {
        uint32_t excuse = items >> i & 1 ? exact_soft_excuse(problem, i, cell) : INDEX_NONE;

        hard |= excuse != INDEX_NONE && problem->excuses.items[excuse].is_void ? UINT32_C(1) << i : 0;
    }
    return hard;
}

static void push_once(Problem *problem, U32Vec *numbers, uint32_t number) {
    if (!judge_symbols_contain(numbers, number))
        vec_push(problem->world.arena, numbers, number);
}

void exact_excuse_soft(Problem *problem, uint32_t items, uint32_t cell, Excuses *excuses) {
    for (uint32_t i = 0; i < problem->items.count; i++) {
        uint32_t excuse = items >> i & 1 ? exact_soft_excuse(problem, i, cell) : INDEX_NONE;

        if (excuse != INDEX_NONE && problem->excuses.items[excuse].blocked.count)
            push_once(problem, &excuses->all, excuse);
    }
}

// ---- weights

// The pods of a content that an item with affinity on the host counts or shares its rule with: when the first of them
// opens the claim, the others must have room beside it. 0: the item cannot open a claim, since it may not be first.
static uint32_t opening_content(const Problem *problem, uint32_t item, uint32_t content) {
    uint32_t group = 0, part = 0;

    for (vec_each(const AffinityRule, rule, &problem->affinities)) {
        if (rule->key != INDEX_NONE || !(rule->owners >> item & 1))
            continue;
        if (!rule->may_start)
            return 0;
        group |= rule->owners | rule->others;
    }
    for (uint32_t i = 0; i < problem->items.count; i++)
        part += group >> i & 1 ? content_of(problem, content, i) * problem->items.items[i].stride : 0;
    return part;
}

// Whether a pod of the item may have opened the claim: without any excuse (`some` is emptied), or with the one added.
typedef enum { OPENS_NOT, OPENS_FREELY, OPENS_EXCUSED } Opens;

static Opens find_opening(Problem *problem, KnownExcuse wanted, uint32_t content, U32Vec *some) {
    uint32_t excuse, opening;

    if (exact_needs_company(problem, wanted.item)) {
        opening = opening_content(problem, wanted.item, content);
        return opening && exact_content_weight(problem, opening, wanted.cell, 0) <= wanted.weight ? OPENS_FREELY
                                                                                                  : OPENS_NOT;
    }
    excuse = find_excuse(problem, wanted);
    if (problem->excuses.items[excuse].is_void)
        return OPENS_NOT;
    if (problem->excuses.items[excuse].blocked.count == 0)
        return OPENS_FREELY;
    push_once(problem, some, excuse);
    return OPENS_EXCUSED;
}

// Whether one of the items that need company minds a taint of the claim, and a pool without that has room for the
// company.
static bool minds_in_company(Problem *problem, uint32_t soft, uint32_t content, uint32_t cell) {
    for (uint32_t i = 0; i < problem->items.count; i++) {
        uint32_t opening;

        if (!(soft >> i & 1) || !content_of(problem, content, i) || !exact_needs_company(problem, i))
            continue;
        opening = opening_content(problem, i, content);
        if (opening && exact_content_weight(problem, opening, cell, UINT32_C(1) << i) > INT64_MIN)
            return true;
    }
    return false;
}

bool exact_find_excuses(Problem *problem, const Pool *pool, uint32_t soft, uint32_t content, uint32_t cell,
                        Excuses *ret_excuses) {
    Excuses excuses = {0};
    bool freely = false;

    for (uint32_t i = 0; i < problem->items.count && !freely; i++) {
        const Pool *heaviest = problem->items.items[i].heaviest;
        KnownExcuse wanted = {.item = i, .cell = cell, .weight = pool->weight, .hard = !(soft >> i & 1)};

        if (content_of(problem, content, i) && (!heaviest || heaviest->weight <= pool->weight))
            freely = problem->question->plans == EXACT_ALL_VALID ||
                     find_opening(problem, wanted, content, &excuses.some) == OPENS_FREELY;
    }
    if (!freely && excuses.some.count == 0)
        return false;
    if (problem->question->plans != EXACT_ALL_VALID && minds_in_company(problem, soft, content, cell))
        return false;
    if (freely)
        excuses.some.count = 0;
    if (problem->question->plans != EXACT_ALL_VALID)
        exact_excuse_soft(problem, soft & content_items(problem, content), cell, &excuses);
    *ret_excuses = excuses;
    return true;
}
