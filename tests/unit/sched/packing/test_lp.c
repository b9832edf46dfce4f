// Linear programs with known solutions.
#include "harness/test.h"
#include "sched/packing/lp.h"

#include <math.h>

static void assert_near(double value, double expected) {
    if (fabs(value - expected) > 1e-9)
        fail_msg("expected %.12g, got %.12g", expected, value);
}

// minimise 3x + 2y with x + y >= 4 and x + 3y >= 6: (3, 1).
TEST(the_cheapest_corner_is_found) {
    LP_OWNED lp = lp_new(2, (double[]){4, 6}, (double[]){INFINITY, INFINITY});

    lp_add_columns(lp,
                   &(LpColumns){2, (double[]){3, 2}, (int[]){0, 2, 4}, (int[]){0, 1, 0, 1}, (double[]){1, 1, 1, 3}});
    assert_true(lp_solve(lp, NULL));
    assert_near(lp_objective(lp), 8);
    assert_near(lp_columns(lp)[0], 0);
    assert_near(lp_columns(lp)[1], 4);
    assert_near(lp_duals(lp)[0], 2);
    assert_near(lp_duals(lp)[1], 0);
}

// A cheaper column that is added later replaces the first one.
TEST(a_new_column_lowers_the_price) {
    LP_OWNED lp = lp_new(1, (double[]){10}, (double[]){INFINITY});

    lp_add_columns(lp, &(LpColumns){1, (double[]){5}, (int[]){0, 1}, (int[]){0}, (double[]){2}});
    assert_true(lp_solve(lp, NULL));
    assert_near(lp_objective(lp), 25);
    assert_near(lp_duals(lp)[0], 2.5);
    lp_add_columns(lp, &(LpColumns){1, (double[]){6}, (int[]){0, 1}, (int[]){0}, (double[]){4}});
    assert_true(lp_solve(lp, NULL));
    assert_near(lp_objective(lp), 15);
    assert_near(lp_columns(lp)[0], 0);
    assert_near(lp_columns(lp)[1], 2.5);
    assert_true(lp_work(lp) > 0);
}

TEST(new_bounds_are_solved_for) {
    LP_OWNED lp = lp_new(2, (double[]){3, -INFINITY}, (double[]){INFINITY, 2});

    // Column 0 is cheap, but row 1 allows only two of it; column 1 is expensive.
    lp_add_columns(lp, &(LpColumns){2, (double[]){1, 4}, (int[]){0, 2, 3}, (int[]){0, 1, 0}, (double[]){1, 1, 1}});
    assert_true(lp_solve(lp, NULL));
    assert_near(lp_objective(lp), 6);
    assert_near(lp_duals(lp)[0], 4);
    assert_near(lp_duals(lp)[1], -3);
    lp_set_rows(lp, (double[]){5, -INFINITY}, (double[]){INFINITY, 2});
    assert_true(lp_solve(lp, NULL));
    assert_near(lp_objective(lp), 14);
}

TEST(what_has_no_solution_says_so) {
    LP_OWNED lp = lp_new(1, (double[]){1}, (double[]){INFINITY});

    lp_add_columns(lp, &(LpColumns){1, (double[]){1}, (int[]){0, 1}, (int[]){0}, (double[]){-1}});
    assert_false(lp_solve(lp, NULL));
}
