// The steps of a launch without its calls.
#include "cloud/aws/trace/trace.h"

#include "cloud/aws/launch/fleet_request.h"
#include "cloud/aws/launch/pipeline.h"
#include "cloud/aws/launch/subnet_choice.h"
#include "cloud/aws/template/groups.h"
#include "cloud/aws/userdata/node_identity.h"
#include "net/base64.h"

SliceVec launch_trace_missing(Arena *arena, const EC2NodeClass *class) {
    SliceVec missing = {0};

    if (!class->subnets.count)
        vec_push(arena, &missing, SLICE("status.subnets"));
    if (!class->found.security_groups.count)
        vec_push(arena, &missing, SLICE("status.securityGroups"));
    if (!class->found.amis.count)
        vec_push(arena, &missing, SLICE("status.amis"));
    if (!class->found.instance_profile.len)
        vec_push(arena, &missing, SLICE("status.instanceProfile"));
    return missing;
}

// --- the claim

static Requirements requirements_of_claim(Arena *arena, const LaunchTraceFacts *facts) {
    Requirements requirements = {0};

    for (vec_each(const Expression, expression, &facts->claim->spec.requirements)) {
        Requirement requirement = requirement_make(arena, facts->symbols, expression);

        requirements_add(arena, facts->symbols, &requirements, &requirement);
    }
    return requirements;
}

static bool has_annotation(const LaunchTraceFacts *facts, const char *name, const char *value) {
    Symbol key = symbol_find(facts->symbols, slice_of(name));
    Symbol found = key == INDEX_NONE ? INDEX_NONE : labels_get(&facts->claim->meta.annotations, key);

    return found != INDEX_NONE && (!value || slice_eq_text(symbol_text(facts->symbols, found), value));
}

static Slice pool_of(const LaunchTraceFacts *facts) {
    Symbol pool = labels_get(&facts->claim->meta.labels, NAME_NODEPOOL);

    return pool == INDEX_NONE ? (Slice){0} : symbol_text(facts->symbols, pool);
}

static bool requests_efa(const LaunchTraceFacts *facts) {
    Symbol efa = symbol_find(facts->symbols, SLICE("vpc.amazonaws.com/efa"));

    return efa != INDEX_NONE && resources_get(&facts->claim->requests, efa) > 0;
}

// --- templates

static TemplateFacts template_facts(Arena *arena, const LaunchTraceFacts *facts, const AmiFamily *family,
                                    const LaunchChoice *choice) {
    const NodeClaim *claim = facts->claim;

    return (TemplateFacts){
        .symbols = facts->symbols,
        .class = facts->class,
        .family = family,
        .owner = {facts->cluster_name, pool_of(facts), symbol_text(facts->symbols, facts->class->meta.name)},
        .region = facts->region,
        .cluster_endpoint = facts->cluster_endpoint,
        .ca_bundle = facts->ca_bundle,
        .service_cidr = facts->service_cidr,
        .dns_ip = facts->dns_ip,
        .labels = node_labels(arena, facts->symbols, &claim->meta.labels, choice->capacity_type, family),
        .taints = node_taints(arena, facts->symbols, &claim->spec.taints, &claim->spec.startup_taints),
        .capacity_type = choice->capacity_type,
        .tenancy = choice->tenancy,
        .placement_group_id = facts->class->launch.placement_group.id,
        .reserved_capacity = facts->reserved_capacity,
    };
}

static TemplateGroupVec groups_of(Arena *arena, const LaunchTraceFacts *facts, const LaunchChoice *choice) {
    const TemplateGrouping grouping = {facts->symbols, facts->class, choice->capacity_type, requests_efa(facts)};
    InstanceTypeRefVec types = {0};

    for (vec_each(const InstanceType, type, &choice->types))
        vec_push(arena, &types, type);
    return template_groups(arena, &grouping, &types);
}

static ErrCode write_templates(Arena *arena, const TemplateFacts *facts, const TemplateGroupVec *groups,
                               LaunchTrace *trace, CloudError *error) {
    for (vec_each(const TemplateGroup, group, groups)) {
        LaunchTraceTemplate template = {.types = group->types.count};
        size_t bytes;
        Err err = {0};

        if (template_write(arena, facts, &group->key, &template.input, &bytes, &err) != OK ||
            base64_decode(arena, template.input.launch_template_data->user_data, &template.user_data, &err) != OK)
            return cloud_fail(error, err.code, "%s", err.text);
        vec_push(arena, &trace->templates, template);
    }
    return OK;
}

// --- the fleet

static ErrCode write_fleet(Arena *arena, const LaunchTraceFacts *facts, const TemplateFacts *template,
                           const LaunchChoice *choice, const TemplateGroupVec *groups, LaunchTrace *trace,
                           CloudError *error) {
    ZoneSubnetVec subnets = {0};
    SubnetBook book = {0};
    Fleet fleet = {.symbols = facts->symbols,
                   .class = facts->class,
                   .owner = template->owner,
                   .choice = choice,
                   .subnets = &subnets,
                   .groups = groups,
                   .placement_group_id = template->placement_group_id,
                   .min_values_relaxed = has_annotation(facts, "karpenter.sh/nodeclaim-min-values-relaxed", "true"),
                   .price_overlay = has_annotation(facts, "karpenter.sh/price-overlay-applied", NULL)};
    const SubnetWish wish = {.subnets = &facts->class->subnets, .types = &choice->types, .instances = 1};
    ErrCode code = subnets_choose(&book, arena, &wish, &subnets, error);

    subnet_book_free(&book);
    if (code != OK)
        return code;
    for (vec_each(const LaunchTraceTemplate, written, &trace->templates))
        vec_push(arena, &fleet.template_names, written->input.launch_template_name);
    vec_push(arena, &fleet.claims, symbol_text(facts->symbols, facts->claim->meta.uid));
    return fleet_request(arena, &fleet, &trace->fleet, error);
}

ErrCode launch_trace(Arena *arena, const LaunchTraceFacts *facts, LaunchTrace *ret_trace, CloudError *error) {
    Requirements requirements = requirements_of_claim(arena, facts);
    const LaunchWish wish = {facts->symbols, &requirements, &facts->claim->requests, facts->min_values_strict};
    const AmiFamily *family = ami_family(facts->class->ami_family);
    TemplateGroupVec groups;
    TemplateFacts template;
    LaunchChoice choice;

    *ret_trace = (LaunchTrace){0};
    if (!family)
        return cloud_fail(error, ERR_INVALID, "unknown AMI family \"%.*s\"; expected " AMI_FAMILY_NAMES,
                          SLICE_ARG(facts->class->ami_family));
    TRY(launch_choose(arena, &wish, facts->types, &choice, error));
    ret_trace->capacity_type = choice.capacity_type;
    ret_trace->types = choice.types.count;
    template = template_facts(arena, facts, family, &choice);
    groups = groups_of(arena, facts, &choice);
    TRY(write_templates(arena, &template, &groups, ret_trace, error));
    return write_fleet(arena, facts, &template, &choice, &groups, ret_trace, error);
}
