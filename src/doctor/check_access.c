// Checks of identities, and of the controller itself.
#include "doctor/check_parts.h"

static const Slice username = SLICE_INIT("system:node:{{EC2PrivateDNSName}}");

bool has_auth(const Facts *facts) {
    return facts->has_auth || facts->has_access_entry;
}

bool has_controller_and_nodes(const Facts *facts) {
    return facts->has_controller && facts->nodes;
}

bool has_settings(const Facts *facts) {
    return facts->has_settings;
}

// R008.
void check_identity(const Examination *examination) {
    const Facts *facts = examination->facts;
    const FactSetting *preset = &facts->profile;
    bool has_preset = preset->is_given && (!preset->value.ptr || preset->value.len);

    for (vec_each(const FactClass, class, &facts->classes)) {
        if (class->role.len || class->profile.len || class->has_template || has_preset)
            continue;
        find(examination, facts->has_settings ? CHECK_ERROR : CHECK_WARNING, class->place,
             class_object(examination, class),
             slice_eq(class->kind, SLICE("EC2NodeClass"))
                 ? SLICE("set spec.role")
                 : SLICE("set spec.instanceProfile, or aws.defaultInstanceProfile in karpenter-global-settings"),
             "its nodes have neither a role nor an instance profile%s",
             facts->has_settings ? "" : ", unless the settings name one");
    }
}

// R009.

static bool has_group(const FactMapping *mapping, const char *name) {
    for (vec_each(const Slice, group, &mapping->groups)) {
        if (!group->ptr || slice_eq_text(*group, name))
            return true;
    }
    return false;
}

static bool lets_nodes_in(const FactMapping *mapping) {
    return has_group(mapping, "system:bootstrappers") && has_group(mapping, "system:nodes") &&
           (!mapping->username.ptr || slice_eq(mapping->username, username));
}

// Whether an ARN may be that role's; `name` empty: any.
static bool is_role(const FactMapping *mapping, Slice name) {
    return !mapping->role.ptr || !name.len ||
           (slice_ends_with(mapping->role, name) && mapping->role.len > name.len &&
            mapping->role.ptr[mapping->role.len - name.len - 1] == '/');
}

static const FactMapping *find_mapping(const Facts *facts, Slice role, bool lets_in) {
    for (vec_each(const FactMapping, mapping, &facts->mappings)) {
        if (is_role(mapping, role) && lets_nodes_in(mapping) == lets_in)
            return mapping;
    }
    return NULL;
}

static void check_role(const Examination *examination, Slice role, Slice object) {
    const FactMapping *wrong = find_mapping(examination->facts, role, false);
    Slice name = role.len ? role : SLICE("NODE_ROLE");

    if (find_mapping(examination->facts, role, true))
        return;
    find(examination, CHECK_ERROR, examination->facts->auth, object,
         arena_printf(examination->arena,
                      "eksctl create iamidentitymapping --cluster CLUSTER --arn arn:aws:iam::ACCOUNT:role/%.*s "
                      "--username '%.*s' --group system:bootstrappers --group system:nodes",
                      SLICE_ARG(name), SLICE_ARG(username)),
         wrong && role.len ? "aws-auth has the role %.*s without the username and the groups of nodes"
                           : "aws-auth has no entry by which nodes of the role %.*s may join",
         SLICE_ARG(name));
}

// Of an instance profile alone nobody knows the role, but some role has to be there.
void check_auth(const Examination *examination) {
    const Facts *facts = examination->facts;
    bool checked = false;

    if (facts->has_open_auth || facts->has_access_entry)
        return;
    for (vec_each(const FactClass, class, &facts->classes)) {
        if (class->role.len)
            check_role(examination, class->role, class_object(examination, class));
        checked = checked || class->role.len;
    }
    if (!checked)
        check_role(examination, SLICE(""), SLICE("ConfigMap aws-auth"));
}

// Spot.

static const FactPool *spot_pool(const Facts *facts) {
    for (vec_each(const FactPool, pool, &facts->pools)) {
        if (pool_allows(pool, "karpenter.sh/capacity-type", SLICE("spot")))
            return pool;
    }
    return NULL;
}

bool has_roles(const Facts *facts) {
    return spot_pool(facts) && (facts->has_roles || facts->has_terraform);
}

void check_spot_role(const Examination *examination) {
    const FactPool *pool = spot_pool(examination->facts);

    if (!examination->facts->has_spot_role)
        find(examination, examination->facts->has_roles ? CHECK_ERROR : CHECK_WARNING, pool->place,
             pool_object(examination, pool),
             SLICE("aws iam create-service-linked-role --aws-service-name spot.amazonaws.com"),
             "it allows Spot instances, and %s",
             examination->facts->has_roles ? "the account has no AWSServiceRoleForEC2Spot"
                                           : "the Terraform does not make AWSServiceRoleForEC2Spot, which an account "
                                             "needs once");
}

// The controller.

// Replicas keep apart by host, and off the nodes that they make.
void check_replicas(const Examination *examination) {
    const Facts *facts = examination->facts;

    if (facts->replicas > facts->foreign_nodes)
        find(examination, CHECK_ERROR, facts->controller, SLICE("Deployment karpenter"),
             arena_printf(examination->arena, "kubectl -n karpenter scale deployment karpenter --replicas=%u",
                          facts->foreign_nodes ? facts->foreign_nodes : 1),
             "%lld replicas keep apart from each other and off Karpenter's nodes, and there are %u other nodes",
             (long long)facts->replicas, facts->foreign_nodes);
}

// R084. An empty name turns the interruption controller off.
void check_queue(const Examination *examination) {
    const Facts *facts = examination->facts;
    bool has_queue = facts->queue.is_given && (!facts->queue.value.ptr || facts->queue.value.len);

    if (!has_queue)
        find(examination, CHECK_WARNING, facts->settings, SLICE(""),
             SLICE("make the queue and its rules, and name it: --set settings.interruptionQueue=CLUSTER (before 0.33 "
                   "settings.aws.interruptionQueueName)"),
             "no interruption queue is named: Spot instances are taken away without a drain");
    else if (facts->has_terraform && !facts->makes_queue)
        find(examination, CHECK_WARNING, facts->queue.place, SLICE(""),
             SLICE("add module \"karpenter\" of terraform-aws-modules/eks, or aws_sqs_queue and its rules"),
             "an interruption queue is named, and the Terraform makes none");
}

// Versions.

// The number behind the first point of "v0.27.0"; -1: there is none.
static int64_t minor_of(Slice version) {
    ptrdiff_t point = slice_find(version, '.');
    Slice rest = point < 0 ? SLICE("") : slice_from(version, (size_t)point + 1);
    ptrdiff_t end = slice_find(rest, '.');
    int64_t minor = -1;

    return slice_to_int64(end < 0 ? rest : slice_first(rest, (size_t)end), &minor) ? minor : -1;
}

static bool is_before_one(Slice version) {
    return slice_starts_with(version, SLICE("v0.")) || slice_starts_with(version, SLICE("0."));
}

bool has_versions(const Facts *facts) {
    return facts->chart.value.len && facts->kubernetes.value.len;
}

// Reference legacy.md 0: Kubernetes 1.26 and newer need 0.28.
void check_versions(const Examination *examination) {
    const FactSetting *chart = &examination->facts->chart, *kubernetes = &examination->facts->kubernetes;

    if (is_before_one(chart->value) && minor_of(chart->value) < 28 && minor_of(kubernetes->value) >= 26)
        find(examination, CHECK_WARNING, chart->place, SLICE(""),
             SLICE("install 0.28 or newer; tenon convert --to v1 makes the manifests of 1.x"),
             "Karpenter %.*s was never made for Kubernetes %.*s", SLICE_ARG(chart->value),
             SLICE_ARG(kubernetes->value));
}
