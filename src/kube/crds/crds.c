// The definitions, embedded by the assembler, which searches files as #include does: relative to src/. They lie in the
// chart that installs them, since Helm reads nothing outside of it.
#include "kube/crds/crds.h"

#include "base/check.h"

enum { TODAY = false, LEGACY = true };

// X(kind as in kind.h, file without ".yaml", TODAY or LEGACY), in the order of printing.
#define CRDS(X)                                                                                                        \
    X(NODE_POOL, nodepools, TODAY)                                                                                     \
    X(NODE_CLAIM, nodeclaims, TODAY)                                                                                   \
    X(NODE_OVERLAY, nodeoverlays, TODAY)                                                                               \
    X(EC2_NODE_CLASS, ec2nodeclasses, TODAY)                                                                           \
    X(KWOK_NODE_CLASS, kwoknodeclasses, TODAY)                                                                         \
    X(CAPACITY_BUFFER, capacitybuffers, TODAY)                                                                         \
    X(PROVISIONER, provisioners, LEGACY)                                                                               \
    X(MACHINE, machines, LEGACY)                                                                                       \
    X(AWS_NODE_TEMPLATE, awsnodetemplates, LEGACY)

#define EMBED(kind, file, age)                                                                                         \
    __asm__(".section .rodata\n"                                                                                       \
            ".global crd_" #file "_begin\n"                                                                            \
            ".global crd_" #file "_end\n"                                                                              \
            "crd_" #file "_begin:\n"                                                                                   \
            ".incbin \"../deploy/chart-crds/definitions/" #file ".yaml\"\n"                                            \
            "crd_" #file "_end:\n"                                                                                     \
            ".previous\n");                                                                                            \
    extern const char crd_##file##_begin[], crd_##file##_end[];
CRDS(EMBED)
#undef EMBED

typedef struct {
    KubeKind kind;
    bool is_legacy;
    const char *begin, *end;
} Embedded;

#define ROW(kind, file, age) {KUBE_##kind, age, crd_##file##_begin, crd_##file##_end},
static const Embedded embedded[] = {CRDS(ROW)};
#undef ROW

size_t crds_count(void) {
    return sizeof embedded / sizeof *embedded;
}

Crd crds_at(size_t index) {
    const Embedded *at = &embedded[index];

    CHECK(index < crds_count());
    return (Crd){
        .kind = kube_kind(at->kind), .is_legacy = at->is_legacy, .text = {at->begin, (size_t)(at->end - at->begin)}};
}

bool crds_find(Slice name, Crd *ret_crd) {
    for (size_t i = 0; i < crds_count(); i++) {
        Crd crd = crds_at(i);

        if (slice_eq(name, crd.kind->resource) || slice_eq(name, crd.kind->plural) || slice_eq(name, crd.kind->kind)) {
            *ret_crd = crd;
            return true;
        }
    }
    return false;
}
