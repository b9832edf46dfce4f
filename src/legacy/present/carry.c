// Writes by their old names. Reference legacy.md 4.
#include "legacy/present/carry.h"

#include "legacy/present/parts.h"
#include "text/json.h"
#include "text/value_edit.h"

static void put_text(Arena *arena, Value *map, const char *key, Slice text) {
    value_put(arena, map, slice_of(key), value_string(text));
}

// --- labels

// The pool's label becomes the Provisioner's; that of a class keeps its key.
static void carry_labels(Arena *arena, Value *labels) {
    const Value *pool = value_get_text(labels, "karpenter.sh/nodepool");
    Value *class = value_find_text(labels, "karpenter.k8s.aws/ec2nodeclass");
    KubeKind old;
    Slice name;

    if (class && class->kind == VALUE_STRING)
        class->text = class_label_value(arena, class->text);
    if (pool && pool->kind == VALUE_STRING && old_name(KUBE_NODE_POOL, pool->text, &old, &name)) {
        put_text(arena, labels, "karpenter.sh/provisioner-name", name);
        value_remove_text(labels, "karpenter.sh/nodepool");
    }
}

static Slice after_slash(Slice text) {
    ptrdiff_t slash = slice_find(text, '/');

    return slash < 0 ? text : slice_from(text, (size_t)slash + 1);
}

static void carry_names(Value *metadata) {
    static const char *const keys[] = {"name", "generateName"};

    for (size_t i = 0; i < 2; i++) {
        Value *name = value_find(metadata, slice_of(keys[i]));

        if (name && name->kind == VALUE_STRING)
            name->text = after_slash(name->text);
    }
}

static void carry_metadata(Arena *arena, Value *metadata) {
    Value *labels = value_find_text(metadata, "labels");

    if (labels && labels->kind == VALUE_MAP)
        carry_labels(arena, labels);
    owners_carry(arena, metadata);
    carry_names(metadata);
}

static Value with_carried_metadata(Arena *arena, const Value *object) {
    Value copy = value_copy_tree(arena, object), *metadata = value_find_text(&copy, "metadata");

    if (metadata)
        carry_metadata(arena, metadata);
    return copy;
}

Value carry_metadata_patch(Arena *arena, const Value *patch) {
    return with_carried_metadata(arena, patch);
}

Value carry_node(Arena *arena, const Value *node) {
    return with_carried_metadata(arena, node);
}

// --- NodeClaims

static bool is_own_key(const Value *requirement) {
    Slice key = text_in(requirement, "key");

    return slice_eq_text(key, "karpenter.sh/nodepool") || slice_eq_text(key, "karpenter.k8s.aws/ec2nodeclass");
}

static Value machine_requirements(Arena *arena, const Value *spec) {
    const Value *given = value_get_text(spec, "requirements");
    Value requirements = value_list();

    for (uint32_t i = 0; given && given->kind == VALUE_LIST && i < given->list.count; i++) {
        Value requirement = value_copy_tree(arena, &given->list.items[i]);

        value_remove_text(&requirement, "minValues");
        if (!is_own_key(&requirement))
            value_append(arena, &requirements, requirement);
    }
    return requirements;
}

static void copy_as(Arena *arena, Value *to, const char *key, const Value *from, const char *from_key) {
    const Value *member = value_get(from, slice_of(from_key));

    if (member && member->kind != VALUE_NULL)
        value_put(arena, to, slice_of(key), value_copy_tree(arena, member));
}

static Value machine_spec(Arena *arena, const Value *claim, const Value *provisioner) {
    const Value *spec = value_get_text(claim, "spec"), *old = value_get_text(provisioner, "spec");
    Value machine = value_map();

    copy_as(arena, &machine, "kubelet", old, "kubeletConfiguration");
    copy_as(arena, &machine, "machineTemplateRef", old, "providerRef");
    value_put(arena, &machine, SLICE("requirements"), machine_requirements(arena, spec));
    copy_as(arena, &machine, "resources", spec, "resources");
    copy_as(arena, &machine, "startupTaints", spec, "startupTaints");
    copy_as(arena, &machine, "taints", spec, "taints");
    return machine;
}

Value carry_claim(Arena *arena, const Value *claim, const Value *provisioner) {
    Value machine = value_map(), metadata = value_copy_tree(arena, value_get_text(claim, "metadata"));

    carry_metadata(arena, &metadata);
    put_text(arena, &machine, "apiVersion", kube_kind(KUBE_MACHINE)->api_version);
    put_text(arena, &machine, "kind", kube_kind(KUBE_MACHINE)->kind);
    value_put(arena, &machine, SLICE("metadata"), metadata);
    value_put(arena, &machine, SLICE("spec"), machine_spec(arena, claim, provisioner));
    return machine;
}

// --- Events

static void carry_event_message(Arena *arena, Value *event) {
    Value *message = value_find_text(event, "message");

    if (message && message->kind == VALUE_STRING)
        message->text = carry_text(arena, message->text);
}

Value carry_event(Arena *arena, const Value *event) {
    Value copy = value_copy_tree(arena, event), *about = value_find_text(&copy, "involvedObject");
    KubeKind kind = about ? kube_kind_find(text_in(about, "apiVersion"), text_in(about, "kind")) : KUBE_KIND_COUNT, old;
    Slice name;

    carry_event_message(arena, &copy);
    if (kind == KUBE_KIND_COUNT || !old_name(kind, text_in(about, "name"), &old, &name))
        return copy;
    put_text(arena, about, "apiVersion", kube_kind(old)->api_version);
    put_text(arena, about, "kind", kube_kind(old)->kind);
    put_text(arena, about, "name", name);
    carry_names(value_find_text(&copy, "metadata"));
    return copy;
}

// --- status

// What the kinds have a place for; the rest lies in an annotation. An AWSNodeTemplate's conditions were not among it.
static bool has_place(KubeKind kind, Slice member) {
    static const struct {
        KubeKind kind;
        const char *member;
    } rows[] = {
        {KUBE_NODE_POOL, "resources"},   {KUBE_NODE_POOL, "conditions"},   {KUBE_NODE_CLAIM, "nodeName"},
        {KUBE_NODE_CLAIM, "providerID"}, {KUBE_NODE_CLAIM, "capacity"},    {KUBE_NODE_CLAIM, "allocatable"},
        {KUBE_NODE_CLAIM, "conditions"}, {KUBE_EC2_NODE_CLASS, "subnets"}, {KUBE_EC2_NODE_CLASS, "securityGroups"},
        {KUBE_EC2_NODE_CLASS, "amis"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].kind == kind && slice_eq_text(member, rows[i].member))
            return true;
    }
    return false;
}

static Value json_text(Arena *arena, const Value *value) {
    Buffer text = {0};
    Value string;

    json_print(&text, value, false);
    string = value_string(arena_slice(arena, buffer_slice(&text)));
    buffer_free(&text);
    return string;
}

static Value annotation_patch(Arena *arena, const char *key, const Value *content) {
    Value patch = value_map();
    Value *annotations = value_make(arena, &patch, "metadata", "annotations", NULL);

    value_put(arena, annotations, slice_of(key), json_text(arena, content));
    return patch;
}

// Of a class all members are in the annotation, because the old kind has other ones in the same places.
CarriedStatus carry_status_patch(Arena *arena, KubeKind kind, const Value *object, const Value *patch) {
    const Value *status = value_get_text(patch, "status");
    Value placed = value_map(), rest = value_map(), now = annotation_json(arena, object, SLICE(STATUS_ANNOTATION));
    CarriedStatus carried = {value_map(), value_map()};

    for (uint32_t i = 0; status && status->kind == VALUE_MAP && i < status->map.count; i++) {
        const ValueMember *member = &status->map.items[i];

        if (has_place(kind, member->key))
            value_put(arena, &placed, member->key, value_copy_tree(arena, &member->value));
        if (!has_place(kind, member->key) || kind == KUBE_EC2_NODE_CLASS)
            value_put(arena, &rest, member->key, value_copy_tree(arena, &member->value));
    }
    if (kind == KUBE_NODE_CLAIM)
        machine_conditions_carry(&placed);
    if (placed.map.count)
        value_put(arena, &carried.status, SLICE("status"), placed);
    if (rest.map.count) {
        value_merge_patch(arena, &now, &rest);
        carried.metadata = annotation_patch(arena, STATUS_ANNOTATION, &now);
    }
    return carried;
}

Value carry_class_patch(Arena *arena, const Value *object, const Value *patch) {
    static const char *const keys[] = {"annotations", "finalizers"};
    Value now = annotation_json(arena, object, SLICE(CLASS_ANNOTATION)), change = value_map();

    copy_as(arena, &change, "status", patch, "status");
    for (size_t i = 0; i < 2; i++)
        copy_as(arena, &change, keys[i], value_get_text(patch, "metadata"), keys[i]);
    value_merge_patch(arena, &now, &change);
    return annotation_patch(arena, CLASS_ANNOTATION, &now);
}
