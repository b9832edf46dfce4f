// The checks of what a live cluster and AWS say, with facts that are well and facts that are not.
#include "doctor/checks.h"

#include "harness/test.h"

typedef struct {
    Arena arena;
    Facts facts;
} Clinic;

// What one check says: "ok", "skipped", or "warning: <object>: <text> | <fix>" of its first finding.
static const char *say(Clinic *clinic, const char *id) {
    CheckResultVec results = {0};

    checks_run(&clinic->arena, &clinic->facts, &results);
    for (vec_each(const CheckResult, result, &results)) {
        const Finding *finding = result->findings.items;

        if (strcmp(result->id, id) != 0)
            continue;
        if (!result->findings.count)
            return check_status_text(result->status);
        return arena_text(&clinic->arena,
                          arena_printf(&clinic->arena, "%s: %.*s: %.*s | %.*s", check_status_text(finding->status),
                                       SLICE_ARG(finding->object), SLICE_ARG(finding->text), SLICE_ARG(finding->fix)));
    }
    fail_msg("there is no check %s", id);
    return "";
}

static uint32_t count(Clinic *clinic, const char *id) {
    CheckResultVec results = {0};

    checks_run(&clinic->arena, &clinic->facts, &results);
    for (vec_each(const CheckResult, result, &results)) {
        if (strcmp(result->id, id) == 0)
            return result->findings.count;
    }
    return 0;
}

static Clinic healthy(void) {
    Clinic clinic = {0};
    FactLive *live = &clinic.facts.live;

    live->server = (FactCall){.what = SLICE("https://k"), .object = SLICE("https://k")};
    live->has_rights = true;
    live->user = SLICE("anna");
    live->reader = SLICE("bert");
    return clinic;
}

static void define(Clinic *clinic, const char *name, bool is_served, const char *others) {
    FactDefinition definition = {.name = slice_of(name), .version = SLICE("v1"), .is_served = is_served};

    if (*others)
        vec_push(&clinic->arena, &definition.others, slice_of(others));
    vec_push(&clinic->arena, &clinic->facts.live.definitions, definition);
}

static void call(Clinic *clinic, const char *what, ErrCode code, const char *text) {
    vec_push(&clinic->arena, &clinic->facts.live.aws_calls,
             (FactCall){.what = slice_of(what), .code = code, .text = slice_of(text)});
}

static void allow(Clinic *clinic, FactRight right, bool is_allowed) {
    right.purpose = right.purpose ? right.purpose : "";
    right.is_allowed = is_allowed;
    vec_push(&clinic->arena, &clinic->facts.live.rights, right);
}

TEST(files_alone_say_nothing_of_a_live_cluster) {
    static const char *const live[] = {"api-server",   "definitions",       "rights",        "reads",
                                       "aws-calls",    "instance-profiles", "node-policies", "queue",
                                       "queue-policy", "queue-key",         "queue-rules",   "prices"};
    Clinic clinic = {0};

    for (size_t i = 0; i < sizeof live / sizeof *live; i++)
        assert_string_equal(say(&clinic, live[i]), "skipped");
    arena_free(&clinic.arena);
}

TEST(an_api_server_that_does_not_answer) {
    Clinic clinic = healthy();

    assert_string_equal(say(&clinic, "api-server"), "ok");
    clinic.facts.live.server.code = ERR_IO;
    clinic.facts.live.server.text = SLICE("no route");
    assert_string_equal(say(&clinic, "api-server"), "error: https://k: no route | kubectl cluster-info");
    clinic.facts.live.server.code = ERR_DENIED;
    assert_string_equal(say(&clinic, "api-server"), "error: https://k: no route | kubectl auth whoami");
    arena_free(&clinic.arena);
}

TEST(a_definition_that_is_missing) {
    Clinic clinic = healthy();

    define(&clinic, "nodepools.karpenter.sh", false, "v1alpha9");
    define(&clinic, "nodeclaims.karpenter.sh", true, "");
    define(&clinic, "kwoknodeclasses.karpenter.kwok.sh", true, "");
    define(&clinic, "nodeoverlays.karpenter.sh", false, "");
    assert_string_equal(say(&clinic, "definitions"),
                        "error: nodepools.karpenter.sh: the API server does not serve it as v1 | tenon crds "
                        "nodepools.karpenter.sh | kubectl apply --server-side --force-conflicts -f -");
    clinic.facts.live.definitions.items[0].is_served = true;
    assert_string_equal(say(&clinic, "definitions"), "ok");
    arena_free(&clinic.arena);
}

#define FIRST                                                                                                          \
    "as v1beta1, as Karpenter 0.32 to 0.37 has it: tenon reads v1, and the API server takes no definition without "    \
    "v1beta1 while objects may be stored so | bring Karpenter to 1.0 first (from 0.32 by way of 0.33), which "         \
    "converts the objects and stores them as v1; then ask again"

// Tenon's own would be refused, or leave objects that nobody can read.
TEST(definitions_of_v1beta1_are_not_to_be_replaced) {
    Clinic clinic = healthy();
    FactDefinition *definition;

    define(&clinic, "ec2nodeclasses.karpenter.k8s.aws", false, "v1beta1");
    assert_string_equal(say(&clinic, "definitions"), "error: ec2nodeclasses.karpenter.k8s.aws: it is served " FIRST);
    assert_int_equal(count(&clinic, "definitions"), 1);
    definition = &clinic.facts.live.definitions.items[0];
    definition->is_served = true;
    definition->storage = SLICE("v1beta1");
    assert_string_equal(say(&clinic, "definitions"), "error: ec2nodeclasses.karpenter.k8s.aws: it is stored " FIRST);
    define(&clinic, "provisioners.karpenter.sh", true, "");
    assert_string_equal(say(&clinic, "definitions"), "warning: ec2nodeclasses.karpenter.k8s.aws: it is stored " FIRST);
    arena_free(&clinic.arena);
}

TEST(objects_that_may_still_be_stored_as_v1beta1) {
    Clinic clinic = healthy();
    FactDefinition *definition;

    define(&clinic, "nodepools.karpenter.sh", true, "");
    definition = &clinic.facts.live.definitions.items[0];
    definition->storage = SLICE("v1");
    vec_push(&clinic.arena, &definition->stored, SLICE("v1"));
    assert_string_equal(say(&clinic, "definitions"), "ok");
    vec_push(&clinic.arena, &definition->stored, SLICE("v1beta1"));
    assert_string_equal(say(&clinic, "definitions"),
                        "warning: nodepools.karpenter.sh: some objects may still be stored as v1beta1: the API server "
                        "takes no definition without that version, and only Karpenter 1.0 converts them | kubectl get "
                        "nodepools.karpenter.sh -o name | xargs -r kubectl patch --type=merge -p '{}' && kubectl patch "
                        "crd nodepools.karpenter.sh --subresource=status --type=merge -p "
                        "'{\"status\":{\"storedVersions\":[\"v1\"]}}'");
    arena_free(&clinic.arena);
}

// Its version of today.
TEST(a_capacity_buffer_is_of_v1beta1) {
    Clinic clinic = healthy();
    FactDefinition *definition;

    define(&clinic, "capacitybuffers.autoscaling.x-k8s.io", true, "");
    definition = &clinic.facts.live.definitions.items[0];
    definition->version = definition->storage = SLICE("v1beta1");
    vec_push(&clinic.arena, &definition->stored, SLICE("v1beta1"));
    assert_string_equal(say(&clinic, "definitions"), "ok");
    arena_free(&clinic.arena);
}

TEST(one_cloud_s_class_is_enough_and_none_is_not) {
    Clinic clinic = healthy();

    define(&clinic, "ec2nodeclasses.karpenter.k8s.aws", false, "");
    define(&clinic, "kwoknodeclasses.karpenter.kwok.sh", false, "");
    assert_string_equal(say(&clinic, "definitions"),
                        "error: ec2nodeclasses.karpenter.k8s.aws: the API server does not serve it | tenon crds "
                        "ec2nodeclasses.karpenter.k8s.aws | kubectl apply --server-side --force-conflicts -f -");
    define(&clinic, "provisioners.karpenter.sh", true, "");
    assert_string_equal(say(&clinic, "definitions"), "ok");
    arena_free(&clinic.arena);
}

// Of one row: one finding, one grant.
TEST(rights_that_are_missing_are_granted_by_rows) {
    Clinic clinic = healthy();

    allow(&clinic, (FactRight){.row = 5, .verb = SLICE("list"), .resource = SLICE("pods")}, false);
    allow(&clinic, (FactRight){.row = 5, .verb = SLICE("watch"), .resource = SLICE("pods")}, true);
    allow(&clinic, (FactRight){.row = 5, .verb = SLICE("delete"), .resource = SLICE("pods")}, false);
    assert_string_equal(say(&clinic, "rights"),
                        "error: anna: may not list pods, delete pods | kubectl create clusterrole tenon-5 "
                        "--verb=list,delete --resource=pods && kubectl create clusterrolebinding tenon-5 "
                        "--clusterrole=tenon-5 --user='anna'");
    arena_free(&clinic.arena);
}

TEST(a_right_of_a_namespace_and_a_name) {
    Clinic clinic = healthy();

    allow(&clinic,
          (FactRight){.row = 9,
                      .group = SLICE("apps"),
                      .ns = SLICE("kube-system"),
                      .verb = SLICE("patch"),
                      .resource = SLICE("deployments/status"),
                      .name = SLICE("x"),
                      .purpose = "AWS: why"},
          false);
    assert_string_equal(say(&clinic, "rights"),
                        "warning: anna: may not patch deployments.apps/status x in kube-system (AWS: why) | kubectl -n "
                        "kube-system create role tenon-9 --verb=patch --resource=deployments.apps/status "
                        "--resource-name=x && kubectl -n kube-system create rolebinding tenon-9 --role=tenon-9 "
                        "--user='anna'");
    clinic.facts.live.rights.items[0].is_allowed = true;
    assert_string_equal(say(&clinic, "rights"), "ok");
    arena_free(&clinic.arena);
}

static FactRead *add_read(Clinic *clinic, const char *resource, const char *name, ErrCode code) {
    FactRead read = {SLICE("list"), slice_of(resource), slice_of(name), code, SLICE("why")};

    vec_push(&clinic->arena, &clinic->facts.live.reads, read);
    return vec_last(&clinic->facts.live.reads);
}

// What helps is a right of whoever runs the doctor, not of whose rights it looks at.
TEST(what_the_doctor_could_not_read) {
    Clinic clinic = healthy();
    FactRead *read = add_read(&clinic, "nodes", "", OK);

    assert_string_equal(say(&clinic, "reads"), "ok");
    read->code = ERR_DENIED;
    assert_string_equal(say(&clinic, "reads"),
                        "warning: nodes: who runs tenon doctor may not list it, so its checks are not complete: why | "
                        "kubectl create clusterrole tenon-doctor-nodes --verb=list --resource=nodes && kubectl create "
                        "clusterrolebinding tenon-doctor-nodes --clusterrole=tenon-doctor-nodes --user='bert'");
    read->code = ERR_IO;
    assert_string_equal(say(&clinic, "reads"), "warning: nodes: its checks are not complete: why | try again");
    arena_free(&clinic.arena);
}

TEST(what_is_denied_of_one_kind_is_granted_at_once) {
    Clinic clinic = healthy();

    add_read(&clinic, "configmaps", "a", ERR_DENIED);
    add_read(&clinic, "configmaps", "b", ERR_DENIED);
    assert_string_equal(say(&clinic, "reads"),
                        "warning: configmaps: who runs tenon doctor may not list it, so its checks are not complete: "
                        "why | kubectl create clusterrole tenon-doctor-configmaps --verb=list --resource=configmaps "
                        "--resource-name=a --resource-name=b && kubectl create clusterrolebinding "
                        "tenon-doctor-configmaps --clusterrole=tenon-doctor-configmaps --user='bert'");
    assert_int_equal(count(&clinic, "reads"), 1);
    arena_free(&clinic.arena);
}

// R125, R128.
TEST(an_action_of_aws_that_is_not_granted_and_an_aws_that_is_not_there) {
    Clinic clinic = healthy();

    call(&clinic, "ec2:DescribeSubnets", OK, "");
    assert_string_equal(say(&clinic, "aws-calls"), "ok");
    call(&clinic, "sqs:GetQueueUrl", ERR_DENIED, "AccessDenied");
    assert_string_equal(say(&clinic, "aws-calls"),
                        "error: sqs:GetQueueUrl: AccessDenied | allow sqs:GetQueueUrl in the policy of the "
                        "controller's role, which tenon iam-policy prints");
    clinic.facts.live.aws_calls.count = 0;
    call(&clinic, "credentials", ERR_IO, "no answer");
    assert_string_equal(say(&clinic, "aws-calls"), "warning: credentials: AWS cannot be asked: no answer | set "
                                                   "AWS_REGION and credentials, then: aws sts get-caller-identity");
    arena_free(&clinic.arena);
}

TEST(an_instance_profile_that_is_missing_or_empty) {
    Clinic clinic = healthy();

    vec_push(&clinic.arena, &clinic.facts.live.profiles,
             (FactProfile){.name = SLICE("p"), .object = SLICE("EC2NodeClass c"), .code = ERR_NOT_FOUND});
    assert_string_equal(say(&clinic, "instance-profiles"),
                        "error: EC2NodeClass c: AWS has no instance profile p | aws iam create-instance-profile "
                        "--instance-profile-name 'p'");
    clinic.facts.live.profiles.items[0].code = OK;
    assert_string_equal(say(&clinic, "instance-profiles"),
                        "error: EC2NodeClass c: the instance profile p has no role | aws iam "
                        "add-role-to-instance-profile --instance-profile-name 'p' --role-name NODE_ROLE");
    clinic.facts.live.profiles.items[0].role = SLICE("r");
    assert_string_equal(say(&clinic, "instance-profiles"), "ok");
    arena_free(&clinic.arena);
}

static FactRole *add_role(Clinic *clinic, const char *name) {
    FactRole role = {.name = slice_of(name), .object = SLICE("EC2NodeClass c"), .call = {.what = SLICE("iam:List")}};

    clinic->facts.live.partition = SLICE("aws");
    vec_push(&clinic->arena, &clinic->facts.live.roles, role);
    return vec_last(&clinic->facts.live.roles);
}

static void attach(Clinic *clinic, FactRole *role, const char *arn) {
    vec_push(&clinic->arena, &role->policies, slice_of(arn));
}

#define OF_AWS(name) "arn:aws:iam::aws:policy/" name
#define FIX(name)    "aws iam attach-role-policy --role-name 'r' --policy-arn " OF_AWS(name)

// R120.
TEST(policies_of_nodes_are_missed_one_by_one) {
    static const struct {
        const char *said, *arn; // what is said before it is attached
    } steps[] = {
        {"warning: EC2NodeClass c: the role r has no policy AmazonEKSWorkerNodePolicy: its nodes may not join the "
         "cluster, unless another one allows it; it has: none | " FIX("AmazonEKSWorkerNodePolicy"),
         OF_AWS("AmazonEKSWorkerNodePolicy")},
        {"warning: EC2NodeClass c: the role r has no policy AmazonEC2ContainerRegistryPullOnly: its nodes pull no "
         "images "
         "of ECR (those of EKS lie there), unless another one allows it; it has: AmazonEKSWorkerNodePolicy | " FIX(
             "AmazonEC2ContainerRegistryPullOnly"),
         OF_AWS("AmazonEC2ContainerRegistryReadOnly")},
        {"warning: EC2NodeClass c: the role r has no policy AmazonEKS_CNI_Policy: pods get no addresses "
         "(aws-node may have a role of its own), unless another one allows it; it has: AmazonEKSWorkerNodePolicy, "
         "AmazonEC2ContainerRegistryReadOnly | " FIX("AmazonEKS_CNI_Policy"),
         OF_AWS("AmazonEKS_CNI_Policy")},
        {"warning: EC2NodeClass c: the role r has no policy AmazonSSMManagedInstanceCore: its nodes take no sessions "
         "of Systems Manager, unless another one allows it; it has: AmazonEKSWorkerNodePolicy, "
         "AmazonEC2ContainerRegistryReadOnly, "
         "AmazonEKS_CNI_Policy | " FIX("AmazonSSMManagedInstanceCore"),
         OF_AWS("AmazonSSMManagedInstanceCore")},
    };
    Clinic clinic = healthy();
    FactRole *role = add_role(&clinic, "r");

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        assert_string_equal(say(&clinic, "node-policies"), steps[i].said);
        attach(&clinic, role, steps[i].arn);
    }
    assert_string_equal(say(&clinic, "node-policies"), "ok");
    arena_free(&clinic.arena);
}

// Names of the account's own policies say nothing.
TEST(a_policy_of_ones_own_is_not_that_of_aws) {
    Clinic clinic = healthy();

    attach(&clinic, add_role(&clinic, "r"), "arn:aws:iam::111122223333:policy/AmazonEKSWorkerNodePolicy");
    assert_string_equal(say(&clinic, "node-policies"),
                        "warning: EC2NodeClass c: the role r has no policy AmazonEKSWorkerNodePolicy: its nodes may "
                        "not join the cluster, unless another one allows it; it has: AmazonEKSWorkerNodePolicy | " FIX(
                            "AmazonEKSWorkerNodePolicy"));
    arena_free(&clinic.arena);
}

TEST(who_may_do_everything_needs_nothing_else) {
    Clinic clinic = healthy();

    attach(&clinic, add_role(&clinic, "r"), OF_AWS("AdministratorAccess"));
    assert_string_equal(say(&clinic, "node-policies"), "ok");
    arena_free(&clinic.arena);
}

// R120.
TEST(a_role_that_is_not_there_and_one_that_may_not_be_looked_at) {
    Clinic clinic = healthy();
    FactRole *role = add_role(&clinic, "r");

    role->call.code = ERR_NOT_FOUND;
    clinic.facts.live.partition = SLICE("aws-cn");
    assert_string_equal(say(&clinic, "node-policies"),
                        "error: EC2NodeClass c: AWS has no role r | aws iam create-role --role-name 'r' "
                        "--assume-role-policy-document "
                        "'{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\",\"Principal\":"
                        "{\"Service\":\"ec2.amazonaws.com.cn\"},\"Action\":\"sts:AssumeRole\"}]}'");
    role->call.code = ERR_DENIED;
    role->call.text = SLICE("denied");
    assert_string_equal(say(&clinic, "node-policies"),
                        "warning: EC2NodeClass c: it could not be looked at: denied | allow iam:List to whoever runs "
                        "tenon doctor; the controller does not need it");
    arena_free(&clinic.arena);
}

// R084: that nobody may ask for it is another check's.
TEST(a_queue_that_is_named_and_not_there) {
    Clinic clinic = healthy();

    clinic.facts.live.queue = (FactCall){.what = SLICE("q"), .code = ERR_NOT_FOUND};
    assert_string_equal(say(&clinic, "queue"),
                        "error: q: the interruption queue is not there: Spot instances are taken "
                        "away without a drain | aws sqs create-queue --queue-name 'q', and the "
                        "rules of EventBridge that fill it");
    clinic.facts.live.queue.code = ERR_DENIED;
    assert_string_equal(say(&clinic, "queue"), "skipped");
    clinic.facts.live.queue.code = OK;
    assert_string_equal(say(&clinic, "queue"), "ok");
    arena_free(&clinic.arena);
}

static void assert_policy(const char *policy, const char *wanted) {
    Clinic clinic = healthy();
    FactLive *live = &clinic.facts.live;

    live->queue = (FactCall){.what = SLICE("q")};
    live->queue_arn = SLICE("arn:aws:sqs:us-east-1:1:q");
    live->queue_url = SLICE("https://sqs.us-east-1.amazonaws.com/1/q");
    assert_string_equal(say(&clinic, "queue-policy"), "skipped");
    live->queue_policy_call.what = SLICE("sqs:GetQueueAttributes");
    live->queue_policy = slice_of(policy);
    assert_string_equal(say(&clinic, "queue-policy"), wanted);
    live->queue_policy_call.code = ERR_DENIED;
    live->queue_policy_call.text = SLICE("denied");
    assert_string_equal(say(&clinic, "queue-policy"),
                        "warning: q: it could not be looked at: denied | allow sqs:GetQueueAttributes to whoever runs "
                        "tenon doctor; the controller does not need it");
    arena_free(&clinic.arena);
}

static void assert_key(const char *key, const char *wanted) {
    Clinic clinic = healthy();
    FactLive *live = &clinic.facts.live;

    live->queue = (FactCall){.what = SLICE("q")};
    live->queue_url = SLICE("https://sqs.us-east-1.amazonaws.com/1/q");
    live->queue_key = slice_of(key);
    live->queue_policy_call.what = SLICE("sqs:GetQueueAttributes");
    assert_string_equal(say(&clinic, "queue-key"), wanted);
    live->queue_policy_call.code = ERR_DENIED;
    assert_string_equal(say(&clinic, "queue-key"), "skipped");
    arena_free(&clinic.arena);
}

// R084: nor does one whose key EventBridge may not use.
TEST(a_queue_with_the_key_that_is_of_aws) {
    static const char wanted[] =
        "error: q: it is encrypted with AWS's own key for SQS (alias/aws/sqs), which EventBridge may not use: Spot "
        "instances are taken away without a drain | aws sqs set-queue-attributes --queue-url "
        "'https://sqs.us-east-1.amazonaws.com/1/q' --attributes "
        "'{\"KmsMasterKeyId\":\"\",\"SqsManagedSseEnabled\":\"true\"}'";

    assert_key("alias/aws/sqs", wanted);
    assert_key("arn:aws:kms:us-east-1:1:alias/aws/sqs", wanted);
    assert_key("", "ok");
    assert_key("alias/mine", "ok");
    assert_key("1234abcd-12ab-34cd-56ef-1234567890ab", "ok");
}

// R084: the queue hears nothing of those that may not send to it.
TEST(a_queue_that_nobody_may_send_to) {
    assert_policy(
        "",
        "warning: q: its policy lets EventBridge (events.amazonaws.com) send nothing to it: unless its rules' targets "
        "have a role that may, Spot instances are taken away without a drain | aws sqs set-queue-attributes "
        "--queue-url "
        "'https://sqs.us-east-1.amazonaws.com/1/q' --attributes "
        "'{\"Policy\":\"{\\\"Version\\\":\\\"2012-10-17\\\",\\\"Statement\\\":[{\\\"Effect\\\":\\\"Allow\\\","
        "\\\"Principal\\\":{\\\"Service\\\":\\\"events.amazonaws.com\\\"},\\\"Action\\\":\\\"sqs:SendMessage\\\","
        "\\\"Resource\\\":\\\"arn:aws:sqs:us-east-1:1:q\\\"}]}\"}'");
    assert_policy(
        "{\"Statement\": {\"Effect\": \"Deny\", \"Principal\": \"*\", \"Action\": \"*\", \"Resource\": \"*\"}}",
        "error: q: its policy denies EventBridge (events.amazonaws.com) to send to it: Spot instances are "
        "taken away without a drain | take the statement with the effect Deny, for sqs:SendMessage without a "
        "condition, out of its policy");
    assert_policy(
        "{\"Statement\": {\"Effect\": \"Allow\", \"Principal\": \"*\", \"Action\": \"*\", \"Resource\": \"*\"}}", "ok");
}

static Clinic with_queue(const char *name) {
    Clinic clinic = healthy();
    FactLive *live = &clinic.facts.live;

    live->queue = (FactCall){.what = slice_of(name)};
    live->queue_arn = SLICE("arn:aws:sqs:us-east-1:1:q");
    live->rules_call = (FactCall){.what = SLICE("events:ListRules")};
    vec_push(&clinic.arena, &live->events, (FactEvent){SLICE("aws.health"), SLICE("AWS Health Event"), false});
    vec_push(&clinic.arena, &live->events,
             (FactEvent){SLICE("aws.ec2"), SLICE("EC2 Spot Instance Interruption Warning"), true});
    return clinic;
}

static FactRule *add_rule(Clinic *clinic, const char *name, const char *pattern) {
    vec_push(&clinic->arena, &clinic->facts.live.rules, (FactRule){slice_of(name), slice_of(pattern), true});
    return vec_last(&clinic->facts.live.rules);
}

// R084: rules missing.
TEST(an_event_that_no_rule_sends) {
    Clinic clinic = with_queue("production-events");

    assert_string_equal(
        say(&clinic, "queue-rules"),
        "warning: production-events: no rule of EventBridge sends it AWS Health Event | aws events put-rule --name "
        "'production-eve-AWSHealthEvent' --event-pattern '{\"source\":[\"aws.health\"],\"detail-type\":[\"AWS Health "
        "Event\"]}' && aws events put-targets --rule 'production-eve-AWSHealthEvent' --targets "
        "'Id=production-events,Arn=arn:aws:sqs:us-east-1:1:q'");
    add_rule(&clinic, "h", "{\"source\": [\"aws.health\"]}");
    assert_string_equal(
        say(&clinic, "queue-rules"),
        "error: production-events: no rule of EventBridge sends it EC2 Spot Instance Interruption Warning: Spot "
        "instances are taken away without a drain | aws events put-rule --name "
        "'production-eve-EC2SpotInstanceInterruptionWarning' --event-pattern "
        "'{\"source\":[\"aws.ec2\"],\"detail-type\":[\"EC2 Spot Instance Interruption Warning\"]}' && aws events "
        "put-targets --rule 'production-eve-EC2SpotInstanceInterruptionWarning' --targets "
        "'Id=production-events,Arn=arn:aws:sqs:us-east-1:1:q'");
    add_rule(&clinic, "s", "{\"source\": [\"aws.ec2\"]}");
    assert_string_equal(say(&clinic, "queue-rules"), "ok");
    arena_free(&clinic.arena);
}

// R084.
TEST(a_rule_that_is_disabled) {
    Clinic clinic = with_queue("q");

    add_rule(&clinic, "all", "{\"source\": [{\"prefix\": \"aws.\"}]}")->is_enabled = false;
    add_rule(&clinic, "health", "{\"source\": [\"aws.health\"]}");
    assert_string_equal(say(&clinic, "queue-rules"),
                        "error: q: the rule all, which sends it EC2 Spot Instance Interruption Warning, is disabled: "
                        "Spot instances are taken away without a drain | aws events enable-rule --name 'all'");
    add_rule(&clinic, "spot", "{\"detail-type\": [\"EC2 Spot Instance Interruption Warning\"]}");
    assert_string_equal(say(&clinic, "queue-rules"), "ok");
    arena_free(&clinic.arena);
}

// R084 R125: the controller needs no right to them.
TEST(rules_that_may_not_be_looked_at) {
    Clinic clinic = with_queue("q");

    clinic.facts.live.rules_call.code = ERR_DENIED;
    clinic.facts.live.rules_call.text = SLICE("denied");
    assert_string_equal(say(&clinic, "queue-rules"),
                        "warning: q: it could not be looked at: denied | allow events:ListRules to whoever runs tenon "
                        "doctor; the controller does not need it");
    clinic.facts.live.rules_call.code = ERR_IO;
    assert_string_equal(say(&clinic, "queue-rules"), "warning: q: it could not be looked at: denied | try again");
    arena_free(&clinic.arena);
}

TEST(prices_that_aws_does_not_tell) {
    Clinic clinic = healthy();

    clinic.facts.live.has_prices = clinic.facts.live.has_products = true;
    assert_string_equal(say(&clinic, "prices"), "warning: ec2: AWS tells no prices of Spot instances | aws ec2 "
                                                "describe-spot-price-history --max-results 1");
    clinic.facts.live.has_spot_prices = true;
    assert_string_equal(say(&clinic, "prices"), "ok");
    arena_free(&clinic.arena);
}
