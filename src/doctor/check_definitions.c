// The check of the definitions of kinds: what is served, and what older objects are stored as.
//
// Karpenter 0.32 to 0.37 has v1beta1 alone. An API server takes no definition without a version that objects may still
// be stored in, so tenon's own cannot be laid over these: 1.0 has both versions and converts. Reference legacy.md 0, 6.
#include "doctor/check_parts.h"

static const Slice beta = SLICE_INIT("v1beta1");

bool has_definitions(const Facts *facts) {
    return facts->live.definitions.count;
}

static bool is_served(const Facts *facts, const char *name) {
    for (vec_each(const FactDefinition, definition, &facts->live.definitions)) {
        if (slice_eq_text(definition->name, name))
            return definition->is_served;
    }
    return false;
}

static bool has_beta(const SliceVec *versions) {
    for (vec_each(const Slice, version, versions)) {
        if (slice_eq(*version, beta))
            return true;
    }
    return false;
}

static void miss_definition(const Examination *examination, const FactDefinition *definition) {
    find(examination, CHECK_ERROR, (FactPlace){0}, definition->name,
         arena_printf(examination->arena, "tenon crds %.*s | kubectl apply --server-side --force-conflicts -f -",
                      SLICE_ARG(definition->name)),
         "the API server does not serve it%s%.*s", definition->others.count ? " as " : "",
         SLICE_ARG(definition->others.count ? definition->version : SLICE("")));
}

// Whether objects are written as v1beta1, and what is to be done first.
static bool check_storage(const Examination *examination, const FactDefinition *definition, CheckStatus status) {
    bool is_only = !definition->is_served && has_beta(&definition->others);

    if (slice_eq(definition->version, beta) || (!is_only && !slice_eq(definition->storage, beta)))
        return false;
    find(examination, status, (FactPlace){0}, definition->name,
         SLICE("bring Karpenter to 1.0 first (from 0.32 by way of 0.33), which converts the objects and stores them as "
               "v1; then ask again"),
         "it is %s as v1beta1, as Karpenter 0.32 to 0.37 has it: tenon reads v1, and the API server takes no "
         "definition without v1beta1 while objects may be stored so",
         is_only ? "served" : "stored");
    return true;
}

// What Karpenter 1.0 leaves behind where nobody has written an object since, or nobody has said that all are written.
static void check_remains(const Examination *examination, const FactDefinition *definition) {
    Slice name = definition->name;

    if (slice_eq(definition->version, beta) || !has_beta(&definition->stored))
        return;
    find(examination, CHECK_WARNING, (FactPlace){0}, name,
         arena_printf(examination->arena,
                      "kubectl get %.*s -o name | xargs -r kubectl patch --type=merge -p '{}' && kubectl patch crd "
                      "%.*s --subresource=status --type=merge -p '{\"status\":{\"storedVersions\":[\"v1\"]}}'",
                      SLICE_ARG(name), SLICE_ARG(name)),
         "some objects may still be stored as v1beta1: the API server takes no definition without that version, and "
         "only Karpenter 1.0 converts them");
}

// Where the kinds of 2023 are served, tenon shows them as today's. Of the clouds' classes one is enough.
void check_definitions(const Examination *examination) {
    const Facts *facts = examination->facts;
    bool has_old = is_served(facts, "provisioners.karpenter.sh"), has_class = false;
    const FactDefinition *first_class = NULL;

    for (vec_each(const FactDefinition, definition, &facts->live.definitions)) {
        bool is_class = slice_starts_with(definition->name, SLICE("ec2nodeclasses.")) ||
                        slice_starts_with(definition->name, SLICE("kwoknodeclasses."));
        bool is_needed = slice_eq_text(definition->name, "nodepools.karpenter.sh") ||
                         slice_eq_text(definition->name, "nodeclaims.karpenter.sh");
        bool is_beta = check_storage(examination, definition, has_old ? CHECK_WARNING : CHECK_ERROR);

        if (is_class && !first_class)
            first_class = definition;
        has_class = has_class || (is_class && (definition->is_served || is_beta));
        if (!is_beta)
            check_remains(examination, definition);
        if (!is_beta && !has_old && !definition->is_served && is_needed)
            miss_definition(examination, definition);
    }
    if (first_class && !has_class && !has_old)
        miss_definition(examination, first_class);
}
