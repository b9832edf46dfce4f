#include "cloud/aws/provider/support/ec2_world.h"

#include "cloud/aws/provider/provider.h"
#include "model/manifest/object.h"
#include "text/yaml.h"

#include <ctype.h>
#include <stdio.h>

// --- forms

static const char *decode(Arena *arena, Slice text) {
    char *out = arena_alloc(arena, text.len + 1);
    size_t at = 0;

    for (size_t i = 0; i < text.len; i++) {
        unsigned value = 0;

        if (text.ptr[i] == '%' && i + 2 < text.len && sscanf(text.ptr + i + 1, "%2x", &value) == 1) {
            out[at++] = (char)value;
            i += 2;
        } else {
            out[at++] = text.ptr[i] == '+' ? ' ' : text.ptr[i];
        }
    }
    return out;
}

const char *world_param(World *w, const char *body, const char *name) {
    Slice left = slice_of(body), wanted = arena_printf(&w->arena, "%s=", name);

    while (left.len) {
        ptrdiff_t end = slice_find(left, '&');
        Slice part = end < 0 ? left : slice_first(left, (size_t)end);

        if (slice_starts_with(part, wanted))
            return decode(&w->arena, slice_from(part, wanted.len));
        left = end < 0 ? (Slice){0} : slice_from(left, (size_t)end + 1);
    }
    return NULL;
}

static const char *param(World *w, const char *body, const char *format, uint32_t a, uint32_t b) {
    char name[200];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(name, sizeof name, format, a, b);
#pragma GCC diagnostic pop
    return world_param(w, body, name);
}

// The first value of a filter; NULL: it is not there.
static const char *filter(World *w, const char *body, const char *name) {
    const char *found;

    for (uint32_t i = 1; (found = param(w, body, "Filter.%u.Name", i, 0)); i++) {
        if (!strcmp(found, name))
            return param(w, body, "Filter.%u.Value.1", i, 0);
    }
    return NULL;
}

static bool filter_has(World *w, const char *body, const char *name, const char *value) {
    const char *found, *one;

    for (uint32_t i = 1; (found = param(w, body, "Filter.%u.Name", i, 0)); i++) {
        if (strcmp(found, name))
            continue;
        for (uint32_t j = 1; (one = param(w, body, "Filter.%u.Value.%u", i, j)); j++) {
            if (!strcmp(one, value))
                return true;
        }
    }
    return false;
}

// --- replies

static MemoryReply fault(World *w, int status, const char *code, const char *message) {
    return (MemoryReply){.status = status,
                         .body = arena_printf(&w->arena,
                                              "<Response><Errors><Error><Code>%s</Code><Message>%s</Message></Error>"
                                              "</Errors><RequestID>r</RequestID></Response>",
                                              code, message)
                                     .ptr};
}

static MemoryReply reply(const char *body) {
    return (MemoryReply){.body = body};
}

// --- templates

static bool has_template(const World *w, const char *name) {
    for (uint32_t i = 0; i < w->templates.count; i++) {
        if (!strcmp(w->templates.items[i], name))
            return true;
    }
    return false;
}

static MemoryReply describe_templates(World *w, const char *body) {
    const char *name = world_param(w, body, "LaunchTemplateName.1");
    bool by_name = filter(w, body, "launch-template-name") != NULL;
    Buffer text = {0};
    MemoryReply answer;

    if (name && !has_template(w, name))
        return fault(w, 400, "InvalidLaunchTemplateName.NotFoundException", "no such template");
    buffer_printf(&text, "<DescribeLaunchTemplatesResponse><launchTemplates>");
    for (uint32_t i = 0; i < w->templates.count; i++) {
        const char *one = w->templates.items[i];

        if ((name && strcmp(name, one) != 0) || (by_name && !filter_has(w, body, "launch-template-name", one)))
            continue;
        buffer_printf(&text,
                      "<item><launchTemplateId>lt-%u</launchTemplateId><launchTemplateName>%s"
                      "</launchTemplateName></item>",
                      i, one);
    }
    buffer_printf(&text, "</launchTemplates></DescribeLaunchTemplatesResponse>");
    answer = reply(arena_text(&w->arena, buffer_slice(&text)));
    buffer_free(&text);
    return answer;
}

static MemoryReply create_template(World *w, const char *body) {
    const char *name = world_param(w, body, "LaunchTemplateName");

    if (has_template(w, name))
        return fault(w, 400, "InvalidLaunchTemplateName.AlreadyExistsException", "it exists");
    vec_push(&w->arena, &w->templates, name);
    return reply("<CreateLaunchTemplateResponse/>");
}

static MemoryReply delete_template(World *w, const char *body) {
    const char *name = world_param(w, body, "LaunchTemplateName");

    for (uint32_t i = 0; i < w->templates.count; i++) {
        if (strcmp(w->templates.items[i], name) != 0)
            continue;
        w->templates.items[i] = w->templates.items[--w->templates.count];
        return reply("<DeleteLaunchTemplateResponse/>");
    }
    return fault(w, 400, "InvalidLaunchTemplateName.NotFoundException", "no such template");
}

// --- fleets

typedef struct {
    const char *type, *zone, *subnet, *image, *template;
    double price;
} Override;

// The code of the error that the world has for a type and zone; NULL: none.
static const char *error_for(World *w, const char *type, const char *zone) {
    SliceVec parts = test_parts(&w->arena, slice_of(w->errors), ';');

    for (vec_each(const Slice, part, &parts)) {
        SliceVec words = test_parts(&w->arena, *part, ' ');

        assert_int_equal(words.count, 3);
        if (slice_eq_text(words.items[1], type) && slice_eq_text(words.items[2], zone))
            return arena_text(&w->arena, words.items[0]);
    }
    return NULL;
}

static void add_errors(World *w, const Override *override, const char *code, Buffer *text) {
    buffer_printf(text,
                  "<item><errorCode>%s</errorCode><errorMessage>no</errorMessage><launchTemplateAndOverrides>"
                  "<launchTemplateSpecification><launchTemplateName>%s</launchTemplateName>"
                  "</launchTemplateSpecification><overrides><instanceType>%s</instanceType><subnetId>%s</subnetId>"
                  "<availabilityZone>%s</availabilityZone></overrides></launchTemplateAndOverrides></item>",
                  code, override->template, override->type, override->subnet, override->zone);
    (void)w;
}

// Ids are in no order.
static const char *new_id(World *w) {
    return arena_printf(&w->arena, "i-%08x", (unsigned)hash_u64(w->instances.count + 1)).ptr;
}

static void start_instances(World *w, const char *body, const Override *override, uint32_t count, Buffer *text) {
    const char *kind = world_param(w, body, "TargetCapacitySpecification.DefaultTargetCapacityType");
    const char *pool = NULL, *class = NULL, *key;

    for (uint32_t i = 1; (key = param(w, body, "TagSpecification.1.Tag.%u.Key", i, 0)); i++) {
        if (!strcmp(key, "karpenter.sh/nodepool"))
            pool = param(w, body, "TagSpecification.1.Tag.%u.Value", i, 0);
        if (!strcmp(key, "karpenter.k8s.aws/ec2nodeclass"))
            class = param(w, body, "TagSpecification.1.Tag.%u.Value", i, 0);
    }
    for (uint32_t i = 0; i < count; i++) {
        const char *id = new_id(w);

        vec_push(&w->arena, &w->instances,
                 (WorldInstance){.id = id,
                                 .token = world_param(w, body, "ClientToken"),
                                 .type = override->type,
                                 .zone = override->zone,
                                 .subnet = override->subnet,
                                 .image = override->image,
                                 .pool = pool,
                                 .node_class = class,
                                 .state = "running",
                                 .is_spot = !strcmp(kind, "spot"),
                                 .visible_ns = w->memory->moment.now.ns + w->hidden_ns});
        buffer_printf(text,
                      "<item><instanceIds><item>%s</item>%s%s%s</instanceIds><instanceType>%s</instanceType>"
                      "<launchTemplateAndOverrides><launchTemplateSpecification><launchTemplateName>%s"
                      "</launchTemplateName></launchTemplateSpecification><overrides><instanceType>%s</instanceType>"
                      "<subnetId>%s</subnetId><availabilityZone>%s</availabilityZone><imageId>%s</imageId></overrides>"
                      "</launchTemplateAndOverrides></item>",
                      id, w->doubles_ids ? "<item>" : "", w->doubles_ids ? id : "",
                      w->doubles_ids ? "</item><item></item>" : "", override->type, override->template, override->type,
                      override->subnet, override->zone, override->image);
    }
}

static bool read_override(World *w, const char *body, uint32_t config, uint32_t at, Override *override) {
    const char *priority;

    override->type = param(w, body, "LaunchTemplateConfigs.%u.Overrides.%u.InstanceType", config, at);
    if (!override->type)
        return false;
    override->template =
        param(w, body, "LaunchTemplateConfigs.%u.LaunchTemplateSpecification.LaunchTemplateName", config, 0);
    override->zone = param(w, body, "LaunchTemplateConfigs.%u.Overrides.%u.AvailabilityZone", config, at);
    override->subnet = param(w, body, "LaunchTemplateConfigs.%u.Overrides.%u.SubnetId", config, at);
    override->image = param(w, body, "LaunchTemplateConfigs.%u.Overrides.%u.ImageId", config, at);
    priority = param(w, body, "LaunchTemplateConfigs.%u.Overrides.%u.Priority", config, at);
    override->price = priority ? strtod(priority, NULL) : 0;
    return true;
}

static const char *run_fleet(World *w, const char *body) {
    const char *total = world_param(w, body, "TargetCapacitySpecification.TotalTargetCapacity");
    uint32_t wanted = (uint32_t)strtoul(total, NULL, 10);
    Buffer text = {0}, instances = {0};
    Override best = {0}, one;
    const char *body_text;

    buffer_printf(&text, "<CreateFleetResponse><fleetId>f</fleetId><errorSet>");
    for (uint32_t config = 1; config < 20; config++) {
        for (uint32_t at = 1; read_override(w, body, config, at, &one); at++) {
            const char *code = error_for(w, one.type, one.zone);

            if (code)
                add_errors(w, &one, code, &text);
            else if (!best.type || one.price < best.price)
                best = one;
        }
    }
    if (best.type)
        start_instances(w, body, &best, (wanted < w->room ? wanted : w->room) + w->surplus, &instances);
    buffer_printf(&text, "</errorSet><fleetInstanceSet>%.*s</fleetInstanceSet></CreateFleetResponse>",
                  SLICE_ARG(buffer_slice(&instances)));
    body_text = arena_text(&w->arena, buffer_slice(&text));
    buffer_free(&text);
    buffer_free(&instances);
    return body_text;
}

static MemoryReply create_fleet(World *w, const char *body) {
    const char *token = world_param(w, body, "ClientToken"), *template;
    WorldFleet *fleet;

    assert_non_null(token);
    if (w->body_max && strlen(body) > w->body_max)
        return fault(w, 400, "InvalidInput",
                     "The request failed because the payload for the body of the request is too large.");
    for (vec_each(WorldFleet, known, &w->fleets)) {
        if (strcmp(known->token, token) != 0)
            continue;
        return strcmp(known->body, body) ? fault(w, 400, "IdempotentParameterMismatch", "they differ")
                                         : reply(known->reply);
    }
    for (uint32_t i = 1;
         (template = param(w, body, "LaunchTemplateConfigs.%u.LaunchTemplateSpecification.LaunchTemplateName", i, 0));
         i++) {
        if (!has_template(w, template))
            return fault(w, 400, "InvalidLaunchTemplateName.NotFoundException", "no such template");
    }
    fleet = vec_add(&w->arena, &w->fleets);
    fleet->token = token;
    fleet->body = body;
    fleet->reply = run_fleet(w, body);
    return reply(fleet->reply);
}

// --- instances

static WorldInstance *find_instance(const World *w, const char *id) {
    for (vec_each(WorldInstance, instance, &w->instances)) {
        if (!strcmp(instance->id, id))
            return instance;
    }
    return NULL;
}

static bool is_shown(World *w, const char *body, const WorldInstance *instance) {
    const char *token = filter(w, body, "tag:tenon.sh/launch");
    bool by_id = world_param(w, body, "InstanceId.1") != NULL;

    if (instance->visible_ns > w->memory->moment.now.ns)
        return false;
    if (filter(w, body, "instance-state-name") && !filter_has(w, body, "instance-state-name", instance->state))
        return false;
    if (token && (!instance->token || strcmp(token, instance->token) != 0))
        return false;
    if (filter(w, body, "instance-id") && !filter_has(w, body, "instance-id", instance->id))
        return false;
    for (uint32_t i = 1; by_id; i++) {
        const char *id = param(w, body, "InstanceId.%u", i, 0);

        if (!id)
            return false;
        if (!strcmp(id, instance->id))
            break;
    }
    return true;
}

static void tag(Buffer *text, const char *key, const char *value) {
    if (value)
        buffer_printf(text, "<item><key>%s</key><value>%s</value></item>", key, value);
}

static void describe(const WorldInstance *instance, Buffer *text) {
    buffer_printf(text,
                  "<item><instancesSet><item><instanceId>%s</instanceId><imageId>%s</imageId><instanceType>%s"
                  "</instanceType><launchTime>2026-11-23T08:00:00Z</launchTime><subnetId>%s</subnetId><instanceState>"
                  "<name>%s</name></instanceState><placement><availabilityZone>%s</availabilityZone></placement>%s"
                  "<groupSet><item><groupId>%s</groupId></item></groupSet><tagSet>",
                  instance->id, instance->image, instance->type, instance->subnet, instance->state, instance->zone,
                  instance->is_spot ? "<spotInstanceRequestId>sir-1</spotInstanceRequestId>" : "",
                  instance->group ? instance->group : "sg-1");
    tag(text, "karpenter.sh/nodepool", instance->pool);
    tag(text, "karpenter.k8s.aws/ec2nodeclass", instance->node_class);
    tag(text, "Name", instance->name);
    tag(text, "karpenter.sh/nodeclaim", instance->claim);
    tag(text, "tenon.sh/launch", instance->token);
    tag(text, "eks:eks-cluster-name", "c");
    buffer_printf(text, "</tagSet>");
    if (instance->end)
        buffer_printf(text, "<stateReason><code>%s</code><message>%s</message></stateReason>", instance->end,
                      instance->why);
    if (instance->reservation)
        buffer_printf(text,
                      "<capacityReservationId>%s</capacityReservationId><capacityReservationSpecification>"
                      "<capacityReservationPreference>capacity-reservations-only</capacityReservationPreference>"
                      "</capacityReservationSpecification>",
                      instance->reservation);
    buffer_printf(text, "</item></instancesSet></item>");
}

static MemoryReply describe_instances(World *w, const char *body) {
    Buffer text = {0};
    MemoryReply answer;
    const char *id;

    for (uint32_t i = 1; (id = param(w, body, "InstanceId.%u", i, 0)); i++) {
        const WorldInstance *instance = find_instance(w, id);

        if (!instance || instance->visible_ns > w->memory->moment.now.ns)
            return fault(w, 400, "InvalidInstanceID.NotFound", "The instance ID does not exist");
    }
    buffer_printf(&text, "<DescribeInstancesResponse><reservationSet>");
    for (vec_each(const WorldInstance, instance, &w->instances)) {
        if (is_shown(w, body, instance))
            describe(instance, &text);
    }
    buffer_printf(&text, "</reservationSet></DescribeInstancesResponse>");
    answer = reply(arena_text(&w->arena, buffer_slice(&text)));
    buffer_free(&text);
    return answer;
}

static MemoryReply terminate(World *w, const char *body) {
    Buffer text = {0};
    MemoryReply answer;
    const char *id;

    for (uint32_t i = 1; (id = param(w, body, "InstanceId.%u", i, 0)); i++) {
        if (!find_instance(w, id))
            return fault(w, 400, "InvalidInstanceID.NotFound", "The instance ID does not exist");
    }
    buffer_printf(&text, "<TerminateInstancesResponse><instancesSet>");
    for (uint32_t i = 1; (id = param(w, body, "InstanceId.%u", i, 0)); i++) {
        WorldInstance *instance = find_instance(w, id);

        if ((!w->stuck || strcmp(w->stuck, id) != 0) && strcmp(instance->state, "terminated") != 0)
            instance->state = "shutting-down";
        buffer_printf(&text, "<item><instanceId>%s</instanceId><currentState><name>%s</name></currentState></item>", id,
                      instance->state);
    }
    buffer_printf(&text, "</instancesSet></TerminateInstancesResponse>");
    answer = reply(arena_text(&w->arena, buffer_slice(&text)));
    buffer_free(&text);
    return answer;
}

static MemoryReply create_tags(World *w, const char *body) {
    WorldInstance *instance = find_instance(w, world_param(w, body, "ResourceId.1"));
    const char *key;

    if (!instance)
        return fault(w, 400, "InvalidInstanceID.NotFound", "The instance ID does not exist");
    for (uint32_t i = 1; (key = param(w, body, "Tag.%u.Key", i, 0)); i++) {
        if (!strcmp(key, "Name"))
            instance->name = param(w, body, "Tag.%u.Value", i, 0);
        if (!strcmp(key, "karpenter.sh/nodeclaim"))
            instance->claim = param(w, body, "Tag.%u.Value", i, 0);
    }
    return reply("<CreateTagsResponse/>");
}

static MemoryReply reboot(World *w, const char *body) {
    if (!find_instance(w, world_param(w, body, "InstanceId.1")))
        return fault(w, 400, "InvalidInstanceID.NotFound", "The instance ID does not exist");
    return reply("<RebootInstancesResponse/>");
}

// --- calls

// Whether the process is alive for one more call.
static bool spend(World *w) {
    w->calls++;
    if (w->budget == UINT32_MAX)
        return true;
    if (!w->budget)
        return false;
    w->budget--;
    return true;
}

static WorldFault *fault_of(World *w, const char *action) {
    for (vec_each(WorldFault, planted, &w->faults)) {
        if (strcmp(planted->action, action) != 0 || !planted->times)
            continue;
        if (planted->skip) {
            planted->skip--;
            continue;
        }
        planted->times--;
        return planted;
    }
    return NULL;
}

static MemoryReply carry_out(World *w, const char *action, const char *body) {
    static const struct {
        const char *action;
        MemoryReply (*call)(World *w, const char *body);
    } calls[] = {{"CreateFleet", create_fleet},
                 {"DescribeInstances", describe_instances},
                 {"TerminateInstances", terminate},
                 {"RebootInstances", reboot},
                 {"CreateTags", create_tags},
                 {"DescribeLaunchTemplates", describe_templates},
                 {"CreateLaunchTemplate", create_template},
                 {"DeleteLaunchTemplate", delete_template}};

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (!strcmp(calls[i].action, action))
            return calls[i].call(w, body);
    }
    fail_msg("no action %s", action);
    return (MemoryReply){0};
}

static MemoryReply answer(void *context, const MemorySent *sent) {
    World *w = context;
    const char *action = world_param(w, sent->body, "Action");
    const WorldFault *planted;
    MemoryReply result;

    vec_push(&w->arena, &w->actions, action);
    if (!spend(w))
        return (MemoryReply){.code = ERR_IO};
    planted = fault_of(w, action);
    if (planted && !planted->after && planted->lost == OK)
        return fault(w, planted->status ? planted->status : 400, planted->code,
                     planted->message ? planted->message : "no");
    if (planted && !planted->after)
        return (MemoryReply){.code = planted->lost};
    result = carry_out(w, action, sent->body);
    if (planted)
        return (MemoryReply){.code = planted->lost};
    return result;
}

static ErrCode call_patch(void *self, Arena *arena, Slice manager, KubeRef ref, KubePart part, const KubePatch *patch,
                          Value *ret_object, KubeError *error) {
    World *w = self;
    const WorldFault *planted;
    ErrCode code;

    if (!spend(w))
        return err_set(&error->err, ERR_IO, "the process is dead");
    planted = fault_of(w, "PATCH");
    if (planted && !planted->after)
        return kube_fail(error, (KubeReason)planted->status, "the world said no");
    code = kube_patch(w->kube, arena, manager, ref, part, patch, ret_object, error);
    return planted ? kube_fail(error, (KubeReason)planted->status, "the world said no") : code;
}

static ErrCode call_get(void *self, Arena *arena, KubeRef ref, Value *ret_object, KubeError *error) {
    World *w = self;

    return kube_get(w->kube, arena, ref, ret_object, error);
}

// --- neighbours

static World *the_world;

static const ClassSnapshot *class_hold(AwsProvider *provider, Slice name) {
    (void)provider;
    for (uint32_t i = 0; i < the_world->class_count && !the_world->lacks_class; i++) {
        if (slice_eq(the_world->snapshots[i].name, name)) {
            the_world->snapshots[i].holders++;
            return &the_world->snapshots[i];
        }
    }
    return NULL;
}

static void class_release(const ClassSnapshot *snapshot) {
    if (snapshot)
        the_world->snapshots[snapshot - the_world->snapshots].holders--;
}

static const InstanceTypeVec *types(AwsProvider *provider, Slice class_name) {
    (void)provider, (void)class_name;
    return the_world->lacks_class ? NULL : &the_world->types;
}

static bool is_confirmed(AwsProvider *provider) {
    (void)provider;
    return the_world->is_confirmed;
}

static ClusterFacts cluster_facts(AwsProvider *provider, Arena *arena) {
    (void)provider, (void)arena;
    return (ClusterFacts){.endpoint = the_world->endpoint, .ca_bundle = SLICE("Y2E="), .dns_ip = SLICE("10.100.0.10")};
}

static ErrCode service_cidr(AwsProvider *provider, Arena *arena, Slice *ret_cidr, CloudError *error) {
    (void)provider, (void)arena;
    if (the_world->cidr_fails)
        return cloud_fail(error, ERR_THROTTLED, "EKS is busy");
    *ret_cidr = SLICE("10.100.0.0/16");
    return OK;
}

static void mark(AwsProvider *provider, const UnavailableMarkVec *marks) {
    for (vec_each(const UnavailableMark, one, marks))
        vec_push(&the_world->arena, &the_world->marks, *one);
    provider_mark(provider, marks);
}

static void launched(AwsProvider *provider, const CloudInstance *instance) {
    (void)provider, (void)instance;
    the_world->launched++;
}

static void listed(AwsProvider *provider, const CloudInstanceVec *instances) {
    (void)provider;
    the_world->listed = instances->count;
}

static Slice zone_id(AwsProvider *provider, Slice zone) {
    (void)provider;
    return slice_eq_text(zone, "a") ? SLICE("az1") : SLICE("az2");
}

static bool zone_is_left(AwsProvider *provider, Slice zone) {
    (void)provider;
    return the_world->left_zone && slice_eq_text(zone, the_world->left_zone);
}

// --- the world

static bool launchable(AwsProvider *provider, Arena *arena, Slice class_name, InstanceTypeVec *ret_types) {
    (void)arena;
    if (!types(provider, class_name))
        return false;
    *ret_types = the_world->types;
    return true;
}

static void reservation_launched(AwsProvider *provider, Symbol reservation) {
    (void)provider, (void)reservation;
    the_world->reservations_launched++;
}

static void reservation_full(AwsProvider *provider, Symbol reservation) {
    (void)provider;
    the_world->full_reservation = world_text(the_world, reservation);
}

static void reservation_ended(AwsProvider *provider, Symbol reservation, Slice instance) {
    (void)provider, (void)instance;
    the_world->ended_reservation = world_text(the_world, reservation);
}

static const ProviderNeighbours neighbours = {
    .class_hold = class_hold,
    .class_release = class_release,
    .types = types,
    .launchable = launchable,
    .is_confirmed = is_confirmed,
    .cluster_facts = cluster_facts,
    .service_cidr = service_cidr,
    .mark = mark,
    .launches_begin = provider_launches_begin,
    .launches_end = provider_launches_end,
    .reservation_launched = reservation_launched,
    .reservation_full = reservation_full,
    .reservation_ended = reservation_ended,
    .launched = launched,
    .listed = listed,
    .zone_is_left = zone_is_left,
    .zone_id = zone_id,
};

static int64_t api_now(void *context) {
    return ((World *)context)->memory->moment.wall_ns;
}

static uint64_t api_random(void *context) {
    return hash_u64(++((World *)context)->server_ns_ahead);
}

static void take_log(void *context, AwsLogLevel level, const char *message, Slice subject, const Err *err) {
    static const char *const words[] = {"info", "error", "debug"};

    buffer_printf(&((World *)context)->log, "%s %s: %.*s: %s\n", words[level], message, SLICE_ARG(subject), err->text);
}

static void count_launch(void *context, Slice zone, Slice zone_id, Slice capacity_type, Slice reason) {
    buffer_printf(&((World *)context)->counted, "%.*s %.*s %.*s %.*s; ", SLICE_ARG(zone), SLICE_ARG(zone_id),
                  SLICE_ARG(capacity_type), SLICE_ARG(reason));
}

static void count_termination(void *context, Slice zone, Slice zone_id) {
    buffer_printf(&((World *)context)->counted, "%.*s %.*s; ", SLICE_ARG(zone), SLICE_ARG(zone_id));
}

static void note_user_data(void *context, Slice node_class, size_t bytes) {
    assert_true(node_class.len > 0);
    ((World *)context)->user_data_bytes = bytes;
}

static void start(World *w) {
    static const KubeTable table = {.get = call_get, .patch = call_patch};
    AwsConfig config = {.settings = AWS_PROVIDER_SETTINGS,
                        .session = w->session,
                        .kube = {&table, w},
                        .symbols = &w->symbols,
                        .log = {take_log, w},
                        .counts = {count_launch, count_termination, note_user_data, w}};

    config.settings.cluster_name = SLICE("c");
    w->provider = aws_provider_new(&config);
    w->provider->neighbours = &neighbours;
    w->cloud = aws_provider_cloud(w->provider);
}

void world_restart(World *w) {
    aws_provider_free(w->provider);
    w->budget = UINT32_MAX;
    start(w);
}

#define STATUS                                                                                                         \
    "status: {amis: [{id: ami-amd, requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}]}, {id: "   \
    "ami-arm, requirements: [{key: kubernetes.io/arch, operator: In, values: [arm64]}]}], subnets: [{id: subnet-a, "   \
    "zone: a, zoneID: az1}, {id: subnet-b, zone: b, zoneID: az2}], securityGroups: [{id: sg-1, name: g}], "            \
    "instanceProfile: profile-1, conditions: [{type: Ready, status: 'True', observedGeneration: 1}]}\n"

void world_add_class(World *w, const char *name, const char *lines) {
    TestClass *class = test_class(arena_printf(&w->arena, STATUS "%s", lines).ptr);
    ClassSnapshot *snapshot = &w->snapshots[w->class_count];

    symbols_free(&class->symbols); // one table of symbols: the class is read again with the world's
    class->symbols = w->symbols;
    test_class_decode(class);
    class->class.meta.name = symbol_intern(&w->symbols, slice_of(name));
    *snapshot = (ClassSnapshot){.holders = 1,
                                .number = w->class_count + 1,
                                .name = slice_of(name),
                                .class = class->class,
                                .hash = SLICE("123"),
                                .ami_requirements = ami_requirements(&w->arena, &w->symbols, &class->class.found.amis)};
    w->classes[w->class_count++] = class;
}

World *world_new_with(const char *class_lines, const char *types_text) {
    World *w = NEW(World);
    AwsSessionOptions options = {0};
    Err err = {0};

    the_world = w;
    w->memory = memory_new();
    w->memory->answer = answer;
    w->memory->context = w;
    w->environment = environment_new();
    environment_set(w->environment, "AWS_ACCESS_KEY_ID", "AKID");
    environment_set(w->environment, "AWS_SECRET_ACCESS_KEY", "secret");
    environment_set(w->environment, "AWS_REGION", "us-east-1");
    options.environment = &w->environment->environment;
    options.transport = w->memory->transport;
    if (aws_session_open(&options, &w->session, &err) != OK)
        fail_msg("%s", err.text);
    w->server = api_new(&(ApiConfig){.sources = {api_now, api_random, w}});
    w->kube = api_kube(w->server);
    names_init(&w->symbols);
    symbols_share(&w->symbols);
    w->types = test_types(&w->arena, &w->symbols, types_text);
    world_add_class(w, "default", class_lines);
    w->is_confirmed = true;
    w->endpoint = SLICE("https://cluster");
    w->room = w->budget = UINT32_MAX;
    start(w);
    return w;
}

World *world_new(void) {
    return world_new_with("", "m5.large: s:a:0.05 s:b:0.06 o:a:0.10 o:b:0.10; c5.large: s:a:0.07 o:a:0.12; r5.large: "
                              "s:b:0.08 o:b:0.13");
}

void world_free(World *w) {
    for (uint32_t i = 0; i < w->class_count; i++)
        assert_int_equal(w->snapshots[i].holders, 1);
    aws_provider_free(w->provider);
    aws_session_close(w->session);
    api_free(w->server);
    memory_free(w->memory);
    environment_free(w->environment);
    symbols_free(&w->symbols);
    for (uint32_t i = 0; i < w->class_count; i++) {
        arena_free(&w->classes[i]->arena);
        free(w->classes[i]);
    }
    buffer_free(&w->log);
    buffer_free(&w->counted);
    arena_free(&w->arena);
    free(w);
}

// --- claims

static NodeClaim *decode_claim(World *w, const Value *object) {
    NodeClaim *claim = arena_alloc(&w->arena, object_decoded_size(SLICE("karpenter.sh"), SLICE("NodeClaim")));
    Err err = {0};

    if (object_decode(&w->arena, &w->symbols, SLICE("karpenter.sh"), SLICE("NodeClaim"), object, claim, &err) != OK)
        fail_msg("%s", err.text);
    return claim;
}

NodeClaim *world_claim_with(World *w, const WorldClaim *claim) {
    const char *text =
        arena_printf(
            &w->arena,
            "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: %s, labels: {karpenter.sh/nodepool"
            ": pool%s%s}, annotations: {%s}}, spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: "
            "EC2NodeClass, name: %s}, requirements: [%s], resources: {requests: {%s}}}}",
            claim->name, claim->labels ? ", " : "", claim->labels ? claim->labels : "",
            claim->annotations ? claim->annotations : "", claim->class_name ? claim->class_name : "default",
            claim->requirements ? claim->requirements : "", claim->requests ? claim->requests : "cpu: 1")
            .ptr;
    Value object = test_yaml(&w->arena, text);
    KubeError error = {0};

    if (kube_create(w->kube, &w->arena, SLICE("test"), KUBE_NODE_CLAIM, &object, &object, &error) != OK)
        fail_msg("%s: %s", error.err.text, text);
    return decode_claim(w, &object);
}

NodeClaim *world_claim(World *w, const char *name) {
    return world_claim_with(w, &(WorldClaim){.name = name});
}

NodeClaim *world_read(World *w, const char *name) {
    Value object;

    assert_int_equal(kube_get(w->kube, &w->arena, (KubeRef){KUBE_NODE_CLAIM, {0}, slice_of(name)}, &object, NULL), OK);
    return decode_claim(w, &object);
}

CloudResult *world_launch(World *w, NodeClaim *const *claims, uint32_t count) {
    CloudLaunch *launches = arena_array(&w->arena, CloudLaunch, count);
    const CloudLaunch **refs = arena_alloc_array(&w->arena, sizeof *refs, count);
    CloudResult *results = arena_array(&w->arena, CloudResult, count);

    for (uint32_t i = 0; i < count; i++) {
        launches[i].claim = claims[i];
        refs[i] = &launches[i];
        for (vec_each(const Expression, expression, &claims[i]->spec.requirements)) {
            Requirement requirement = requirement_make(&w->arena, &w->symbols, expression);

            requirements_add(&w->arena, &w->symbols, &launches[i].requirements, &requirement);
        }
    }
    cloud_launch_many(w->cloud, &w->arena, refs, count, results);
    return results;
}

CloudResult world_launch_one(World *w, const NodeClaim *claim) {
    NodeClaim *one = (NodeClaim *)(uintptr_t)claim;

    return world_launch(w, &one, 1)[0];
}

// --- faults, and what was done

WorldFault *world_fault(World *w, const char *action, const char *code) {
    WorldFault *planted = vec_add(&w->arena, &w->faults);

    planted->action = action;
    planted->times = 1;
    planted->code = code;
    return planted;
}

WorldFault *world_lose(World *w, const char *action, bool after) {
    WorldFault *planted = world_fault(w, action, NULL);

    planted->times = 3; // all attempts of a call
    planted->lost = ERR_IO;
    planted->after = after;
    return planted;
}

uint32_t world_calls(const World *w, const char *action) {
    uint32_t count = 0;

    for (uint32_t i = 0; i < w->actions.count; i++)
        count += !strcmp(w->actions.items[i], action);
    return count;
}

const char *world_actions(World *w, uint32_t from) {
    Slice text = {0};

    for (uint32_t i = from; i < w->actions.count; i++)
        text = arena_printf(&w->arena, "%.*s%s%s", SLICE_ARG(text), i > from ? " " : "", w->actions.items[i]);
    return arena_text(&w->arena, text);
}

const char *world_body(World *w, const char *action) {
    for (uint32_t i = w->actions.count; i-- > 0;) {
        if (!strcmp(w->actions.items[i], action))
            return w->memory->sent.items[i].body;
    }
    fail_msg("%s was not called", action);
    return NULL;
}

uint32_t world_running(const World *w) {
    uint32_t count = 0;

    for (vec_each(const WorldInstance, instance, &w->instances))
        count += !strcmp(instance->state, "running");
    return count;
}

const WorldInstance *world_instance(const World *w, Slice id) {
    for (vec_each(const WorldInstance, instance, &w->instances)) {
        if (slice_eq_text(id, instance->id))
            return instance;
    }
    return NULL;
}

void world_add_instance(World *w, const WorldInstance *instance) {
    WorldInstance *added = vec_add(&w->arena, &w->instances);

    *added = *instance;
    added->type = instance->type ? instance->type : "m5.large";
    added->zone = instance->zone ? instance->zone : "a";
    added->subnet = instance->subnet ? instance->subnet : "subnet-a";
    added->image = instance->image ? instance->image : "ami-amd";
    added->pool = instance->pool ? instance->pool : "pool";
    added->node_class = instance->node_class ? instance->node_class : "default";
    added->state = instance->state ? instance->state : "running";
}

const char *world_text(const World *w, Symbol symbol) {
    return symbol_text(&w->symbols, symbol).ptr;
}

const char *world_label(const World *w, const Labels *labels, const char *key) {
    Symbol name = symbol_find(&w->symbols, slice_of(key));
    Symbol value = name == INDEX_NONE ? INDEX_NONE : labels_get(labels, name);

    return value == INDEX_NONE ? "(none)" : world_text(w, value);
}

const char *world_record(World *w, const char *name) {
    const NodeClaim *claim = world_read(w, name);
    const char *text = world_label(w, &claim->meta.annotations, "tenon.sh/launch");

    return strcmp(text, "(none)") ? text : "";
}
