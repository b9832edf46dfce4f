// The bed: an AWS in memory.
#include "cloud/aws/provider/class_bed.h"

#include "base/alloc.h"
#include "cloud/support/class.h"
#include "text/json.h"
#include "text/value_edit.h"

#include <stdio.h>
#include <stdlib.h>

#define USUAL_SPEC                                                                                                     \
    "{role: node-role, amiSelectorTerms: [{alias: al2023@latest}], subnetSelectorTerms: [{tags: {d: c}}], "            \
    "securityGroupSelectorTerms: [{tags: {d: c}}]}"

const MemoryReply bed_lost = {.code = ERR_IO};

// --- usual answers

typedef struct {
    const char *action, *body;
    int status;
} UsualAnswer;

#define EC2(action, inside)                                                                                            \
    { action, "<" action "Response>" inside "</" action "Response>", 200 }
#define DRY_RUN                                                                                                        \
    "<Response><Errors><Error><Code>DryRunOperation</Code><Message>Request would have succeeded, but DryRun flag is "  \
    "set.</Message></Error></Errors><RequestID>r</RequestID></Response>"

static const UsualAnswer usual[] = {
    EC2("DescribeSubnets",
        "<subnetSet>"
        "<item><subnetId>subnet-b</subnetId><availabilityZone>us-east-1b</availabilityZone><availabilityZoneId>use1-az2"
        "</availabilityZoneId><availableIpAddressCount>100</availableIpAddressCount></item>"
        "<item><subnetId>subnet-a</subnetId><availabilityZone>us-east-1a</availabilityZone><availabilityZoneId>use1-az1"
        "</availabilityZoneId><availableIpAddressCount>200</availableIpAddressCount></item></subnetSet>"),
    EC2("DescribeSecurityGroups", "<securityGroupInfo><item><groupId>sg-1</groupId><groupName>nodes</groupName></item>"
                                  "</securityGroupInfo>"),
    EC2("DescribeImages",
        "<imagesSet><item><imageId>ami-x</imageId><name>al2023-x</name><architecture>x86_64</"
        "architecture><creationDate>"
        "2026-11-01T00:00:00.000Z</creationDate><imageState>available</imageState></item></imagesSet>"),
    EC2("DescribeCapacityReservations",
        "<capacityReservationSet><item><capacityReservationId>cr-1</capacityReservationId><ownerId>111122223333"
        "</ownerId><instanceType>m5.large</instanceType><availabilityZone>us-east-1a</availabilityZone>"
        "<availableInstanceCount>3</availableInstanceCount><state>active</state><instanceMatchCriteria>targeted"
        "</instanceMatchCriteria></item></capacityReservationSet>"),
    EC2("DescribePlacementGroups", "<placementGroupSet><item><groupId>pg-1</groupId><groupName>g</groupName><strategy>"
                                   "partition</strategy><partitionCount>5</partitionCount><state>available</state>"
                                   "</item></placementGroupSet>"),
    EC2("CreateLaunchTemplate", "<launchTemplate><launchTemplateId>lt-1</launchTemplateId></launchTemplate>"),
    EC2("DeleteLaunchTemplate", "<launchTemplate><launchTemplateId>lt-1</launchTemplateId></launchTemplate>"),
    EC2("DescribeLaunchTemplates", "<launchTemplates/>"),
    {"CreateFleet", DRY_RUN, 412},
    {"RunInstances", DRY_RUN, 412},
    {"DescribeInstanceTypes", DRY_RUN, 412},
    {"GetParameter", "{\"Parameter\": {\"Name\": \"p\", \"Value\": \"ami-x\"}}", 200},
    {"DescribeCluster",
     "{\"cluster\": {\"endpoint\": \"https://eks.example\", \"version\": \"1.33\", \"arn\": \"arn:aws:eks:c\", "
     "\"kubernetesNetworkConfig\": {\"serviceIpv4Cidr\": \"10.100.0.0/16\"}}}",
     200},
};

// --- IAM

static ClassProfile *find_profile(ClassBed *bed, const char *name) {
    for (uint32_t i = 0; i < BED_PROFILES_MAX; i++) {
        if (bed->profiles[i].exists && strcmp(bed->profiles[i].name, name) == 0)
            return &bed->profiles[i];
    }
    return NULL;
}

// The value of a member of a form, percent-decoded; "": absent.
static const char *form_value(ClassBed *bed, const char *body, const char *key) {
    size_t key_len = strlen(key);
    Buffer text = {0};
    const char *value;

    for (const char *at = body; at; at = strchr(at, '&')) {
        if (*at == '&')
            at++;
        if (strncmp(at, key, key_len) != 0 || at[key_len] != '=')
            continue;
        for (at += key_len + 1; *at && *at != '&'; at++) {
            char code[4] = {at[0], at[1], at[1] ? at[2] : 0, 0};

            if (*at == '%') {
                buffer_printf(&text, "%c", (char)strtol(code + 1, NULL, 16));
                at += 2;
            } else {
                buffer_printf(&text, "%c", *at == '+' ? ' ' : *at);
            }
        }
        break;
    }
    value = arena_text(&bed->arena, buffer_slice(&text));
    buffer_free(&text);
    return value;
}

static void add_profile_xml(Buffer *xml, const ClassProfile *profile, const char *tag) {
    buffer_printf(xml, "<%s><InstanceProfileName>%s</InstanceProfileName><Path>%s</Path><Roles>", tag, profile->name,
                  profile->path);
    if (profile->role[0])
        buffer_printf(xml, "<member><RoleName>%s</RoleName></member>", profile->role);
    buffer_printf(xml, "</Roles></%s>", tag);
}

static MemoryReply iam_result(ClassBed *bed, const char *action, const Buffer *inside) {
    Slice text = arena_printf(&bed->arena, "<%sResponse><%sResult>%.*s</%sResult></%sResponse>", action, action,
                              (int)inside->len, inside->len ? buffer_slice(inside).ptr : "", action, action);

    return (MemoryReply){.body = text.ptr};
}

static MemoryReply iam_fault(ClassBed *bed, int status, const char *code, const char *message) {
    Slice text = arena_printf(&bed->arena,
                              "<ErrorResponse><Error><Type>Sender</Type><Code>%s</Code><Message>%s</Message></Error>"
                              "<RequestId>r</RequestId></ErrorResponse>",
                              code, message);

    return (MemoryReply){.status = status, .body = text.ptr};
}

static MemoryReply create_profile(ClassBed *bed, const char *body, const char *name) {
    ClassProfile *profile = NULL;
    Buffer xml = {0};
    MemoryReply reply;

    if (find_profile(bed, name))
        return iam_fault(bed, 409, "EntityAlreadyExists", "it is there");
    for (uint32_t i = 0; i < BED_PROFILES_MAX && !profile; i++)
        profile = bed->profiles[i].exists ? NULL : &bed->profiles[i];
    assert_non_null(profile);
    *profile = (ClassProfile){.exists = true};
    snprintf(profile->name, sizeof profile->name, "%s", name);
    snprintf(profile->path, sizeof profile->path, "%s", form_value(bed, body, "Path"));
    add_profile_xml(&xml, profile, "InstanceProfile");
    reply = iam_result(bed, "CreateInstanceProfile", &xml);
    buffer_free(&xml);
    return reply;
}

static MemoryReply list_profiles(ClassBed *bed, const char *body) {
    const char *prefix = form_value(bed, body, "PathPrefix");
    Buffer xml = {0};
    MemoryReply reply;

    buffer_printf(&xml, "<InstanceProfiles>");
    for (uint32_t i = 0; i < BED_PROFILES_MAX; i++) {
        if (bed->profiles[i].exists && strncmp(bed->profiles[i].path, prefix, strlen(prefix)) == 0)
            add_profile_xml(&xml, &bed->profiles[i], "member");
    }
    buffer_printf(&xml, "</InstanceProfiles><IsTruncated>false</IsTruncated>");
    reply = iam_result(bed, "ListInstanceProfiles", &xml);
    buffer_free(&xml);
    return reply;
}

static MemoryReply change_profile(ClassBed *bed, const char *action, const char *body, ClassProfile *profile) {
    const char *role = form_value(bed, body, "RoleName");
    const Buffer nothing = {0};

    if (strcmp(action, "AddRoleToInstanceProfile") == 0) {
        if (strncmp(role, "missing", 7) == 0)
            return iam_fault(bed, 404, "NoSuchEntity", "The role with name missing cannot be found.");
        if (profile->role[0])
            return iam_fault(bed, 409, "LimitExceeded", "Cannot exceed quota for InstanceSessionsPerInstanceProfile");
        snprintf(profile->role, sizeof profile->role, "%s", role);
    } else if (strcmp(action, "RemoveRoleFromInstanceProfile") == 0) {
        profile->role[0] = '\0';
    } else {
        if (profile->role[0])
            return iam_fault(bed, 409, "DeleteConflict", "the profile has a role");
        profile->exists = false;
    }
    return iam_result(bed, action, &nothing);
}

static MemoryReply iam(ClassBed *bed, const char *action, const char *body) {
    const char *name = form_value(bed, body, "InstanceProfileName");
    ClassProfile *profile = find_profile(bed, name);
    Buffer xml = {0};
    MemoryReply reply;

    if (strcmp(action, "CreateInstanceProfile") == 0)
        return create_profile(bed, body, name);
    if (strcmp(action, "ListInstanceProfiles") == 0)
        return list_profiles(bed, body);
    if (!profile)
        return iam_fault(bed, 404, "NoSuchEntity", "Instance Profile cannot be found.");
    if (strcmp(action, "GetInstanceProfile") != 0)
        return change_profile(bed, action, body, profile);
    add_profile_xml(&xml, profile, "InstanceProfile");
    reply = iam_result(bed, action, &xml);
    buffer_free(&xml);
    return reply;
}

// --- answering

static const char *action_of(ClassBed *bed, const MemorySent *sent) {
    const char *target = strstr(sent->headers, "X-Amz-Target: ");

    if (target) {
        const char *dot = strchr(target, '.');

        return arena_text(&bed->arena, (Slice){dot + 1, strcspn(dot + 1, "\n")});
    }
    if (strcmp(sent->method, "GET") == 0)
        return "DescribeCluster";
    return form_value(bed, sent->body, "Action");
}

static bool is_iam(const char *action) {
    return strstr(action, "InstanceProfile") != NULL;
}

static MemoryReply usual_answer(ClassBed *bed, const char *action, const char *body) {
    if (is_iam(action))
        return iam(bed, action, body);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (strcmp(usual[i].action, action) == 0)
            return (MemoryReply){.status = usual[i].status, .body = usual[i].body};
    }
    fail_msg("nobody answers %s", action);
    return (MemoryReply){0};
}

static MemoryReply answer(void *context, const MemorySent *sent) {
    ClassBed *bed = context;
    const char *action = action_of(bed, sent);

    buffer_printf(&bed->actions, "%s %s\n", action, sent->body);
    for (uint32_t i = bed->rule_count; i-- > 0;) {
        ClassRule *rule = &bed->rules[i];

        if (!rule->action || strcmp(rule->action, action) != 0 || (rule->match && !strstr(sent->body, rule->match)))
            continue;
        if (rule->is_done_first)
            (void)usual_answer(bed, action, sent->body);
        if (rule->times && --rule->times == 0)
            rule->action = NULL;
        return rule->reply;
    }
    return usual_answer(bed, action, sent->body);
}

void bed_rule(ClassBed *bed, ClassRule rule) {
    assert_true(bed->rule_count < BED_RULES_MAX);
    bed->rules[bed->rule_count++] = rule;
}

void bed_clear_rules(ClassBed *bed) {
    bed->rule_count = 0;
}

MemoryReply bed_fault(ClassBed *bed, const char *code, const char *message) {
    Slice text = arena_printf(&bed->arena,
                              "<Response><Errors><Error><Code>%s</Code><Message>%s</Message></Error></Errors>"
                              "<RequestID>r</RequestID></Response>",
                              code, message);

    return (MemoryReply){.status = strcmp(code, "RequestLimitExceeded") == 0 ? 503 : 400, .body = text.ptr};
}

MemoryReply bed_json_fault(ClassBed *bed, const char *code) {
    return (MemoryReply){.status = 400,
                         .body = arena_printf(&bed->arena, "{\"__type\": \"%s\", \"message\": \"m\"}", code).ptr};
}

// --- the API server

static int64_t kube_now_ns(void *context) {
    return ((ClassBed *)context)->kube_ns;
}

static uint64_t kube_random(void *context) {
    return ((ClassBed *)context)->random += 0x9e3779b97f4a7c15u;
}

static bool kube_fails(ClassBed *bed, KubeError *error) {
    if (!bed->kube_faults)
        return false;
    bed->kube_faults--;
    kube_fail(error, bed->kube_reason, "the bed said no");
    return true;
}

static ErrCode faulty_get(void *self, Arena *arena, KubeRef ref, Value *ret_object, KubeError *error) {
    ClassBed *bed = self;

    return kube_fails(bed, error) ? error->err.code : kube_get(bed->kube, arena, ref, ret_object, error);
}

static ErrCode faulty_list(void *self, Arena *arena, const KubeListRequest *request, KubeList *ret_list,
                           KubeError *error) {
    ClassBed *bed = self;

    return kube_fails(bed, error) ? error->err.code : kube_list(bed->kube, arena, request, ret_list, error);
}

static ErrCode kube_version(void *context, Arena *arena, Slice *ret_version, Err *err) {
    const ClassBed *bed = context;

    if (!bed->version)
        return err_set(err, ERR_IO, "no answer");
    *ret_version = arena_slice(arena, slice_of(bed->version));
    return OK;
}

void bed_create(ClassBed *bed, const char *yaml) {
    Value object = test_yaml(&bed->arena, yaml);
    KubeKind kind = kube_kind_find(kube_text(&object, "apiVersion", NULL), kube_text(&object, "kind", NULL));
    KubeError error = {0};

    if (kube_create(bed->kube, &bed->arena, SLICE("test"), kind, &object, &object, &error) != OK)
        fail_msg("%s: %s", error.err.text, yaml);
}

void bed_class(ClassBed *bed, const char *spec) {
    (void)kube_remove(bed->kube, (KubeRef){KUBE_EC2_NODE_CLASS, {0}, SLICE("default")}, NULL, NULL);
    bed_create(bed, arena_printf(&bed->arena,
                                 "{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: default}, "
                                 "spec: %s}",
                                 spec)
                        .ptr);
}

static void patch_class(ClassBed *bed, KubePart part, const Value *body) {
    KubeError error = {0};

    if (kube_patch(bed->kube, NULL, SLICE("test"), (KubeRef){KUBE_EC2_NODE_CLASS, {0}, SLICE("default")}, part,
                   &(KubePatch){.body = body}, NULL, &error) != OK)
        fail_msg("%s", error.err.text);
}

void bed_patch_class(ClassBed *bed, KubePart part, const char *yaml) {
    Value body = test_yaml(&bed->arena, yaml);

    patch_class(bed, part, &body);
}

static Value plain_condition(ClassBed *bed, const CloudCondition *condition, int64_t generation) {
    Value map = value_map();

    value_put(&bed->arena, &map, SLICE("type"), value_string(slice_of(condition->type)));
    value_put(&bed->arena, &map, SLICE("status"), value_string(slice_of(condition->status)));
    value_put(&bed->arena, &map, SLICE("reason"), value_string(condition->reason));
    value_put(&bed->arena, &map, SLICE("message"), value_string(condition->message));
    value_put(&bed->arena, &map, SLICE("lastTransitionTime"), value_string(SLICE("2026-11-23T08:00:00Z")));
    value_put(&bed->arena, &map, SLICE("observedGeneration"), value_int(&bed->arena, generation));
    return map;
}

void bed_write_back(ClassBed *bed) {
    Value patch = value_map(), conditions = value_list(), object;
    Value *status = value_put(&bed->arena, &patch, SLICE("status"), value_copy(&bed->arena, bed->class.status));
    CloudCondition ready = {"Ready", "True", SLICE("Ready"), {0}};
    int64_t generation;

    assert_int_equal(
        kube_get(bed->kube, &bed->arena, (KubeRef){KUBE_EC2_NODE_CLASS, {0}, SLICE("default")}, &object, NULL), OK);
    generation = kube_generation(&object);
    for (vec_each(const CloudCondition, condition, &bed->class.conditions)) {
        value_append(&bed->arena, &conditions, plain_condition(bed, condition, generation));
        if (strcmp(condition->status, "True") != 0)
            ready.status = condition->status;
    }
    value_append(&bed->arena, &conditions, plain_condition(bed, &ready, generation));
    value_put(&bed->arena, status, SLICE("conditions"), conditions);
    patch_class(bed, KUBE_STATUS, &patch);
}

// --- the process

static void log_note(void *context, AwsLogLevel level, const char *message, Slice subject, const Err *err) {
    buffer_printf(&((ClassBed *)context)->log, "%s%s: %.*s: %s\n", level == AWS_LOG_ERROR ? "E " : "", message,
                  SLICE_ARG(subject), err->text);
}

static void start(ClassBed *bed) {
    bed->state = state_new();
    bed->config.symbols = state_symbols(bed->state);
    bed->provider = aws_provider_new(&bed->config);
}

static void stop(ClassBed *bed) {
    state_free(bed->state); // first, as an engine does
    aws_provider_free(bed->provider);
}

void bed_restart(ClassBed *bed) {
    stop(bed);
    start(bed);
}

ClassBed *bed_new(void) {
    ClassBed *bed = NEW(ClassBed);
    Err err = {0};
    AwsSessionOptions options;

    bed->memory = memory_new();
    bed->memory->answer = answer;
    bed->memory->context = bed;
    bed->environment = environment_new();
    environment_set(bed->environment, "AWS_ACCESS_KEY_ID", "AKID");
    environment_set(bed->environment, "AWS_SECRET_ACCESS_KEY", "secret");
    environment_set(bed->environment, "AWS_REGION", "us-east-1");
    options = (AwsSessionOptions){.environment = &bed->environment->environment, .transport = bed->memory->transport};
    if (aws_session_open(&options, &bed->session, &err) != OK)
        fail_msg("%s", err.text);
    bed->kube_ns = MEMORY_BEGIN_NS;
    bed->server = api_new(&(ApiConfig){.sources = {kube_now_ns, kube_random, bed}});
    bed->kube = api_kube(bed->server);
    bed->kube_table = *bed->kube.table;
    bed->kube_table.get = faulty_get;
    bed->kube_table.list = faulty_list;
    bed->version = "1.34";
    bed->config = (AwsConfig){.settings = AWS_PROVIDER_SETTINGS,
                              .session = bed->session,
                              .kube = {&bed->kube_table, bed},
                              .kube_version = kube_version,
                              .kube_context = bed,
                              .kube_ca_bundle = SLICE("Y2E="),
                              .log = {log_note, bed}};
    bed->config.settings.cluster_name = SLICE("c");
    bed->config.settings.cluster_endpoint = SLICE("https://c.example");
    bed_create(bed, "{apiVersion: v1, kind: Service, metadata: {namespace: kube-system, name: kube-dns}, spec: "
                    "{clusterIP: 10.100.0.10, ports: [{port: 53}]}}");
    bed_class(bed, USUAL_SPEC);
    start(bed);
    assert_int_equal(provider_version_refresh(bed->provider, NULL), OK);
    bed_forget_calls(bed);
    return bed;
}

void bed_free(ClassBed *bed) {
    stop(bed);
    aws_session_close(bed->session);
    api_free(bed->server);
    memory_free(bed->memory);
    environment_free(bed->environment);
    buffer_free(&bed->actions);
    buffer_free(&bed->log);
    arena_free(&bed->lookup);
    arena_free(&bed->arena);
    free(bed);
}

// --- looking

ErrCode bed_resolve(ClassBed *bed) {
    bed->error = (CloudError){0};
    bed->class = (CloudClass){0};
    arena_free(&bed->lookup);
    return provider_class_resolve(bed->provider, &bed->lookup, SLICE("default"), &bed->class, &bed->error);
}

static const CloudCondition *find_condition(const ClassBed *bed, const char *type) {
    for (vec_each(const CloudCondition, condition, &bed->class.conditions)) {
        if (strcmp(condition->type, type) == 0)
            return condition;
    }
    return NULL;
}

const char *bed_condition(ClassBed *bed, const char *type) {
    const CloudCondition *condition = find_condition(bed, type);

    if (!condition)
        return "-";
    if (strcmp(condition->status, "True") == 0)
        return "True";
    return arena_printf(&bed->arena, "%s %.*s", condition->status, SLICE_ARG(condition->reason)).ptr;
}

const char *bed_message(ClassBed *bed, const char *type) {
    const CloudCondition *condition = find_condition(bed, type);

    return condition ? arena_text(&bed->arena, condition->message) : "-";
}

const char *bed_status(ClassBed *bed, const char *member) {
    const Value *value = bed->class.status ? value_get(bed->class.status, slice_of(member)) : NULL;
    Buffer text = {0};
    const char *json;

    if (!value)
        return "-";
    json_print(&text, value, false);
    json = arena_text(&bed->arena, buffer_slice(&text));
    buffer_free(&text);
    return json;
}

static bool is_of_action(const char *line, const char *action) {
    size_t len = strlen(action);

    return strncmp(line, action, len) == 0 && line[len] == ' ';
}

static const char *actions(const ClassBed *bed) {
    return bed->actions.len ? buffer_slice(&bed->actions).ptr : "";
}

uint32_t bed_calls(const ClassBed *bed, const char *action) {
    const char *end = actions(bed) + bed->actions.len;
    uint32_t count = 0;

    for (const char *line = actions(bed); line && line < end; line = strchr(line, '\n') + 1)
        count += is_of_action(line, action);
    return count;
}

const char *bed_sent(ClassBed *bed, const char *action) {
    const char *end = actions(bed) + bed->actions.len, *last = NULL;

    for (const char *line = actions(bed); line && line < end; line = strchr(line, '\n') + 1) {
        if (is_of_action(line, action))
            last = line;
    }
    return last ? arena_text(&bed->arena, (Slice){last, strcspn(last, "\n")}) : NULL;
}

void bed_forget_calls(ClassBed *bed) {
    buffer_free(&bed->actions);
    bed->actions = (Buffer){0};
}

void bed_pass(ClassBed *bed, int64_t ns) {
    memory_pass(bed->memory, ns);
    bed->kube_ns += ns;
}

uint32_t bed_profile_count(const ClassBed *bed) {
    uint32_t count = 0;

    for (uint32_t i = 0; i < BED_PROFILES_MAX; i++)
        count += bed->profiles[i].exists;
    return count;
}
