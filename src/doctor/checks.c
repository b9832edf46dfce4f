// The table, and the checks of what was found wrong while reading.
#include "doctor/checks.h"

#include "doctor/check_parts.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct {
    const char *id;
    bool (*applies)(const Facts *facts);
    void (*run)(const Examination *examination);
    const char *good, *needs;
} CheckRow;

// What nobody can give as a file.
#define LIVE     "a live cluster (without -f)"
#define LIVE_AWS "a live cluster on AWS (without -f)"

static const CheckRow rows[] = {
    {"duplicate-keys", has_anything, check_duplicates, "no key stands twice", "manifests"},
    {"unknown-fields", has_anything, check_strangers, "the old objects have known fields only", "manifests"},
    {"refused", has_anything, check_refusals, "their webhooks would take the old objects", "manifests"},
    {"label-keys", has_pools, check_label_keys, "requirements name labels that nodes have", "pools"},
    {"exclusive-pools", has_several_pools, check_exclusive_pools, "of two pools that a pod may go to, one weighs more",
     "two pools"},
    {"short-ttl", has_pools, check_lifetimes, "nodes live longer than they boot", "pools"},
    {"class-reference", has_pools_and_classes, check_references, "the pools' classes are there", "pools and classes"},
    {"selectors", has_classes, check_selectors, "classes select subnets and security groups", "classes"},
    {"terraform-tags", has_classes_and_terraform, check_terraform_tags,
     "the Terraform sets the tags that classes select by", "classes and their Terraform (.tf)"},
    {"subnets", has_listed_subnets, check_subnets, "each class finds subnets",
     "aws ec2 describe-subnets > subnets.json"},
    {"security-groups", has_listed_groups, check_groups, "each class finds security groups",
     "aws ec2 describe-security-groups > groups.json"},
    {"security-group-twice", has_groups, check_group_tags, "of a class's security groups one is the cluster's",
     "aws ec2 describe-security-groups > groups.json"},
    {"webhook-port", has_old_pools_and_ports, check_webhook_port,
     "the API server may call the webhooks of Provisioners",
     "Provisioners, and aws ec2 describe-security-groups > groups.json"},
    {"free-addresses", has_listed_subnets, check_addresses, "the classes' subnets have free addresses",
     "aws ec2 describe-subnets > subnets.json"},
    {"zones", has_pools_and_subnets, check_zones, "the pools' zones have subnets",
     "pools, classes, and aws ec2 describe-subnets > subnets.json"},
    {"node-role", has_classes, check_identity, "nodes have a role", "classes"},
    {"aws-auth", has_auth, check_auth, "nodes may join the cluster",
     "kubectl -n kube-system get configmap aws-auth -o yaml > aws-auth.yaml"},
    {"spot-role", has_roles, check_spot_role, "the account may launch Spot instances",
     "pools that allow spot, and aws iam list-roles > roles.json"},
    {"replicas", has_controller_and_nodes, check_replicas, "there is a node for each replica of Karpenter",
     "kubectl get nodes,deployments -A -o yaml > cluster.yaml"},
    {"interruption-queue", has_settings, check_queue, "interruptions are heard of",
     "the ConfigMap karpenter-global-settings, the Deployment, or the chart's Terraform"},
    {"topology-hints", has_hints, check_hints, "Services with topology hints have pods enough for their zones",
     "kubectl get nodes,services,endpointslices -A -o yaml > hints.yaml, with a Service that asks for them"},
    {"api-server", has_server, check_server, "the API server answers", LIVE},
    {"definitions", has_definitions, check_definitions, "the API server serves tenon's kinds", LIVE},
    {"rights", has_rights, check_rights, "all that tenon asks of the API server is allowed",
     LIVE ", and the right to ask for rights"},
    {"reads", has_reads, check_reads, "the doctor could read all that it looks at", LIVE},
    {"aws-calls", has_aws_calls, check_aws_calls, "AWS answers what may be asked without a change", LIVE_AWS},
    {"instance-profiles", has_profiles, check_profiles, "the classes' instance profiles are there, with a role",
     LIVE_AWS " whose classes name an instance profile"},
    {"node-policies", has_node_roles, check_node_policies, "the nodes' roles are there, with the policies of nodes",
     LIVE_AWS " whose classes name a role, or an instance profile with one"},
    {"queue", has_queue_answer, check_queue_answer, "the interruption queue is there",
     LIVE_AWS " with an interruption queue"},
    {"queue-policy", has_queue_policy, check_queue_policy, "the queue's policy lets EventBridge send to it",
     LIVE_AWS " with an interruption queue that is there"},
    {"queue-key", has_queue_key, check_queue_key, "the queue's key is none that EventBridge can never use",
     LIVE_AWS " with an interruption queue that is there"},
    {"queue-rules", has_queue_rules, check_queue_rules, "rules of EventBridge send the queue all that tenon acts upon",
     LIVE_AWS " with an interruption queue that is there"},
    {"prices", has_prices, check_prices, "AWS tells prices", LIVE_AWS},
    {"versions", has_versions, check_versions, "Karpenter's release knows that Kubernetes",
     "Terraform with the cluster's version and Karpenter's chart"},
};

const char *check_status_text(CheckStatus status) {
    static const char *const texts[] = {"skipped", "ok", "warning", "error"};

    return texts[status];
}

void find(const Examination *examination, CheckStatus status, FactPlace place, Slice object, Slice fix,
          const char *format, ...) {
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    vec_push(examination->arena, examination->findings,
             (Finding){status, place, object, arena_slice(examination->arena, slice_of(text)), fix});
}

static CheckStatus worst_of(const FindingVec *findings) {
    CheckStatus worst = CHECK_GOOD;

    for (vec_each(const Finding, finding, findings))
        worst = finding->status > worst ? finding->status : worst;
    return worst;
}

void checks_run(Arena *arena, const Facts *facts, CheckResultVec *ret_results) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CheckResult result = {.id = rows[i].id, .note = rows[i].needs};

        if (rows[i].applies(facts)) {
            rows[i].run(&(Examination){arena, facts, &result.findings});
            result.status = worst_of(&result.findings);
            result.note = rows[i].good;
        }
        vec_push(arena, ret_results, result);
    }
}

// Found while reading.

bool has_anything(const Facts *facts) {
    return facts->objects || facts->duplicates.count || facts->refusals.count;
}

static void repeat(const Examination *examination, const FactRemarkVec *remarks, CheckStatus status) {
    for (vec_each(const FactRemark, remark, remarks))
        find(examination, status, remark->place, remark->object, remark->fix, "%.*s", SLICE_ARG(remark->text));
}

void check_duplicates(const Examination *examination) {
    repeat(examination, &examination->facts->duplicates, CHECK_WARNING);
}

void check_strangers(const Examination *examination) {
    repeat(examination, &examination->facts->strangers, CHECK_WARNING);
}

void check_refusals(const Examination *examination) {
    repeat(examination, &examination->facts->refusals, CHECK_ERROR);
}
