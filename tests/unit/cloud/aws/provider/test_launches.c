// Launches: requests, answers, and what becomes of each claim. Upstream's areas: suites of the instance provider, of
// launch templates and of CreateFleet's batcher (reference aws.md 2.2, 2.6, 3).
#include "cloud/aws/provider/support/ec2_world.h"

FIXTURE(World, world_new, world_free);

static const WorldInstance *launched(const World *w, const CloudResult *result) {
    const WorldInstance *found;
    Slice id;

    if (result->code != OK)
        fail_msg("%s", result->error.err.text);
    id = symbol_text(&w->symbols, result->instance.provider_id);
    for (ptrdiff_t slash; (slash = slice_find(id, '/')) >= 0;)
        id = slice_from(id, (size_t)slash + 1);
    found = world_instance(w, id);
    assert_non_null(found);
    return found;
}

static void make_claims(World *w, NodeClaim **claims, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        claims[i] = world_claim(w, arena_printf(&w->arena, "n-%04u", i).ptr);
}

// Each has an instance, and no two the same.
static void assert_each_has_its_own(World *w, const CloudResult *results, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        (void)launched(w, &results[i]);
        for (uint32_t j = 0; j < i; j++)
            assert_int_not_equal(results[i].instance.provider_id, results[j].instance.provider_id);
    }
}

// --- a lone claim

// instance: should launch an instance; cloudprovider Create: labels and annotations of the NodeClaim.
TEST_F(World, w, a_claim_gets_an_instance_and_its_labels) {
    CloudResult result = world_launch_one(w, world_claim(w, "n-1"));
    const WorldInstance *instance = launched(w, &result);
    const CloudInstance *got = &result.instance;

    assert_string_equal(instance->type, "m5.large");
    assert_true(instance->is_spot);
    assert_string_equal(world_text(w, got->provider_id), arena_printf(&w->arena, "aws:///a/%s", instance->id).ptr);
    assert_string_equal(world_text(w, got->image_id), "ami-amd");
    assert_string_equal(world_text(w, got->zone), "a");
    assert_string_equal(world_text(w, got->capacity_type), "spot");
    assert_string_equal(world_text(w, got->pool), "pool");
    assert_int_equal(got->launched_ns, w->memory->moment.wall_ns);
    assert_false(got->terminating);
    assert_string_equal(world_label(w, &got->labels, "topology.k8s.aws/zone-id"), "az1");
    assert_string_equal(world_label(w, &got->labels, "karpenter.sh/capacity-type"), "spot");
    assert_string_equal(world_label(w, &got->labels, "node.kubernetes.io/instance-type"), "m5.large");
    assert_string_equal(world_label(w, &got->annotations, "karpenter.k8s.aws/ec2nodeclass-hash"), "123");
    assert_string_equal(world_label(w, &got->annotations, "karpenter.k8s.aws/ec2nodeclass-hash-version"), "v6");
    assert_string_equal(world_label(w, &got->annotations, "karpenter.k8s.aws/instance-profile-name"), "profile-1");
    assert_int_equal(resources_get(&got->capacity, NAME_CPU), 2000);
    assert_int_equal(w->launched, 1);
}

// launchtemplate: one template is created and used; reference 3.4, the order of calls.
TEST_F(World, w, a_lone_launch_takes_four_calls_and_the_next_one_one) {
    assert_int_equal(world_launch_one(w, world_claim(w, "n-1")).code, OK);
    assert_string_equal(world_actions(w, 0),
                        "DescribeLaunchTemplates DescribeLaunchTemplates CreateLaunchTemplate CreateFleet");
    assert_int_equal(world_launch_one(w, world_claim(w, "n-2")).code, OK);
    assert_string_equal(world_actions(w, 4), "CreateFleet");
}

// tenon: the record stands on the claim before EC2 is asked.
TEST_F(World, w, the_record_is_written_before_the_fleet) {
    const char *token;

    world_lose(w, "CreateFleet", false);
    assert_int_equal(world_launch_one(w, world_claim(w, "n-1")).code, ERR_IO);
    token = world_param(w, world_body(w, "CreateFleet"), "ClientToken");
    assert_string_equal(world_record(w, "n-1"), arena_printf(&w->arena, "%s/0/1", token).ptr);
}

// instance: tags of instances, volumes and fleets; the token is the instances'.
TEST_F(World, w, instances_have_the_token_and_the_clusters_tags) {
    const char *body;

    assert_int_equal(world_launch_one(w, world_claim(w, "n-1")).code, OK);
    body = world_body(w, "CreateFleet");
    assert_string_equal(world_param(w, body, "TagSpecification.1.ResourceType"), "instance");
    assert_non_null(strstr(body, "tenon.sh%2Flaunch"));
    assert_string_equal(world_param(w, body, "Type"), "instant");
    assert_string_equal(world_param(w, body, "TargetCapacitySpecification.TotalTargetCapacity"), "1");
}

// --- classes

typedef struct {
    const char *name;
    const char *lines; // of the class
    bool lacks_class, is_missing, is_unconfirmed;
    ErrCode code;
    bool class_not_ready;
    const char *reason;
} GateRow;

static void list_gates(TestCases *cases) {
    static GateRow rows[] = {
        // cloudprovider: should return NodeClassNotReady / ICE on a terminating or missing NodeClass
        {.name = "not ready",
         .lines = "status: {conditions: [{type: Ready, status: 'False', message: no subnets}]}",
         .code = ERR_INVALID,
         .class_not_ready = true,
         .reason = ""},
        {.name = "unknown",
         .lines = "status: {conditions: [{type: Ready, status: Unknown}]}",
         .code = ERR_INVALID,
         .reason = "NodeClassReadinessUnknown"},
        {.name = "of an old generation",
         .lines = "status: {conditions: [{type: Ready, status: 'True', observedGeneration: 7}]}",
         .code = ERR_INVALID,
         .class_not_ready = true,
         .reason = ""},
        {.name = "missing", .lacks_class = true, .is_missing = true, .code = ERR_CAPACITY, .reason = ""},
        {.name = "not looked up yet", .lacks_class = true, .code = ERR_IO, .reason = "NodeClassReadinessUnknown"},
        {.name = "types not confirmed",
         .is_unconfirmed = true,
         .code = ERR_IO,
         .reason = "InstanceTypeResolutionFailed"},
        // subnet: no subnets in the status
        {.name = "no subnets",
         .lines = "status: {amis: [{id: ami-amd, requirements: []}], conditions: [{type: Ready, status: 'True', "
                  "observedGeneration: 1}]}",
         .code = ERR_INVALID,
         .reason = "SubnetResolutionFailed"},
        // ami: no image fits
        {.name = "no images",
         .lines = "status: {subnets: [{id: s, zone: a, zoneID: z}], conditions: [{type: Ready, status: 'True', "
                  "observedGeneration: 1}]}",
         .code = ERR_INVALID,
         .reason = ""},
        // userdata: a broken TOML fails the launch
        {.name = "broken user data",
         .lines = "status: {amis: [{id: ami-amd, requirements: []}], subnets: [{id: s, zone: a, zoneID: z}], "
                  "conditions: [{type: Ready, status: 'True', observedGeneration: 1}]}\nspec: {role: r, amiFamily: "
                  "Bottlerocket, userData: '[broken', amiSelectorTerms: [{alias: bottlerocket@latest}], "
                  "subnetSelectorTerms: [{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}]}",
         .code = ERR_INVALID,
         .reason = "LaunchFailed"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, &rows[i]);
}

TEST_EACH(GateRow, row, what_cannot_be_launched_asks_ec2_for_nothing, list_gates) {
    World *w = world_new_with(row->lines ? row->lines : "", "m5.large: s:a:0.05");
    Value object;
    CloudResult result;

    object = test_yaml(&w->arena, "{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: default}, "
                                  "spec: {role: r, amiSelectorTerms: [{alias: al2023@latest}], subnetSelectorTerms: "
                                  "[{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}]}}");
    if (!row->is_missing)
        assert_int_equal(kube_create(w->kube, &w->arena, SLICE("test"), KUBE_EC2_NODE_CLASS, &object, NULL, NULL), OK);
    w->lacks_class = row->lacks_class;
    w->is_confirmed = !row->is_unconfirmed;
    result = world_launch_one(w, world_claim(w, "n-1"));
    assert_int_equal(result.code, row->code);
    assert_int_equal(result.error.class_not_ready, row->class_not_ready);
    assert_string_equal(result.error.reason, row->reason);
    assert_int_equal(world_calls(w, "CreateFleet"), 0);
    assert_int_equal(world_running(w), 0);
    assert_string_equal(world_record(w, "n-1"), "");
    world_free(w);
}

// eks: the service CIDR is needed by AL2023.
TEST_F(World, w, without_the_range_of_services_al2023_waits) {
    w->cidr_fails = true;
    assert_int_equal(world_launch_one(w, world_claim(w, "n-1")).code, ERR_THROTTLED);
    w->cidr_fails = false;
    assert_int_equal(world_launch_one(w, world_claim(w, "n-1b")).code, OK);
}

TEST_F(World, w, without_an_endpoint_nothing_is_launched) {
    w->endpoint = (Slice){0};
    assert_int_equal(world_launch_one(w, world_claim(w, "n-1")).code, ERR_IO);
    assert_int_equal(w->actions.count, 0);
}

// --- several claims

// batcher: create_fleet, identical requests are one call and instances are dealt out.
TEST_F(World, w, equal_claims_are_one_fleet) {
    enum { COUNT = 25 };
    NodeClaim *claims[COUNT];
    const CloudResult *results;

    make_claims(w, claims, COUNT);
    results = world_launch(w, claims, COUNT);
    assert_each_has_its_own(w, results, COUNT);
    assert_int_equal(world_calls(w, "CreateFleet"), 1);
    assert_int_equal(world_running(w), COUNT);
    assert_int_equal(w->launched, COUNT);
}

// batcher: different requests are different calls.
TEST_F(World, w, claims_of_different_wishes_are_fleets_of_their_own) {
    NodeClaim *claims[] = {
        world_claim(w, "n-1"),
        world_claim_with(w, &(WorldClaim){.name = "n-2", .labels = "team: blue"}),
        world_claim_with(w, &(WorldClaim){.name = "n-3",
                                          .requirements = "{key: topology.kubernetes.io/zone, operator: "
                                                          "In, values: [b]}"}),
        world_claim(w, "n-4"),
    };
    const CloudResult *results = world_launch(w, claims, 4);

    assert_each_has_its_own(w, results, 4);
    assert_int_equal(world_calls(w, "CreateFleet"), 3);
    assert_string_equal(launched(w, &results[2])->zone, "b");
}

// batcher: the key is the request, not what led to it.
TEST_F(World, w, claims_whose_pods_differ_share_a_fleet_when_the_same_types_are_left) {
    NodeClaim *claims[] = {world_claim_with(w, &(WorldClaim){.name = "n-1", .requests = "cpu: 1"}),
                           world_claim_with(w, &(WorldClaim){.name = "n-2", .requests = "cpu: 1100m"})};

    assert_each_has_its_own(w, world_launch(w, claims, 2), 2);
    assert_int_equal(world_calls(w, "CreateFleet"), 1);
}

// launchtemplate: identical NodeClasses have templates of their own.
TEST_F(World, w, two_classes_in_one_call_are_two_fleets_with_templates_of_their_own) {
    NodeClaim *claims[] = {world_claim(w, "n-1"),
                           world_claim_with(w, &(WorldClaim){.name = "n-2", .class_name = "other"}),
                           world_claim_with(w, &(WorldClaim){.name = "n-3", .class_name = "nobody"})};
    const CloudResult *results;

    world_add_class(w, "other", "");
    results = world_launch(w, claims, 3);
    assert_each_has_its_own(w, results, 2);
    assert_string_equal(launched(w, &results[0])->node_class, "default");
    assert_string_equal(launched(w, &results[1])->node_class, "other");
    assert_int_equal(w->templates.count, 2);
    assert_int_equal(results[2].code, ERR_CAPACITY);
}

// tenon (issue 15, burst): 1,000 claims, 10 calls of 100.
TEST_F(World, w, a_thousand_claims_in_ten_calls_get_a_thousand_instances_from_ten_fleets) {
    enum { COUNT = 1000, A_CALL = 100 };
    NodeClaim **claims = arena_array(&w->arena, NodeClaim *, COUNT);
    bool *seen = arena_array(&w->arena, bool, COUNT);

    make_claims(w, claims, COUNT);
    for (uint32_t from = 0; from < COUNT; from += A_CALL) {
        const CloudResult *results = world_launch(w, claims + from, A_CALL);

        for (uint32_t i = 0; i < A_CALL; i++) {
            ptrdiff_t at = launched(w, &results[i]) - w->instances.items;

            assert_false(seen[at]);
            seen[at] = true;
        }
    }
    assert_int_equal(world_calls(w, "CreateFleet"), 10);
    assert_int_equal(world_calls(w, "CreateLaunchTemplate"), 1);
    assert_int_equal(world_running(w), COUNT);
}

// --- capacity

// instance: capacity error marked despite a partial success.
TEST_F(World, w, what_has_no_capacity_is_marked_although_instances_came) {
    w->errors = "InsufficientInstanceCapacity m5.large a";
    assert_int_equal(world_launch_one(w, world_claim(w, "n-1")).code, OK);
    assert_int_equal(w->marks.count, 1);
    assert_int_equal(w->marks.items[0].kind, UNAVAILABLE_OFFERING);
    assert_string_equal(world_text(w, w->marks.items[0].type), "m5.large");
    assert_string_equal(world_text(w, w->marks.items[0].capacity_type), "spot");
}

// An error of each pool.
#define NO_ROOM(code) code " m5.large a; " code " m5.large b; " code " c5.large a; " code " r5.large b"

typedef struct {
    const char *errors;
    ErrCode code;
    uint32_t marks;
    const char *name;
} ErrorRow;

static void list_errors(TestCases *cases) {
    static ErrorRow rows[] = {
        // instance: ICE of every pool ends the claim; unfulfillable codes of errors.go
        {NO_ROOM("InsufficientInstanceCapacity"), ERR_CAPACITY, 4, "InsufficientInstanceCapacity"},
        {NO_ROOM("MaxSpotInstanceCountExceeded"), ERR_CAPACITY, 4, "MaxSpotInstanceCountExceeded"},
        {NO_ROOM("VcpuLimitExceeded"), ERR_CAPACITY, 4, "VcpuLimitExceeded"},
        {NO_ROOM("UnfulfillableCapacity"), ERR_CAPACITY, 4, "UnfulfillableCapacity"},
        {NO_ROOM("Unsupported"), ERR_CAPACITY, 4, "Unsupported"},
        {NO_ROOM("SpotMaxPriceTooLow"), ERR_CAPACITY, 4, "SpotMaxPriceTooLow"},
        // four pools and two subnets, each named by two of the four
        {NO_ROOM("InsufficientFreeAddressesInSubnet"), ERR_CAPACITY, 8, "InsufficientFreeAddressesInSubnet"},
        // RequestLimitExceeded marks nothing
        {NO_ROOM("RequestLimitExceeded"), ERR_THROTTLED, 0, "RequestLimitExceeded"},
        {NO_ROOM("UnauthorizedOperation"), ERR_DENIED, 0, "UnauthorizedOperation"},
        {NO_ROOM("InternalError"), ERR_INVALID, 0, "InternalError"},
        {NO_ROOM("InvalidAMIID.NotFound"), ERR_INVALID, 0, "InvalidAMIID.NotFound"},
        {NO_ROOM("AuthFailure.ServiceLinkedRoleCreationNotPermitted"), ERR_CAPACITY, 4,
         "AuthFailure.ServiceLinkedRoleCreationNotPermitted"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, &rows[i]);
}

TEST_EACH(ErrorRow, row, errors_of_a_fleet_mark_what_they_say, list_errors) {
    World *w = world_new();
    CloudResult result;

    w->errors = row->errors;
    result = world_launch_one(w, world_claim(w, "n-1"));
    assert_int_equal(result.code, row->code);
    assert_int_equal(w->marks.count, row->marks);
    assert_int_equal(world_running(w), 0);
    world_free(w);
}

// instance: the event about spot's service-linked role.
TEST_F(World, w, a_denied_spot_role_says_what_to_do) {
    CloudResult result;

    w->errors = NO_ROOM("AuthFailure.ServiceLinkedRoleCreationNotPermitted");
    result = world_launch_one(w, world_claim(w, "n-1"));
    assert_non_null(strstr(result.error.err.text, "aws iam create-service-linked-role"));
}

// batcher: unmatched requesters get the errors, or "too few instances returned".
TEST_F(World, w, a_partial_fleet_gives_instances_to_the_first_uids_and_errors_to_the_rest) {
    enum { COUNT = 5 };
    NodeClaim *claims[COUNT];
    const CloudResult *results;
    uint32_t good = 0;

    w->room = 3;
    make_claims(w, claims, COUNT);
    results = world_launch(w, claims, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        good += results[i].code == OK;
        if (results[i].code != OK)
            assert_non_null(strstr(results[i].error.err.text, "too few instances returned"));
    }
    assert_int_equal(good, 3);
    assert_int_equal(world_running(w), 3);
}

// After a partial fleet the rest asks again, with another token: EC2 would answer the old one with the old instances.
TEST_F(World, w, the_rest_of_a_partial_fleet_is_launched_with_another_token) {
    enum { COUNT = 4 };
    NodeClaim *claims[COUNT], *again[COUNT];
    const CloudResult *results;
    uint32_t count = 0;

    w->room = 2;
    make_claims(w, claims, COUNT);
    results = world_launch(w, claims, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        if (results[i].code != OK)
            again[count++] = claims[i]; // as the watch had it before: without the record
    }
    assert_int_equal(count, 2);
    w->room = UINT32_MAX;
    assert_each_has_its_own(w, world_launch(w, again, count), count);
    assert_int_equal(world_running(w), COUNT);
    assert_int_equal(world_calls(w, "DescribeInstances"), 0);
}

// tenon: the same request after a failed fleet is another fleet.
TEST_F(World, w, a_fleet_that_failed_is_asked_for_anew) {
    NodeClaim *claim = world_claim(w, "n-1");

    w->errors = NO_ROOM("UnauthorizedOperation");
    assert_int_equal(world_launch_one(w, claim).code, ERR_DENIED);
    w->errors = NULL;
    assert_int_equal(world_launch_one(w, claim).code, OK);
    assert_int_equal(w->fleets.count, 2);
}

// tenon: an answer with more, doubled or empty ids.
TEST_F(World, w, instances_beyond_what_was_asked_for_are_ended) {
    NodeClaim *claims[2];

    w->surplus = 2;
    make_claims(w, claims, 2);
    assert_each_has_its_own(w, world_launch(w, claims, 2), 2);
    assert_int_equal(world_running(w), 2);
    assert_int_equal(w->instances.count, 4);
}

TEST_F(World, w, ids_that_come_twice_or_empty_end_nothing) {
    NodeClaim *claims[3];

    w->doubles_ids = true;
    make_claims(w, claims, 3);
    assert_each_has_its_own(w, world_launch(w, claims, 3), 3);
    assert_int_equal(world_running(w), 3);
    assert_int_equal(world_calls(w, "TerminateInstances"), 0);
}

// --- refused

typedef struct {
    const char *action, *code;
    int status;
    ErrCode result;
    uint32_t instances; // after the launch was tried again
} RefusalRow;

static void list_refusals(TestCases *cases) {
    static RefusalRow rows[] = {
        // instance: errors of CreateFleet itself; each is tried again
        {"CreateFleet", "UnauthorizedOperation", 403, ERR_DENIED, 1},
        {"CreateFleet", "InvalidParameterValue", 400, ERR_INVALID, 1},
        {"CreateFleet", "InsufficientInstanceCapacity", 400, ERR_INVALID, 1},
        {"CreateFleet", "VcpuLimitExceeded", 400, ERR_INVALID, 1},
        {"CreateLaunchTemplate", "UnauthorizedOperation", 403, ERR_DENIED, 1},
        {"CreateLaunchTemplate", "InvalidParameterValue", 400, ERR_INVALID, 1},
        {"CreateLaunchTemplate", "InvalidUserData.Malformed", 400, ERR_INVALID, 1},
        {"DescribeLaunchTemplates", "UnauthorizedOperation", 403, ERR_DENIED, 1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].code, &rows[i]);
}

TEST_EACH(RefusalRow, row, what_is_refused_is_tried_again_later, list_refusals) {
    World *w = world_new();
    NodeClaim *claim = world_claim(w, "n-1");
    WorldFault *fault = world_fault(w, row->action, row->code);
    CloudResult result;

    fault->status = row->status;
    fault->times = 2; // the templates of former processes are asked for in the same way
    result = world_launch_one(w, claim);
    assert_int_equal(result.code, row->result);
    assert_int_equal(world_running(w), 0);
    assert_int_equal(w->marks.count, 0);
    fault = &w->faults.items[0];
    fault->times = 0;
    assert_int_equal(world_launch_one(w, world_read(w, "n-1")).code, OK);
    assert_int_equal(world_running(w), row->instances);
    world_free(w);
}

// client: throttling is retried by the client, then by the controller.
TEST_F(World, w, throttled_fleets_mark_nothing) {
    NodeClaim *claim = world_claim(w, "n-1");
    WorldFault *fault = world_fault(w, "CreateFleet", "RequestLimitExceeded");

    fault->times = 3;
    fault->status = 503;
    assert_int_equal(world_launch_one(w, claim).code, ERR_THROTTLED);
    assert_int_equal(w->marks.count, 0);
    assert_int_equal(world_launch_one(w, claim).code, OK);
    assert_int_equal(world_running(w), 1);
}

// subnet: failed fleets return addresses.
TEST_F(World, w, a_failed_launch_gives_its_addresses_back) {
    ProviderLaunches *launches = w->provider->launches;
    Symbol subnet = symbol_intern(&w->symbols, SLICE("subnet-a"));
    Ec2SubnetVec subnets = {0};

    vec_push(&w->arena, &subnets,
             (Ec2Subnet){.subnet_id = SLICE("subnet-a"), .available_ip_address_count = aws_integer(1000)});
    provider_subnets_seen(w->provider, &subnets);
    w->errors = NO_ROOM("InsufficientInstanceCapacity");
    assert_int_equal(world_launch_one(w, world_claim(w, "n-1")).code, ERR_CAPACITY);
    assert_int_equal(subnet_book_addresses(&launches->subnets, subnet), 1000);
    w->errors = NULL;
    assert_int_equal(world_launch_one(w, world_claim(w, "n-2")).code, OK);
    assert_int_equal(subnet_book_addresses(&launches->subnets, subnet), 1000 - 29);
}

// aws#5776: a request over the limit of the body.
TEST(a_request_that_is_too_large_is_made_with_fewer_types) {
    World *w = world_new();

    assert_int_equal(world_launch_one(w, world_claim(w, "n-1")).code, OK);
    w->body_max = (uint32_t)strlen(world_body(w, "CreateFleet")) - 1;
    assert_int_equal(world_launch_one(w, world_claim(w, "n-2")).code, OK);
    assert_int_equal(world_calls(w, "CreateFleet"), 3);
    assert_string_equal(w->instances.items[1].type, "m5.large"); // the cheapest stays
    assert_null(world_param(w, world_body(w, "CreateFleet"), "LaunchTemplateConfigs.1.Overrides.3.InstanceType"));
    world_free(w);
}

TEST(a_request_that_is_too_large_whatever_is_left_out_fails) {
    World *w = world_new();

    w->body_max = 100;
    assert_int_equal(world_launch_one(w, world_claim(w, "n-1")).code, ERR_INVALID);
    assert_true(world_calls(w, "CreateFleet") <= 4);
    world_free(w);
}

// --- claims that go

// tenon: a claim that was deleted leaves the launch.
TEST_F(World, w, a_claim_that_is_gone_leaves_and_the_others_are_launched) {
    enum { COUNT = 4 };
    NodeClaim *claims[COUNT];
    const CloudResult *results;

    make_claims(w, claims, COUNT);
    assert_int_equal(kube_remove(w->kube, (KubeRef){KUBE_NODE_CLAIM, {0}, SLICE("n-0001")}, NULL, NULL), OK);
    results = world_launch(w, claims, COUNT);
    assert_int_equal(results[1].code, ERR_NOT_FOUND);
    assert_int_equal(results[0].code + results[2].code + results[3].code, OK);
    assert_int_equal(world_running(w), 3);
    assert_int_equal(world_calls(w, "CreateFleet"), 1);
}

TEST_F(World, w, a_claim_of_the_same_name_with_another_uid_is_not_written_on) {
    NodeClaim *claim = world_claim(w, "n-1");

    assert_int_equal(kube_remove(w->kube, (KubeRef){KUBE_NODE_CLAIM, {0}, SLICE("n-1")}, NULL, NULL), OK);
    (void)world_claim(w, "n-1");
    assert_int_not_equal(world_launch_one(w, claim).code, OK);
    assert_int_equal(world_running(w), 0);
    assert_string_equal(world_record(w, "n-1"), "");
}

TEST_F(World, w, all_claims_gone_asks_ec2_for_nothing) {
    NodeClaim *claims[2];

    make_claims(w, claims, 2);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(kube_remove(w->kube,
                                     (KubeRef){KUBE_NODE_CLAIM, {0}, symbol_text(&w->symbols, claims[i]->meta.name)},
                                     NULL, NULL),
                         OK);
    assert_int_equal(world_launch(w, claims, 2)[0].code, ERR_NOT_FOUND);
    assert_int_equal(world_calls(w, "CreateFleet"), 0);
}

typedef struct {
    const char *name;
    KubeReason reason;
    bool after;
    ErrCode code;
} PatchRow;

static void list_patches(TestCases *cases) {
    static PatchRow rows[] = {
        {"forbidden", KUBE_REASON_FORBIDDEN, false, ERR_DENIED},
        {"busy", KUBE_REASON_TOO_MANY_REQUESTS, false, ERR_THROTTLED},
        {"no answer", KUBE_REASON_TIMEOUT, false, ERR_TIMEOUT},
        {"answer lost", KUBE_REASON_TIMEOUT, true, ERR_TIMEOUT},
        {"conflict", KUBE_REASON_CONFLICT, false, ERR_IO},
        {"broken", KUBE_REASON_INTERNAL_ERROR, true, ERR_IO},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, &rows[i]);
}

// tenon: a record that cannot be written fails that claim alone, for now.
TEST_EACH(PatchRow, row, a_claim_that_cannot_be_written_on_is_tried_again, list_patches) {
    World *w = world_new();
    NodeClaim *claims[3];
    WorldFault *fault = world_fault(w, "PATCH", NULL);
    const CloudResult *results;

    fault->status = (int)row->reason;
    fault->after = row->after;
    make_claims(w, claims, 3);
    results = world_launch(w, claims, 3);
    assert_int_equal(world_running(w), 2);
    for (uint32_t i = 0; i < 3; i++) {
        if (results[i].code == OK)
            continue;
        assert_int_equal(results[i].code, row->code);
        assert_int_equal(world_launch_one(w, claims[i]).code, OK);
    }
    assert_int_equal(world_running(w), 3);
    world_free(w);
}

// --- what claims ask for

// nodeclaim: minValues relaxed leaves the context out; an overlay asks by priority.
TEST(annotations_change_the_request) {
    World *w = world_new_with("spec: {role: r, context: ctx, amiSelectorTerms: [{alias: al2023@latest}], "
                              "subnetSelectorTerms: [{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}]}\n",
                              "m5.large: s:a:0.05");
    const char *body;

    assert_int_equal(world_launch_one(w, world_claim(w, "n-1")).code, OK);
    body = world_body(w, "CreateFleet");
    assert_string_equal(world_param(w, body, "Context"), "ctx");
    assert_string_equal(world_param(w, body, "SpotOptions.AllocationStrategy"), "price-capacity-optimized");
    assert_int_equal(
        world_launch_one(w, world_claim_with(w, &(WorldClaim){.name = "n-2",
                                                              .annotations = "karpenter.sh/nodeclaim-min-values-relaxed"
                                                                             ": 'true', karpenter.sh/price-overlay-"
                                                                             "applied: 'x'"}))
            .code,
        OK);
    body = world_body(w, "CreateFleet");
    assert_null(world_param(w, body, "Context"));
    assert_string_equal(world_param(w, body, "SpotOptions.AllocationStrategy"), "capacity-optimized-prioritized");
    world_free(w);
}

// instance: fallback to on-demand when spot is not allowed or there is none.
TEST_F(World, w, on_demand_is_asked_for_where_spot_is_not_allowed) {
    const WorldClaim claim = {.name = "n-1",
                              .requirements = "{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}"};
    CloudResult result = world_launch_one(w, world_claim_with(w, &claim));

    assert_false(launched(w, &result)->is_spot);
    assert_string_equal(world_param(w, world_body(w, "CreateFleet"), "OnDemandOptions.AllocationStrategy"),
                        "lowest-price");
}

// instance: the flexibility warning.
TEST(few_types_on_demand_although_spot_is_allowed_are_worth_a_warning) {
    World *w = world_new_with("", "m5.large: o:a:0.10");

    assert_int_equal(world_launch_one(w, world_claim(w, "n-1")).code, OK);
    assert_true(slice_contains(buffer_slice(&w->log), SLICE("at least 5 instance types")));
    world_free(w);
}

// instance: nothing compatible is ICE.
TEST_F(World, w, a_wish_that_no_type_meets_ends_the_claim) {
    const WorldClaim claim = {.name = "n-1",
                              .requirements = "{key: topology.kubernetes.io/zone, operator: In, values: [z]}"};

    assert_int_equal(world_launch_one(w, world_claim_with(w, &claim)).code, ERR_CAPACITY);
    assert_int_equal(w->actions.count, 0);
}

// --- reservations

#define RESERVED "m5.large: r:a:0.01:cr-1:2 s:a:0.05"

// instance: reservations, MarkLaunched for each instance; one template per reservation.
TEST(a_launch_into_a_reservation_is_counted) {
    World *w = world_new_with("", RESERVED);
    CloudResult result = world_launch_one(w, world_claim(w, "n-1"));

    (void)launched(w, &result);
    assert_string_equal(world_text(w, result.instance.capacity_type), "reserved");
    assert_string_equal(world_label(w, &result.instance.labels, "karpenter.k8s.aws/capacity-reservation-id"), "cr-1");
    assert_int_equal(w->reservations_launched, 1);
    world_free(w);
}

// instance: ReservationCapacityExceeded empties the reservation, and marks nothing.
TEST(a_full_reservation_is_told) {
    World *w = world_new_with("", RESERVED);

    w->errors = "ReservationCapacityExceeded m5.large a";
    assert_int_equal(world_launch_one(w, world_claim(w, "n-1")).code, ERR_CAPACITY);
    assert_string_equal(w->full_reservation, "cr-1");
    assert_int_equal(w->marks.count, 0);
    assert_int_equal(w->reservations_launched, 0);
    world_free(w);
}

// instance: any other want of capacity marks the reservation.
TEST(a_reservation_without_capacity_is_marked) {
    World *w = world_new_with("", RESERVED);

    w->errors = "InvalidCapacityReservationState.Unavailable m5.large a";
    assert_int_equal(world_launch_one(w, world_claim(w, "n-1")).code, ERR_CAPACITY);
    assert_int_equal(w->marks.count, 1);
    assert_int_equal(w->marks.items[0].kind, UNAVAILABLE_RESERVATION);
    world_free(w);
}

// --- metrics (reference aws.md 9.1)

// instance: launch failures are counted for each offering, whatever else the answer has.
TEST_F(World, w, failures_of_offerings_are_counted) {
    w->errors = "InsufficientInstanceCapacity m5.large a; VcpuLimitExceeded m5.large b";
    assert_int_equal(world_launch_one(w, world_claim(w, "n-1")).code, OK);
    buffer_append_char(&w->counted, '\0');
    assert_string_equal(w->counted.bytes, "a az1 spot LaunchFailed; b az2 spot VCPULimitExceeded; ");
    assert_true(w->user_data_bytes > 0 && w->user_data_bytes < 16384);
}

// A call that was refused says nothing of offerings.
TEST_F(World, w, a_refused_call_is_no_failure_of_an_offering) {
    world_fault(w, "CreateFleet", "UnauthorizedOperation");
    assert_int_not_equal(world_launch_one(w, world_claim(w, "n-1")).code, OK);
    assert_int_equal(w->counted.len, 0);
}
