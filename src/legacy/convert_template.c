// AWSNodeTemplate, or the inline provider of a Provisioner, to EC2NodeClass of v1beta1.
#include "legacy/convert_parts.h"

#include "text/value_edit.h"

#define PLACEHOLDER "$KARPENTER_NODE_ROLE"

// Selectors.

static ErrCode put_terms(const Conversion *conversion, const Item *item, const TextMap *selector, const char *field,
                         const char *terms_field, Value *spec, Err *err) {
    Value terms;

    if (!selector->count)
        return OK;
    TRY(convert_selector(conversion, item, selector, field, &terms, err));
    value_put(conversion->arena, spec, slice_of(terms_field), terms);
    return OK;
}

static bool has_tags(const TextMap *selector) {
    for (vec_each(const TextPair, pair, selector)) {
        if (!slice_starts_with(pair->key, SLICE("aws:")) && !slice_eq(pair->key, SLICE("aws-ids")))
            return true;
    }
    return false;
}

static ErrCode put_images(const Conversion *conversion, const Item *item, const OldAws *aws, Value *spec, Err *err) {
    const TextMap *selector = &aws->ami_selector;
    bool only_owners = selector->count == 1 && text_map_get_text(selector, "aws::owners");

    if (only_owners)
        return convert_fail(item, ERR_INVALID, err,
                            "spec.amiSelector: owners alone select no images in v1beta1; add a name or a tag");
    TRY(put_terms(conversion, item, selector, "amiSelector", "amiSelectorTerms", spec, err));
    if (has_tags(selector))
        convert_note(conversion, item, "W21", selector->items[0].line,
                     "spec.amiSelector: tags of images that name labels were requirements; they are no more");
    return OK;
}

// The rest.

static void put_family(const Conversion *conversion, const Item *item, const OldAws *aws, Value *spec) {
    Slice family = aws->ami_family.len ? aws->ami_family : SLICE("AL2");
    const char *warning = NULL;

    if (slice_eq(family, SLICE("AL2")))
        warning = "has no images of EKS for Kubernetes 1.33 and newer; AL2023 is its successor";
    else if (slice_eq(family, SLICE("Ubuntu")))
        warning = "is no family of v1";
    else if (slice_eq(family, SLICE("Custom")))
        warning = "asks that userData registers nodes with the taint karpenter.sh/unregistered:NoExecute";
    put_old_text(conversion->arena, spec, "amiFamily", family);
    if (warning)
        convert_note(conversion, item, "W15", item->value.line, "spec.amiFamily: %.*s %s", SLICE_ARG(family), warning);
}

static void put_identity(const Conversion *conversion, const Item *item, const OldAws *aws, Value *spec) {
    Slice profile = aws->instance_profile.len ? aws->instance_profile : conversion->settings.profile;

    if (profile.len)
        put_old_text(conversion->arena, spec, "instanceProfile", profile);
    else
        put_old_text(conversion->arena, spec, "role", SLICE(PLACEHOLDER));
    if (!aws->instance_profile.len)
        convert_note(conversion, item, "W05", item->value.line,
                     profile.len ? "spec.instanceProfile: aws.defaultInstanceProfile of karpenter-global-settings is "
                                   "written"
                                 : "spec.role: neither a role nor an instance profile is known; " PLACEHOLDER
                                   " is written in its place");
}

static void put_default(Arena *arena, Value *map, const char *key, Value value) {
    const Value *member = value_get(map, slice_of(key));

    if (!member || member->kind == VALUE_NULL)
        value_put(arena, map, slice_of(key), value);
}

// What a block leaves out was EC2's to choose; a block that is not there was Karpenter's, and still is.
static void put_metadata(const Conversion *conversion, const Item *item, const Value *source, Value *spec) {
    Arena *arena = conversion->arena;
    uint32_t before;
    Value *options;

    put_old_copy(arena, spec, "metadataOptions", source, "metadataOptions");
    options = value_find_text(spec, "metadataOptions");
    if (!options)
        return;
    before = options->map.count;
    put_default(arena, options, "httpEndpoint", value_string(SLICE("enabled")));
    put_default(arena, options, "httpProtocolIPv6", value_string(SLICE("disabled")));
    put_default(arena, options, "httpPutResponseHopLimit", value_int(arena, 1));
    put_default(arena, options, "httpTokens", value_string(SLICE("optional")));
    if (options->map.count > before)
        convert_note(conversion, item, "W13", options->line,
                     "spec.metadataOptions: what it left out is written as EC2 chose it (1 hop, tokens optional); the "
                     "defaults are others now");
}

static bool is_restricted_tag(Slice key) {
    static const char *const keys[] = {"karpenter.sh/nodepool", "karpenter.sh/nodeclaim", "karpenter.sh/managed-by",
                                       "eks:eks-cluster-name", "karpenter.k8s.aws/ec2nodeclass"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (slice_eq_text(key, keys[i]))
            return true;
    }
    return slice_starts_with(key, SLICE("kubernetes.io/cluster/"));
}

// Those of the class, then those of all classes that it does not set itself.
static TextMap all_tags(const Conversion *conversion, const Item *item, const OldAws *aws) {
    TextMap tags = {0};

    for (vec_each(const TextPair, tag, &aws->tags))
        vec_push(conversion->arena, &tags, *tag);
    for (vec_each(const TextPair, tag, &conversion->settings.tags)) {
        if (!text_map_get(&aws->tags, tag->key))
            vec_push(conversion->arena, &tags, (TextPair){tag->key, tag->value, item->value.line});
    }
    if (tags.count > aws->tags.count)
        convert_note(conversion, item, "W19", item->value.line,
                     "spec.tags: aws.tags of karpenter-global-settings are written, because no setting gives tags to "
                     "all classes any more");
    return tags;
}

static void put_tags(const Conversion *conversion, const Item *item, const OldAws *aws, Value *spec) {
    TextMap all = all_tags(conversion, item, aws);
    Value tags = text_map_value(conversion->arena, &all);

    for (vec_each(const TextPair, tag, &all)) {
        if (!is_restricted_tag(tag->key))
            continue;
        value_remove(&tags, tag->key);
        convert_note(conversion, item, "W18", tag->line, "spec.tags: %.*s is Karpenter's own tag and is left out",
                     SLICE_ARG(tag->key));
    }
    if (tags.map.count)
        value_put(conversion->arena, spec, SLICE("tags"), tags);
}

ErrCode convert_aws(Conversion *conversion, const Item *item, const OldAws *aws, const Value *source, Value *ret_spec,
                    Err *err) {
    Arena *arena = conversion->arena;
    Value spec = value_map();

    if (aws->launch_template.len)
        return convert_fail(item, ERR_INVALID, err, "E01 cannot convert with \"spec.launchTemplate\"");
    put_family(conversion, item, aws, &spec);
    TRY(put_images(conversion, item, aws, &spec, err));
    TRY(put_terms(conversion, item, &aws->subnet_selector, "subnetSelector", "subnetSelectorTerms", &spec, err));
    TRY(put_terms(conversion, item, &aws->security_group_selector, "securityGroupSelector",
                  "securityGroupSelectorTerms", &spec, err));
    put_identity(conversion, item, aws, &spec);
    put_tags(conversion, item, aws, &spec);
    put_old_copy(arena, &spec, "blockDeviceMappings", source, "blockDeviceMappings");
    put_metadata(conversion, item, source, &spec);
    put_old_copy(arena, &spec, "userData", source, "userData");
    put_old_copy(arena, &spec, "detailedMonitoring", source, "detailedMonitoring");
    put_old_copy(arena, &spec, "context", source, "context");
    *ret_spec = spec;
    return OK;
}

ErrCode convert_node_template(Conversion *conversion, const Item *item, ItemVec *items, Err *err) {
    Arena *arena = conversion->arena;
    OldNodeTemplate template = {0};
    ComplaintVec complaints = {0};
    Item class = *item;
    Value spec;

    TRY(old_decode(arena, OLD_NODE_TEMPLATE, item->file, &item->value, &template, err));
    node_template_complaints(arena, &template, &complaints);
    if (!template.aws.launch_template.len)
        TRY(convert_refuse(conversion, item, &complaints, err));
    TRY(convert_aws(conversion, item, &template.aws, value_get_text(&item->value, "spec"), &spec, err));
    class.value = converted_object(arena, "karpenter.k8s.aws/v1beta1", "EC2NodeClass", template.metadata);
    class.value.line = item->value.line;
    class.kind = OLD_BETA_CLASS;
    value_put(arena, &class.value, SLICE("spec"), spec);
    vec_push(arena, items, class);
    return OK;
}
