// Provisioner and AWSNodeTemplate: what their API server would have dropped, what their webhook would have refused, and
// the rest as facts.
#include "doctor/gather_parts.h"

#include "base/buffer.h"
#include "legacy/complaints.h"
#include "legacy/defaults.h"

// Remarks.

static void refuse(Gathering *gathering, const Value *object, Slice text) {
    vec_push(gathering->arena, &gathering->facts->refusals,
             (FactRemark){.place = gather_place(gathering, object),
                          .object = gather_object_name(gathering, object),
                          .text = text,
                          .fix = SLICE("change it as the message says")});
}

// On one line.
static void refuse_complaints(Gathering *gathering, const Value *object, const ComplaintVec *complaints) {
    Slice text = complaints_print(gathering->arena, complaints);
    Buffer line = {0};

    if (!complaints->count)
        return;
    for (size_t i = 0; i < text.len; i++)
        buffer_append(&line, text.ptr[i] == '\n' ? SLICE("; ") : (Slice){&text.ptr[i], 1});
    refuse(gathering, object, arena_slice(gathering->arena, buffer_slice(&line)));
    buffer_free(&line);
}

static void note_stranger(Gathering *gathering, const Value *object, const OldStranger *stranger) {
    Arena *arena = gathering->arena;

    vec_push(arena, &gathering->facts->strangers,
             (FactRemark){.place = {gathering->file, stranger->line},
                          .object = gather_object_name(gathering, object),
                          .text = arena_printf(arena, "%.*s is no field of it, and is dropped without a word",
                                               SLICE_ARG(stranger->path)),
                          .fix = stranger->meant.len
                                     ? arena_printf(arena, "move it to %.*s", SLICE_ARG(stranger->meant))
                                     : SLICE("remove it")});
}

// Selectors.

// All keys of a selector are meant together.
static FactSelector selector_of(Gathering *gathering, const char *field, const TextMap *map, FactPlace place) {
    FactSelector selector = {.field = field, .place = place, .has_alternatives = true};
    FactTerm term = {0};

    for (vec_each(const TextPair, pair, map)) {
        if (slice_eq(pair->key, SLICE("aws-ids")) || slice_eq(pair->key, SLICE("aws::ids")))
            term.ids = old_alternatives(gathering->arena, pair->value);
        else
            vec_push(gathering->arena, &term.tags, *pair);
    }
    if (map->count) {
        selector.place.line = map->items[0].line;
        vec_push(gathering->arena, &selector.terms, term);
    }
    return selector;
}

static void add_class(Gathering *gathering, const Value *object, const OldAws *aws, bool is_inline) {
    FactPlace place = gather_place(gathering, object);

    vec_push(gathering->arena, &gathering->facts->classes,
             (FactClass){
                 .place = place,
                 .kind = gather_text(object, "kind"),
                 .name = gather_text(value_get_text(object, "metadata"), "name"),
                 .subnets = selector_of(gathering, is_inline ? "spec.provider.subnetSelector" : "spec.subnetSelector",
                                        &aws->subnet_selector, place),
                 .groups = selector_of(gathering,
                                       is_inline ? "spec.provider.securityGroupSelector" : "spec.securityGroupSelector",
                                       &aws->security_group_selector, place),
                 .profile = aws->instance_profile,
                 .has_template = aws->launch_template.len > 0});
}

// The kinds.

static void add_pool(Gathering *gathering, const Value *object, OldProvisioner *provisioner) {
    uint32_t written = provisioner->requirements.count;

    provisioner_default(gathering->arena, provisioner);
    vec_push(gathering->arena, &gathering->facts->pools,
             (FactPool){.place = gather_place(gathering, object),
                        .kind = SLICE("Provisioner"),
                        .name = provisioner->name,
                        .class_name = provisioner->reference ? provisioner->reference->name : SLICE(""),
                        .requirements = provisioner->requirements,
                        .written = written,
                        .taints = provisioner->taints,
                        .labels = provisioner->labels,
                        .weight = provisioner->weight,
                        .lifetime_field = "spec.ttlSecondsUntilExpired",
                        .lifetime_s = provisioner->has_ttl_until_expired ? provisioner->ttl_until_expired_s : -1});
}

static void take_provisioner(Gathering *gathering, const Value *object) {
    OldProvisioner provisioner = {0};
    ComplaintVec complaints = {0};
    Err err;

    if (old_decode(gathering->arena, OLD_PROVISIONER, gathering->file, object, &provisioner, &err) != OK) {
        refuse(gathering, object, arena_slice(gathering->arena, slice_of(err.text)));
        return;
    }
    provisioner_complaints(gathering->arena, &provisioner, &complaints);
    refuse_complaints(gathering, object, &complaints);
    add_pool(gathering, object, &provisioner);
    if (provisioner.provider)
        add_class(gathering, object, provisioner.provider, true);
}

static void take_template(Gathering *gathering, const Value *object) {
    OldNodeTemplate template = {0};
    ComplaintVec complaints = {0};
    Err err;

    if (old_decode(gathering->arena, OLD_NODE_TEMPLATE, gathering->file, object, &template, &err) != OK) {
        refuse(gathering, object, arena_slice(gathering->arena, slice_of(err.text)));
        return;
    }
    node_template_complaints(gathering->arena, &template, &complaints);
    refuse_complaints(gathering, object, &complaints);
    add_class(gathering, object, &template.aws, false);
}

void gather_old(Gathering *gathering, OldKind kind, const Value *object) {
    OldStrangerVec strangers = {0};
    Value known = old_prune(gathering->arena, kind, object, &strangers);

    gathering->facts->objects++;
    for (vec_each(const OldStranger, stranger, &strangers))
        note_stranger(gathering, object, stranger);
    if (kind == OLD_PROVISIONER)
        take_provisioner(gathering, &known);
    else
        take_template(gathering, &known);
}
