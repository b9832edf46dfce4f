// Launch budgets: windows that grow with launches, and close after failures.
#include "ctl/provision/launch_budget.h"

void launch_budgets_free(LaunchBudgets *budgets) {
    arena_free(&budgets->arena);
    *budgets = (LaunchBudgets){0};
}

static uint64_t offering_hash(LaunchOffering offering) {
    return hash_combine(hash_combine(offering.pool, offering.type),
                        (uint64_t)offering.capacity_type << 32 | offering.zone);
}

static bool offering_eq(LaunchOffering a, LaunchOffering b) {
    return a.pool == b.pool && a.type == b.type && a.capacity_type == b.capacity_type && a.zone == b.zone;
}

static uint32_t find(const LaunchBudgets *budgets, LaunchOffering offering) {
    uint32_t cursor = 0, found;

    while ((found = index_map_next(&budgets->index, offering_hash(offering), &cursor)) != INDEX_NONE) {
        if (offering_eq(budgets->items.items[found].offering, offering))
            return found;
    }
    return INDEX_NONE;
}

const LaunchBudget *launch_budget_find(const LaunchBudgets *budgets, LaunchOffering offering) {
    uint32_t found = find(budgets, offering);

    return found == INDEX_NONE ? NULL : &budgets->items.items[found];
}

static LaunchOffering pool_of(LaunchOffering offering) {
    return (LaunchOffering){.pool = offering.pool};
}

// The window of an offering; its share of the pool's window when it has none of its own yet.
static uint32_t window_of(const LaunchBudgets *budgets, const LaunchBudget *budget) {
    const LaunchBudget *pool;

    if (budget->window)
        return budget->window;
    pool = launch_budget_find(budgets, pool_of(budget->offering));
    return pool->window / LAUNCH_OFFERING_SHARE > 1 ? pool->window / LAUNCH_OFFERING_SHARE : 1;
}

// The budget of the offering, added when there is none. Valid until the next one is added.
static LaunchBudget *budget_of(LaunchBudgets *budgets, LaunchOffering offering) {
    uint32_t found = find(budgets, offering);

    if (found != INDEX_NONE)
        return &budgets->items.items[found];
    index_map_add(&budgets->arena, &budgets->index, offering_hash(offering), budgets->items.count);
    vec_push(&budgets->arena, &budgets->items,
             (LaunchBudget){.offering = offering, .window = offering.type == SYMBOL_EMPTY ? LAUNCH_POOL_WINDOW : 0});
    return vec_last(&budgets->items);
}

LaunchVerdict launch_budget_ask(LaunchBudgets *budgets, LaunchOffering offering, Mono now, Mono *ret_until) {
    const LaunchBudget *pool, *budget;
    Mono closed_until;

    (void)budget_of(budgets, pool_of(offering));
    budget = budget_of(budgets, offering);
    pool = launch_budget_find(budgets, pool_of(offering));
    closed_until = budget->closed_until;
    if (budget->failures)
        closed_until = mono_last(closed_until, pool->closed_until);
    if (!mono_reached(now, closed_until)) {
        *ret_until = closed_until;
        return LAUNCH_CLOSED;
    }
    return budget->on_way >= window_of(budgets, budget) || pool->on_way >= pool->window ? LAUNCH_WINDOW_FULL
                                                                                        : LAUNCH_ALLOWED;
}

void launch_budget_take(LaunchBudgets *budgets, LaunchOffering offering) {
    budget_of(budgets, offering)->on_way++;
    budget_of(budgets, pool_of(offering))->on_way++;
}

void launch_budget_give_back(LaunchBudgets *budgets, LaunchOffering offering) {
    LaunchBudget *budget = budget_of(budgets, offering);

    CHECK(budget->on_way > 0, "a launch ended that was not under way");
    budget->on_way--;
    budget_of(budgets, pool_of(offering))->on_way--;
}

static void widen(LaunchBudget *budget, uint32_t by) {
    budget->window = budget->window + by < LAUNCH_MAX ? budget->window + by : LAUNCH_MAX;
}

static void reopen(LaunchBudget *budget) {
    budget->failures = 0;
    budget->closed_until = (Mono){0};
}

void launch_budget_launched(LaunchBudgets *budgets, LaunchOffering offering) {
    LaunchBudget *budget;

    launch_budget_give_back(budgets, offering);
    budget = budget_of(budgets, offering);
    reopen(budget);
    budget->window = window_of(budgets, budget);
    widen(budget, 1);
    budget = budget_of(budgets, pool_of(offering));
    reopen(budget);
    widen(budget, budget->window / 8 + 1);
}

// How long an offering is closed: 15 s after the first failure, doubled with each further one, plus a jitter of up to a
// tenth.
static int64_t closed_for(uint32_t failures, int64_t most_s, Random *random) {
    int64_t seconds = LAUNCH_CLOSED_FIRST_S;

    for (uint32_t i = 1; i < failures && seconds < most_s; i++)
        seconds *= 2;
    if (seconds > most_s)
        seconds = most_s;
    return seconds * NS_PER_S + seconds * NS_PER_MS * (int64_t)random_below(random, 101);
}

// Whether the failure is the first one of a wave.
static bool begins_wave(LaunchBudget *budget, Mono created, Mono now) {
    if (mono_is_set(budget->failed) && mono_reached(budget->failed, created))
        return false;
    budget->failed = now;
    budget->failures++;
    return true;
}

static void narrow_pool(LaunchBudget *pool, Mono now, Random *random) {
    uint32_t window = pool->window / (pool->failures > 1 ? 8 : 2);

    pool->window = window > LAUNCH_POOL_WINDOW_LEAST ? window : LAUNCH_POOL_WINDOW_LEAST;
    if (pool->failures > LAUNCH_POOL_WAVES)
        pool->closed_until =
            mono_after(now, closed_for(pool->failures - LAUNCH_POOL_WAVES, LAUNCH_POOL_CLOSED_MAX_S, random));
}

void launch_budget_failed(LaunchBudgets *budgets, LaunchOffering offering, Mono created, Mono now, Random *random) {
    LaunchBudget *budget;

    launch_budget_give_back(budgets, offering);
    budget = budget_of(budgets, offering);
    if (begins_wave(budget, created, now)) {
        budget->window = 1;
        budget->closed_until = mono_after(now, closed_for(budget->failures, LAUNCH_CLOSED_MAX_S, random));
    }
    budget = budget_of(budgets, pool_of(offering));
    if (begins_wave(budget, created, now))
        narrow_pool(budget, now, random);
}
