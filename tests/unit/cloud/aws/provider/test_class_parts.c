// What a lookup finds: conditions, status, failures. Upstream: pkg/controllers/nodeclass (ami, subnet, security group,
// capacity reservation, placement group, instance profile).
#include "cloud/aws/provider/class_bed.h"

#include <stdio.h>

FIXTURE(ClassBed, bed_new, bed_free);

#define GROUPS  "securityGroupSelectorTerms: [{tags: {d: c}}]"
#define SUBNETS "subnetSelectorTerms: [{tags: {d: c}}]"
#define IMAGES  "amiSelectorTerms: [{alias: al2023@latest}]"
#define ROLE    "role: node-role"

TEST_F(ClassBed, bed, everything_is_found) {
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed->class.failure.text, "");
    assert_string_equal(bed_condition(bed, "AMIsReady"), "True");
    assert_string_equal(bed_condition(bed, "SubnetsReady"), "True");
    assert_string_equal(bed_condition(bed, "SecurityGroupsReady"), "True");
    assert_string_equal(bed_condition(bed, "InstanceProfileReady"), "True");
    assert_string_equal(bed_condition(bed, "PlacementGroupReady"), "True");
    assert_string_equal(bed_condition(bed, "CapacityReservationsReady"), "True");
    assert_string_equal(bed_condition(bed, "ValidationSucceeded"), "True");
    assert_int_equal(bed->class.after_ns, NS_PER_MIN);
    // Subnets by free addresses, in their status.
    assert_string_equal(bed_status(bed, "subnets"),
                        "[{\"id\":\"subnet-a\",\"zone\":\"us-east-1a\",\"zoneID\":\"use1-az1\"},{\"id\":\"subnet-b\","
                        "\"zone\":\"us-east-1b\",\"zoneID\":\"use1-az2\"}]");
    assert_string_equal(bed_status(bed, "securityGroups"), "[{\"id\":\"sg-1\",\"name\":\"nodes\"}]");
    assert_string_equal(bed_status(bed, "capacityReservations"), "null");
    assert_non_null(strstr(bed_status(bed, "amis"), "{\"id\":\"ami-x\",\"name\":\"al2023-x\",\"requirements\":"));
    assert_non_null(strstr(bed_status(bed, "instanceProfile"), "\"c_"));
    assert_true(slice_eq_text(bed->class.hash_version.value, "v6"));
    assert_true(slice_eq_text(bed->class.hash.key, "karpenter.k8s.aws/ec2nodeclass-hash"));
    assert_true(bed->class.hash.value.len > 10);
}

TEST_F(ClassBed, bed, a_class_that_is_not_there) {
    CloudError error = {0};
    CloudClass class;

    assert_int_equal(provider_class_resolve(bed->provider, &bed->arena, SLICE("other"), &class, &error), ERR_NOT_FOUND);
    assert_null(provider_class_hold(bed->provider, SLICE("other")));
    assert_string_equal(bed->actions.len ? "asked" : "", "");
}

TEST_F(ClassBed, bed, an_api_server_that_fails_is_no_missing_class) {
    assert_int_equal(bed_resolve(bed), OK);
    bed->kube_faults = 1;
    bed->kube_reason = KUBE_REASON_INTERNAL_ERROR;
    assert_int_equal(bed_resolve(bed), ERR_IO);
    provider_class_release(provider_class_hold(bed->provider, SLICE("default")));
    assert_non_null(provider_types(bed->provider, SLICE("default")));
}

// --- each condition, with an answer in place of the usual one

typedef struct {
    const char *spec;                 // NULL: the usual one
    const char *action, *body;        // an answer of status 200; body NULL: `code`
    const char *code;                 // a fault; "lost": no answer
    const char *condition, *expected; // of the condition
    const char *failure;              // part of the failure; NULL: there is none
} ConditionRow;

#define AWAITING "Unknown AwaitingReconciliation"

static const ConditionRow rows[] = {
    // subnet controller: selectors that find nothing (R113), faults
    {NULL, "DescribeSubnets", "<DescribeSubnetsResponse><subnetSet/></DescribeSubnetsResponse>", NULL, "SubnetsReady",
     "False SubnetsNotFound", NULL},
    {NULL, "DescribeSubnets", NULL, "UnauthorizedOperation", "SubnetsReady", AWAITING, "getting subnets"},
    {NULL, "DescribeSubnets", NULL, "RequestLimitExceeded", "SubnetsReady", AWAITING, "getting subnets"},
    {NULL, "DescribeSubnets", NULL, "lost", "SubnetsReady", AWAITING, "getting subnets"},
    {NULL, "DescribeSubnets", "<html>portal</html>", NULL, "SubnetsReady", AWAITING, "getting subnets"},
    // entries without an id or zone are none
    {NULL, "DescribeSubnets",
     "<DescribeSubnetsResponse><subnetSet><item><subnetId>subnet-a</subnetId></item><item><availabilityZone>us-east-1a"
     "</availabilityZone></item></subnetSet></DescribeSubnetsResponse>",
     NULL, "SubnetsReady", "False SubnetsNotFound", NULL},
    // security group controller
    {NULL, "DescribeSecurityGroups",
     "<DescribeSecurityGroupsResponse><securityGroupInfo/></DescribeSecurityGroupsResponse>", NULL,
     "SecurityGroupsReady", "False SecurityGroupsNotFound", NULL},
    {NULL, "DescribeSecurityGroups", NULL, "UnauthorizedOperation", "SecurityGroupsReady", AWAITING,
     "getting security groups"},
    {NULL, "DescribeSecurityGroups", NULL, "RequestLimitExceeded", "SecurityGroupsReady", AWAITING,
     "getting security groups"},
    // ami controller
    {NULL, "DescribeImages", "<DescribeImagesResponse><imagesSet/></DescribeImagesResponse>", NULL, "AMIsReady",
     "False AMINotFound", NULL},
    {NULL, "DescribeImages",
     "<DescribeImagesResponse><imagesSet><item><imageId>ami-x</imageId><architecture>i386</architecture></item>"
     "</imagesSet></DescribeImagesResponse>",
     NULL, "AMIsReady", "False AMINotFound", NULL},
    {NULL, "DescribeImages", NULL, "UnauthorizedOperation", "AMIsReady", AWAITING, "getting amis"},
    {NULL, "DescribeImages", NULL, "RequestLimitExceeded", "AMIsReady", AWAITING, "getting amis"},
    {NULL, "GetParameter", NULL, "json ThrottlingException", "AMIsReady", AWAITING, "getting amis"},
    {NULL, "GetParameter", NULL, "json AccessDeniedException", "AMIsReady", AWAITING, "getting amis"},
    {NULL, "GetParameter", NULL, "json ParameterNotFound", "AMIsReady", AWAITING, "none of the parameters"},
    {NULL, "GetParameter", "{}", NULL, "AMIsReady", AWAITING, "none of the parameters"},
    {NULL, "GetParameter", "{\"Parameter\": {\"Value\": \"no image\"}}", NULL, "AMIsReady", AWAITING,
     "none of the parameters"},
    {"{" ROLE ", " SUBNETS ", " GROUPS ", amiSelectorTerms: [{alias: al2@latest}]}", NULL, NULL, NULL, "AMIsReady",
     "False UnsupportedAlias", NULL},
    {"{" ROLE ", " SUBNETS ", " GROUPS ", amiSelectorTerms: [{alias: windows2025@latest}]}", NULL, NULL, NULL,
     "AMIsReady", "False UnsupportedAlias", NULL},
    {"{" ROLE ", " SUBNETS ", " GROUPS ", amiSelectorTerms: [{alias: al2023@v20261101}]}", NULL, NULL, NULL,
     "AMIsReady", "True", NULL},
    {"{" ROLE ", " SUBNETS ", " GROUPS ", amiSelectorTerms: [{alias: bottlerocket@1.46.0}]}", NULL, NULL, NULL,
     "AMIsReady", "True", NULL},
    {"{" ROLE ", " SUBNETS ", " GROUPS ", amiFamily: AL2023, amiSelectorTerms: [{id: ami-x}]}", NULL, NULL, NULL,
     "AMIsReady", "True", NULL},
    {"{" ROLE ", " SUBNETS ", " GROUPS ", amiFamily: AL2023, amiSelectorTerms: [{name: x*}, {tags: {a: b}}]}", NULL,
     NULL, NULL, "AMIsReady", "True", NULL},
    {"{" ROLE ", " SUBNETS ", " GROUPS ", amiFamily: AL2023, amiSelectorTerms: [{ssmParameter: /mine}]}", NULL, NULL,
     NULL, "AMIsReady", "True", NULL},
    // ssmParameter terms: not found or bad, ignored
    {"{" ROLE ", " SUBNETS ", " GROUPS ", amiFamily: AL2023, amiSelectorTerms: [{ssmParameter: /mine}]}",
     "GetParameter", NULL, "json ParameterNotFound", "AMIsReady", "False AMINotFound", NULL},
    {"{" ROLE ", " SUBNETS ", " GROUPS ", amiFamily: AL2023, amiSelectorTerms: [{ssmParameter: /mine}]}",
     "GetParameter", "{\"Parameter\": {\"Value\": \"x\"}}", NULL, "AMIsReady", "False AMINotFound", NULL},
    // capacity reservation controller
    {"{" ROLE ", " SUBNETS ", " GROUPS ", " IMAGES ", capacityReservationSelectorTerms: [{tags: {a: b}}]}",
     "DescribeCapacityReservations", NULL, "UnauthorizedOperation", "CapacityReservationsReady", AWAITING,
     "getting capacity reservations"},
    {"{" ROLE ", " SUBNETS ", " GROUPS ", " IMAGES ", capacityReservationSelectorTerms: [{tags: {a: b}}]}",
     "DescribeCapacityReservations", NULL, "RequestLimitExceeded", "CapacityReservationsReady", AWAITING,
     "getting capacity reservations"},
    {"{" ROLE ", " SUBNETS ", " GROUPS ", " IMAGES ", capacityReservationSelectorTerms: [{id: cr-9}]}",
     "DescribeCapacityReservations", NULL, "InvalidCapacityReservationId.NotFound", "CapacityReservationsReady", "True",
     NULL},
    // placement group: an unknown name is a fault of EC2's, an empty answer is none
    {"{" ROLE ", " SUBNETS ", " GROUPS ", " IMAGES ", placementGroupSelector: {name: g}}", NULL, NULL, NULL,
     "PlacementGroupReady", "True", NULL},
    {"{" ROLE ", " SUBNETS ", " GROUPS ", " IMAGES ", placementGroupSelector: {name: g}}", "DescribePlacementGroups",
     NULL, "InvalidPlacementGroup.Unknown", "PlacementGroupReady", "False PlacementGroupResolutionFailed", NULL},
    {"{" ROLE ", " SUBNETS ", " GROUPS ", " IMAGES ", placementGroupSelector: {id: pg-7}}", "DescribePlacementGroups",
     "<DescribePlacementGroupsResponse><placementGroupSet/></DescribePlacementGroupsResponse>", NULL,
     "PlacementGroupReady", "False PlacementGroupNotFound", NULL},
    {"{" ROLE ", " SUBNETS ", " GROUPS ", " IMAGES ", placementGroupSelector: {name: g}}", "DescribePlacementGroups",
     NULL, "UnauthorizedOperation", "PlacementGroupReady", "False PlacementGroupResolutionFailed", NULL},
    {"{" ROLE ", " SUBNETS ", " GROUPS ", " IMAGES ", placementGroupSelector: {name: g}}", "DescribePlacementGroups",
     NULL, "RequestLimitExceeded", "PlacementGroupReady", AWAITING, "getting the placement group"},
    // instance profile controller
    {"{instanceProfile: mine, " SUBNETS ", " GROUPS ", " IMAGES "}", NULL, NULL, NULL, "InstanceProfileReady", "True",
     NULL},
    {"{role: missing, " SUBNETS ", " GROUPS ", " IMAGES "}", NULL, NULL, NULL, "InstanceProfileReady", AWAITING,
     "role \"missing\" of spec.role does not exist"},
    {NULL, "CreateInstanceProfile", NULL, "AccessDenied", "InstanceProfileReady", AWAITING,
     "resolving the instance profile"},
    {NULL, "AddRoleToInstanceProfile", NULL, "AccessDenied", "InstanceProfileReady", AWAITING,
     "resolving the instance profile"},
    {NULL, "CreateInstanceProfile", NULL, "lost", "InstanceProfileReady", AWAITING, "resolving the instance profile"},
};

static MemoryReply reply_of(ClassBed *bed, const ConditionRow *row) {
    if (row->body)
        return (MemoryReply){.body = row->body};
    if (strcmp(row->code, "lost") == 0)
        return bed_lost;
    if (strncmp(row->code, "json ", 5) == 0)
        return bed_json_fault(bed, row->code + 5);
    return bed_fault(bed, row->code, "the message");
}

static void list_conditions(TestCases *cases) {
    static char names[sizeof rows / sizeof *rows][48];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(names[i], sizeof *names, "%s: row %zu", rows[i].condition, i);
        test_case(cases, names[i], (void *)(uintptr_t)&rows[i]);
    }
}

TEST_EACH(const ConditionRow, row, conditions_say_what_was_found, list_conditions) {
    ClassBed *bed = bed_new();

    if (row->spec)
        bed_class(bed, row->spec);
    if (row->action)
        BED_RULE(bed, .action = row->action, .reply = reply_of(bed, row));
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_condition(bed, row->condition), row->expected);
    if ((row->failure != NULL) != (bed->class.failure.code != OK) ||
        (row->failure && !strstr(bed->class.failure.text, row->failure)))
        fail_msg("%s", bed->class.failure.text);
    // Ready is the sum of what is told, so all of them are.
    assert_int_equal(bed->class.conditions.count, 7);
    // One part's failure leaves the others alone.
    if (strcmp(row->condition, "SubnetsReady") != 0)
        assert_string_equal(bed_condition(bed, "SubnetsReady"), "True");
    if (strcmp(row->condition, "SecurityGroupsReady") != 0)
        assert_string_equal(bed_condition(bed, "SecurityGroupsReady"), "True");
    bed_free(bed);
}

// amifamily: an alias is resolved in part when parameters of some variants are missing.
typedef struct {
    const char *name, *alias, *missing; // part of the parameter's path
} PartialRow;

static const PartialRow partial_rows[] = {
    {"images: al2023 without accelerators", "al2023@latest", "neuron"},
    {"images: al2023 without GPUs", "al2023@latest", "nvidia"},
    {"images: al2023 without arm64", "al2023@latest", "arm64"},
    {"images: bottlerocket without GPUs", "bottlerocket@latest", "nvidia"},
    {"images: bottlerocket without arm64", "bottlerocket@latest", "arm64"},
};

static void list_partial(TestCases *cases) {
    for (size_t i = 0; i < sizeof partial_rows / sizeof *partial_rows; i++)
        test_case(cases, partial_rows[i].name, (void *)(uintptr_t)&partial_rows[i]);
}

TEST_EACH(const PartialRow, row, an_alias_has_the_images_that_are_there, list_partial) {
    ClassBed *bed = bed_new();

    bed_class(bed, arena_printf(&bed->arena, "{%s, %s, %s, amiSelectorTerms: [{alias: %s}]}", ROLE, SUBNETS, GROUPS,
                                row->alias)
                       .ptr);
    BED_RULE(bed, .action = "GetParameter", .match = row->missing, .reply = bed_json_fault(bed, "ParameterNotFound"));
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_condition(bed, "AMIsReady"), "True");
    assert_int_equal(bed->class.failure.code, OK);
    assert_non_null(strstr(bed_sent(bed, "GetParameter"), "/aws/service/"));
    bed_free(bed);
}

// --- what stays

// What cannot be asked does not wipe what was found before: the member is not told, the condition stays.
TEST(a_failure_keeps_what_was_found) {
    static const struct {
        const char *action, *condition, *member;
    } parts[] = {
        {"DescribeSubnets", "SubnetsReady", "subnets"},
        {"DescribeSecurityGroups", "SecurityGroupsReady", "securityGroups"},
        {"DescribeImages", "AMIsReady", "amis"},
    };

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        static const char *const codes[] = {"UnauthorizedOperation", "RequestLimitExceeded", "InternalError"};

        for (size_t k = 0; k < sizeof codes / sizeof *codes; k++) {
            ClassBed *bed = bed_new();
            const char *found;

            assert_int_equal(bed_resolve(bed), OK);
            found = bed_status(bed, parts[i].member);
            bed_write_back(bed);
            BED_RULE(bed, .action = parts[i].action, .reply = bed_fault(bed, codes[k], "m"));
            bed_pass(bed, 2 * NS_PER_MIN);
            assert_int_equal(bed_resolve(bed), OK); // of this process: the last answer
            assert_int_not_equal(bed->class.failure.code, OK);
            assert_string_equal(bed_condition(bed, parts[i].condition), "True");
            assert_string_equal(bed_status(bed, parts[i].member), found);
            bed_restart(bed);
            assert_int_equal(provider_version_refresh(bed->provider, NULL), OK);
            assert_int_equal(bed_resolve(bed), OK); // of another: what is stored
            assert_int_not_equal(bed->class.failure.code, OK);
            assert_string_equal(bed_condition(bed, parts[i].condition), "True");
            assert_string_equal(bed_status(bed, parts[i].member), "-");
            bed_free(bed);
        }
    }
}

static const char *ready_of(ClassBed *bed) {
    const ClassSnapshot *snapshot = provider_class_hold(bed->provider, SLICE("default"));
    const char *status = "-";

    for (uint32_t i = 0; snapshot && i < snapshot->class.conditions.count; i++) {
        const Condition *condition = &snapshot->class.conditions.items[i];
        Symbols *symbols = &bed->provider->symbols;

        if (slice_eq_text(symbol_text(symbols, condition->type), "Ready"))
            status = symbol_text(symbols, condition->status).ptr;
    }
    provider_class_release(snapshot);
    return status;
}

TEST_F(ClassBed, bed, after_a_restart_the_class_is_as_it_was_written) {
    const ClassSnapshot *snapshot;

    assert_int_equal(bed_resolve(bed), OK);
    bed_write_back(bed);
    bed_restart(bed);
    BED_RULE(bed, .action = "DescribeSubnets", .reply = bed_lost);
    BED_RULE(bed, .action = "DescribeSecurityGroups", .reply = bed_lost);
    BED_RULE(bed, .action = "DescribeImages", .reply = bed_lost);
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(ready_of(bed), "True");
    snapshot = provider_class_hold(bed->provider, SLICE("default"));
    assert_int_equal(snapshot->class.subnets.count, 2);
    assert_int_equal(snapshot->class.found.amis.count, 3);
    assert_int_equal(snapshot->ami_requirements.count, 3);
    provider_class_release(snapshot);
    assert_non_null(provider_types(bed->provider, SLICE("default")));
}

TEST_F(ClassBed, bed, what_the_status_leaves_out_is_asked_before_anybody_launches) {
    bed_class(bed, "{" ROLE ", " SUBNETS ", " GROUPS ", " IMAGES ", placementGroupSelector: {name: g}}");
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(ready_of(bed), "True");
    bed_write_back(bed);
    bed_restart(bed);
    assert_int_equal(provider_version_refresh(bed->provider, NULL), OK);
    BED_RULE(bed, .action = "DescribePlacementGroups", .reply = bed_lost);
    assert_int_equal(bed_resolve(bed), OK);
    assert_int_not_equal(bed->class.failure.code, OK);
    bed_clear_rules(bed);
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(ready_of(bed), "True");
}

TEST_F(ClassBed, bed, without_a_version_images_of_aliases_wait) {
    bed->version = NULL;
    bed_restart(bed);
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_condition(bed, "AMIsReady"), AWAITING);
    assert_non_null(strstr(bed->class.failure.text, "the version of Kubernetes is not known yet"));
    assert_int_equal(bed_calls(bed, "GetParameter"), 0);
    bed->version = "1.34";
    assert_int_equal(provider_version_refresh(bed->provider, NULL), OK);
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_condition(bed, "AMIsReady"), "True");
}

TEST_F(ClassBed, bed, a_new_version_asks_for_images_anew) {
    assert_int_equal(bed_resolve(bed), OK);
    assert_non_null(strstr(bed_sent(bed, "GetParameter"), "/1.34/"));
    bed->version = "v1.35.2+";
    assert_int_equal(provider_version_refresh(bed->provider, NULL), OK);
    assert_int_equal(bed_resolve(bed), OK);
    assert_non_null(strstr(bed_sent(bed, "GetParameter"), "/1.35/"));
}

// --- reservations

TEST_F(ClassBed, bed, reservations_have_their_room) {
    const ClassSnapshot *snapshot;

    bed_class(bed, "{" ROLE ", " SUBNETS ", " GROUPS ", " IMAGES
                   ", capacityReservationSelectorTerms: [{id: cr-1}, {tags: {a: '*'}, ownerID: '111122223333'}]}");
    assert_int_equal(bed_resolve(bed), OK);
    assert_non_null(strstr(bed_status(bed, "capacityReservations"), "\"id\":\"cr-1\""));
    assert_null(strstr(bed_sent(bed, "DescribeCapacityReservations"), "CapacityReservationId.1"));
    assert_non_null(strstr(bed_sent(bed, "DescribeCapacityReservations"), "owner-id"));
    assert_int_equal(bed_calls(bed, "DescribeCapacityReservations"), 2);
    snapshot = provider_class_hold(bed->provider, SLICE("default"));
    assert_int_equal(snapshot->class.reservations.count, 1);
    assert_int_equal(snapshot->class.reservations.items[0].available_count, 3);
    provider_class_release(snapshot);
}

TEST_F(ClassBed, bed, room_that_changes_makes_a_new_snapshot) {
    const ClassSnapshot *before, *after;

    bed_class(bed, "{" ROLE ", " SUBNETS ", " GROUPS ", " IMAGES ", capacityReservationSelectorTerms: [{id: cr-1}]}");
    assert_int_equal(bed_resolve(bed), OK);
    bed_write_back(bed);
    before = provider_class_hold(bed->provider, SLICE("default"));
    BED_RULE(bed, .action = "DescribeCapacityReservations",
             .reply = {.body = "<DescribeCapacityReservationsResponse><capacityReservationSet><item>"
                               "<capacityReservationId>cr-1</capacityReservationId><ownerId>111122223333</ownerId>"
                               "<instanceType>m5.large</instanceType><availabilityZone>us-east-1a</availabilityZone>"
                               "<availableInstanceCount>2</availableInstanceCount><state>active</state>"
                               "<instanceMatchCriteria>targeted</instanceMatchCriteria></item><item>"
                               "<capacityReservationId>cr-2</capacityReservationId><instanceMatchCriteria>new"
                               "</instanceMatchCriteria></item></capacityReservationSet>"
                               "</DescribeCapacityReservationsResponse>"});
    bed_pass(bed, NS_PER_MIN);
    assert_int_equal(bed_resolve(bed), OK);
    after = provider_class_hold(bed->provider, SLICE("default"));
    assert_true(after->number > before->number);
    assert_int_equal(after->class.reservations.items[0].available_count, 2);
    assert_int_equal(before->class.reservations.items[0].available_count, 3);
    assert_non_null(strstr(buffer_slice(&bed->log).ptr, "passed over"));
    provider_class_release(before);
    provider_class_release(after);
}

TEST_F(ClassBed, bed, a_reservation_that_ends_is_looked_at_then) {
    bed_class(bed, "{" ROLE ", " SUBNETS ", " GROUPS ", " IMAGES ", capacityReservationSelectorTerms: [{id: cr-1}]}");
    BED_RULE(bed, .action = "DescribeCapacityReservations",
             .reply = {.body = "<DescribeCapacityReservationsResponse><capacityReservationSet><item>"
                               "<capacityReservationId>cr-1</capacityReservationId><ownerId>111122223333</ownerId>"
                               "<instanceType>m5.large</instanceType><availabilityZone>us-east-1a</availabilityZone>"
                               "<endDate>2026-11-23T08:00:20Z</endDate><reservationType>capacity-block"
                               "</reservationType><instanceMatchCriteria>targeted</instanceMatchCriteria></item>"
                               "</capacityReservationSet></DescribeCapacityReservationsResponse>"});
    assert_int_equal(bed_resolve(bed), OK);
    assert_int_equal(bed->class.after_ns, 20 * NS_PER_S);
    assert_non_null(strstr(bed_status(bed, "capacityReservations"), "\"state\":\"expiring\""));
}

TEST_F(ClassBed, bed, without_the_gate_reservations_are_nobodys_business) {
    bed_class(bed, "{" ROLE ", " SUBNETS ", " GROUPS ", " IMAGES ", capacityReservationSelectorTerms: [{id: cr-1}]}");
    bed->config.settings.reserved_capacity = false;
    bed_restart(bed);
    assert_int_equal(provider_version_refresh(bed->provider, NULL), OK);
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_condition(bed, "CapacityReservationsReady"), "-");
    assert_string_equal(bed_status(bed, "capacityReservations"), "-");
    assert_int_equal(bed_calls(bed, "DescribeCapacityReservations"), 0);
    assert_string_equal(ready_of(bed), "True");
}

TEST_F(ClassBed, bed, a_placement_group_of_partitions) {
    const ClassSnapshot *snapshot;

    bed_class(bed, "{" ROLE ", " SUBNETS ", " GROUPS ", " IMAGES ", placementGroupSelector: {name: g}}");
    assert_int_equal(bed_resolve(bed), OK);
    snapshot = provider_class_hold(bed->provider, SLICE("default"));
    assert_true(slice_eq_text(snapshot->placement_group_id, "pg-1"));
    assert_int_equal(snapshot->placement_partitions, 5);
    provider_class_release(snapshot);
}

// --- pages, and answers that are strange

TEST_F(ClassBed, bed, half_a_list_is_none) {
    BED_RULE(bed, .action = "DescribeSubnets",
             .reply = {.body = "<DescribeSubnetsResponse><subnetSet><item><subnetId>subnet-a</subnetId>"
                               "<availabilityZone>us-east-1a</availabilityZone></item></subnetSet><nextToken>n"
                               "</nextToken></DescribeSubnetsResponse>"});
    BED_RULE(bed, .action = "DescribeSubnets", .match = "NextToken=n", .reply = bed_lost);
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_condition(bed, "SubnetsReady"), AWAITING);
    assert_string_equal(bed_status(bed, "subnets"), "-");
}

// subnet, securitygroup: pages are one list, empty ones among them.
TEST_F(ClassBed, bed, pages_are_one_list) {
    BED_RULE(bed, .action = "DescribeSubnets",
             .reply = {.body = "<DescribeSubnetsResponse><subnetSet><item><subnetId>subnet-a</subnetId>"
                               "<availabilityZone>us-east-1a</availabilityZone></item></subnetSet><nextToken>n"
                               "</nextToken></DescribeSubnetsResponse>"});
    BED_RULE(
        bed, .action = "DescribeSubnets", .match = "NextToken=n",
        .reply = {.body = "<DescribeSubnetsResponse><subnetSet/><nextToken>m</nextToken></DescribeSubnetsResponse>"});
    BED_RULE(bed, .action = "DescribeSubnets", .match = "NextToken=m",
             .reply = {.body = "<DescribeSubnetsResponse><subnetSet><item><subnetId>subnet-b</subnetId>"
                               "<availabilityZone>us-east-1b</availabilityZone></item></subnetSet>"
                               "</DescribeSubnetsResponse>"});
    BED_RULE(bed, .action = "DescribeSecurityGroups",
             .reply = {.body = "<DescribeSecurityGroupsResponse><securityGroupInfo/><nextToken>n</nextToken>"
                               "</DescribeSecurityGroupsResponse>"});
    BED_RULE(bed, .action = "DescribeSecurityGroups", .match = "NextToken=n",
             .reply = {.body = "<DescribeSecurityGroupsResponse><securityGroupInfo><item><groupId>sg-z</groupId>"
                               "<groupName>z</groupName></item></securityGroupInfo></DescribeSecurityGroupsResponse>"});
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_status(bed, "subnets"), "[{\"id\":\"subnet-a\",\"zone\":\"us-east-1a\"},"
                                                    "{\"id\":\"subnet-b\",\"zone\":\"us-east-1b\"}]");
    assert_string_equal(bed_status(bed, "securityGroups"), "[{\"id\":\"sg-z\",\"name\":\"z\"}]");
}

static uint32_t times_logged(const ClassBed *bed, const char *text) {
    uint32_t count = 0;

    for (const char *at = bed->log.len ? buffer_slice(&bed->log).ptr : ""; (at = strstr(at, text)); at++)
        count++;
    return count;
}

// R025: images, and what else was discovered, are logged when they are other ones.
TEST_F(ClassBed, bed, what_is_discovered_is_logged_when_it_changes) {
    static const char *const told[] = {"discovered amis: default: ", "discovered subnets: default: subnet-",
                                       "discovered security groups: default: sg-"};

    for (int i = 0; i < 3; i++) {
        assert_int_equal(bed_resolve(bed), OK);
        bed_pass(bed, NS_PER_HOUR);
    }
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        assert_int_equal(times_logged(bed, told[i]), 1);
    assert_int_equal(times_logged(bed, "discovered placement group"), 0);
    BED_RULE(bed, .action = "DescribeSubnets",
             .reply = {.body = "<DescribeSubnetsResponse><subnetSet><item><subnetId>subnet-z</subnetId>"
                               "<availabilityZone>us-east-1a</availabilityZone></item></subnetSet>"
                               "</DescribeSubnetsResponse>"});
    assert_int_equal(bed_resolve(bed), OK);
    assert_int_equal(times_logged(bed, "discovered subnets: default: subnet-z\n"), 1);
    assert_int_equal(times_logged(bed, "discovered amis"), 1);
}

TEST_F(ClassBed, bed, what_comes_twice_is_there_once) {
    BED_RULE(bed, .action = "DescribeSubnets",
             .reply = {.body = "<DescribeSubnetsResponse><subnetSet>"
                               "<item><subnetId>subnet-a</subnetId><availabilityZone>us-east-1a</availabilityZone>"
                               "</item><item><subnetId>subnet-a</subnetId><availabilityZone>us-east-1a"
                               "</availabilityZone></item></subnetSet></DescribeSubnetsResponse>"});
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_status(bed, "subnets"), "[{\"id\":\"subnet-a\",\"zone\":\"us-east-1a\"}]");
}

// R015, R016, R144: tags of a term all hold, and all terms are found.
TEST_F(ClassBed, bed, selectors_become_filters) {
    bed_class(bed, "{" ROLE ", " IMAGES ", subnetSelectorTerms: [{id: subnet-1}, {tags: {a: '*', b: c}}, {id: "
                   "subnet-2}], securityGroupSelectorTerms: [{name: web}, {id: sg-2}, {tags: {d: e}}]}");
    assert_int_equal(bed_resolve(bed), OK);
    assert_int_equal(bed_calls(bed, "DescribeSubnets"), 2);
    assert_int_equal(bed_calls(bed, "DescribeSecurityGroups"), 3);
    assert_non_null(
        strstr(buffer_slice(&bed->actions).ptr, "subnet-id&Filter.1.Value.1=subnet-1&Filter.1.Value.2=subnet-2"));
    assert_non_null(strstr(buffer_slice(&bed->actions).ptr, "Filter.1.Name=tag-key&Filter.1.Value.1=a"));
    assert_non_null(strstr(buffer_slice(&bed->actions).ptr, "Filter.2.Name=tag%3Ab&Filter.2.Value.1=c"));
    assert_non_null(strstr(buffer_slice(&bed->actions).ptr, "Filter.1.Name=group-id&Filter.1.Value.1=sg-2"));
    assert_non_null(strstr(buffer_slice(&bed->actions).ptr, "Filter.1.Name=group-name&Filter.1.Value.1=web"));
}

// --- periods

// Calls of each part at a time after the first lookup.
TEST(parts_are_asked_when_their_time_has_come) {
    static const struct {
        int64_t after_ns;
        uint32_t subnets, groups, images, parameters, profiles;
    } times[] = {
        {1, 0, 0, 0, 0, 0},
        {59 * NS_PER_S, 0, 0, 0, 0, 0},
        {NS_PER_MIN, 1, 1, 1, 0, 0},
        {14 * NS_PER_MIN, 1, 1, 1, 0, 0},
        {15 * NS_PER_MIN, 1, 1, 1, 0, 1},
        {25 * NS_PER_HOUR, 1, 1, 1, 5, 1},
    };

    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        ClassBed *bed = bed_new();

        assert_int_equal(bed_resolve(bed), OK);
        bed_write_back(bed);
        bed_forget_calls(bed);
        bed_pass(bed, times[i].after_ns);
        assert_int_equal(bed_resolve(bed), OK);
        assert_int_equal(bed_calls(bed, "DescribeSubnets"), times[i].subnets);
        assert_int_equal(bed_calls(bed, "DescribeSecurityGroups"), times[i].groups);
        assert_int_equal(bed_calls(bed, "DescribeImages"), times[i].images);
        assert_int_equal(bed_calls(bed, "GetParameter"), times[i].parameters);
        assert_int_equal(bed_calls(bed, "GetInstanceProfile"), times[i].profiles);
        bed_free(bed);
    }
}

TEST_F(ClassBed, bed, only_what_changed_is_asked) {
    assert_int_equal(bed_resolve(bed), OK);
    bed_write_back(bed);
    bed_forget_calls(bed);
    bed_patch_class(bed, KUBE_OBJECT, "{spec: {subnetSelectorTerms: [{id: subnet-5}]}}");
    assert_int_equal(bed_resolve(bed), OK);
    assert_int_equal(bed_calls(bed, "DescribeSubnets"), 1);
    assert_int_equal(bed_calls(bed, "DescribeSecurityGroups"), 0);
    assert_int_equal(bed_calls(bed, "DescribeImages"), 0);
    assert_string_equal(ready_of(bed), "True");
}

TEST_F(ClassBed, bed, changed_terms_that_cannot_be_asked_say_nothing) {
    assert_int_equal(bed_resolve(bed), OK);
    bed_write_back(bed);
    bed_patch_class(bed, KUBE_OBJECT, "{spec: {subnetSelectorTerms: [{id: subnet-5}]}}");
    BED_RULE(bed, .action = "DescribeSubnets", .reply = bed_lost);
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_condition(bed, "SubnetsReady"), AWAITING); // what is stored is of another spec
    assert_string_equal(bed_status(bed, "subnets"), "-");
    assert_string_equal(ready_of(bed), "Unknown");
}

TEST_F(ClassBed, bed, nothing_found_is_looked_for_again_in_a_minute) {
    bed->config.settings.ami_refresh_ns = NS_PER_HOUR;
    bed_restart(bed);
    assert_int_equal(provider_version_refresh(bed->provider, NULL), OK);
    BED_RULE(bed, .action = "DescribeImages",
             .reply = {.body = "<DescribeImagesResponse><imagesSet/></DescribeImagesResponse>"});
    assert_int_equal(bed_resolve(bed), OK);
    bed_clear_rules(bed);
    bed_pass(bed, NS_PER_MIN);
    assert_int_equal(bed_resolve(bed), OK);
    assert_string_equal(bed_condition(bed, "AMIsReady"), "True");
}

// --- snapshots

TEST_F(ClassBed, bed, equal_contents_are_one_snapshot) {
    const ClassSnapshot *first, *later;

    assert_int_equal(bed_resolve(bed), OK);
    first = provider_class_hold(bed->provider, SLICE("default"));
    for (int i = 0; i < 3; i++) {
        bed_write_back(bed);
        bed_pass(bed, NS_PER_MIN);
        assert_int_equal(bed_resolve(bed), OK);
    }
    later = provider_class_hold(bed->provider, SLICE("default"));
    assert_ptr_equal(first, later);
    provider_class_release(first);
    provider_class_release(later);
}

TEST_F(ClassBed, bed, another_order_of_subnets_is_the_same_snapshot) {
    const ClassSnapshot *first, *later;

    assert_int_equal(bed_resolve(bed), OK);
    first = provider_class_hold(bed->provider, SLICE("default"));
    BED_RULE(bed, .action = "DescribeSubnets",
             .reply = {.body = "<DescribeSubnetsResponse><subnetSet><item><subnetId>subnet-b</subnetId>"
                               "<availabilityZone>us-east-1b</availabilityZone><availabilityZoneId>use1-az2"
                               "</availabilityZoneId><availableIpAddressCount>900</availableIpAddressCount></item>"
                               "<item><subnetId>subnet-a</subnetId><availabilityZone>us-east-1a</availabilityZone>"
                               "<availabilityZoneId>use1-az1</availabilityZoneId><availableIpAddressCount>200"
                               "</availableIpAddressCount></item></subnetSet></DescribeSubnetsResponse>"});
    bed_write_back(bed);
    bed_pass(bed, NS_PER_MIN);
    assert_int_equal(bed_resolve(bed), OK);
    assert_non_null(strstr(bed_status(bed, "subnets"), "[{\"id\":\"subnet-b\""));
    later = provider_class_hold(bed->provider, SLICE("default"));
    assert_ptr_equal(first, later);
    provider_class_release(first);
    provider_class_release(later);
}

TEST_F(ClassBed, bed, a_held_snapshot_outlives_its_class) {
    const ClassSnapshot *held;
    CloudError error = {0};

    assert_int_equal(bed_resolve(bed), OK);
    held = provider_class_hold(bed->provider, SLICE("default"));
    assert_int_equal(kube_remove(bed->kube, (KubeRef){KUBE_EC2_NODE_CLASS, {0}, SLICE("default")}, NULL, NULL), OK);
    assert_int_equal(bed_resolve(bed), ERR_NOT_FOUND);
    assert_null(provider_class_hold(bed->provider, SLICE("default")));
    assert_null(provider_types(bed->provider, SLICE("default")));
    assert_true(slice_eq_text(held->name, "default"));
    provider_class_release(held);
    assert_int_equal(provider_class_finalize(bed->provider, SLICE("default"), &error), OK);
}

// A class of the same name is another one.
TEST_F(ClassBed, bed, a_class_made_anew_is_looked_up_anew) {
    assert_int_equal(bed_resolve(bed), OK);
    bed_forget_calls(bed);
    bed_class(bed, "{role: other, " SUBNETS ", " GROUPS ", " IMAGES "}");
    assert_int_equal(bed_resolve(bed), OK);
    assert_int_equal(bed_calls(bed, "DescribeSubnets"), 1);
    assert_int_equal(bed_calls(bed, "CreateInstanceProfile"), 1);
}

// --- images of parameters

// providers.ssm.invalidation: a parameter is asked again once its image is deprecated or gone.
TEST(parameters_are_forgotten_with_their_image) {
    static const struct {
        const char *inside;
        uint32_t asked;
    } images[] = {
        {"<item><imageId>ami-x</imageId></item>", 0},
        {"<item><imageId>ami-x</imageId><deprecationTime>2028-11-01T00:00:00.000Z</deprecationTime></item>", 0},
        {"<item><imageId>ami-x</imageId><deprecationTime>2026-11-01T00:00:00.000Z</deprecationTime></item>", 5},
        {"", 5},
    };

    for (size_t i = 0; i < sizeof images / sizeof *images; i++) {
        ClassBed *bed = bed_new();

        assert_int_equal(bed_resolve(bed), OK);
        BED_RULE(bed, .action = "DescribeImages", .times = 1,
                 .reply = {.body = arena_printf(&bed->arena,
                                                "<DescribeImagesResponse><imagesSet>%s</imagesSet>"
                                                "</DescribeImagesResponse>",
                                                images[i].inside)
                                       .ptr});
        assert_int_equal(provider_images_refresh(bed->provider, &bed->error), OK);
        bed_forget_calls(bed);
        bed_pass(bed, NS_PER_MIN);
        assert_int_equal(bed_resolve(bed), OK);
        assert_int_equal(bed_calls(bed, "GetParameter"), images[i].asked);
        bed_free(bed);
    }
}

TEST_F(ClassBed, bed, a_failed_look_at_images_forgets_nothing) {
    assert_int_equal(bed_resolve(bed), OK);
    BED_RULE(bed, .action = "DescribeImages", .times = 1, .reply = bed_fault(bed, "UnauthorizedOperation", "m"));
    assert_int_equal(provider_images_refresh(bed->provider, &bed->error), ERR_DENIED);
    bed_forget_calls(bed);
    bed_pass(bed, NS_PER_MIN);
    assert_int_equal(bed_resolve(bed), OK);
    assert_int_equal(bed_calls(bed, "GetParameter"), 0);
}

TEST_F(ClassBed, bed, a_fixed_version_is_not_looked_at) {
    bed_class(bed, "{" ROLE ", " SUBNETS ", " GROUPS ", amiSelectorTerms: [{alias: al2023@v20261101}]}");
    assert_int_equal(bed_resolve(bed), OK);
    bed_forget_calls(bed);
    assert_int_equal(provider_images_refresh(bed->provider, &bed->error), OK);
    assert_int_equal(bed_calls(bed, "DescribeImages"), 0);
}
