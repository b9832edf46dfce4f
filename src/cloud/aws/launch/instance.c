// From descriptions and answers to CloudInstances.
#include "cloud/aws/launch/instance.h"

#include "model/pool_name.h"

// --- described

static Slice tag_of(const Ec2Instance *instance, const char *key) {
    for (vec_each(const Ec2Tag, tag, &instance->tags)) {
        if (slice_eq_text(tag->key, key))
            return tag->value;
    }
    return (Slice){0};
}

// Karpenter up to v0.27 said by the key of a tag of which cluster an instance is.
static bool is_of_cluster(const Ec2Instance *instance, Slice cluster) {
    static const Slice prefix = SLICE_INIT("kubernetes.io/cluster/");

    if (slice_eq(tag_of(instance, "eks:eks-cluster-name"), cluster))
        return true;
    for (vec_each(const Ec2Tag, tag, &instance->tags)) {
        if (slice_starts_with(tag->key, prefix) && slice_eq(slice_from(tag->key, prefix.len), cluster))
            return true;
    }
    return false;
}

static bool is_reserved(const Ec2Instance *instance) {
    const Ec2InstanceReservationSpecification *wanted = instance->capacity_reservation_specification;

    return instance->capacity_reservation_id.len && wanted &&
           slice_eq_text(wanted->capacity_reservation_preference, "capacity-reservations-only");
}

static void set_reservation(const Ec2Instance *instance, InstanceFacts *facts) {
    facts->reservation_id = instance->capacity_reservation_id;
    facts->reservation_type = SLICE("default");
    if (slice_eq_text(instance->instance_lifecycle, "capacity-block"))
        facts->reservation_type = SLICE("capacity-block");
    facts->is_interruptible = slice_eq_text(instance->instance_lifecycle, "interruptible-capacity-reservation");
}

static void set_placement(const Ec2InstancePlacement *placement, InstanceFacts *facts) {
    if (!placement)
        return;
    facts->zone = placement->availability_zone;
    facts->placement_group_id = placement->group_id;
    facts->partition = placement->partition_number.value;
    facts->has_partitions = placement->partition_number.has;
    if (placement->tenancy.len)
        facts->tenancy = placement->tenancy;
}

static void set_state(const Ec2Instance *instance, InstanceFacts *facts) {
    Slice state = instance->state ? instance->state->name : (Slice){0};

    facts->ended = slice_eq_text(state, "terminated");
    facts->terminating = facts->ended || slice_eq_text(state, "shutting-down");
    if (instance->state_reason) {
        facts->end_code = instance->state_reason->code;
        facts->end_message = instance->state_reason->message;
    }
}

InstanceFacts instance_described(const Ec2Instance *instance, bool reserved_capacity, Slice cluster) {
    InstanceFacts facts = {
        .id = instance->instance_id,
        .image_id = instance->image_id,
        .type = instance->instance_type,
        .subnet_id = instance->subnet_id,
        .capacity_type = NAME_ON_DEMAND,
        .tenancy = SLICE("default"),
        .pool = tag_of(instance, "karpenter.sh/nodepool"),
        .claim = tag_of(instance, "karpenter.sh/nodeclaim"),
        .launch = tag_of(instance, LAUNCH_TOKEN_TAG),
        .launched_ns = instance->launch_time.ns,
    };

    if (is_of_cluster(instance, cluster))
        facts.provisioner = tag_of(instance, "karpenter.sh/provisioner-name");
    set_placement(instance->placement, &facts);
    set_state(instance, &facts);
    if (instance->spot_instance_request_id.len) {
        facts.capacity_type = NAME_SPOT;
    } else if (reserved_capacity && is_reserved(instance)) {
        facts.capacity_type = NAME_RESERVED;
        set_reservation(instance, &facts);
    }
    for (vec_each(const Ec2InstanceNetworkInterface, interface, &instance->network_interfaces))
        facts.has_efa |=
            slice_eq_text(interface->interface_type, "efa") || slice_eq_text(interface->interface_type, "efa-only");
    return facts;
}

// --- launched

static bool has_efa(const Fleet *fleet, const TemplateGroup *group) {
    for (vec_each(const NetworkInterface, interface, &fleet->class->network_interfaces)) {
        if (slice_eq_text(symbol_text(fleet->symbols, interface->type), "efa-only"))
            return true;
    }
    return group && !fleet->class->network_interfaces.count && group->key.efa_count > 0;
}

InstanceFacts instance_launched(const Fleet *fleet, const FleetInstance *instance, int64_t now_ns) {
    InstanceFacts facts = {
        .id = instance->id,
        .image_id = instance->image_id,
        .type = instance->type,
        .zone = instance->zone,
        .subnet_id = instance->subnet_id,
        .capacity_type = fleet->choice->capacity_type,
        .tenancy = fleet->choice->tenancy,
        .placement_group_id = fleet->placement_group_id,
        .has_partitions = fleet->has_partitions,
        .partition = fleet->partition,
        .has_efa = has_efa(fleet, instance->group),
        .pool = fleet->owner.node_pool,
        .launched_ns = now_ns,
    };

    if (instance->group && instance->group->key.reservation.id.len) {
        facts.reservation_id = instance->group->key.reservation.id;
        facts.reservation_type = instance->group->key.reservation.type;
        facts.is_interruptible = instance->group->key.reservation.interruptible;
    }
    return facts;
}

// --- labels

typedef struct {
    Arena *arena;
    Symbols *symbols;
    Labels *labels;
} Labelling;

static void put(Labelling *labelling, const char *key, Slice value) {
    labels_set(labelling->arena, labelling->labels, symbol_intern(labelling->symbols, slice_of(key)),
               symbol_intern(labelling->symbols, value));
}

// Labels of reservations are those of the instance, not of its type.
static bool is_of_reservations(const Symbols *symbols, Symbol key) {
    Slice text = symbol_text(symbols, key);

    return slice_starts_with(text, SLICE("karpenter.k8s.aws/capacity-reservation-"));
}

static void put_type(Labelling *labelling, const InstanceType *type) {
    for (uint32_t i = 0; i < type->requirements.count; i++) {
        const Requirement *requirement = &type->requirements.items[i];

        if (requirement_operator(requirement) == OP_IN && requirement->values.count == 1 &&
            !is_of_reservations(labelling->symbols, requirement->key))
            labels_set(labelling->arena, labelling->labels, requirement->key, requirement->values.items[0]);
    }
}

static void put_zone(Labelling *labelling, const InstanceFacts *facts, const EC2NodeClass *class) {
    Symbol zone = symbol_intern(labelling->symbols, facts->zone);

    labels_set(labelling->arena, labelling->labels, NAME_ZONE, zone);
    for (uint32_t i = 0; class && i < class->subnets.count; i++) {
        if (class->subnets.items[i].zone == zone && class->subnets.items[i].zone_id != NAME_EMPTY)
            labels_set(labelling->arena, labelling->labels, NAME_ZONE_ID, class->subnets.items[i].zone_id);
    }
}

static void put_reservation(Labelling *labelling, const InstanceFacts *facts) {
    if (facts->capacity_type != NAME_RESERVED)
        return;
    put(labelling, "karpenter.k8s.aws/capacity-reservation-id", facts->reservation_id);
    put(labelling, "karpenter.k8s.aws/capacity-reservation-type", facts->reservation_type);
    put(labelling, "karpenter.k8s.aws/capacity-reservation-interruptible",
        facts->is_interruptible ? SLICE("true") : SLICE("false"));
}

// A partition that EC2 chooses is an empty label until the instance is described.
static void put_placement_group(Labelling *labelling, const InstanceFacts *facts) {
    if (!facts->placement_group_id.len)
        return;
    put(labelling, "karpenter.k8s.aws/placement-group-id", facts->placement_group_id);
    if (facts->has_partitions)
        put(labelling, "karpenter.k8s.aws/placement-group-partition",
            facts->partition ? arena_printf(labelling->arena, "%lld", (long long)facts->partition) : SLICE(""));
}

static Labels labels_of(Arena *arena, Symbols *symbols, const InstanceFacts *facts, const InstanceType *type,
                        const EC2NodeClass *class) {
    Labels labels = {0};
    Labelling labelling = {arena, symbols, &labels};

    if (type)
        put_type(&labelling, type);
    put(&labelling, "node.kubernetes.io/instance-type", facts->type);
    put_zone(&labelling, facts, class);
    labels_set(arena, &labels, NAME_CAPACITY_TYPE, facts->capacity_type);
    put(&labelling, "karpenter.k8s.aws/instance-tenancy", facts->tenancy);
    put_reservation(&labelling, facts);
    put_placement_group(&labelling, facts);
    if (facts->pool.len)
        labels_set(arena, &labels, NAME_NODEPOOL, symbol_intern(symbols, facts->pool));
    return labels;
}

// --- resources

// Without amounts of zero, and without EFA where none is attached.
static Resources present(Arena *arena, const Symbols *symbols, const InstanceFacts *facts, const Resources *all) {
    Resources left = {0};

    for (vec_each(const ResourceAmount, amount, all)) {
        bool is_efa = slice_eq_text(symbol_text(symbols, amount->resource), "vpc.amazonaws.com/efa");

        if (amount->amount != 0 && (!is_efa || facts->has_efa))
            resources_set(arena, &left, amount->resource, amount->amount);
    }
    return left;
}

static const Offering *offering_of(const Symbols *symbols, const InstanceFacts *facts, const InstanceType *type) {
    for (vec_each(const Offering, offering, &type->offerings)) {
        if (offering->capacity_type == facts->capacity_type &&
            slice_eq(symbol_text(symbols, offering->zone), facts->zone) &&
            slice_eq(symbol_text(symbols, offering->reservation_id), facts->reservation_id))
            return offering;
    }
    return NULL;
}

static Symbol pool_of(Symbols *symbols, const InstanceFacts *facts) {
    return facts->pool.len || !facts->provisioner.len ? symbol_intern(symbols, facts->pool)
                                                      : pool_of_provisioner(symbols, facts->provisioner);
}

CloudInstance instance_to_cloud(Arena *arena, Symbols *symbols, const InstanceFacts *facts,
                                const InstanceTypeVec *types, const EC2NodeClass *class) {
    CloudInstance instance = {.instance_type = symbol_intern(symbols, facts->type),
                              .image_id = symbol_intern(symbols, facts->image_id),
                              .zone = symbol_intern(symbols, facts->zone),
                              .capacity_type = facts->capacity_type,
                              .claim_name = symbol_intern(symbols, facts->claim),
                              .pool = pool_of(symbols, facts),
                              .launch = symbol_intern(symbols, facts->launch),
                              .launched_ns = facts->launched_ns,
                              .terminating = facts->terminating};
    const InstanceType *type = types ? instance_type_find(types, instance.instance_type) : NULL;
    Slice provider_id = arena_printf(arena, "aws:///%.*s/%.*s", SLICE_ARG(facts->zone), SLICE_ARG(facts->id));

    instance.provider_id = symbol_intern(symbols, provider_id);
    instance.labels = labels_of(arena, symbols, facts, type, class);
    if (type) {
        const Offering *offering = offering_of(symbols, facts, type);
        Resources capacity = instance_type_capacity(arena, type, offering);
        Resources allocatable = instance_type_allocatable(arena, symbols, type, offering);

        instance.capacity = present(arena, symbols, facts, &capacity);
        instance.allocatable = present(arena, symbols, facts, &allocatable);
    }
    return instance;
}
