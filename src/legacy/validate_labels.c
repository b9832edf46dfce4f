// Labels, taints and requirements of a Provisioner. Reference legacy.md 2.2.
#include "legacy/complain.h"

#include "model/well_known.h"

#include "base/buffer.h"

// Sorted by text, as in Karpenter's message.
static const char *const well_known[] = {
    "karpenter.k8s.aws/instance-accelerator-count",
    "karpenter.k8s.aws/instance-accelerator-manufacturer",
    "karpenter.k8s.aws/instance-accelerator-name",
    "karpenter.k8s.aws/instance-category",
    "karpenter.k8s.aws/instance-cpu",
    "karpenter.k8s.aws/instance-encryption-in-transit-supported",
    "karpenter.k8s.aws/instance-family",
    "karpenter.k8s.aws/instance-generation",
    "karpenter.k8s.aws/instance-gpu-count",
    "karpenter.k8s.aws/instance-gpu-manufacturer",
    "karpenter.k8s.aws/instance-gpu-memory",
    "karpenter.k8s.aws/instance-gpu-name",
    "karpenter.k8s.aws/instance-hypervisor",
    "karpenter.k8s.aws/instance-local-nvme",
    "karpenter.k8s.aws/instance-memory",
    "karpenter.k8s.aws/instance-network-bandwidth",
    "karpenter.k8s.aws/instance-pods",
    "karpenter.k8s.aws/instance-size",
    "karpenter.sh/capacity-type",
    "karpenter.sh/provisioner-name",
    "kubernetes.io/arch",
    "kubernetes.io/os",
    "node.kubernetes.io/instance-type",
    "node.kubernetes.io/windows-build",
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
    NULL,
};
static const char *const restricted_domains[] = {"k8s.io", "karpenter.k8s.aws", "karpenter.sh", "kubernetes.io", NULL};
static const char *const free_domains[] = {"kops.k8s.io", "node-restriction.kubernetes.io", "node.kubernetes.io", NULL};
static const char *const restricted_keys[] = {"karpenter.sh/emptiness-timestamp", "kubernetes.io/hostname", NULL};
static const char *const operators[] = {"DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn", NULL};
static const char *const effects[] = {"NoSchedule", "PreferNoSchedule", "NoExecute", "", NULL};

static void append_list(Buffer *out, const char *const *texts) {
    for (const char *const *text = texts; *text; text++)
        buffer_printf(out, "%s%s", text == texts ? "[" : " ", *text);
    buffer_append_char(out, ']');
}

static Slice taken(Arena *arena, Buffer *buffer) {
    Slice text = arena_slice(arena, buffer_slice(buffer));

    buffer_free(buffer);
    return text;
}

// Any domain that ends like a restricted one, also without a dot before.
static bool is_restricted(Slice key) {
    ptrdiff_t slash = slice_find(key, '/');
    Slice domain = slash < 0 ? SLICE("") : slice_first(key, (size_t)slash);

    if (text_is_one_of(key, well_known))
        return false;
    if (text_is_one_of(key, restricted_keys))
        return true;
    for (const char *const *restricted = restricted_domains; *restricted; restricted++) {
        if (slice_ends_with(domain, slice_of(*restricted)))
            return !text_is_one_of(domain, free_domains);
    }
    return false;
}

// Empty: the key is not restricted.
static Slice restriction(Arena *arena, Slice key) {
    Buffer out = {0};

    if (!is_restricted(key))
        return SLICE("");
    buffer_printf(&out, "label %.*s is restricted; specify a well known label: ", SLICE_ARG(key));
    append_list(&out, well_known);
    buffer_append(&out, SLICE(", or a custom label that does not use a restricted domain: "));
    append_list(&out, restricted_domains);
    return taken(arena, &out);
}

static bool is_pool_name(Slice key) {
    return slice_eq(key, SLICE("karpenter.sh/provisioner-name"));
}

void judge_labels(const Judge *judge, const TextMap *labels) {
    for (vec_each(const TextPair, label, labels)) {
        Slice value_complaint = label_value_complaint(label->value);
        Slice key_complaints[] = {
            is_pool_name(label->key) ? SLICE("restricted") : SLICE(""),
            label_key_complaint(label->key),
            restriction(judge->arena, label->key),
        };

        for (size_t i = 0; i < sizeof key_complaints / sizeof *key_complaints; i++) {
            if (key_complaints[i].len)
                complain(judge, invalid_key(judge->arena, label->key), "spec.labels")->details = key_complaints[i];
        }
        if (value_complaint.len)
            complain(judge,
                     arena_printf(judge->arena, "invalid value: %.*s, %.*s", SLICE_ARG(label->value),
                                  SLICE_ARG(value_complaint)),
                     "spec.labels[%.*s]", SLICE_ARG(label->key));
    }
}

// Taints.

static void judge_taint(const Judge *judge, const OldTaint *taint, const char *field, uint32_t index) {
    Slice key = label_key_complaint(taint->key);
    Slice value = taint->value.len ? label_key_complaint(taint->value) : SLICE("");

    if (key.len)
        complain(judge, invalid_value(judge->arena, key), "spec.%s[%u]", field, index);
    if (value.len)
        complain(judge, invalid_value(judge->arena, value), "spec.%s[%u]", field, index);
    if (!text_is_one_of(taint->effect, effects))
        complain(judge, invalid_value(judge->arena, taint->effect), "spec.effect[%u]", index);
}

static bool is_same_taint(const OldTaint *a, const OldTaint *b) {
    return slice_eq(a->key, b->key) && slice_eq(a->effect, b->effect);
}

static bool has_taint_before(const OldTaintVec *taints, uint32_t count, const OldTaint *taint) {
    for (uint32_t i = 0; i < count; i++) {
        if (is_same_taint(&taints->items[i], taint))
            return true;
    }
    return false;
}

static void judge_taint_list(const Judge *judge, const OldTaintVec *taints, const char *field,
                             const OldTaintVec *before) {
    for (uint32_t i = 0; i < taints->count; i++) {
        const OldTaint *taint = &taints->items[i];

        judge_taint(judge, taint, field, i);
        if (has_taint_before(taints, i, taint) || has_taint_before(before, before->count, taint))
            complain(judge,
                     arena_printf(judge->arena, "duplicate taint Key/Effect pair %.*s=%.*s", SLICE_ARG(taint->key),
                                  SLICE_ARG(taint->effect)),
                     "spec.taints[%u]", i);
    }
}

void judge_taints(const Judge *judge, const OldProvisioner *provisioner) {
    static const OldTaintVec none;

    judge_taint_list(judge, &provisioner->taints, "taints", &none);
    judge_taint_list(judge, &provisioner->startup_taints, "startupTaints", &provisioner->taints);
}

// Requirements.

static bool is_natural(Slice text) {
    int64_t number;

    return slice_to_int64(text, &number) && number >= 0;
}

// What is wrong with operator and values; empty: nothing.
static Slice operator_complaint(Arena *arena, const OldRequirement *requirement) {
    Slice operator= requirement->operator;
    bool is_bound = slice_eq(operator, SLICE("Gt")) || slice_eq(operator, SLICE("Lt"));
    Buffer out = {0};

    if (!text_is_one_of(operator, operators)) {
        buffer_printf(&out, "key %.*s has an unsupported operator %.*s not in ", SLICE_ARG(requirement->key),
                      SLICE_ARG(operator));
        append_list(&out, operators);
        return taken(arena, &out);
    }
    if (slice_eq(operator, SLICE("In")) && !requirement->values.count)
        return arena_printf(arena, "key %.*s with operator In must have a value defined", SLICE_ARG(requirement->key));
    if (is_bound && (requirement->values.count != 1 || !is_natural(requirement->values.items[0])))
        return arena_printf(arena, "key %.*s with operator %.*s must have a single positive integer value",
                            SLICE_ARG(requirement->key), SLICE_ARG(operator));
    return SLICE("");
}

// Keys of old were read as today's before anything judged them (R090).
static Slice stable_key(Slice key) {
    static const char *const aliases[][2] = {
        {"beta.kubernetes.io/arch", "kubernetes.io/arch"},
        {"beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"},
        {"beta.kubernetes.io/os", "kubernetes.io/os"},
        {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
        {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    };

    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        if (slice_eq_text(key, aliases[i][0]))
            return slice_of(aliases[i][1]);
    }
    return key;
}

static void judge_requirement(const Judge *judge, const OldRequirement *requirement, uint32_t index) {
    Slice syntax = label_key_complaint(requirement->key);
    Slice complaints[] = {
        is_pool_name(requirement->key) ? SLICE("karpenter.sh/provisioner-name is restricted") : SLICE(""),
        operator_complaint(judge->arena, requirement),
        restriction(judge->arena, requirement->key),
        syntax.len ? arena_printf(judge->arena, "key %.*s is not a qualified name, %.*s", SLICE_ARG(requirement->key),
                                  SLICE_ARG(syntax))
                   : SLICE(""),
    };

    for (size_t i = 0; i < sizeof complaints / sizeof *complaints; i++) {
        if (complaints[i].len)
            complain(judge, invalid_value(judge->arena, complaints[i]), "spec.requirements[%u]", index);
    }
    for (vec_each(const Slice, value, &requirement->values)) {
        Slice wrong = label_value_complaint(*value);

        if (wrong.len)
            complain(judge,
                     arena_printf(judge->arena, "invalid value: invalid value %.*s for key %.*s, %.*s",
                                  SLICE_ARG(*value), SLICE_ARG(requirement->key), SLICE_ARG(wrong)),
                     "spec.requirements[%u]", index);
    }
}

void judge_requirements(const Judge *judge, const OldRequirementVec *requirements) {
    for (uint32_t i = 0; i < requirements->count; i++) {
        OldRequirement requirement = requirements->items[i];

        requirement.key = stable_key(requirement.key);
        judge_requirement(judge, &requirement, i);
    }
}
