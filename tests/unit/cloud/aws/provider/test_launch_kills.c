// Exactly one instance for a NodeClaim, whatever dies: answers that are lost, processes that end between any two calls,
// instances that EC2 does not show yet (issue 15, point 5; docs/design/cloud-aws.md).
#include "cloud/aws/provider/support/ec2_world.h"

#include <stdio.h>

enum { CLAIMS = 3, TRIES = 40 };

// Launches until every claim has an instance, each time with the claims as Kubernetes has them, or, `stale`, as they
// were at first.
static void launch_until_done(World *w, NodeClaim **claims, CloudResult *results, bool stale) {
    uint32_t left = CLAIMS;

    for (uint32_t try = 0; try < TRIES && left; try++) {
        left = 0;
        for (uint32_t i = 0; i < CLAIMS; i++) {
            if (results[i].code == OK && results[i].instance.provider_id)
                continue;
            if (!stale)
                claims[i] = world_read(w, symbol_text(&w->symbols, claims[i]->meta.name).ptr);
            results[i] = world_launch_one(w, claims[i]);
            assert_int_not_equal(results[i].code, ERR_CAPACITY);
            left += results[i].code != OK;
        }
        memory_pass(w->memory, 5 * NS_PER_S);
    }
    assert_int_equal(left, 0);
}

// Each claim has an instance that runs, no two the same, and no other one runs.
static void assert_one_each(World *w, const CloudResult *results) {
    assert_int_equal(world_running(w), CLAIMS);
    for (uint32_t i = 0; i < CLAIMS; i++) {
        assert_int_equal(results[i].code, OK);
        for (uint32_t j = 0; j < i; j++)
            assert_int_not_equal(results[i].instance.provider_id, results[j].instance.provider_id);
    }
}

static void make_claims(World *w, NodeClaim **claims) {
    static const char *const names[CLAIMS] = {"n-a", "n-b", "n-c"};

    for (uint32_t i = 0; i < CLAIMS; i++)
        claims[i] = world_claim(w, names[i]);
}

// --- kills

typedef struct {
    uint32_t budget; // calls that the first process lives for
    char name[40];
} KillRow;

static void list_kills(TestCases *cases) {
    static KillRow rows[14];

    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rows[i].budget = i;
        snprintf(rows[i].name, sizeof rows[i].name, "after %u calls", i);
        test_case(cases, rows[i].name, &rows[i]);
    }
}

// tenon: the process dies before the call, and a new one goes on.
TEST_EACH(KillRow, row, a_kill_between_two_calls_makes_no_second_instance, list_kills) {
    World *w = world_new();
    NodeClaim *claims[CLAIMS];
    CloudResult results[CLAIMS] = {0};

    make_claims(w, claims);
    w->budget = row->budget;
    (void)world_launch(w, claims, CLAIMS); // nobody hears its answer
    world_restart(w);
    launch_until_done(w, claims, results, false);
    assert_one_each(w, results);
    world_free(w);
}

// The same, and instances are shown only seconds after they were launched.
TEST_EACH(KillRow, row, a_kill_makes_no_second_instance_where_ec2_shows_them_late, list_kills) {
    World *w = world_new();
    NodeClaim *claims[CLAIMS];
    CloudResult results[CLAIMS] = {0};

    w->hidden_ns = 12 * NS_PER_S;
    make_claims(w, claims);
    w->budget = row->budget;
    (void)world_launch(w, claims, CLAIMS);
    world_restart(w);
    launch_until_done(w, claims, results, false);
    assert_one_each(w, results);
    world_free(w);
}

// A process dies again and again, a call later each time.
TEST(many_kills_in_a_row_make_no_second_instance) {
    World *w = world_new();
    NodeClaim *claims[CLAIMS];
    CloudResult results[CLAIMS] = {0};

    make_claims(w, claims);
    for (uint32_t budget = 0; budget < 16; budget++) {
        for (uint32_t i = 0; i < CLAIMS; i++)
            claims[i] = world_read(w, symbol_text(&w->symbols, claims[i]->meta.name).ptr);
        w->budget = budget;
        (void)world_launch(w, claims, CLAIMS);
        memory_pass(w->memory, 20 * NS_PER_S);
        world_restart(w);
    }
    launch_until_done(w, claims, results, false);
    assert_one_each(w, results);
    world_free(w);
}

// --- lost answers

typedef struct {
    const char *name, *action;
    bool after; // the call took effect
    bool stale; // the watch has not shown the record yet
    int64_t hidden_ns;
} LossRow;

static void list_losses(TestCases *cases) {
    static LossRow rows[] = {
        {"templates of the cluster", "DescribeLaunchTemplates", false, false, 0},
        {"a template made, answer lost", "CreateLaunchTemplate", true, false, 0},
        {"a template not made", "CreateLaunchTemplate", false, false, 0},
        {"a fleet's request lost", "CreateFleet", false, false, 0},
        {"a fleet's answer lost", "CreateFleet", true, false, 0},
        {"a fleet's request lost, an old watch", "CreateFleet", false, true, 0},
        {"a fleet's answer lost, an old watch", "CreateFleet", true, true, 0},
        {"a fleet's answer lost, shown after 2 s", "CreateFleet", true, false, 2 * NS_PER_S},
        {"a fleet's answer lost, shown after 15 s", "CreateFleet", true, false, 15 * NS_PER_S},
        {"a fleet's answer lost, shown after 15 s, an old watch", "CreateFleet", true, true, 15 * NS_PER_S},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, &rows[i]);
}

TEST_EACH(LossRow, row, a_lost_call_makes_no_second_instance, list_losses) {
    World *w = world_new();
    NodeClaim *claims[CLAIMS];
    CloudResult results[CLAIMS] = {0};

    w->hidden_ns = row->hidden_ns;
    make_claims(w, claims);
    world_lose(w, row->action, row->after);
    memcpy(results, world_launch(w, claims, CLAIMS), sizeof results);
    launch_until_done(w, claims, results, row->stale);
    assert_one_each(w, results);
    world_free(w);
}

// tenon: an answer that was lost is found by the token at once.
TEST(a_fleet_whose_answer_is_lost_is_found_in_the_same_call) {
    World *w = world_new();
    NodeClaim *claims[CLAIMS];

    make_claims(w, claims);
    world_lose(w, "CreateFleet", true);
    assert_one_each(w, world_launch(w, claims, CLAIMS));
    assert_int_equal(w->fleets.count, 1);
    assert_true(memory_rested_ns(w->memory) < 10 * NS_PER_S);
    world_free(w);
}

// tenon: what nobody knows is said, within some seconds.
TEST(a_fleet_of_unknown_outcome_is_not_waited_for_long) {
    World *w = world_new();
    CloudResult result;

    world_lose(w, "CreateFleet", false);
    result = world_launch_one(w, world_claim(w, "n-1"));
    assert_int_equal(result.code, ERR_IO);
    assert_string_equal(result.error.reason, "LaunchOutcomeUnknown");
    assert_true(memory_rested_ns(w->memory) < 15 * NS_PER_S);
    result = world_launch_one(w, world_read(w, "n-1"));
    assert_string_equal(result.error.reason, "LaunchOutcomeUnknown");
    assert_int_equal(world_calls(w, "CreateFleet"), 3); // attempts of one call
    memory_pass(w->memory, 30 * NS_PER_S);
    assert_int_equal(world_launch_one(w, world_read(w, "n-1")).code, OK);
    assert_int_equal(world_running(w), 1);
    world_free(w);
}

// tenon: rights to look the token up are missing.
TEST(a_lookup_that_is_refused_launches_nothing) {
    World *w = world_new();
    WorldFault *fault;

    world_lose(w, "CreateFleet", true);
    fault = world_fault(w, "DescribeInstances", "UnauthorizedOperation");
    fault->status = 403;
    fault->times = 10;
    assert_int_equal(world_launch_one(w, world_claim(w, "n-1")).code, ERR_IO);
    memory_pass(w->memory, NS_PER_HOUR / 10);
    assert_int_equal(world_launch_one(w, world_read(w, "n-1")).code, ERR_DENIED);
    w->faults.items[1].times = 0;
    assert_int_equal(world_launch_one(w, world_read(w, "n-1")).code, OK);
    assert_int_equal(world_running(w), 1);
    world_free(w);
}

// tenon: EC2 knows the token with other parameters.
TEST(a_mismatch_is_looked_up_and_then_launched_with_a_new_token) {
    World *w = world_new();
    WorldFault *fault = world_fault(w, "CreateFleet", "IdempotentParameterMismatch");

    fault->times = 1;
    assert_int_equal(world_launch_one(w, world_claim(w, "n-1")).code, ERR_IO);
    assert_true(world_calls(w, "DescribeInstances") > 0);
    assert_int_equal(world_launch_one(w, world_read(w, "n-1")).code, OK);
    assert_int_equal(world_running(w), 1);
    world_free(w);
}

// tenon: a mismatch after the fleet was made finds it.
TEST(a_mismatch_of_a_fleet_that_exists_gives_its_instances) {
    World *w = world_new();
    NodeClaim *claims[CLAIMS];
    CloudResult results[CLAIMS] = {0};
    WorldFault *fault;

    make_claims(w, claims);
    fault = world_lose(w, "CreateFleet", true);
    fault->times = 1;
    world_fault(w, "CreateFleet", "IdempotentParameterMismatch");
    memcpy(results, world_launch(w, claims, CLAIMS), sizeof results);
    assert_one_each(w, results);
    assert_int_equal(w->fleets.count, 1);
    world_free(w);
}

// tenon: launching again what was launched answers the same instance.
TEST(a_repeated_launch_answers_the_same_instance) {
    World *w = world_new();
    NodeClaim *claims[CLAIMS];
    CloudResult results[CLAIMS];

    make_claims(w, claims);
    memcpy(results, world_launch(w, claims, CLAIMS), sizeof results);
    for (uint32_t i = 0; i < CLAIMS; i++)
        assert_int_equal(world_launch_one(w, claims[i]).instance.provider_id, results[i].instance.provider_id);
    world_restart(w);
    for (uint32_t i = 0; i < CLAIMS; i++)
        assert_int_equal(
            world_launch_one(w, world_read(w, symbol_text(&w->symbols, claims[i]->meta.name).ptr)).instance.provider_id,
            results[i].instance.provider_id);
    assert_int_equal(world_running(w), CLAIMS);
    world_free(w);
}

// tenon: of a partial fleet of a former process, those who have an instance keep it, and the rest is launched.
TEST(a_partial_fleet_of_a_former_process_is_dealt_by_rank) {
    World *w = world_new();
    NodeClaim *claims[CLAIMS];
    CloudResult results[CLAIMS] = {0};

    make_claims(w, claims);
    w->room = 2;
    (void)world_launch(w, claims, CLAIMS);
    w->room = UINT32_MAX;
    world_restart(w);
    launch_until_done(w, claims, results, false);
    assert_one_each(w, results);
    world_free(w);
}

typedef struct {
    const char *text;
} RecordRow;

static void list_records(TestCases *cases) {
    static RecordRow rows[] = {{"''"}, {"x"}, {"x/"}, {"x/-1/2"}, {"x/2/2"}, {"/1/2"}, {"x/1/99999999999"}, {"x/a/b"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].text, &rows[i]);
}

// A user wrote something else into the annotation.
TEST_EACH(RecordRow, row, an_annotation_that_is_no_record_is_none, list_records) {
    World *w = world_new();
    const char *text = arena_printf(&w->arena, "tenon.sh/launch: %s", row->text).ptr;

    assert_int_equal(world_launch_one(w, world_claim_with(w, &(WorldClaim){.name = "n-1", .annotations = text})).code,
                     OK);
    assert_int_equal(world_calls(w, "DescribeInstances"), 0);
    assert_int_equal(world_running(w), 1);
    world_free(w);
}

// --- templates that are lost

// launchtemplate: a lost template is retried once.
TEST(a_lost_template_is_made_again_once) {
    World *w = world_new();

    assert_int_equal(world_launch_one(w, world_claim(w, "n-1")).code, OK);
    w->templates.count = 0;
    assert_int_equal(world_launch_one(w, world_claim(w, "n-2")).code, OK);
    assert_int_equal(world_calls(w, "CreateFleet"), 3);
    assert_int_equal(world_calls(w, "CreateLaunchTemplate"), 2);
    assert_int_equal(world_running(w), 2);
    world_free(w);
}

TEST(a_template_that_is_lost_twice_fails_the_launch) {
    World *w = world_new();
    WorldFault *fault = world_fault(w, "CreateFleet", "InvalidLaunchTemplateName.NotFoundException");
    CloudResult result;

    fault->times = 2;
    result = world_launch_one(w, world_claim(w, "n-1"));
    assert_int_equal(result.code, ERR_INVALID);
    assert_int_equal(world_calls(w, "CreateFleet"), 2);
    assert_int_equal(world_launch_one(w, world_read(w, "n-1")).code, OK);
    world_free(w);
}
