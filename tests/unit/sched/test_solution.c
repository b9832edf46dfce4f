// Solutions of one prepared input: they are independent, and the best can be resumed.
#include "harness/test.h"
#include "sched/place/improve.h"
#include "sched/support/random_world.h"
#include "sched/support/solver_text.h"

#include <math.h>
#include <stdio.h>

AFTER_EACH(random_teardown);

static const char *text_of_plan(World *world, Trial *trial) {
    Plan plan = trial_plan(trial);

    return plan_text(world, &plan);
}

// --- resumed

static void resume_after_others(World *world, Random *random) {
    Trial *trial = trial_begin(world);
    Solver *solver = &trial->solver;
    Solution kept;
    const char *text, *plan;

    (void)random;
    for (Strategy first = 0; first < STRATEGY_PATTERNS; first++) {
        trial_place(trial, first);
        solution_keep(solver, &kept);
        text = solver_text(trial);
        for (Strategy second = 0; second < STRATEGY_PATTERNS; second++) {
            trial_place(trial, second);
            solver_improve(solver, EFFORT_NORMAL, false);
        }
        solution_resume(solver, &kept);
        assert_string_equal(solver_text(trial), text);
        assert_counts_add_up(trial);
    }
    plan = text_of_plan(world, trial);
    trial_end(trial);

    // The same attempt alone, in a solver that has done nothing else.
    trial = trial_begin(world);
    trial_place(trial, STRATEGY_PATTERNS - 1);
    assert_string_equal(text_of_plan(world, trial), plan);
    trial_end(trial);
}

TEST(a_resumed_attempt_is_as_if_there_had_been_no_other) {
    each_random_world(80, RANDOM_ALL, resume_after_others);
    each_random_world(40, RANDOM_ALL & ~RANDOM_LIMITS, resume_after_others);
}

// A saved solution that is resumed and improved is equal to one that is improved at once.
static void go_on_later(World *world, Random *random) {
    Trial *trial = trial_begin(world);
    Solver *solver = &trial->solver;
    Solution kept;
    const char *at_once;

    (void)random;
    trial_place(trial, STRATEGY_FIRST_FIT);
    solver_improve(solver, EFFORT_NORMAL, false);
    at_once = solver_text(trial);

    trial_place(trial, STRATEGY_FIRST_FIT);
    solution_keep(solver, &kept);
    trial_place(trial, STRATEGY_MARGINAL_PRICE);
    solution_resume(solver, &kept);
    solver->strategy = STRATEGY_FIRST_FIT;
    solver_improve(solver, EFFORT_NORMAL, false);
    assert_string_equal(solver_text(trial), at_once);
    trial_end(trial);
}

TEST(a_resumed_attempt_goes_on_as_it_would_have) {
    each_random_world(60, RANDOM_ALL, go_on_later);
}

// --- started again

static void start_again(World *world, Random *random) {
    Trial *trial = trial_begin(world);
    const char *initial, *first;

    (void)random;
    solution_start(&trial->solver, &trial->initial);
    initial = solver_text(trial);
    trial_place(trial, STRATEGY_MARGINAL_PRICE);
    first = solver_text(trial);
    for (Strategy strategy = 0; strategy < STRATEGY_PATTERNS; strategy++) {
        trial_place(trial, strategy);
        solution_start(&trial->solver, &trial->initial);
        assert_string_equal(solver_text(trial), initial);
    }
    trial_place(trial, STRATEGY_MARGINAL_PRICE);
    assert_string_equal(solver_text(trial), first);
    trial_end(trial);
}

TEST(every_attempt_starts_from_the_same_state) {
    each_random_world(100, RANDOM_ALL, start_again);
}

// What is started from a saved solution does not change it, and needs its memory no more.
static void go_on_from_a_copy(World *world, Random *random) {
    Trial *trial = trial_begin(world);
    Solver *solver = &trial->solver;
    Solution kept;
    const char *at_once, *before;

    (void)random;
    trial_place(trial, STRATEGY_FIRST_FIT);
    solver_improve(solver, EFFORT_NORMAL, false);
    at_once = solver_text(trial);

    trial_place(trial, STRATEGY_FIRST_FIT);
    before = solver_text(trial);
    solution_keep(solver, &kept);
    solution_start(solver, &kept);
    assert_string_equal(solver_text(trial), before);
    solver_improve(solver, EFFORT_NORMAL, false);
    assert_string_equal(solver_text(trial), at_once);
    solution_resume(solver, &kept);
    assert_string_equal(solver_text(trial), before);

    solution_start(solver, &kept);
    solution_drop(&kept);
    solver_improve(solver, EFFORT_NORMAL, false);
    assert_string_equal(solver_text(trial), at_once);
    assert_counts_add_up(trial);
    trial_end(trial);
}

TEST(a_copy_goes_on_without_its_original) {
    each_random_world(60, RANDOM_ALL, go_on_from_a_copy);
}

// --- fields of a solution

static void compare_with_plan(World *world, Random *random) {
    Trial *trial = trial_begin(world);

    (void)random;
    for (Strategy strategy = 0; strategy < STRATEGY_PATTERNS; strategy++) {
        Plan plan;

        trial_place(trial, strategy);
        solver_improve(&trial->solver, EFFORT_NORMAL, false); // some claims may be gone
        plan = trial_plan(trial);
        assert_true(fabs(trial_price(trial) - plan.price_per_hour) < 1e-9);
        assert_int_equal(trial_placed(trial), plan_pods(&plan));
    }
    trial_end(trial);
}

TEST(price_and_pods_are_those_of_the_plan) {
    each_random_world(60, RANDOM_ALL, compare_with_plan);
}
