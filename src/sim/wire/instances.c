// Instances: described, ended, restarted, tagged; their health. Descriptions lag behind as the market says.
#include "aws/service/ec2_instance.h"
#include "aws/service/ec2_status.h"
#include "sim/wire/wire_parts.h"

enum { PAGE = 40 }; // EC2 may give less than what is asked for

// EC2 forgets what has been terminated for an hour.
static const int64_t FORGOTTEN_NS = NS_PER_HOUR;

static Slice id_of(const SimAws *aws, const SimInstance *shown) {
    return slice_after_last(symbol_text(world_symbols(aws->world), shown->provider_id), '/');
}

WireInstance *wire_instance(SimAws *aws, uint32_t number) {
    while (aws->instances.count <= number) {
        Slice id = id_of(aws, sim_cloud_instance(aws->cloud, aws->instances.count));

        index_map_add(&aws->arena, &aws->instances_by_id, slice_hash(id), aws->instances.count);
        vec_push(&aws->arena, &aws->instances, (WireInstance){.id = id});
    }
    return &aws->instances.items[number];
}

static uint32_t find(const SimAws *aws, Slice id) {
    uint32_t cursor = 0, number;

    while ((number = index_map_next(&aws->instances_by_id, slice_hash(id), &cursor)) != INDEX_NONE) {
        if (slice_eq(aws->instances.items[number].id, id))
            break;
    }
    return number;
}

static bool is_known(const SimAws *aws, uint32_t number) {
    const SimInstance *shown = sim_cloud_instance(aws->cloud, number);

    if (sim_account_described(aws->cloud, number) == SIM_INSTANCE_TERMINATED)
        return world_now_ns(aws->world) - shown->changed_ns < FORGOTTEN_NS;
    return sim_account_is_listed(aws->cloud, number);
}

// Finds all, or says which is not there. Gives their numbers.
static WireFault find_all(const SimAws *aws, Arena *arena, const SliceVec *ids, U32Vec *ret_numbers) {
    for (vec_each(const Slice, id, ids)) {
        uint32_t number = find(aws, *id);

        if (number == INDEX_NONE || !is_known(aws, number))
            return (WireFault){400, "InvalidInstanceID.NotFound",
                               arena_printf(arena, "The instance ID '%.*s' does not exist", SLICE_ARG(*id))};
        vec_push(arena, ret_numbers, number);
    }
    return wire_fine();
}

// --- descriptions

typedef struct {
    const SimAws *aws;
    uint32_t number;
} Described;

static const char *state_of(const SimAws *aws, uint32_t number) {
    return sim_instance_state_text(sim_account_described(aws->cloud, number));
}

static bool instance_has(const void *thing, Slice name, Slice value) {
    const Described *described = thing;
    const WireInstance *instance = &described->aws->instances.items[described->number];

    if (slice_eq_text(name, "instance-id"))
        return slice_eq(instance->id, value);
    if (slice_eq_text(name, "instance-state-name"))
        return slice_eq_text(value, state_of(described->aws, described->number));
    return wire_tags_have(&instance->tags, name, value);
}

static const Ec2StateReason *reason_of(Arena *arena, const SimInstance *shown) {
    Ec2StateReason *reason = arena_new(arena, Ec2StateReason);

    if (shown->taken_ns)
        *reason = (Ec2StateReason){SLICE("Server.SpotInstanceTermination"), SLICE("Spot instance termination")};
    else
        *reason = (Ec2StateReason){SLICE("Client.UserInitiatedShutdown"), SLICE("User initiated shutdown")};
    return reason;
}

static void set_places(const SimAws *aws, Arena *arena, const SimInstance *shown, Ec2Instance *instance) {
    Ec2InstancePlacement *placement = arena_new(arena, Ec2InstancePlacement);

    placement->availability_zone = symbol_text(world_symbols(aws->world), shown->zone);
    placement->tenancy = SLICE("default");
    instance->placement = placement;
    for (vec_each(const Slice, group, &aws->instances.items[shown->number].groups))
        vec_push(arena, &instance->security_groups, (Ec2GroupIdentifier){*group});
}

static Ec2Instance describe(const SimAws *aws, Arena *arena, uint32_t number) {
    const SimInstance *shown = sim_cloud_instance(aws->cloud, number);
    const WireInstance *known = &aws->instances.items[number];
    const Symbols *symbols = world_symbols(aws->world);
    Ec2InstanceState *state = arena_new(arena, Ec2InstanceState);
    Ec2Instance instance = {
        .instance_id = known->id,
        .image_id = symbol_text(symbols, shown->image_id),
        .instance_type = symbol_text(symbols, shown->instance_type),
        .launch_time = aws_time(shown->launched_ns / NS_PER_S * NS_PER_S),
        .subnet_id = known->subnet_id,
        .state = state,
        .tags = known->tags,
    };

    state->name = slice_of(state_of(aws, number));
    if (sim_account_described(aws->cloud, number) >= SIM_INSTANCE_STOPPED)
        instance.state_reason = reason_of(arena, shown);
    if (shown->capacity_type == NAME_SPOT) {
        instance.spot_instance_request_id = arena_printf(arena, "sir-%08x", number);
        instance.instance_lifecycle = SLICE("spot");
    }
    set_places(aws, arena, shown, &instance);
    return instance;
}

// All that EC2 still knows, newest first, as EC2 has no order that could be relied on.
static U32Vec list(const SimAws *aws, Arena *arena) {
    U32Vec numbers = {0};

    for (uint32_t number = aws->instances.count; number-- > 0;) {
        if (is_known(aws, number))
            vec_push(arena, &numbers, number);
    }
    return numbers;
}

WireFault wire_describe_instances(WireCall *call) {
    const Ec2DescribeInstancesInput *input = call->input;
    Ec2DescribeInstancesOutput *output = call->output;
    WireFault fault = wire_refuse_call(call->aws, SIM_API_DESCRIBE_INSTANCES);
    U32Vec numbers = {0}, found = {0};
    uint32_t from, to, at = 0;

    if (!fault.status && input->instance_ids.count)
        fault = find_all(call->aws, call->arena, &input->instance_ids, &numbers);
    else if (!fault.status)
        numbers = list(call->aws, call->arena);
    for (vec_each(const uint32_t, number, &numbers)) {
        if (!fault.status && wire_passes(&input->filters, instance_has, &(Described){call->aws, *number}))
            vec_push(call->arena, &found, *number);
    }
    output->next_token = wire_page(call->arena, input->next_token, input->max_results, PAGE, found.count, &from, &to);
    for (vec_each(const uint32_t, number, &found)) {
        if (wire_is_on_page(&at, from, to)) {
            Ec2Reservation *reservation = vec_add(call->arena, &output->reservations);

            vec_push(call->arena, &reservation->instances, describe(call->aws, call->arena, *number));
        }
    }
    return fault;
}

// --- what is done to them

WireFault wire_terminate_instances(WireCall *call) {
    const Ec2TerminateInstancesInput *input = call->input;
    Ec2TerminateInstancesOutput *output = call->output;
    WireFault fault = wire_refuse_call(call->aws, SIM_API_TERMINATE_INSTANCES);
    U32Vec numbers = {0};

    if (!fault.status)
        fault = find_all(call->aws, call->arena, &input->instance_ids, &numbers);
    for (uint32_t i = 0; !fault.status && i < numbers.count; i++) {
        Ec2InstanceState *state = arena_new(call->arena, Ec2InstanceState);

        sim_account_terminate(call->aws->cloud, numbers.items[i]);
        state->name = slice_of(sim_instance_state_text(sim_cloud_instance(call->aws->cloud, numbers.items[i])->state));
        vec_push(call->arena, &output->terminating_instances,
                 (Ec2InstanceStateChange){input->instance_ids.items[i], state});
    }
    return fault;
}

WireFault wire_reboot_instances(WireCall *call) {
    const Ec2RebootInstancesInput *input = call->input;
    WireFault fault = wire_refuse_call(call->aws, SIM_API_REBOOT_INSTANCES);
    U32Vec numbers = {0};

    if (!fault.status)
        fault = find_all(call->aws, call->arena, &input->instance_ids, &numbers);
    for (uint32_t i = 0; !fault.status && i < numbers.count; i++) {
        if (!sim_account_reboot(call->aws->cloud, numbers.items[i]))
            return (WireFault){403, "UnauthorizedOperation",
                               SLICE("You are not authorized to perform this operation.")};
    }
    return fault;
}

WireFault wire_create_tags(WireCall *call) {
    const Ec2CreateTagsInput *input = call->input;
    U32Vec numbers = {0};
    WireFault fault = find_all(call->aws, call->arena, &input->resources, &numbers);

    for (uint32_t i = 0; !fault.status && i < numbers.count; i++) {
        for (vec_each(const Ec2Tag, tag, &input->tags))
            wire_tag(&call->aws->arena, &wire_instance(call->aws, numbers.items[i])->tags, tag->key, tag->value);
    }
    return fault;
}

// --- health

// Of the checks only that of the instance ever fails here, and nothing is ever scheduled.
static bool status_has(const void *thing, Slice name, Slice value) {
    const SimInstance *shown = thing;

    return slice_eq_text(name, "instance-status.status") &&
           slice_eq_text(value, shown->is_impaired ? "impaired" : "ok");
}

static Ec2InstanceStatus status_of(const SimAws *aws, Arena *arena, const SimInstance *shown) {
    Ec2StatusSummary *instance = arena_new(arena, Ec2StatusSummary), *system = arena_new(arena, Ec2StatusSummary);

    instance->status = shown->is_impaired ? SLICE("impaired") : SLICE("ok");
    vec_push(arena, &instance->details,
             (Ec2StatusDetail){.name = SLICE("reachability"),
                               .status = shown->is_impaired ? SLICE("failed") : SLICE("passed")});
    if (shown->is_impaired)
        instance->details.items[0].impaired_since = aws_time(shown->changed_ns);
    system->status = SLICE("ok");
    return (Ec2InstanceStatus){
        .instance_id = aws->instances.items[shown->number].id, .instance_status = instance, .system_status = system};
}

WireFault wire_describe_status(WireCall *call) {
    const Ec2DescribeInstanceStatusInput *input = call->input;
    Ec2DescribeInstanceStatusOutput *output = call->output;
    Vec(const SimInstance *) found = {0};
    uint32_t from, to, at = 0;

    for (uint32_t number = 0; number < call->aws->instances.count; number++) {
        const SimInstance *shown = sim_cloud_instance(call->aws->cloud, number);

        if (shown->state == SIM_INSTANCE_RUNNING && wire_passes(&input->filters, status_has, shown))
            vec_push(call->arena, &found, shown);
    }
    output->next_token = wire_page(call->arena, input->next_token, input->max_results, PAGE, found.count, &from, &to);
    for (vec_each(const SimInstance *, shown, &found)) {
        if (wire_is_on_page(&at, from, to))
            vec_push(call->arena, &output->instance_statuses, status_of(call->aws, call->arena, *shown));
    }
    return wire_fine();
}
