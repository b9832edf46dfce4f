// Machines as NodeClaims, and Nodes of Provisioners as those of pools. Reference legacy.md 4.
#include "legacy/present/parts.h"
#include "legacy/present/present.h"

#include "text/value_edit.h"

#define PROVISIONER_LABEL "karpenter.sh/provisioner-name"

static void put_text(Arena *arena, Value *map, const char *key, Slice text) {
    value_put(arena, map, slice_of(key), value_string(text));
}

static Slice provisioner_of(const Value *object) {
    return meta_text(object, "labels", SLICE(PROVISIONER_LABEL));
}

static Slice pool_of(Arena *arena, const Value *object) {
    return presented_name(arena, KUBE_PROVISIONER, provisioner_of(object));
}

static bool has_kubelet(const Value *object) {
    const Value *kubelet = value_at(object, "spec", "kubelet", NULL);

    return kubelet && kubelet->kind == VALUE_MAP && kubelet->map.count;
}

// With a kubelet's settings, or without an AWSNodeTemplate, the class is the Provisioner's own.
static Slice class_of(Arena *arena, const Value *object) {
    Slice template = text_in(object, "spec", "machineTemplateRef", "name");

    return template.len && !has_kubelet(object) ? presented_name(arena, KUBE_AWS_NODE_TEMPLATE, template)
                                                : pool_of(arena, object);
}

static Value class_reference(Arena *arena, Slice name) {
    Value reference = value_map();

    put_text(arena, &reference, "group", SLICE("karpenter.k8s.aws"));
    put_text(arena, &reference, "kind", SLICE("EC2NodeClass"));
    put_text(arena, &reference, "name", name);
    return reference;
}

static void add_requirement(Arena *arena, Value *requirements, const char *key, Slice value) {
    Value requirement = value_map(), values = value_list();

    value_append(arena, &values, value_string(value));
    put_text(arena, &requirement, "key", slice_of(key));
    put_text(arena, &requirement, "operator", SLICE("In"));
    value_put(arena, &requirement, SLICE("values"), values);
    value_append(arena, requirements, requirement);
}

// Without keys that Karpenter keeps for itself today; the labels say the Provisioner.
static Value machine_requirements(Arena *arena, const Value *given) {
    Value requirements = value_list();

    for (uint32_t i = 0; given && given->kind == VALUE_LIST && i < given->list.count; i++) {
        const Value *requirement = &given->list.items[i];
        Slice key = text_in(requirement, "key");

        if (!slice_starts_with(key, SLICE("karpenter.sh/")) || slice_eq_text(key, "karpenter.sh/capacity-type"))
            value_append(arena, &requirements, value_copy_tree(arena, requirement));
    }
    return requirements;
}

static Value machine_spec(Arena *arena, const Value *object) {
    const Value *old = value_get_text(object, "spec");
    Value spec = value_map(), requirements = machine_requirements(arena, value_get_text(old, "requirements"));

    add_requirement(arena, &requirements, "karpenter.sh/nodepool", pool_of(arena, object));
    for (size_t i = 0; i < 3; i++) {
        static const char *const kept[] = {"taints", "startupTaints", "resources"};
        const Value *member = value_get(old, slice_of(kept[i]));

        if (member)
            value_put(arena, &spec, slice_of(kept[i]), value_copy_tree(arena, member));
    }
    put_text(arena, &spec, "expireAfter", SLICE("Never")); // that of its pool counts
    value_put(arena, &spec, SLICE("nodeClassRef"), class_reference(arena, class_of(arena, object)));
    value_put(arena, &spec, SLICE("requirements"), requirements);
    return spec;
}

static Value machine_status(Arena *arena, const Value *object) {
    const Value *old = value_get_text(object, "status");
    Value status = old && old->kind == VALUE_MAP ? value_copy_tree(arena, old) : value_map();
    Value rest = annotation_json(arena, object, SLICE(STATUS_ANNOTATION));

    value_merge_patch(arena, &status, &rest);
    machine_conditions_present(arena, &status);
    conditions_observe(arena, &status, kube_generation(object));
    return status;
}

// A member that is a map, made anew if it is there and none.
static Value *map_in(Value *map, Arena *arena, const char *key) {
    Value *member = value_find(map, slice_of(key));

    if (!member || member->kind != VALUE_MAP)
        member = value_put(arena, map, slice_of(key), value_map());
    return member;
}

// Metadata whose labels say the pool.
static Value marked_metadata(Arena *arena, const Value *object) {
    const Value *own = value_get_text(object, "metadata");
    Value metadata = own && own->kind == VALUE_MAP ? value_copy_tree(arena, own) : value_map();
    Value *labels = map_in(&metadata, arena, "labels");
    Value *class = value_find_text(labels, "karpenter.k8s.aws/ec2nodeclass");

    if (class && class->kind == VALUE_STRING)
        class->text = class_label_name(arena, class->text);
    put_text(arena, labels, "karpenter.sh/nodepool", pool_of(arena, object));
    owners_present(arena, &metadata);
    return metadata;
}

Value present_machine(Arena *arena, const Value *object) {
    Value claim = value_map(), metadata = marked_metadata(arena, object);

    put_text(arena, &metadata, "name", presented_name(arena, KUBE_MACHINE, kube_name(object)));
    put_text(arena, &claim, "apiVersion", kube_kind(KUBE_NODE_CLAIM)->api_version);
    put_text(arena, &claim, "kind", kube_kind(KUBE_NODE_CLAIM)->kind);
    value_put(arena, &claim, SLICE("metadata"), metadata);
    value_put(arena, &claim, SLICE("spec"), machine_spec(arena, object));
    value_put(arena, &claim, SLICE("status"), machine_status(arena, object));
    claim.line = object->line;
    return claim;
}

bool node_is_old(const Value *object) {
    return provisioner_of(object).len && !meta_text(object, "labels", SLICE("karpenter.sh/nodepool")).len;
}

Value present_node(Arena *arena, const Value *object) {
    Value node = value_map();

    for (vec_each(const ValueMember, member, &object->map)) // all else is shared
        value_put(arena, &node, member->key,
                  slice_eq_text(member->key, "metadata") ? marked_metadata(arena, object) : member->value);
    node.line = object->line;
    return node;
}
