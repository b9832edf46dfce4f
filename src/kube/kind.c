// The table of kinds, made from KUBE_KINDS.
#include "kube/kind.h"

#include "base/check.h"

enum { NAMESPACED = true, CLUSTER_WIDE = false, CUSTOM = true, BUILT_IN = false };

#define INIT(text)                                                                                                     \
    { (text), sizeof(text) - 1 }
// Strings composed of others: "apps/v1" and, for the core group with its empty name, "/v1" without its first byte;
// "deployments.apps" and "pods." without its last byte.
#define X(name, group_, version_, kind_, plural_, scope, status, origin)                                               \
    {.group = INIT(group_),                                                                                            \
     .version = INIT(version_),                                                                                        \
     .kind = INIT(kind_),                                                                                              \
     .plural = INIT(plural_),                                                                                          \
     .api_version = {&group_ "/" version_[sizeof(group_) == 1], sizeof(group_ version_) - (sizeof(group_) == 1)},      \
     .resource = {plural_ "." group_, sizeof(plural_) - 1 + (sizeof(group_) == 1 ? 0 : sizeof(group_))},               \
     .group_kind = {kind_ "." group_, sizeof(kind_) - 1 + (sizeof(group_) == 1 ? 0 : sizeof(group_))},                 \
     .namespaced = (scope),                                                                                            \
     .has_status = (status),                                                                                           \
     .custom = (origin)},
static const KubeKindInfo kinds[KUBE_KIND_COUNT] = {KUBE_KINDS(X)};
#undef X

const KubeKindInfo *kube_kind(KubeKind kind) {
    CHECK((unsigned)kind < KUBE_KIND_COUNT, "kind %u", (unsigned)kind);
    return &kinds[kind];
}

KubeKind kube_kind_find(Slice api_version, Slice kind) {
    for (unsigned i = 0; i < KUBE_KIND_COUNT; i++) {
        if (slice_eq(kinds[i].kind, kind) && slice_eq(kinds[i].api_version, api_version))
            return (KubeKind)i;
    }
    return KUBE_KIND_COUNT;
}

KubeKind kube_kind_find_any_version(Slice api_version, Slice kind) {
    ptrdiff_t slash = slice_find(api_version, '/');
    Slice group = slash < 0 ? SLICE("") : slice_first(api_version, (size_t)slash);

    for (unsigned i = 0; i < KUBE_KIND_COUNT; i++) {
        if (slice_eq(kinds[i].kind, kind) && slice_eq(kinds[i].group, group))
            return (KubeKind)i;
    }
    return KUBE_KIND_COUNT;
}
