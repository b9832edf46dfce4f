// Assembles instance types from their parts, and prepares what all of them share.
#include "base/buffer.h"
#include "cloud/aws/type_capacity.h"
#include "cloud/aws/type_labels.h"
#include "cloud/aws/type_offerings.h"
#include "cloud/aws/type_overhead.h"

static void intern_words(TypeContext *context) {
    static const char *const labels[] = {
#define X(name, text) text,
        EC2_LABELS(X)
#undef X
    };
    static const char *const resources[] = {
#define X(name, text) text,
        EC2_RESOURCES(X)
#undef X
    };

    for (uint32_t i = 0; i < EC2_LABEL_COUNT; i++)
        context->labels[i] = symbol_intern(context->symbols, slice_of(labels[i]));
    for (uint32_t i = 0; i < EC2_RESOURCE_COUNT; i++)
        context->resources[i] = symbol_intern(context->symbols, slice_of(resources[i]));
    context->ebs_driver = symbol_intern(context->symbols, SLICE("ebs.csi.aws.com"));
}

static ErrCode find_region(TypeContext *context, Err *err) {
    Buffer known = {0};

    context->region = ec2_catalogue_region(context->catalogue, context->options->region);
    if (context->region)
        return OK;
    for (uint32_t i = 0; i < context->catalogue->regions.count; i++)
        buffer_printf(&known, "%s%.*s", i ? ", " : "", SLICE_ARG(context->catalogue->regions.items[i].name));
    err_set(err, ERR_NOT_FOUND, "region \"%.*s\" is not in the catalogue; give one of: %.*s",
            SLICE_ARG(context->options->region), SLICE_ARG(buffer_slice(&known)));
    buffer_free(&known);
    return ERR_NOT_FOUND;
}

static ErrCode find_family(TypeContext *context, Err *err) {
    const EC2NodeClass *class = context->node_class;

    context->family = ami_family(class->ami_family);
    if (context->family)
        return OK;
    return err_set(err, ERR_INVALID,
                   "EC2NodeClass %.*s: spec.amiFamily: expected " AMI_FAMILY_NAMES ", got \"%.*s\" (%.*s:%u)",
                   SLICE_ARG(symbol_text(context->symbols, class->meta.name)), SLICE_ARG(class->ami_family),
                   SLICE_ARG(class->meta.file), class->meta.line);
}

// Interns the zones, with the zone ids of the user's account. Without subnets every zone is usable.
static ErrCode find_zones(TypeContext *context, Err *err) {
    const EC2NodeClass *class = context->node_class;

    for (uint32_t i = 0; i < context->region->zone_count; i++) {
        context->zones[i] = symbol_intern(context->symbols, context->region->zones[i].name);
        context->zone_ids[i] = symbol_intern(context->symbols, context->region->zones[i].id);
        context->usable_zones |= class->subnets.count == 0 ? 1u << i : 0;
        for (uint32_t s = 0; s < class->subnets.count; s++) {
            if (class->subnets.items[s].zone != context->zones[i])
                continue;
            context->usable_zones |= 1u << i;
            if (class->subnets.items[s].zone_id != NAME_EMPTY)
                context->zone_ids[i] = class->subnets.items[s].zone_id;
        }
    }
    if (context->usable_zones)
        return OK;
    CHECK(class->subnets.count > 0 && class->subnets.items, "no subnets, yet no zones either");
    return err_set(err, ERR_INVALID,
                   "EC2NodeClass %.*s: status.subnets: expected a zone of region %.*s, got %.*s; give the region that "
                   "the subnets are in (%.*s:%u)",
                   SLICE_ARG(symbol_text(context->symbols, class->meta.name)), SLICE_ARG(context->region->name),
                   SLICE_ARG(symbol_text(context->symbols, class->subnets.items[0].zone)), SLICE_ARG(class->meta.file),
                   class->meta.line);
}

static void count_interfaces(TypeContext *context) {
    Symbol efa_only = symbol_intern(context->symbols, SLICE("efa-only"));

    for (uint32_t i = 0; i < context->node_class->network_interfaces.count; i++) {
        const NetworkInterface *interface = &context->node_class->network_interfaces.items[i];

        context->efa_only_interfaces += interface->type == efa_only;
        context->efa_only_on_first_card += interface->type == efa_only && interface->card_index == 0;
    }
}

static void compute(TypeContext *context, const Ec2Type *type, InstanceType *ret_type) {
    ret_type->name = symbol_intern(context->symbols, type->name);
    ret_type->requirements = ec2_type_labels(context, type);
    ret_type->offerings = ec2_type_offerings(context, type);
    ret_type->capacity = ec2_type_capacity(context, type);
    ret_type->overhead = ec2_type_overhead(context, type, &ret_type->capacity);
    ret_type->volume_limits = ec2_type_volume_limits(context, type);
}

ErrCode ec2_instance_types(Arena *arena, Symbols *symbols, const Ec2Catalogue *catalogue, const Ec2TypeOptions *options,
                           const EC2NodeClass *node_class, InstanceTypeVec *ret_types, Err *err) {
    static const EC2NodeClass plain = {.ami_family = SLICE_INIT("AL2023")};
    TypeContext context = {.arena = arena,
                           .symbols = symbols,
                           .catalogue = catalogue,
                           .options = options,
                           .node_class = node_class ? node_class : &plain};
    InstanceTypeVec types = {0};

    TRY(find_region(&context, err));
    TRY(find_family(&context, err));
    TRY(find_zones(&context, err));
    TRY(ec2_check_eviction(&context, err));
    TRY(ec2_prepare_storage(&context, err));
    intern_words(&context);
    count_interfaces(&context);
    ec2_prepare_offerings(&context);
    for (uint32_t i = 0; i < catalogue->types.count; i++) {
        const Ec2Type *type = &catalogue->types.items[i];

        if (ec2_offer(catalogue, type, context.region)->zones)
            compute(&context, type, vec_add(arena, &types));
    }
    *ret_types = types;
    return OK;
}
