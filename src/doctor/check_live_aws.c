// Checks of what only AWS can tell: what it allows, what of nodes' identity is there, and what fills the queue.
#include "doctor/check_parts.h"
#include "doctor/event_pattern.h"
#include "doctor/queue_policy.h"
#include "text/json.h"

// Of a rule's name and a target's id, and how much of it is the queue's, so that the longest event fits beside.
enum { RULE_NAME_MAX = 64, QUEUE_PART_MAX = 14 };

// R125: what is granted, and what is needed.

bool has_aws_calls(const Facts *facts) {
    return facts->live.aws_calls.count;
}

void check_aws_calls(const Examination *examination) {
    Arena *arena = examination->arena;

    for (vec_each(const FactCall, call, &examination->facts->live.aws_calls)) {
        if (call->code == ERR_DENIED)
            find(examination, CHECK_ERROR, (FactPlace){0}, call->what,
                 arena_printf(arena, "allow %.*s in the policy of the controller's role, which tenon iam-policy prints",
                              SLICE_ARG(call->what)),
                 "%.*s", SLICE_ARG(call->text));
        else if (call->code != OK)
            find(examination, CHECK_WARNING, (FactPlace){0}, call->what,
                 SLICE("set AWS_REGION and credentials, then: aws sts get-caller-identity"),
                 "AWS cannot be asked: %.*s", SLICE_ARG(call->text));
    }
}

// R008.

bool has_profiles(const Facts *facts) {
    return facts->live.profiles.count;
}

void check_profiles(const Examination *examination) {
    for (vec_each(const FactProfile, profile, &examination->facts->live.profiles)) {
        if (profile->code == ERR_NOT_FOUND)
            find(examination, CHECK_ERROR, (FactPlace){0}, profile->object,
                 arena_printf(examination->arena, "aws iam create-instance-profile --instance-profile-name '%.*s'",
                              SLICE_ARG(profile->name)),
                 "AWS has no instance profile %.*s", SLICE_ARG(profile->name));
        else if (profile->code == OK && !profile->role.len)
            find(examination, CHECK_ERROR, (FactPlace){0}, profile->object,
                 arena_printf(
                     examination->arena,
                     "aws iam add-role-to-instance-profile --instance-profile-name '%.*s' --role-name NODE_ROLE",
                     SLICE_ARG(profile->name)),
                 "the instance profile %.*s has no role", SLICE_ARG(profile->name));
    }
}

// R120: the nodes' role, and what it may do. Policies that are written into a role, and what those of the account
// allow, are not known.

bool has_node_roles(const Facts *facts) {
    return facts->live.roles.count;
}

// What the doctor alone asks is no fault of the controller's role.
static void miss_answer(const Examination *examination, Slice object, const FactCall *call) {
    find(examination, CHECK_WARNING, (FactPlace){0}, object,
         call->code == ERR_DENIED
             ? arena_printf(examination->arena,
                            "allow %.*s to whoever runs tenon doctor; the controller does not need it",
                            SLICE_ARG(call->what))
             : SLICE("try again"),
         "it could not be looked at: %.*s", SLICE_ARG(call->text));
}

enum { POLICY_NAMES_MAX = 4 };

// What nodes need of AWS's policies: any of the names, the first of which is the least.
static const struct {
    const char *names[POLICY_NAMES_MAX];
    const char *without;
} node_policies[] = {
    {{"AmazonEKSWorkerNodePolicy"}, "its nodes may not join the cluster"},
    {{"AmazonEC2ContainerRegistryPullOnly", "AmazonEC2ContainerRegistryReadOnly", "AmazonEC2ContainerRegistryPowerUser",
      "AmazonEC2ContainerRegistryFullAccess"},
     "its nodes pull no images of ECR (those of EKS lie there)"},
    {{"AmazonEKS_CNI_Policy"}, "pods get no addresses (aws-node may have a role of its own)"},
    {{"AmazonSSMManagedInstanceCore"}, "its nodes take no sessions of Systems Manager"},
};

static bool is_of_aws(Slice arn) {
    return slice_contains(arn, SLICE(":iam::aws:policy/"));
}

static Slice policy_name(Slice arn) {
    return slice_after_last(arn, '/');
}

static bool has_policy(const FactRole *role, const char *name) {
    for (vec_each(const Slice, arn, &role->policies)) {
        if (is_of_aws(*arn) && slice_eq_text(policy_name(*arn), name))
            return true;
    }
    return false;
}

static bool has_any_policy(const FactRole *role, const char *const names[]) {
    for (size_t i = 0; i < POLICY_NAMES_MAX && names[i]; i++) {
        if (has_policy(role, names[i]))
            return true;
    }
    return false;
}

static Slice policies_of(const Examination *examination, const FactRole *role) {
    Slice text = SLICE("");

    for (vec_each(const Slice, arn, &role->policies))
        text = arena_printf(examination->arena, "%.*s%s%.*s", SLICE_ARG(text), text.len ? ", " : "",
                            SLICE_ARG(policy_name(*arn)));
    return text.len ? text : SLICE("none");
}

// Never more than a warning: a policy that is not looked at may allow what is missing.
static void check_policies(const Examination *examination, const FactRole *role) {
    for (size_t i = 0; i < sizeof node_policies / sizeof *node_policies; i++) {
        if (has_any_policy(role, node_policies[i].names))
            continue;
        find(examination, CHECK_WARNING, (FactPlace){0}, role->object,
             arena_printf(examination->arena,
                          "aws iam attach-role-policy --role-name '%.*s' --policy-arn arn:%.*s:iam::aws:policy/%s",
                          SLICE_ARG(role->name), SLICE_ARG(examination->facts->live.partition),
                          node_policies[i].names[0]),
             "the role %.*s has no policy %s: %s, unless another one allows it; it has: %.*s", SLICE_ARG(role->name),
             node_policies[i].names[0], node_policies[i].without, SLICE_ARG(policies_of(examination, role)));
    }
}

static void miss_role(const Examination *examination, const FactRole *role) {
    bool is_china = slice_eq_text(examination->facts->live.partition, "aws-cn");

    find(examination, CHECK_ERROR, (FactPlace){0}, role->object,
         arena_printf(examination->arena,
                      "aws iam create-role --role-name '%.*s' --assume-role-policy-document "
                      "'{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\",\"Principal\":"
                      "{\"Service\":\"ec2.amazonaws.com%s\"},\"Action\":\"sts:AssumeRole\"}]}'",
                      SLICE_ARG(role->name), is_china ? ".cn" : ""),
         "AWS has no role %.*s", SLICE_ARG(role->name));
}

void check_node_policies(const Examination *examination) {
    for (vec_each(const FactRole, role, &examination->facts->live.roles)) {
        if (role->call.code == ERR_NOT_FOUND)
            miss_role(examination, role);
        else if (role->call.code != OK)
            miss_answer(examination, role->object, &role->call);
        else if (!has_policy(role, "AdministratorAccess"))
            check_policies(examination, role);
    }
}

// R084: the queue itself. That nobody may ask for it is found among the calls.

bool has_queue_answer(const Facts *facts) {
    return facts->live.queue.what.len && (facts->live.queue.code == OK || facts->live.queue.code == ERR_NOT_FOUND);
}

void check_queue_answer(const Examination *examination) {
    const FactCall *queue = &examination->facts->live.queue;

    if (queue->code == ERR_NOT_FOUND)
        find(examination, CHECK_ERROR, (FactPlace){0}, queue->what,
             arena_printf(examination->arena,
                          "aws sqs create-queue --queue-name '%.*s', and the rules of EventBridge that fill it",
                          SLICE_ARG(queue->what)),
             "the interruption queue is not there: Spot instances are taken away without a drain");
}

// R084: who may send to it. What a policy has besides must stay.

bool has_queue_policy(const Facts *facts) {
    return facts->live.queue_policy_call.what.len;
}

static const Slice sender = {"events.amazonaws.com", sizeof "events.amazonaws.com" - 1};

static Slice policy_command(const Examination *examination) {
    const FactLive *live = &examination->facts->live;
    Slice policy = queue_policy_with_sender(examination->arena, live->queue_policy, live->queue_arn, sender);
    Buffer quoted = {0};
    Slice command;

    json_print_string(&quoted, policy);
    command = arena_printf(examination->arena,
                           "aws sqs set-queue-attributes --queue-url '%.*s' --attributes '{\"Policy\":%.*s}'",
                           SLICE_ARG(live->queue_url), SLICE_ARG(buffer_slice(&quoted)));
    buffer_free(&quoted);
    return command;
}

void check_queue_policy(const Examination *examination) {
    const FactLive *live = &examination->facts->live;

    if (live->queue_policy_call.code != OK) {
        miss_answer(examination, live->queue.what, &live->queue_policy_call);
        return;
    }
    switch (queue_policy_verdict(examination->arena, live->queue_policy, live->queue_arn, sender)) {
    case QUEUE_POLICY_ALLOWS:
        return;
    case QUEUE_POLICY_DENIES:
        find(examination, CHECK_ERROR, (FactPlace){0}, live->queue.what,
             SLICE(
                 "take the statement with the effect Deny, for sqs:SendMessage without a condition, out of its policy"),
             "its policy denies EventBridge (%.*s) to send to it: Spot instances are taken away without a drain",
             SLICE_ARG(sender));
        return;
    case QUEUE_POLICY_SILENT: // targets with a role of their own need none
        find(examination, CHECK_WARNING, (FactPlace){0}, live->queue.what, policy_command(examination),
             "its policy lets EventBridge (%.*s) send nothing to it: unless its rules' targets have a role that may, "
             "Spot instances are taken away without a drain",
             SLICE_ARG(sender));
    }
}

// R084: a service may use a key of the account when the key's policy lets it. The policy of AWS's own key for SQS lets
// the account's principals, and cannot be changed.

bool has_queue_key(const Facts *facts) {
    return facts->live.queue_policy_call.what.len && facts->live.queue_policy_call.code == OK;
}

void check_queue_key(const Examination *examination) {
    const FactLive *live = &examination->facts->live;

    if (slice_ends_with(live->queue_key, SLICE("alias/aws/sqs")))
        find(
            examination, CHECK_ERROR, (FactPlace){0}, live->queue.what,
            arena_printf(examination->arena,
                         "aws sqs set-queue-attributes --queue-url '%.*s' --attributes "
                         "'{\"KmsMasterKeyId\":\"\",\"SqsManagedSseEnabled\":\"true\"}'",
                         SLICE_ARG(live->queue_url)),
            "it is encrypted with AWS's own key for SQS (alias/aws/sqs), which EventBridge may not use: Spot instances "
            "are taken away without a drain");
}

// R084: what sends events to it.

bool has_queue_rules(const Facts *facts) {
    return facts->live.rules_call.what.len;
}

// Of the rules that let an event through one that is enabled, if there is one.
static const FactRule *rule_of(const Examination *examination, const FactEvent *event) {
    const FactRule *found = NULL;

    for (vec_each(const FactRule, rule, &examination->facts->live.rules)) {
        if ((!found || rule->is_enabled) &&
            event_pattern_allows(examination->arena, rule->pattern, event->source, event->detail_type))
            found = rule;
        if (found && found->is_enabled)
            break;
    }
    return found;
}

// "shop-EC2SpotInstanceInterruptionWarning". Another queue's rule of that name lets the same through.
static Slice rule_name(const Examination *examination, const FactEvent *event) {
    Slice name = arena_printf(examination->arena, "%.*s-",
                              SLICE_ARG(slice_first(examination->facts->live.queue.what, QUEUE_PART_MAX)));

    for (size_t i = 0; i < event->detail_type.len; i++) {
        if (event->detail_type.ptr[i] != ' ')
            name = arena_printf(examination->arena, "%.*s%c", SLICE_ARG(name), event->detail_type.ptr[i]);
    }
    return slice_first(name, RULE_NAME_MAX);
}

static Slice rule_command(const Examination *examination, const FactEvent *event) {
    const FactLive *live = &examination->facts->live;
    Slice name = rule_name(examination, event);

    return arena_printf(examination->arena,
                        "aws events put-rule --name '%.*s' --event-pattern "
                        "'{\"source\":[\"%.*s\"],\"detail-type\":[\"%.*s\"]}' && aws events put-targets --rule '%.*s' "
                        "--targets 'Id=%.*s,Arn=%.*s'",
                        SLICE_ARG(name), SLICE_ARG(event->source), SLICE_ARG(event->detail_type), SLICE_ARG(name),
                        SLICE_ARG(slice_first(live->queue.what, RULE_NAME_MAX)), SLICE_ARG(live->queue_arn));
}

static void miss_event(const Examination *examination, const FactEvent *event, const FactRule *rule) {
    const FactLive *live = &examination->facts->live;
    CheckStatus status = event->ends_spot ? CHECK_ERROR : CHECK_WARNING;
    const char *without = event->ends_spot ? ": Spot instances are taken away without a drain" : "";

    if (rule)
        find(examination, status, (FactPlace){0}, live->queue.what,
             arena_printf(examination->arena, "aws events enable-rule --name '%.*s'", SLICE_ARG(rule->name)),
             "the rule %.*s, which sends it %.*s, is disabled%s", SLICE_ARG(rule->name), SLICE_ARG(event->detail_type),
             without);
    else
        find(examination, status, (FactPlace){0}, live->queue.what, rule_command(examination, event),
             "no rule of EventBridge sends it %.*s%s", SLICE_ARG(event->detail_type), without);
}

void check_queue_rules(const Examination *examination) {
    const FactLive *live = &examination->facts->live;

    if (live->rules_call.code != OK) {
        miss_answer(examination, live->queue.what, &live->rules_call);
        return;
    }
    for (vec_each(const FactEvent, event, &live->events)) {
        const FactRule *rule = rule_of(examination, event);

        if (!rule || !rule->is_enabled)
            miss_event(examination, event, rule);
    }
}

bool has_prices(const Facts *facts) {
    return facts->live.has_prices;
}

void check_prices(const Examination *examination) {
    const FactLive *live = &examination->facts->live;

    if (!live->has_products)
        find(examination, CHECK_WARNING, (FactPlace){0}, SLICE("pricing"),
             SLICE("aws pricing get-products --service-code AmazonEC2 --region us-east-1 --max-results 1"),
             "AWS tells no prices of instances on demand");
    if (!live->has_spot_prices)
        find(examination, CHECK_WARNING, (FactPlace){0}, SLICE("ec2"),
             SLICE("aws ec2 describe-spot-price-history --max-results 1"), "AWS tells no prices of Spot instances");
}
