// Instances that exist: listed, looked up, ended, restarted, tagged, compared with their class. Upstream's areas: the
// suites of the instance provider, of the terminate and describe batchers, of tagging and of drift (reference aws.md
// 2.2, 3.8, 7.3, 7.9, 7.10).
#include "cloud/aws/provider/publish.h"
#include "cloud/aws/provider/support/ec2_world.h"

#include <stdio.h>

FIXTURE(World, world_new, world_free);

static Symbol id_of(World *w, const char *id) {
    return symbol_intern(&w->symbols, arena_printf(&w->arena, "aws:///a/%s", id));
}

static Symbol word(World *w, const char *text) {
    return symbol_intern(&w->symbols, slice_of(text));
}

static void add(World *w, const char *id, const char *state) {
    world_add_instance(w, &(WorldInstance){.id = id, .state = state});
}

// --- list

// instance: List returns what has the cluster's tags, except what has ended.
TEST_F(World, w, a_list_has_all_that_have_not_ended) {
    CloudInstanceVec instances = {0};

    add(w, "i-2", "running");
    add(w, "i-1", "shutting-down");
    add(w, "i-3", "terminated");
    world_add_instance(
        w, &(WorldInstance){.id = "i-4", .is_spot = true, .claim = "n-4", .token = "t", .node_class = "gone"});
    assert_int_equal(cloud_list(w->cloud, &w->arena, &instances, NULL), OK);
    assert_int_equal(instances.count, 3);
    assert_string_equal(world_text(w, instances.items[0].provider_id), "aws:///a/i-1");
    assert_true(instances.items[0].terminating);
    assert_false(instances.items[1].terminating);
    assert_string_equal(world_text(w, instances.items[2].capacity_type), "spot");
    assert_string_equal(world_text(w, instances.items[2].claim_name), "n-4");
    assert_string_equal(world_text(w, instances.items[2].launch), "t");
    assert_int_equal(resources_get(&instances.items[1].capacity, NAME_CPU), 2000);
    assert_int_equal(w->listed, 3);
}

TEST_F(World, w, the_list_asks_for_tags_alone) {
    CloudInstanceVec instances = {0};
    const char *body;

    assert_int_equal(cloud_list(w->cloud, &w->arena, &instances, NULL), OK);
    body = world_body(w, "DescribeInstances");
    assert_string_equal(world_param(w, body, "Filter.1.Value.1"), "karpenter.sh/nodepool");
    assert_string_equal(world_param(w, body, "Filter.2.Value.1"), "karpenter.k8s.aws/ec2nodeclass");
    assert_string_equal(world_param(w, body, "Filter.3.Value.1"), "c");
    assert_string_equal(world_param(w, body, "MaxResults"), "1000");
}

typedef struct {
    const char *name, *code;
    ErrCode lost, result;
} ListRow;

static void list_failures(TestCases *cases) {
    static ListRow rows[] = {{"denied", "UnauthorizedOperation", OK, ERR_DENIED},
                             {"throttled", "RequestLimitExceeded", OK, ERR_THROTTLED},
                             {"not found", "InvalidInstanceID.NotFound", OK, ERR_NOT_FOUND},
                             {"no answer", NULL, ERR_TIMEOUT, ERR_TIMEOUT}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, &rows[i]);
}

// A list that failed is none: who takes it for "no instances" deletes Nodes.
TEST_EACH(ListRow, row, a_list_that_fails_is_an_error, list_failures) {
    World *w = world_new();
    CloudInstanceVec instances = {0};
    WorldFault *fault = world_fault(w, "DescribeInstances", row->code);
    ErrCode code;

    fault->times = 3;
    fault->lost = row->lost;
    w->listed = 7;
    code = cloud_list(w->cloud, &w->arena, &instances, NULL);
    assert_int_not_equal(code, OK);
    assert_int_equal(code, row->result);
    assert_int_equal(w->listed, 7);
    world_free(w);
}

// --- get

// batcher: describe_instances, ids in one call.
TEST_F(World, w, several_are_looked_up_in_one_call) {
    Symbol ids[] = {id_of(w, "i-2"), id_of(w, "i-1"), id_of(w, "i-2")};
    CloudResult results[3];

    add(w, "i-1", "running");
    add(w, "i-2", "shutting-down");
    cloud_get_many(w->cloud, &w->arena, ids, 3, results);
    assert_int_equal(results[0].code + results[1].code + results[2].code, OK);
    assert_int_equal(results[0].instance.provider_id, ids[0]);
    assert_true(results[2].instance.terminating);
    assert_int_equal(results[1].instance.provider_id, ids[1]);
    assert_int_equal(w->actions.count, 1);
}

// batcher: an unknown id fails the call, and the others are found all the same.
TEST_F(World, w, an_unknown_one_is_gone_and_the_others_are_found) {
    Symbol ids[] = {id_of(w, "i-1"), id_of(w, "i-nobody"), id_of(w, "i-2"), id_of(w, "i-3")};
    CloudResult results[4];

    add(w, "i-1", "running");
    add(w, "i-2", "terminated");
    add(w, "i-3", "stopped");
    cloud_get_many(w->cloud, &w->arena, ids, 4, results);
    assert_int_equal(results[0].code, OK);
    assert_int_equal(results[1].code, ERR_NOT_FOUND);
    assert_int_equal(results[2].code, ERR_NOT_FOUND);
    assert_int_equal(results[3].code, OK);
    assert_int_equal(w->actions.count, 2);
}

TEST_F(World, w, more_unknown_ones_than_a_filter_takes_are_asked_for_in_several_calls) {
    enum { COUNT = 450 };
    Symbol ids[COUNT];
    CloudResult *results = arena_array(&w->arena, CloudResult, COUNT);

    for (uint32_t i = 0; i < COUNT; i++)
        ids[i] = id_of(w, arena_printf(&w->arena, "i-%u", i).ptr);
    add(w, "i-449", "running");
    cloud_get_many(w->cloud, &w->arena, ids, COUNT, results);
    assert_int_equal(results[449].code, OK);
    assert_int_equal(results[0].code, ERR_NOT_FOUND);
    assert_int_equal(w->actions.count, 1 + 3);
}

typedef struct {
    const char *name, *code;
    ErrCode lost;
    uint32_t skip; // calls
    bool after;
    ErrCode result;
} GetRow;

static void list_gets(TestCases *cases) {
    static GetRow rows[] = {
        {"denied", "UnauthorizedOperation", OK, 0, false, ERR_DENIED},
        {"throttled", "RequestLimitExceeded", OK, 0, false, ERR_THROTTLED},
        {"no answer", NULL, ERR_IO, 0, false, ERR_IO},
        {"answer lost", NULL, ERR_TIMEOUT, 0, true, ERR_TIMEOUT},
        {"throttled by filter", "RequestLimitExceeded", OK, 1, false, ERR_THROTTLED},
        {"no answer by filter", NULL, ERR_IO, 1, false, ERR_IO},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, &rows[i]);
}

// Nothing is gone because EC2 did not answer.
TEST_EACH(GetRow, row, a_lookup_that_fails_says_of_nobody_that_it_is_gone, list_gets) {
    World *w = world_new();
    Symbol ids[] = {id_of(w, "i-1"), id_of(w, "i-nobody")};
    WorldFault *fault = world_fault(w, "DescribeInstances", row->code);
    CloudResult results[2];

    add(w, "i-1", "running");
    fault->times = 3;
    fault->skip = row->skip;
    fault->lost = row->lost;
    fault->after = row->after;
    cloud_get_many(w->cloud, &w->arena, ids, 2, results);
    assert_int_equal(results[0].code, row->result);
    assert_int_equal(results[1].code, row->result);
    world_free(w);
}

typedef struct {
    const char *provider_id;
} ForeignRow;

static void list_foreign(TestCases *cases) {
    static ForeignRow rows[] = {{"kwok://n"}, {"aws:///a/"}, {"i-1"}, {"gce://p/z/n"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].provider_id, &rows[i]);
}

// instance: a provider id that is not EC2's is an error, not a missing instance.
TEST_EACH(ForeignRow, row, what_is_no_provider_id_of_ec2_is_asked_for_nowhere, list_foreign) {
    World *w = world_new();
    Symbol ids[] = {word(w, row->provider_id), id_of(w, "i-1")};
    CloudResult results[2];

    add(w, "i-1", "running");
    cloud_get_many(w->cloud, &w->arena, ids, 2, results);
    assert_int_equal(results[0].code, ERR_INVALID);
    assert_int_equal(results[1].code, OK);
    cloud_terminate_many(w->cloud, &w->arena, ids, 2, results);
    assert_int_equal(results[0].code, ERR_INVALID);
    assert_int_equal(results[1].code, OK);
    assert_int_equal(cloud_reboot(w->cloud, ids[0], SLICE("x"), NULL), ERR_INVALID);
    world_free(w);
}

// tenon: EC2 may not know for some seconds what it launched.
TEST_F(World, w, an_instance_that_was_just_launched_is_not_gone) {
    CloudResult launched, got;

    w->hidden_ns = 20 * NS_PER_S;
    launched = world_launch_one(w, world_claim(w, "n-1"));
    cloud_get_many(w->cloud, &w->arena, &launched.instance.provider_id, 1, &got);
    assert_int_equal(got.code, ERR_IO);
    memory_pass(w->memory, 30 * NS_PER_S);
    cloud_get_many(w->cloud, &w->arena, &launched.instance.provider_id, 1, &got);
    assert_int_equal(got.code, OK);
    w->instances.count = 0;
    memory_pass(w->memory, NS_PER_MIN);
    cloud_get_many(w->cloud, &w->arena, &launched.instance.provider_id, 1, &got);
    assert_int_equal(got.code, ERR_NOT_FOUND);
}

// tenon (R083): EC2 shows an instance that it ended at its start, and says why; that is more than "not found", and
// holds for one that was launched a moment ago, too.
TEST_F(World, w, R083_an_instance_that_ec2_has_ended_says_why) {
    CloudResult launched = world_launch_one(w, world_claim(w, "n-1")), got[2];
    Symbol ids[] = {launched.instance.provider_id, id_of(w, "i-nobody")};
    uint32_t holders = w->snapshots[0].holders;

    w->instances.items[0].state = "terminated";
    w->instances.items[0].end = "Client.InternalError";
    w->instances.items[0].why = "Client.InternalError: Client error on launch";
    for (uint32_t count = 1; count <= 2; count++) { // alone, and by the filter
        cloud_get_many(w->cloud, &w->arena, ids, count, got);
        assert_int_equal(got[0].code, ERR_NOT_FOUND);
        assert_string_equal(got[0].error.reason, "KMSKeyInaccessible");
        assert_true(got[0].error.recurs);
        assert_non_null(strstr(got[0].error.err.text, "Client error on launch"));
        assert_int_equal(w->snapshots[0].holders, holders);
    }
    assert_int_equal(got[1].code, ERR_NOT_FOUND);
    assert_string_equal(got[1].error.reason, "");
    assert_false(got[1].error.recurs);
}

TEST_F(World, w, R083_the_class_of_an_instance_that_has_ended_may_be_gone) {
    CloudResult launched = world_launch_one(w, world_claim(w, "n-1")), got;

    w->instances.items[0].state = "terminated";
    w->instances.items[0].node_class = "gone";
    cloud_get_many(w->cloud, &w->arena, &launched.instance.provider_id, 1, &got);
    assert_int_equal(got.code, ERR_NOT_FOUND);
    assert_string_equal(got.error.reason, "InstanceEnded");
}

// zonalshift: Get answers from the cache.
TEST_F(World, w, in_a_zone_that_is_left_the_last_list_answers) {
    Symbol ids[] = {id_of(w, "i-1"), id_of(w, "i-2")};
    CloudInstanceVec instances = {0};
    CloudResult results[2];

    add(w, "i-1", "running");
    assert_int_equal(cloud_list(w->cloud, &w->arena, &instances, NULL), OK);
    w->left_zone = "a";
    w->instances.count = 0;
    memory_pass(w->memory, NS_PER_HOUR);
    cloud_get_many(w->cloud, &w->arena, ids, 2, results);
    assert_int_equal(results[0].code, OK);
    assert_int_equal(results[0].instance.provider_id, ids[0]);
    assert_int_equal(results[1].code, ERR_NOT_FOUND); // it was in no list
    w->left_zone = NULL;
    cloud_get_many(w->cloud, &w->arena, ids, 1, results);
    assert_int_equal(results[0].code, ERR_NOT_FOUND);
}

// --- terminate

// batcher: terminate_instances, ids in one call.
TEST_F(World, w, several_are_ended_in_one_call) {
    Symbol ids[] = {id_of(w, "i-1"), id_of(w, "i-2"), id_of(w, "i-3")};
    CloudResult results[3];

    add(w, "i-1", "running");
    add(w, "i-2", "shutting-down");
    add(w, "i-3", "terminated");
    cloud_terminate_many(w->cloud, &w->arena, ids, 3, results);
    assert_int_equal(results[0].code + results[1].code, OK);
    assert_int_equal(results[2].code, ERR_NOT_FOUND);
    assert_int_equal(world_running(w), 0);
    assert_int_equal(w->actions.count, 1);
}

// batcher: a termination of a batch partly failed is retried singly.
TEST_F(World, w, an_unknown_one_fails_the_batch_and_not_the_others) {
    Symbol ids[] = {id_of(w, "i-1"), id_of(w, "i-nobody"), id_of(w, "i-2")};
    CloudResult results[3];

    add(w, "i-1", "running");
    add(w, "i-2", "running");
    cloud_terminate_many(w->cloud, &w->arena, ids, 3, results);
    assert_int_equal(results[0].code, OK);
    assert_int_equal(results[1].code, ERR_NOT_FOUND);
    assert_int_equal(results[2].code, OK);
    assert_int_equal(world_running(w), 0);
    assert_int_equal(w->actions.count, 4);
}

// batcher: an id whose state did not change is retried singly.
TEST_F(World, w, one_that_stays_as_it_is_is_asked_for_once_more_and_fails) {
    Symbol ids[] = {id_of(w, "i-1"), id_of(w, "i-2")};
    CloudResult results[2];

    add(w, "i-1", "running");
    add(w, "i-2", "running");
    w->stuck = "i-2";
    cloud_terminate_many(w->cloud, &w->arena, ids, 2, results);
    assert_int_equal(results[0].code, OK);
    assert_int_equal(results[1].code, ERR_IO);
    assert_int_equal(w->actions.count, 2);
}

typedef struct {
    const char *name, *code;
    ErrCode lost;
    uint32_t times;
    bool after;
    ErrCode first, last;
    uint32_t calls;
} EndRow;

static void list_ends(TestCases *cases) {
    static EndRow rows[] = {
        // a batch that is refused for one instance's tags
        {"denied together", "UnauthorizedOperation", OK, 1, false, OK, OK, 6},
        {"denied for each", "UnauthorizedOperation", OK, 9, false, ERR_DENIED, ERR_DENIED, 4},
        {"throttled", "RequestLimitExceeded", OK, 3, false, ERR_THROTTLED, ERR_THROTTLED, 3},
        {"throttled once", "RequestLimitExceeded", OK, 1, false, OK, OK, 2},
        {"no answer", NULL, ERR_IO, 3, false, ERR_IO, ERR_IO, 3},
        {"answer lost", NULL, ERR_TIMEOUT, 3, true, ERR_TIMEOUT, ERR_TIMEOUT, 3},
        {"protected", "OperationNotPermitted", OK, 2, false, ERR_INVALID, OK, 6},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, &rows[i]);
}

// Each failure counts once, by its zone (reference aws.md 9.1).
static void assert_counted(const World *w, const CloudResult *results, uint32_t count) {
    Buffer wanted = {0};

    for (uint32_t i = 0; i < count; i++)
        buffer_printf(&wanted, "%s", results[i].code == OK ? "" : "a az1; ");
    assert_true(slice_eq(buffer_slice(&w->counted), buffer_slice(&wanted)));
    buffer_free(&wanted);
}

TEST_EACH(EndRow, row, ends_that_fail, list_ends) {
    enum { COUNT = 5 };
    World *w = world_new();
    WorldFault *fault = world_fault(w, "TerminateInstances", row->code);
    CloudResult results[COUNT];
    Symbol ids[COUNT];

    fault->times = row->times;
    fault->lost = row->lost;
    fault->after = row->after;
    for (uint32_t i = 0; i < COUNT; i++) {
        const char *id = arena_printf(&w->arena, "i-%u", i).ptr;

        add(w, id, "running");
        ids[i] = id_of(w, id);
    }
    cloud_terminate_many(w->cloud, &w->arena, ids, COUNT, results);
    assert_int_equal(results[0].code, row->first);
    assert_int_equal(results[COUNT - 1].code, row->last);
    assert_int_equal(w->actions.count, row->calls);
    assert_counted(w, results, COUNT);
    world_free(w);
}

TEST_F(World, w, a_lone_end_is_one_call) {
    CloudError error = {0};

    add(w, "i-1", "running");
    assert_int_equal(cloud_terminate(w->cloud, id_of(w, "i-1"), &error), OK);
    assert_int_equal(cloud_terminate(w->cloud, id_of(w, "i-nobody"), &error), ERR_NOT_FOUND);
    assert_int_equal(w->actions.count, 2);
}

TEST_F(World, w, six_hundred_are_ended_in_two_calls) {
    enum { COUNT = 600 };
    Symbol *ids = arena_array(&w->arena, Symbol, COUNT);
    CloudResult *results = arena_array(&w->arena, CloudResult, COUNT);

    for (uint32_t i = 0; i < COUNT; i++) {
        const char *id = arena_printf(&w->arena, "i-%u", i).ptr;

        add(w, id, "running");
        ids[i] = id_of(w, id);
    }
    cloud_terminate_many(w->cloud, &w->arena, ids, COUNT, results);
    assert_int_equal(world_running(w), 0);
    assert_int_equal(w->actions.count, 2);
}

// tenon: EC2 does not know a new instance yet: it is not gone, and would go on without a claim.
TEST_F(World, w, an_end_of_what_was_just_launched_is_tried_again) {
    CloudResult launched = world_launch_one(w, world_claim(w, "n-1"));
    WorldFault *fault = world_fault(w, "TerminateInstances", "InvalidInstanceID.NotFound");

    fault->times = 1;
    assert_int_equal(cloud_terminate(w->cloud, launched.instance.provider_id, NULL), ERR_IO);
    assert_int_equal(cloud_terminate(w->cloud, launched.instance.provider_id, NULL), OK);
}

// zonalshift: Delete fails, to be tried again.
TEST_F(World, w, in_a_zone_that_is_left_nothing_is_ended) {
    Symbol ids[] = {id_of(w, "i-1"), symbol_intern(&w->symbols, SLICE("aws:///b/i-2"))};
    CloudResult results[2];

    add(w, "i-1", "running");
    add(w, "i-2", "running");
    w->left_zone = "a";
    cloud_terminate_many(w->cloud, &w->arena, ids, 2, results);
    assert_int_equal(results[0].code, ERR_IO);
    assert_int_equal(results[1].code, OK);
    assert_int_equal(world_running(w), 1);
}

// capacityreservation: MarkTerminated, when it is confirmed that the instance is gone.
TEST_F(World, w, a_gone_instance_leaves_room_in_its_reservation) {
    CloudInstanceVec instances = {0};

    world_add_instance(w, &(WorldInstance){.id = "i-1", .reservation = "cr-1"});
    assert_int_equal(cloud_list(w->cloud, &w->arena, &instances, NULL), OK);
    assert_int_equal(cloud_terminate(w->cloud, id_of(w, "i-1"), NULL), OK);
    assert_null(w->ended_reservation);
    w->instances.items[0].state = "terminated";
    assert_int_equal(cloud_terminate(w->cloud, id_of(w, "i-1"), NULL), ERR_NOT_FOUND);
    assert_string_equal(w->ended_reservation, "cr-1");
    w->ended_reservation = NULL;
    cloud_get_many(w->cloud, &w->arena, (Symbol[]){id_of(w, "i-1")}, 1, (CloudResult[1]){{0}});
    assert_string_equal(w->ended_reservation, "cr-1");
}

// --- reboot

typedef struct {
    const char *name, *id, *code;
    ErrCode lost, result;
} RebootRow;

static void list_reboots(TestCases *cases) {
    static RebootRow rows[] = {
        // repair: a refused or denied reboot is final
        {"accepted", "i-1", NULL, OK, OK},
        {"gone", "i-nobody", NULL, OK, ERR_NOT_FOUND},
        {"denied", "i-1", "UnauthorizedOperation", OK, ERR_DENIED},
        {"refused", "i-1", "IncorrectInstanceState", OK, ERR_INVALID},
        {"throttled", "i-1", "RequestLimitExceeded", OK, ERR_THROTTLED},
        {"no answer", "i-1", NULL, ERR_IO, ERR_IO},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, &rows[i]);
}

TEST_EACH(RebootRow, row, reboots, list_reboots) {
    World *w = world_new();
    CloudError error = {0};

    add(w, "i-1", "running");
    if (row->code || row->lost != OK) {
        WorldFault *fault = world_fault(w, "RebootInstances", row->code);

        fault->times = 3;
        fault->lost = row->lost;
    }
    assert_int_equal(cloud_reboot(w->cloud, id_of(w, row->id), SLICE("1"), &error), row->result);
    world_free(w);
}

// --- tags

static NodeClaim *claim_of(World *w, const char *id) {
    NodeClaim *claim =
        world_claim_with(w, &(WorldClaim){.name = "n-1",
                                          .annotations = "karpenter.k8s.aws/ec2nodeclass-hash: '123', "
                                                         "karpenter.k8s.aws/ec2nodeclass-hash-version: v6"});

    claim->provider_id = id_of(w, id);
    claim->node_name = word(w, "node-1");
    return claim;
}

// tagging: Name and nodeclaim are added; what is there is never overwritten.
TEST_F(World, w, an_instance_is_named_after_its_claim_and_node) {
    const NodeClaim *claim = claim_of(w, "i-1");

    add(w, "i-1", "running");
    assert_int_equal(cloud_tag(w->cloud, claim, NULL), OK);
    assert_string_equal(w->instances.items[0].name, "node-1");
    assert_string_equal(w->instances.items[0].claim, "n-1");
    assert_int_equal(cloud_tag(w->cloud, claim, NULL), OK);
    assert_int_equal(world_calls(w, "CreateTags"), 1);
}

TEST_F(World, w, tags_that_are_there_are_left_alone) {
    world_add_instance(w, &(WorldInstance){.id = "i-1", .name = "mine"});
    assert_int_equal(cloud_tag(w->cloud, claim_of(w, "i-1"), NULL), OK);
    assert_string_equal(w->instances.items[0].name, "mine");
    assert_string_equal(w->instances.items[0].claim, "n-1");
    assert_null(world_param(w, world_body(w, "CreateTags"), "Tag.2.Key"));
}

typedef struct {
    const char *name, *id, *action, *code, *left_zone;
    ErrCode result;
} TagRow;

static void list_tags(TestCases *cases) {
    static TagRow rows[] = {
        {"gone", "i-nobody", NULL, NULL, NULL, ERR_NOT_FOUND},
        {"gone meanwhile", "i-1", "CreateTags", "InvalidInstanceID.NotFound", NULL, ERR_NOT_FOUND},
        {"denied", "i-1", "CreateTags", "UnauthorizedOperation", NULL, ERR_DENIED},
        {"lookup denied", "i-1", "DescribeInstances", "UnauthorizedOperation", NULL, ERR_DENIED},
        {"throttled", "i-1", "CreateTags", "RequestLimitExceeded", NULL, ERR_THROTTLED},
        {"zone left", "i-1", NULL, NULL, "a", ERR_IO},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, &rows[i]);
}

TEST_EACH(TagRow, row, tags_that_cannot_be_set, list_tags) {
    World *w = world_new();

    add(w, "i-1", "running");
    w->left_zone = row->left_zone;
    if (row->action)
        world_fault(w, row->action, row->code)->times = 3;
    assert_int_equal(cloud_tag(w->cloud, claim_of(w, row->id), NULL), row->result);
    assert_null(w->instances.items[0].name);
    world_free(w);
}

// --- drift

typedef struct {
    const char *name;
    WorldInstance instance;
    const char *hash, *version; // of the claim
    const char *reason;
    ErrCode code;
} DriftRow;

static void list_drifts(TestCases *cases) {
    static DriftRow rows[] = {
        // drift: the reasons in upstream's order
        {"as it should be", {.id = "i-1"}, "123", "v6", "", OK},
        {"another hash", {.id = "i-1"}, "124", "v6", "NodeClassDrift", OK},
        {"another way of hashing", {.id = "i-1"}, "124", "v5", "", OK},
        {"another image", {.id = "i-1", .image = "ami-old"}, "123", "v6", "AMIDrift", OK},
        {"another subnet", {.id = "i-1", .subnet = "subnet-z"}, "123", "v6", "SubnetDrift", OK},
        {"another security group", {.id = "i-1", .group = "sg-2"}, "123", "v6", "SecurityGroupDrift", OK},
        {"a reservation that is left",
         {.id = "i-1", .reservation = "cr-1"},
         "123",
         "v6",
         "CapacityReservationDrift",
         OK},
        {"a type that is not known", {.id = "i-1", .type = "x9.large"}, "123", "v6", "", ERR_IO},
        {"gone", {.id = "i-2"}, "123", "v6", "", ERR_NOT_FOUND},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, &rows[i]);
}

TEST_EACH(DriftRow, row, drift_by_the_last_list_or_one_that_is_made, list_drifts) {
    for (int listed = 0; listed < 2; listed++) {
        World *w = world_new();
        NodeClaim *claim = claim_of(w, "i-1");
        CloudInstanceVec instances = {0};
        Slice reason = {0};
        uint32_t before;

        labels_set(&w->arena, &claim->meta.annotations, word(w, "karpenter.k8s.aws/ec2nodeclass-hash"),
                   word(w, row->hash));
        labels_set(&w->arena, &claim->meta.annotations, word(w, "karpenter.k8s.aws/ec2nodeclass-hash-version"),
                   word(w, row->version));
        world_add_instance(w, &row->instance);
        memory_pass(w->memory, 31 * NS_PER_MIN); // else the instance might be one of the next list
        if (listed)
            assert_int_equal(cloud_list(w->cloud, &w->arena, &instances, NULL), OK);
        before = w->actions.count;
        assert_int_equal(cloud_is_drifted(w->cloud, claim, &reason, NULL), row->code);
        assert_true(slice_eq_text(reason, row->reason));
        // a reservation is looked at again
        if (listed && row->code != ERR_NOT_FOUND)
            assert_int_equal(w->actions.count - before, row->instance.reservation ? 1 : 0);
        world_free(w);
    }
}

// drift: an old list does not stand for EC2.
TEST_F(World, w, an_old_list_says_nothing_of_drift) {
    NodeClaim *claim = claim_of(w, "i-1");
    CloudInstanceVec instances = {0};
    Slice reason = {0};

    add(w, "i-1", "running");
    assert_int_equal(cloud_list(w->cloud, &w->arena, &instances, NULL), OK);
    memory_pass(w->memory, 11 * NS_PER_MIN);
    assert_int_equal(cloud_is_drifted(w->cloud, claim, &reason, NULL), OK);
    assert_int_equal(world_calls(w, "DescribeInstances"), 2);
}

// tenon (issue 15, burst): what was launched since the last list is not looked up one by one.
TEST_F(World, w, instances_of_a_burst_are_compared_by_the_next_list) {
    CloudInstanceVec instances = {0};
    Slice reason = {0};
    NodeClaim *claim;
    uint32_t before;

    assert_int_equal(cloud_list(w->cloud, &w->arena, &instances, NULL), OK);
    claim = claim_of(w, "i-1");
    world_add_instance(w, &(WorldInstance){.id = "i-1", .image = "ami-old"});
    before = w->actions.count;
    assert_int_equal(cloud_is_drifted(w->cloud, claim, &reason, NULL), OK);
    assert_true(slice_eq_text(reason, ""));
    assert_int_equal(w->actions.count, before);
    assert_int_equal(cloud_list(w->cloud, &w->arena, &instances, NULL), OK);
    assert_int_equal(cloud_is_drifted(w->cloud, claim, &reason, NULL), OK);
    assert_true(slice_eq_text(reason, "AMIDrift"));
}

// What the class became since the last list is what the instance may lack.
TEST_F(World, w, a_class_that_changed_after_the_list_has_young_instances_looked_up) {
    CloudInstanceVec instances = {0};
    Slice reason = {0};
    NodeClaim *claim;

    assert_int_equal(cloud_list(w->cloud, &w->arena, &instances, NULL), OK);
    claim = claim_of(w, "i-1");
    world_add_instance(w, &(WorldInstance){.id = "i-1", .image = "ami-old"});
    w->snapshots[0].published = mono_after(provider_now(w->provider).now, 1);
    assert_int_equal(cloud_is_drifted(w->cloud, claim, &reason, NULL), OK);
    assert_true(slice_eq_text(reason, "AMIDrift"));
}

// tenon (issue 15, burst): nor is what was launched before the class became what it is, once for each.
TEST_F(World, w, a_class_that_changes_in_a_burst_has_instances_listed_once) {
    static const char *const ids[] = {"i-1", "i-2", "i-3", "i-4", "i-5"};
    CloudInstanceVec instances = {0};
    Slice reason = {0};
    NodeClaim *claim;

    assert_int_equal(cloud_list(w->cloud, &w->arena, &instances, NULL), OK);
    memory_pass(w->memory, NS_PER_S);
    for (uint32_t i = 0; i < 5; i++)
        world_add_instance(w, &(WorldInstance){.id = ids[i], .image = "ami-old"});
    claim = claim_of(w, ids[0]);
    w->snapshots[0].published = provider_now(w->provider).now;
    for (uint32_t i = 0; i < 5; i++) {
        claim->provider_id = id_of(w, ids[i]);
        assert_int_equal(cloud_is_drifted(w->cloud, claim, &reason, NULL), OK);
        assert_true(slice_eq_text(reason, "AMIDrift"));
    }
    assert_int_equal(world_calls(w, "DescribeInstances"), 2);
}

// tenon: a process that has just started asks once for all claims.
TEST_F(World, w, without_a_list_one_is_made_for_all) {
    NodeClaim *claim = claim_of(w, "i-1");
    Slice reason = {0};

    add(w, "i-1", "running");
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(cloud_is_drifted(w->cloud, claim, &reason, NULL), OK);
    assert_int_equal(world_calls(w, "DescribeInstances"), 1);
}

TEST_F(World, w, without_its_class_nothing_is_said_of_drift) {
    CloudError error = {0};
    Slice reason = {0};

    w->lacks_class = true;
    assert_int_equal(cloud_is_drifted(w->cloud, claim_of(w, "i-1"), &reason, &error), ERR_IO);
    assert_true(error.class_not_ready);
}

// --- memory

// Provider ids of months do not pile up.
TEST_F(World, w, symbols_of_instances_are_released) {
    uint32_t count = 0;

    for (uint32_t hour = 0; hour < 40; hour++) {
        Arena arena = {0};

        for (uint32_t i = 0; i < 5000; i++) {
            const InstanceFacts facts = {.id = arena_printf(&arena, "i-%u-%u", hour, i),
                                         .type = SLICE("m5.large"),
                                         .zone = SLICE("a"),
                                         .capacity_type = NAME_SPOT,
                                         .tenancy = SLICE("default")};

            (void)provider_instance(w->provider, &arena, &facts, SLICE("default"));
        }
        memory_pass(w->memory, NS_PER_HOUR);
        arena_free(&arena);
        if (hour == 19)
            count = symbols_count(&w->symbols);
    }
    assert_true(symbols_count(&w->symbols) <= count + 5000);
}
