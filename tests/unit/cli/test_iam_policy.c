// `tenon iam-policy`: the rights of Karpenter's CloudFormation template (upstream: website/…/cloudformation.yaml, six
// policies; reference aws.md 10.2), made for tenon's own calls.

#include "aws/service/eventbridge.h"
#include "aws/service/iam.h"
#include "aws/service/operations.h"
#include "aws/service/sqs.h"
#include "cli/aws/policy.h"
#include "harness/test.h"
#include "text/json.h"

#include <stdio.h>

// Characters without white space, as IAM counts them.
enum { MANAGED_POLICY_MAX = 6144, INLINE_POLICIES_MAX = 10240 };

static PolicyFacts everything(void) {
    return (PolicyFacts){.cluster = SLICE("prod"),
                         .region = SLICE("eu-west-1"),
                         .account = SLICE("123456789012"),
                         .queue = SLICE("prod-queue"),
                         .zonal_shift = true,
                         .group = POLICY_GROUP_COUNT};
}

typedef struct {
    Arena arena;
    Buffer text;
    const Value *statements; // a list
} Policy;

static Policy policy_of(const PolicyFacts *facts) {
    Policy policy = {0};
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Err err;

    assert_int_equal(policy_print(&policy.text, facts, &err), OK);
    assert_int_equal(
        json_parse(&policy.arena, SLICE("policy"), buffer_slice(&policy.text), NULL, &documents, &warnings, &err), OK);
    assert_int_equal(documents.count, 1);
    assert_int_equal(warnings.count, 0);
    assert_true(slice_eq_text(value_get_text(&documents.items[0].root, "Version")->text, "2012-10-17"));
    policy.statements = value_get_text(&documents.items[0].root, "Statement");
    return policy;
}

static void policy_free(Policy *policy) {
    buffer_free(&policy->text);
    arena_free(&policy->arena);
}

static bool has_text(const Value *list, Slice text) {
    for (vec_each(const Value, item, &list->list)) {
        if (slice_eq(item->text, text))
            return true;
    }
    return false;
}

static uint32_t statements_with(const Policy *policy, const char *action) {
    uint32_t count = 0;

    for (vec_each(const Value, statement, &policy->statements->list))
        count += has_text(value_get_text(statement, "Action"), slice_of(action));
    return count;
}

static const Value *statement_named(const Policy *policy, const char *sid) {
    for (vec_each(const Value, statement, &policy->statements->list)) {
        if (slice_eq_text(value_get_text(statement, "Sid")->text, sid))
            return statement;
    }
    return NULL;
}

// A role asks STS for itself, which its trust policy allows, or that of the other role.
static bool is_of_credentials(const AwsOperation *operation) {
    return strcmp(operation->service->id, "sts") == 0;
}

// What `tenon doctor` alone asks, with the rights of whoever runs it.
static bool is_of_doctor(const AwsOperation *operation) {
    return operation == &events_list_rule_names_by_target || operation == &events_list_rules ||
           operation == &iam_list_attached_role_policies || operation == &sqs_get_queue_attributes;
}

// Whether the controller makes the call with its role's rights.
static bool is_of_role(const AwsOperation *operation) {
    return !is_of_credentials(operation) && !is_of_doctor(operation);
}

static bool is_call(Slice action) {
    char name[128];

    for (uint32_t i = 0; i < aws_operation_count; i++) {
        snprintf(name, sizeof name, "%s:%s", aws_operations[i]->service->signing_name, aws_operations[i]->name);
        if (slice_eq_text(action, name) && is_of_role(aws_operations[i]))
            return true;
    }
    return false;
}

TEST(every_call_has_its_right) {
    PolicyFacts facts = everything();
    Policy policy = policy_of(&facts);
    char name[128];

    for (uint32_t i = 0; i < aws_operation_count; i++) {
        snprintf(name, sizeof name, "%s:%s", aws_operations[i]->service->signing_name, aws_operations[i]->name);
        if (is_of_role(aws_operations[i]) && !statements_with(&policy, name))
            fail_msg("nothing allows %s", name);
        if (!is_of_role(aws_operations[i]) && statements_with(&policy, name))
            fail_msg("%s is no right of the controller's", name);
    }
    policy_free(&policy);
}

TEST(there_is_no_right_without_a_call) {
    PolicyFacts facts = everything();
    Policy policy = policy_of(&facts);

    for (vec_each(const Value, statement, &policy.statements->list)) {
        for (vec_each(const Value, action, &value_get_text(statement, "Action")->list)) {
            bool is_asked_for_beside = slice_eq_text(action->text, "iam:PassRole") || // with RunInstances, CreateFleet
                                       slice_eq_text(action->text, "iam:TagInstanceProfile"); // with the creation

            if (!is_asked_for_beside && !is_call(action->text))
                fail_msg("tenon does not call %.*s", SLICE_ARG(action->text));
        }
    }
    policy_free(&policy);
}

// What changes something is bound to the cluster's own: by tags, or by the resource's name.
TEST(nothing_is_changed_without_a_condition) {
    static const char *const changes[] = {"Create", "Delete", "Terminate", "Reboot", "Add", "Remove", "Tag", "Pass"};
    PolicyFacts facts = everything();
    Policy policy = policy_of(&facts);

    for (vec_each(const Value, statement, &policy.statements->list)) {
        Slice action = value_get_text(statement, "Action")->list.items[0].text;
        Slice word = slice_from(action, (size_t)slice_find(action, ':') + 1);
        bool is_change = false;

        for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
            is_change |= slice_starts_with(word, slice_of(changes[i]));
        if (is_change && !slice_starts_with(action, SLICE("sqs:")) && !value_get_text(statement, "Condition"))
            fail_msg("%.*s has no condition", SLICE_ARG(action));
        if (is_change && has_text(value_get_text(statement, "Resource"), SLICE("*")))
            fail_msg("%.*s is allowed of everything", SLICE_ARG(action));
    }
    policy_free(&policy);
}

TEST(places_are_filled) {
    PolicyFacts facts = everything();
    Policy policy = policy_of(&facts);
    const Value *queue = statement_named(&policy, "AllowInterruptionQueueActions");
    const Value *shift = statement_named(&policy, "AllowZonalShiftReadActions");
    const Value *deletion = statement_named(&policy, "AllowScopedDeletion");

    for (size_t i = 0; i < policy.text.len; i++) { // no place is left
        if (policy.text.bytes[i] == '{' && policy.text.bytes[i + 1] >= 'a' && policy.text.bytes[i + 1] <= 'z')
            fail_msg("a place: %.20s", policy.text.bytes + i);
    }
    assert_true(has_text(value_get_text(queue, "Resource"), SLICE("arn:aws:sqs:eu-west-1:123456789012:prod-queue")));
    assert_true(
        slice_eq_text(value_at(shift, "Condition", "StringEquals", "arc-zonal-shift:ResourceIdentifier", NULL)->text,
                      "arn:aws:eks:eu-west-1:123456789012:cluster/prod"));
    assert_true(slice_eq_text(
        value_at(deletion, "Condition", "StringEquals", "aws:ResourceTag/kubernetes.io/cluster/prod", NULL)->text,
        "owned"));
    assert_true(slice_eq_text(
        value_at(deletion, "Condition", "StringLike", "aws:ResourceTag/karpenter.sh/nodepool", NULL)->text, "*"));
    assert_true(has_text(value_get_text(statement_named(&policy, "AllowPassingInstanceRole"), "Resource"),
                         SLICE("arn:aws:iam::123456789012:role/KarpenterNodeRole-prod")));
    policy_free(&policy);
}

TEST(what_is_not_used_has_no_rights) {
    PolicyFacts facts = everything();
    Policy policy;

    facts.queue = (Slice){0};
    facts.zonal_shift = false;
    facts.isolated_vpc = true;
    policy = policy_of(&facts);
    assert_int_equal(statements_with(&policy, "sqs:ReceiveMessage"), 0);
    assert_int_equal(statements_with(&policy, "arc-zonal-shift:GetManagedResource"), 0);
    assert_int_equal(statements_with(&policy, "pricing:GetProducts"), 0);
    assert_int_equal(statements_with(&policy, "iam:CreateInstanceProfile"), 0);
    assert_int_equal(statements_with(&policy, "iam:TagInstanceProfile"), 0);
    assert_null(statement_named(&policy, "AllowLinkingOldInstances"));
    assert_int_equal(statements_with(&policy, "iam:PassRole"), 1); // of the user's instance profile
    assert_true(statements_with(&policy, "ec2:CreateFleet") >= 1);
    policy_free(&policy);
}

// What cloud/aws/provider/instance_care.c puts on an instance that Karpenter up to v0.27 launched.
TEST(instances_of_2023_may_be_tagged) {
    PolicyFacts facts = everything();
    const Value *keys, *statement;
    Policy policy;

    facts.old_nodes = true;
    policy = policy_of(&facts);
    statement = statement_named(&policy, "AllowLinkingOldInstances");
    keys = value_at(statement, "Condition", "ForAllValues:StringEquals", "aws:TagKeys", NULL);
    assert_int_equal(keys->list.count, 6);
    assert_true(has_text(keys, SLICE("karpenter.sh/nodepool")) && has_text(keys, SLICE("karpenter.sh/managed-by")));
    assert_true(slice_eq_text(
        value_at(statement, "Condition", "StringLike", "aws:ResourceTag/karpenter.sh/provisioner-name", NULL)->text,
        "*"));
    policy_free(&policy);
}

// R169: names of resources are of the partition.
TEST(partitions_roles_and_parameters) {
    PolicyFacts facts = everything();
    Slice roles[] = {SLICE("nodes"), SLICE("team/gpu")}, parameters[] = {SLICE("/golden/al2023"), SLICE("mine")};
    const Value *passing, *reading;
    Policy policy;

    facts.region = SLICE("cn-north-1");
    facts.node_roles = (SliceVec){.items = roles, .count = 2, .capacity = 2};
    facts.ssm_parameters = (SliceVec){.items = parameters, .count = 2, .capacity = 2};
    policy = policy_of(&facts);
    passing = statement_named(&policy, "AllowPassingInstanceRole");
    reading = value_get_text(statement_named(&policy, "AllowSSMReadActions"), "Resource");
    assert_true(has_text(value_get_text(passing, "Resource"), SLICE("arn:aws-cn:iam::123456789012:role/team/gpu")));
    assert_true(slice_eq_text(value_at(passing, "Condition", "StringEquals", "iam:PassedToService", NULL)->text,
                              "ec2.amazonaws.com.cn"));
    assert_int_equal(reading->list.count, 3);
    assert_true(has_text(reading, SLICE("arn:aws-cn:ssm:cn-north-1:123456789012:parameter/golden/al2023")));
    assert_true(has_text(reading, SLICE("arn:aws-cn:ssm:cn-north-1:123456789012:parameter/mine")));
    policy_free(&policy);
    facts.partition = SLICE("aws-iso");
    policy = policy_of(&facts);
    assert_true(has_text(value_get_text(statement_named(&policy, "AllowScopedReboot"), "Resource"),
                         SLICE("arn:aws-iso:ec2:cn-north-1:*:instance/*")));
    policy_free(&policy);
}

static size_t length_without_space(const Buffer *text) {
    size_t length = 0;

    for (size_t i = 0; i < text->len; i++)
        length += text->bytes[i] != ' ' && text->bytes[i] != '\n';
    return length;
}

// With a cluster name of 100 characters, the longest that EKS has.
TEST(each_group_fits_a_managed_policy_and_all_fit_a_role) {
    PolicyFacts facts = everything();
    char name[101];
    Policy policy;
    uint32_t statements = 0;

    memset(name, 'c', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    facts.cluster = slice_of(name);
    policy = policy_of(&facts);
    assert_true(length_without_space(&policy.text) <= INLINE_POLICIES_MAX);
    for (uint32_t group = 0; group < POLICY_GROUP_COUNT; group++) {
        Policy part;

        facts.group = (PolicyGroup)group;
        assert_int_equal(policy_group_of(slice_of(policy_group_text(facts.group))), group);
        part = policy_of(&facts);
        if (length_without_space(&part.text) > MANAGED_POLICY_MAX)
            fail_msg("%s: %zu characters", policy_group_text(facts.group), length_without_space(&part.text));
        statements += part.statements->list.count;
        policy_free(&part);
    }
    assert_int_equal(statements, policy.statements->list.count);
    policy_free(&policy);
}

TEST(mistakes_name_the_flag) {
    static const struct {
        const char *cluster, *region, *account, *queue, *text;
    } rows[] = {
        {"", "eu-west-1", "123456789012", "", "--cluster-name is needed"},
        {"prod*", "eu-west-1", "123456789012", "", "--cluster-name: expected letters"},
        {"${aws:username}", "eu-west-1", "123456789012", "", "--cluster-name: expected letters"},
        {"prod", "", "123456789012", "", "--region is needed, as eu-west-1"},
        {"prod", "*", "123456789012", "", "--region: expected"},
        {"prod", "eu-west-1", "", "", "--account: expected the 12 digits"},
        {"prod", "eu-west-1", "12345678901", "", "--account: expected"},
        {"prod", "eu-west-1", "1234567890123", "", "--account: expected"},
        {"prod", "eu-west-1", "12345678901x", "", "--account: expected"},
        {"prod", "eu-west-1", "123456789012", "q*", "--interruption-queue: expected"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        PolicyFacts facts = {.cluster = slice_of(rows[i].cluster),
                             .region = slice_of(rows[i].region),
                             .account = slice_of(rows[i].account),
                             .queue = slice_of(rows[i].queue),
                             .group = POLICY_GROUP_COUNT};
        Buffer text = {0};
        Err err = {0};

        if (policy_print(&text, &facts, &err) != ERR_INVALID || !strstr(err.text, rows[i].text))
            fail_msg("row %zu: \"%s\" has no \"%s\"", i, err.text, rows[i].text);
        assert_int_equal(text.len, 0);
    }
}

TEST(a_group_that_needs_a_fact_says_so) {
    PolicyFacts facts = everything();
    Buffer text = {0};
    Err err = {0};

    facts.queue = (Slice){0};
    facts.group = POLICY_INTERRUPTION;
    assert_int_equal(policy_print(&text, &facts, &err), ERR_NOT_FOUND);
    assert_non_null(strstr(err.text, "without --interruption-queue"));
    assert_int_equal(policy_group_of(SLICE("Nope")), POLICY_GROUP_COUNT);
}
