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

static Clinic healthy(void) {
    Clinic clinic = {0};
    FactLive *live = &clinic.facts.live;

    live->server = (FactCall){.what = SLICE("https://k"), .object = SLICE("https://k")};
    live->has_rights = true;
    live->user = SLICE("anna");
    return clinic;
}

static void define(Clinic *clinic, const char *name, bool is_served, const char *others) {
    vec_push(&clinic->arena, &clinic->facts.live.definitions,
             (FactDefinition){slice_of(name), SLICE("v1"), is_served, slice_of(others)});
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
    static const char *const live[] = {"api-server", "definitions",       "rights", "reads",
                                       "aws-calls",  "instance-profiles", "queue",  "prices"};
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

TEST(a_definition_that_is_missing_or_too_old) {
    Clinic clinic = healthy();

    define(&clinic, "nodepools.karpenter.sh", false, "v1beta1");
    define(&clinic, "nodeclaims.karpenter.sh", true, "");
    define(&clinic, "kwoknodeclasses.karpenter.kwok.sh", true, "");
    define(&clinic, "nodeoverlays.karpenter.sh", false, "");
    assert_string_equal(
        say(&clinic, "definitions"),
        "error: nodepools.karpenter.sh: it is not served as v1; of its group the API server has v1beta1 "
        "| tenon crds nodepools.karpenter.sh | kubectl apply --server-side -f -");
    clinic.facts.live.definitions.items[0].is_served = true;
    assert_string_equal(say(&clinic, "definitions"), "ok");
    arena_free(&clinic.arena);
}

TEST(one_cloud_s_class_is_enough_and_none_is_not) {
    Clinic clinic = healthy();

    define(&clinic, "ec2nodeclasses.karpenter.k8s.aws", false, "");
    define(&clinic, "kwoknodeclasses.karpenter.kwok.sh", false, "");
    assert_string_equal(say(&clinic, "definitions"),
                        "error: ec2nodeclasses.karpenter.k8s.aws: the API server does not serve it | tenon crds "
                        "ec2nodeclasses.karpenter.k8s.aws | kubectl apply --server-side -f -");
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

TEST(what_the_doctor_could_not_read) {
    Clinic clinic = healthy();

    vec_push(&clinic.arena, &clinic.facts.live.reads, (FactCall){.what = SLICE("nodes")});
    assert_string_equal(say(&clinic, "reads"), "ok");
    clinic.facts.live.reads.items[0].code = ERR_DENIED;
    clinic.facts.live.reads.items[0].text = SLICE("forbidden");
    assert_string_equal(say(&clinic, "reads"), "warning: nodes: the checks of it are not complete: forbidden | kubectl "
                                               "auth can-i list nodes --all-namespaces");
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
    clinic.facts.live.profiles.items[0].has_role = true;
    assert_string_equal(say(&clinic, "instance-profiles"), "ok");
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

TEST(prices_that_aws_does_not_tell) {
    Clinic clinic = healthy();

    clinic.facts.live.has_prices = clinic.facts.live.has_products = true;
    assert_string_equal(say(&clinic, "prices"), "warning: ec2: AWS tells no prices of Spot instances | aws ec2 "
                                                "describe-spot-price-history --max-results 1");
    clinic.facts.live.has_spot_prices = true;
    assert_string_equal(say(&clinic, "prices"), "ok");
    arena_free(&clinic.arena);
}
