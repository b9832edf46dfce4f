// Images with their requirements, and the best of each kind.
#include "cloud/aws/ami/selection.h"

#include "cloud/aws/catalogue.h"
#include "text/duration.h"

#include <stdlib.h>

// An image made for one variant; 0: for none in particular.
typedef struct {
    const Ec2Image *image;
    uint32_t variant;
    Slice arch; // as Kubernetes calls it
    int64_t created_ns;
    bool deprecated;
} Candidate;
typedef Vec(Candidate) CandidateVec;

static int64_t time_of(Slice text) {
    int64_t ns;

    return time_parse(text, &ns, NULL) == OK ? ns : 0;
}

static uint32_t variants_of(const AmiFoundVec *found, Slice id) {
    uint32_t variants = 0;

    for (vec_each(const AmiFound, parameter, found)) {
        if (slice_eq(parameter->value, id))
            variants |= parameter->variants;
    }
    return variants;
}

static bool is_better(const Candidate *a, const Candidate *b) {
    if (a->deprecated != b->deprecated)
        return b->deprecated;
    if (a->created_ns != b->created_ns)
        return a->created_ns > b->created_ns;
    return slice_cmp(a->image->name, b->image->name) > 0;
}

// Keeps the better one of two candidates with the same requirements.
static void offer(Arena *arena, CandidateVec *best, Candidate candidate) {
    for (vec_each(Candidate, other, best)) {
        if (other->variant != candidate.variant || !slice_eq(other->arch, candidate.arch))
            continue;
        if (is_better(&candidate, other))
            *other = candidate;
        return;
    }
    vec_push(arena, best, candidate);
}

static int newest_first(const void *a, const void *b) {
    const Candidate *left = a, *right = b;

    if (left->created_ns != right->created_ns)
        return left->created_ns > right->created_ns ? -1 : 1;
    if (!slice_eq(left->image->image_id, right->image->image_id))
        return slice_cmp(left->image->image_id, right->image->image_id);
    return (left->variant > right->variant) - (left->variant < right->variant);
}

static void require(Arena *arena, Symbols *symbols, ExpressionVec *list, const char *key, Operator op, Slice value) {
    Expression *expression = vec_add(arena, list);

    expression->key = symbol_intern(symbols, slice_of(key));
    expression->op = op;
    if (op == OP_IN)
        vec_push(arena, &expression->values, symbol_intern(symbols, value));
}

// Sorted as the status has them: by the length of the key, then the key.
static ExpressionVec requirements_of(Arena *arena, Symbols *symbols, const Candidate *candidate, Slice windows_build) {
    static const char gpus[] = "karpenter.k8s.aws/instance-gpu-count";
    static const char accelerators[] = "karpenter.k8s.aws/instance-accelerator-count";
    ExpressionVec list = {0};
    Slice none = {0};

    if (candidate->variant == AMI_WINDOWS)
        require(arena, symbols, &list, "kubernetes.io/os", OP_IN, SLICE("windows"));
    require(arena, symbols, &list, "kubernetes.io/arch", OP_IN, candidate->arch);
    if (candidate->variant == AMI_WINDOWS)
        require(arena, symbols, &list, "node.kubernetes.io/windows-build", OP_IN, windows_build);
    if (candidate->variant == AMI_STANDARD)
        require(arena, symbols, &list, gpus, OP_DOES_NOT_EXIST, none);
    if (candidate->variant == AMI_NVIDIA)
        require(arena, symbols, &list, gpus, OP_EXISTS, none);
    if (candidate->variant == AMI_STANDARD)
        require(arena, symbols, &list, accelerators, OP_DOES_NOT_EXIST, none);
    if (candidate->variant == AMI_NEURON)
        require(arena, symbols, &list, accelerators, OP_EXISTS, none);
    return list;
}

static void offer_image(Arena *arena, CandidateVec *best, const Ec2Image *image, uint32_t variants, int64_t now_ns) {
    int64_t deprecated_ns = time_of(image->deprecation_time);
    Candidate candidate = {.image = image,
                           .arch = ec2_arch(image->architecture),
                           .created_ns = time_of(image->creation_date),
                           .deprecated = deprecated_ns && deprecated_ns <= now_ns};

    if (!candidate.arch.len)
        return;
    if (!variants)
        offer(arena, best, candidate);
    for (uint32_t bit = 0; bit < AMI_VARIANTS; bit++) {
        candidate.variant = variants & 1u << bit;
        if (candidate.variant)
            offer(arena, best, candidate);
    }
}

AmiStatusVec ami_select(Arena *arena, Symbols *symbols, const Ec2ImageVec *images, const AmiFoundVec *found,
                        Slice windows_build, int64_t now_ns) {
    CandidateVec best = {0};
    AmiStatusVec amis = {0};

    for (vec_each(const Ec2Image, image, images))
        offer_image(arena, &best, image, variants_of(found, image->image_id), now_ns);
    if (best.count)
        qsort(best.items, best.count, sizeof *best.items, newest_first);
    for (vec_each(const Candidate, candidate, &best))
        vec_push(arena, &amis,
                 (AmiStatus){candidate->image->image_id, candidate->image->name, candidate->deprecated,
                             requirements_of(arena, symbols, candidate, windows_build)});
    return amis;
}

AmiRequirementsVec ami_requirements(Arena *arena, Symbols *symbols, const AmiStatusVec *amis) {
    AmiRequirementsVec list = {0};

    for (vec_each(const AmiStatus, ami, amis)) {
        Requirements *requirements = vec_add(arena, &list);

        for (vec_each(const Expression, expression, &ami->requirements)) {
            Requirement requirement = requirement_make(arena, symbols, expression);

            requirements_add(arena, symbols, requirements, &requirement);
        }
    }
    return list;
}

const AmiStatus *ami_for_type(const Symbols *symbols, const AmiStatusVec *amis, const AmiRequirementsVec *requirements,
                              const InstanceType *type) {
    for (uint32_t i = 0; i < amis->count; i++) {
        if (requirements_intersect(symbols, &requirements->items[i], &type->requirements, NULL))
            return &amis->items[i];
    }
    return NULL;
}
