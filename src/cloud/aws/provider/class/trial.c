// Choosing what is tried.
#include "cloud/aws/provider/class/trial.h"

#include "cloud/aws/provider/market.h"
#include "cloud/aws/userdata/node_identity.h"
#include "model/claim_template.h"
#include "model/manifest/object.h"

// --- which types

static bool is_of_class(const ClassTry *trial, const NodePool *pool) {
    const NodeClassRef *ref = &pool->template_spec.node_class;

    return slice_eq_text(symbol_text(&trial->symbols, ref->name), trial->turn->record->name) &&
           slice_eq_text(symbol_text(&trial->symbols, ref->kind), "EC2NodeClass");
}

static void require(ClassTry *trial, Requirements *requirements, Symbol key, const SymbolVec *values) {
    Expression expression = {.key = key, .op = OP_IN, .values = {values->items, values->count, values->count}};
    Requirement requirement = requirement_make(trial->arena, &trial->symbols, &expression);

    requirements_remove(requirements, key);
    requirements_add(trial->arena, &trial->symbols, requirements, &requirement);
}

static bool choose(ClassTry *trial, const InstanceTypeVec *types, Requirements *requirements) {
    const Resources nothing = {0};
    LaunchWish wish = {&trial->symbols, requirements, &nothing, false};
    SymbolVec on_demand = {0};

    vec_push(trial->arena, &on_demand, NAME_ON_DEMAND);
    require(trial, requirements, NAME_CAPACITY_TYPE, &on_demand);
    return launch_choose(trial->arena, &wish, types, &trial->choice, NULL) == OK;
}

static bool choose_for_pool(ClassTry *trial, const InstanceTypeVec *types, const Value *object) {
    const KubeKindInfo *kind = kube_kind(KUBE_NODE_POOL);
    NodePool *pool = arena_alloc(trial->arena, object_decoded_size(kind->group, kind->kind));
    Requirements requirements = {0};
    Labels labels = {0};

    if (object_decode(trial->arena, &trial->symbols, kind->group, kind->kind, object, pool, NULL) != OK ||
        !is_of_class(trial, pool))
        return false;
    claim_template(trial->arena, &trial->symbols, pool, &labels, &requirements);
    if (!choose(trial, types, &requirements))
        return false;
    trial->labels = labels;
    return true;
}

// Types that every region has, where no NodePool says what it wants; Windows runs on no others by these names.
static bool choose_usual(ClassTry *trial, const InstanceTypeVec *types) {
    static const char *const usual[] = {"m5.large", "m6g.large"};
    Requirements requirements = {0}, any = {0};
    SymbolVec names = {0};

    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        vec_push(trial->arena, &names, symbol_intern(&trial->symbols, slice_of(usual[i])));
    require(trial, &requirements, NAME_INSTANCE_TYPE, &names);
    return choose(trial, types, &requirements) || choose(trial, types, &any);
}

static ErrCode choose_types(ClassTry *trial, Err *err) {
    ClassTurn *turn = trial->turn;
    const InstanceTypeVec *types = provider_types(turn->provider, slice_of(turn->record->name));
    bool is_windows = slice_starts_with(turn->class.ami_family, SLICE("Windows")), is_chosen = false;
    KubeError fault = {0};
    KubeList pools;

    if (!types || !types->count)
        return err_set(err, ERR_IO, "instance types are not known yet");
    if (kube_list(turn->provider->config.kube, trial->arena, &(KubeListRequest){.kind = KUBE_NODE_POOL}, &pools,
                  &fault) != OK)
        return err_set(err, ERR_IO, "listing NodePools: %s", fault.err.text);
    for (uint32_t i = 0; !is_windows && !is_chosen && i < pools.items.count; i++)
        is_chosen = choose_for_pool(trial, types, &pools.items.items[i]);
    if (!is_chosen && !choose_usual(trial, types))
        return err_set(err, ERR_INVALID, "no instance type has an offering on demand in the class's zones");
    return OK;
}

// --- what is sent

static void choose_subnets(ClassTry *trial) {
    for (vec_each(const SubnetStatus, subnet, &trial->snapshot->class.subnets)) {
        if (!subnets_of_zone(&trial->subnets, subnet->zone))
            vec_push(trial->arena, &trial->subnets, (ZoneSubnet){.zone = subnet->zone, .id = subnet->id});
    }
}

static void choose_group(ClassTry *trial) {
    TemplateGrouping grouping = {&trial->symbols, &trial->snapshot->class, NAME_ON_DEMAND, false};
    InstanceTypeRefVec types = {0};

    for (vec_each(const InstanceType, type, &trial->choice.types))
        vec_push(trial->arena, &types, type);
    trial->groups = template_groups(trial->arena, &grouping, &types);
    if (trial->groups.count > 1)
        trial->groups.count = 1;
}

Ec2Owner class_try_owner(const ClassTry *trial) {
    return (Ec2Owner){.cluster = trial->turn->provider->config.settings.cluster_name,
                      .node_class = trial->snapshot->name};
}

static ErrCode write_template(ClassTry *trial, Err *err) {
    AwsProvider *provider = trial->turn->provider;
    const ClusterFacts *cluster = &trial->turn->facts;
    const AmiFamily *family = ami_family(trial->snapshot->class.ami_family);
    TaintVec none = {0};
    TemplateFacts facts;

    if (!family)
        return err_set(err, ERR_INVALID, "unknown AMI family");
    if (slice_eq_text(family->name, "AL2023")) { // was found before
        CloudError error = {0};

        if (provider_service_cidr(provider, trial->arena, &trial->cidr, &error) != OK)
            return err_set(err, ERR_IO, "%s", error.err.text);
    }
    facts = (TemplateFacts){
        .symbols = &trial->symbols,
        .class = &trial->snapshot->class,
        .family = family,
        .owner = class_try_owner(trial),
        .region = provider->region,
        .cluster_endpoint = cluster->endpoint,
        .ca_bundle = cluster->ca_bundle,
        .service_cidr = trial->cidr,
        .dns_ip = cluster->dns_ip,
        .labels = node_labels(trial->arena, &trial->symbols, &trial->labels, NAME_ON_DEMAND, family),
        .taints = node_taints(trial->arena, &trial->symbols, &none, &none),
        .capacity_type = NAME_ON_DEMAND,
        .tenancy = trial->choice.tenancy,
        .placement_group_id = trial->snapshot->placement_group_id,
        .reserved_capacity = provider->config.settings.reserved_capacity,
    };
    return template_write(trial->arena, &facts, &trial->groups.items[0].key, &trial->template, &trial->user_data_bytes,
                          err);
}

ErrCode class_try_prepare(ClassTry *trial, Err *err) {
    TRY(choose_types(trial, err));
    choose_subnets(trial);
    choose_group(trial);
    if (!trial->groups.count)
        return err_set(err, ERR_INVALID, "no image of the class fits an instance type that could be launched");
    return write_template(trial, err);
}
