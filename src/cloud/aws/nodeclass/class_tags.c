// Tags: what is reserved, and the union.
#include "cloud/aws/nodeclass/class_tags.h"

#include "model/pool_name.h"

#include <stdlib.h>

static const char *const reserved[] = {"eks:eks-cluster-name", "karpenter.sh/nodepool", "karpenter.sh/nodeclaim",
                                       "karpenter.k8s.aws/ec2nodeclass"};

static bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// kubernetes.io/cluster/ and the name of a cluster.
static bool is_cluster_tag(Slice key) {
    Slice name;

    if (!slice_starts_with(key, SLICE("kubernetes.io/cluster/")))
        return false;
    name = slice_from(key, strlen("kubernetes.io/cluster/"));
    if (!name.len || !is_letter_or_digit(name.ptr[0]))
        return false;
    for (size_t i = 1; i < name.len; i++) {
        if (!is_letter_or_digit(name.ptr[i]) && name.ptr[i] != '-' && name.ptr[i] != '_')
            return false;
    }
    return true;
}

Slice class_tags_complaint(Arena *arena, const TextEntryVec *tags) {
    for (vec_each(const TextEntry, tag, tags)) {
        bool refused = is_cluster_tag(tag->key);

        for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
            refused |= slice_eq_text(tag->key, reserved[i]);
        if (refused)
            return arena_printf(arena, "tag \"%.*s\" is set by tenon itself and cannot be in spec.tags",
                                SLICE_ARG(tag->key));
    }
    return SLICE("");
}

static void put(Arena *arena, Ec2TagVec *tags, Slice key, Slice value) {
    for (vec_each(Ec2Tag, tag, tags)) {
        if (slice_eq(tag->key, key)) {
            tag->value = value;
            return;
        }
    }
    vec_push(arena, tags, (Ec2Tag){key, value});
}

static int by_key(const void *a, const void *b) {
    return slice_cmp(((const Ec2Tag *)a)->key, ((const Ec2Tag *)b)->key);
}

// By which Karpenter v0.31 knows the instances of a Provisioner, should it be asked back. Reference legacy.md 4.
static void put_old(Arena *arena, Ec2TagVec *tags, const Ec2Owner *owner) {
    Slice provisioner = pool_provisioner(owner->node_pool);

    if (!provisioner.len)
        return;
    put(arena, tags, SLICE("karpenter.sh/provisioner-name"), provisioner);
    put(arena, tags, SLICE("karpenter.sh/managed-by"), owner->cluster);
}

Ec2TagVec class_tags(Arena *arena, const TextEntryVec *tags, const Ec2Owner *owner) {
    Ec2TagVec all = {0};

    for (vec_each(const TextEntry, tag, tags))
        put(arena, &all, tag->key, tag->value);
    put(arena, &all, arena_printf(arena, "kubernetes.io/cluster/%.*s", SLICE_ARG(owner->cluster)), SLICE("owned"));
    put(arena, &all, SLICE("karpenter.sh/nodepool"), owner->node_pool.len ? owner->node_pool : SLICE(""));
    put(arena, &all, SLICE("eks:eks-cluster-name"), owner->cluster);
    put_old(arena, &all, owner);
    put(arena, &all, SLICE("karpenter.k8s.aws/ec2nodeclass"), owner->node_class);
    qsort(all.items, all.count, sizeof *all.items, by_key);
    return all;
}
