// CreateFleet of type "instant". EC2 answers a token again with what it answered before, whoever asks; a token with
// another request is refused.
#include "sim/wire/form.h"
#include "sim/wire/wire_parts.h"

typedef struct {
    const WireTemplate *template;
    const Ec2FleetOverride *override;
} WireAsked;

// A fleet being made. Everything of the answer lives in the account's arena: it is given again.
typedef struct {
    SimAws *aws;
    Arena *scratch;
    const Ec2CreateFleetInput *input;
    SimCapacityType kind;
    SimOrder order;
    Vec(WireAsked) asked; // of each that is wanted
    Ec2CreateFleetOutput output;
} WireOrder;

static Slice lifecycle_of(const WireOrder *order) {
    return order->kind == SIM_SPOT ? SLICE("spot") : SLICE("on-demand");
}

static const Ec2LaunchTemplateAndOverrides *where(const WireOrder *order, const WireTemplate *template,
                                                  const Ec2FleetOverride *override) {
    Arena *arena = &order->aws->arena;
    Ec2LaunchTemplateAndOverrides *both = arena_new(arena, Ec2LaunchTemplateAndOverrides);
    Ec2LaunchTemplateSpecification *specification = arena_new(arena, Ec2LaunchTemplateSpecification);
    Ec2LaunchedOverride *launched = arena_new(arena, Ec2LaunchedOverride);

    if (template)
        *specification = (Ec2LaunchTemplateSpecification){.launch_template_id = template->id, .version = SLICE("1")};
    *launched = (Ec2LaunchedOverride){.instance_type = override->instance_type,
                                      .subnet_id = override->subnet_id,
                                      .availability_zone = wire_subnet_zone(order->aws, override->subnet_id),
                                      .image_id = override->image_id};
    both->launch_template_specification = specification;
    both->overrides = launched;
    return both;
}

static void add_error(WireOrder *order, const WireTemplate *template, const Ec2FleetOverride *override,
                      const char *code, const char *message) {
    vec_push(&order->aws->arena, &order->output.errors,
             (Ec2FleetError){slice_of(code), slice_of(message), lifecycle_of(order), where(order, template, override)});
}

// --- what is wanted

static void want(WireOrder *order, const WireTemplate *template, const Ec2FleetOverride *override) {
    Slice zone = wire_subnet_zone(order->aws, override->subnet_id);

    if (!zone.len) {
        add_error(order, template, override, "InvalidSubnetID.NotFound", "there is no such subnet");
        return;
    }
    vec_push(order->scratch, &order->asked, (WireAsked){template, override});
    vec_push(order->scratch, &order->order.wanted,
             (SimWanted){.type = override->instance_type,
                         .zone = zone,
                         .kind = order->kind,
                         .image = override->image_id.len ? override->image_id : template->data.image_id,
                         .user_data = &template->user_data});
}

static void want_config(WireOrder *order, const Ec2FleetTemplateConfig *config) {
    const Ec2LaunchTemplateSpecification *named = config->launch_template_specification;
    const WireTemplate *template =
        named ? wire_template(order->aws, named->launch_template_id, named->launch_template_name) : NULL;

    for (vec_each(const Ec2FleetOverride, override, &config->overrides)) {
        if (template)
            want(order, template, override);
        else
            add_error(order, NULL, override, "InvalidLaunchTemplateName.NotFoundException",
                      "there is no such launch template");
    }
}

static const Ec2TagVec *instance_tags(const Ec2TagSpecificationVec *specifications) {
    static const Ec2TagVec none;

    for (vec_each(const Ec2TagSpecification, specification, specifications)) {
        if (slice_eq_text(specification->resource_type, "instance"))
            return &specification->tags;
    }
    return &none;
}

// --- what comes of it

static const WireAsked *asked_at(const WireOrder *order, uint32_t wanted) {
    CHECK(wanted < order->asked.count, "%u of %u", wanted, order->asked.count);
    return &order->asked.items[wanted];
}

static void keep_instance(const WireOrder *order, uint32_t number, const WireAsked *asked) {
    const WireTemplate *template = asked->template;
    SimAws *aws = order->aws;
    WireInstance *instance = wire_instance(aws, number);

    instance->subnet_id = asked->override->subnet_id;
    for (vec_each(const Ec2Tag, tag, instance_tags(&template->data.tag_specifications)))
        wire_tag(&aws->arena, &instance->tags, tag->key, tag->value);
    for (vec_each(const Ec2Tag, tag, instance_tags(&order->input->tag_specifications)))
        wire_tag(&aws->arena, &instance->tags, tag->key, tag->value);
    if (template->data.network_interfaces.count)
        instance->groups = template->data.network_interfaces.items[0].groups;
}

static void give(WireOrder *order, const SimGiven *given) {
    const WireAsked *asked = asked_at(order, given->wanted);
    Arena *arena = &order->aws->arena;
    Ec2FleetInstances *entry = vec_add(arena, &order->output.instances);

    keep_instance(order, given->number, asked);
    entry->instance_type = asked->override->instance_type;
    entry->lifecycle = lifecycle_of(order);
    entry->launch_template_and_overrides = where(order, asked->template, asked->override);
    vec_push(arena, &entry->instance_ids, wire_instance(order->aws, given->number)->id);
}

static void fill(WireOrder *order) {
    const Ec2CreateFleetInput *input = order->input;
    const Ec2TagVec *tags = instance_tags(&input->tag_specifications);
    SimDelivered delivered;

    order->order.count = (uint32_t)input->target_capacity->total_target_capacity.value;
    order->order.node_class = wire_tag_of(tags, "karpenter.k8s.aws/ec2nodeclass");
    order->order.pool = wire_tag_of(tags, "karpenter.sh/nodepool");
    for (vec_each(const Ec2FleetTemplateConfig, config, &input->launch_template_configs))
        want_config(order, config);
    sim_account_launch(order->aws->view, order->scratch, &order->order, &delivered);
    for (vec_each(const SimGiven, given, &delivered.given))
        give(order, given);
    for (vec_each(const uint32_t, wanted, &delivered.empty)) {
        const WireAsked *asked = asked_at(order, *wanted);

        add_error(order, asked->template, asked->override, "InsufficientInstanceCapacity",
                  "there is no such capacity at present");
    }
    order->output.fleet_id = arena_printf(&order->aws->arena, "fleet-%017x", ++order->aws->made);
}

// --- tokens

static WireFleet *find_fleet(SimAws *aws, Slice token) {
    uint64_t hash = slice_hash(token);
    uint32_t cursor = 0, at;

    while (token.len && (at = index_map_next(&aws->fleets_by_token, hash, &cursor)) != INDEX_NONE) {
        if (slice_eq(aws->fleets.items[at].token, token))
            return &aws->fleets.items[at];
    }
    return NULL;
}

static void keep_fleet(SimAws *aws, Slice token, uint64_t request, const Ec2CreateFleetOutput *output) {
    if (!token.len)
        return;
    index_map_add(&aws->arena, &aws->fleets_by_token, slice_hash(token), aws->fleets.count);
    vec_push(&aws->arena, &aws->fleets, (WireFleet){token, request, *output});
}

// --- the calls

static bool is_complete(const Ec2CreateFleetInput *input) {
    const Ec2TargetCapacity *target = input->target_capacity;

    return slice_eq_text(input->type, "instant") && input->launch_template_configs.count && target &&
           target->total_target_capacity.value > 0 &&
           (slice_eq_text(target->default_target_capacity_type, "spot") ||
            slice_eq_text(target->default_target_capacity_type, "on-demand"));
}

static WireFault launch(WireCall *call, const Ec2CreateFleetInput *input) {
    WireOrder order = {.aws = call->aws, .scratch = call->arena, .input = input, .kind = SIM_ON_DEMAND};

    if (slice_eq_text(input->target_capacity->default_target_capacity_type, "spot"))
        order.kind = SIM_SPOT;
    fill(&order);
    keep_fleet(call->aws, input->client_token, slice_hash(call->body), &order.output);
    *(Ec2CreateFleetOutput *)call->output = order.output;
    return wire_fine();
}

static WireFault repeat(WireCall *call, const WireFleet *fleet) {
    call->aws->counts.repeated_fleets++;
    if (fleet->request != slice_hash(call->body))
        return wire_refuse("IdempotentParameterMismatch", "the token was used with other parameters");
    *(Ec2CreateFleetOutput *)call->output = fleet->output;
    return wire_fine();
}

WireFault wire_create_fleet(WireCall *call) {
    SimAws *aws = call->aws;
    Ec2CreateFleetInput input = {0}; // that stays
    const WireFleet *fleet = find_fleet(aws, ((const Ec2CreateFleetInput *)call->input)->client_token);
    WireFault fault;

    if (fleet)
        return repeat(call, fleet);
    CHECK(wire_form_read(&aws->arena, &ec2_create_fleet, call->body, &input, NULL) == OK, "read before");
    if (!is_complete(&input))
        return wire_refuse("InvalidParameterCombination", "not an instant fleet of on-demand or spot instances");
    if (input.dry_run.value)
        return (WireFault){412, "DryRunOperation", SLICE("it would have succeeded")};
    fault = wire_refuse_call(aws, SIM_API_CREATE_FLEET);
    if (fault.status)
        return fault;
    aws->counts.fleets++;
    return launch(call, &input);
}

WireFault wire_run_instances(WireCall *call) {
    const Ec2RunInstancesInput *input = call->input;
    const Ec2LaunchTemplateSpecification *named = input->launch_template;

    if (!named || !wire_template(call->aws, named->launch_template_id, named->launch_template_name))
        return wire_refuse("InvalidLaunchTemplateName.NotFoundException", "there is no such launch template");
    if (!input->dry_run.value)
        return wire_refuse("UnsupportedOperation", "instances are launched by fleets here");
    return (WireFault){412, "DryRunOperation", SLICE("it would have succeeded")};
}
