// Checking the expectations of steps, once a second until they are decided.
#include "sim/scenario/run_expect.h"

#include "sim/scenario/run_note.h"

// Less often for long times: counting walks all objects of a kind.
enum { LOOKS_MOST = 200 };

static int64_t pace_ns(const Expected *expected) {
    const Expectation *expectation = expected->expectation;
    int64_t longest = expectation->within_ns + expectation->lasting_ns, pace = longest / LOOKS_MOST;

    return pace < NS_PER_S ? NS_PER_S : pace;
}

static void tell(Run *run, const Expected *expected) {
    bool met = expected->state == EXPECT_MET;

    run->undecided--;
    run_note(run, met ? RUN_EXPECTATION_MET : RUN_EXPECTATION_FAILED, expected->expectation->line, "%.*s",
             SLICE_ARG(expect_print(&run->arena, expected)));
}

static void ring(void *context) {
    Run *run = context;

    run->looking = false;
    run_look_at_expectations(run);
}

void run_look_at_expectations(Run *run) {
    int64_t now_ns = world_now_ns(run->world), next_ns = INT64_MAX;

    for (vec_each(Expected, expected, &run->expected)) {
        int64_t due_ns;

        if (expected->state == EXPECT_MET || expected->state == EXPECT_FAILED)
            continue;
        if (expect_look(expected, &run->measures, now_ns)) {
            tell(run, expected);
            continue;
        }
        due_ns = now_ns + pace_ns(expected);
        if (expect_next_ns(expected) < due_ns)
            due_ns = expect_next_ns(expected);
        next_ns = due_ns < next_ns ? due_ns : next_ns;
    }
    if (next_ns != INT64_MAX && !run->looking) {
        run->looking = true;
        world_alarm(run->world, next_ns, ring, run);
    }
}

void run_expect(Run *run, const ScenarioStep *step) {
    for (vec_each(const Expectation, expectation, &step->expectations)) {
        vec_push(&run->arena, &run->expected,
                 (Expected){.expectation = expectation, .from_ns = world_now_ns(run->world)});
        run->undecided++;
    }
    run_look_at_expectations(run);
}
