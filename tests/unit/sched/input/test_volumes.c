// Volumes of pods: the nodes that they allow, and their attachments. Rows of reference scheduling.md 12: "PVC".
#include "harness/test.h"
#include "sched/input/volumes.h"
#include "sched/support/world.h"

#include <stdio.h>

#define OBJECT(text) "---\n{" text "}\n"
#define POD(name, volumes)                                                                                             \
    OBJECT("apiVersion: v1, kind: Pod, metadata: {name: " name                                                         \
           "}, spec: {containers: [{name: c, image: i}], volumes: [" volumes "]}")
#define CLAIM(name) "{name: v-" name ", persistentVolumeClaim: {claimName: " name "}}"
// `rest` starts with a comma or is empty.
#define PVC(name, meta, spec, rest)                                                                                    \
    OBJECT("apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: " name meta "}, spec: {" spec "}" rest)
#define BOUND ", annotations: {pv.kubernetes.io/bind-completed: \"yes\"}"
#define PV(name, meta, source, terms)                                                                                  \
    OBJECT("apiVersion: v1, kind: PersistentVolume, metadata: {name: " name meta "}, spec: {" source                   \
           ", nodeAffinity: {required: {nodeSelectorTerms: [" terms "]}}}")
#define EBS           "csi: {driver: ebs.csi.aws.com, volumeHandle: v}"
#define ZONES(values) "{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [" values "]}]}"
#define CLASS(name, rest)                                                                                              \
    OBJECT("apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: " name                                 \
           "}, provisioner: ebs.csi.aws.com" rest)
#define WAIT             ", volumeBindingMode: WaitForFirstConsumer"
#define TOPOLOGY(values) "{matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [" values "]}]}"

// The alternatives of pod "p", joined with " | "; "any" for one that constrains nothing; "error: " and the text.
static Slice alternatives_of(Cluster *world) {
    VolumeIndex *index = volume_index_make(&world->arena, world);
    Slice text = SLICE("");
    PodVolumes volumes;
    Err err;

    if (pod_volumes_resolve(&world->arena, index, world_pod(world, "p"), &volumes, &err) != OK)
        return arena_printf(&world->arena, "error: %s", err.text);
    for (vec_each(Requirements, alternative, &volumes.alternatives)) {
        const Requirement *host = requirements_get(alternative, NAME_HOSTNAME);
        Slice one = requirements_print(&world->arena, &world->symbols, alternative); // leaves out the host

        if (host)
            one = arena_printf(&world->arena, "%.*s%s%.*s", SLICE_ARG(one), one.len ? ", " : "",
                               SLICE_ARG(requirement_print(&world->arena, &world->symbols, host)));
        text = arena_printf(&world->arena, "%.*s%s%.*s", SLICE_ARG(text), text.len ? " | " : "",
                            SLICE_ARG(alternative->count ? one : SLICE("any")));
    }
    return text;
}

static void assert_alternatives(const char *yaml, const char *expected) {
    Cluster *world = world_from_yaml(yaml);

    assert_string_equal(arena_text(&world->arena, alternatives_of(world)), expected);
    world_free(world);
}

// The uses of a pod as "driver=ns/claim …"; of pods that can be planned from both functions.
static void assert_uses(const char *yaml, const char *pod, const char *expected) {
    Cluster *world = world_from_yaml(yaml);
    VolumeIndex *index = volume_index_make(&world->arena, world);
    VolumeUseVec uses = pod_volume_uses(&world->arena, index, world_pod(world, pod));
    PodVolumes volumes;
    Slice text = SLICE("");

    for (vec_each(VolumeUse, use, &uses))
        text = arena_printf(&world->arena, "%.*s%s%.*s=%.*s", SLICE_ARG(text), text.len ? " " : "",
                            SLICE_ARG(symbol_text(&world->symbols, use->driver)),
                            SLICE_ARG(symbol_text(&world->symbols, use->claim)));
    assert_string_equal(arena_text(&world->arena, text), expected);
    if (pod_volumes_resolve(&world->arena, index, world_pod(world, pod), &volumes, NULL) == OK) {
        assert_int_equal(volumes.uses.count, uses.count);
        for (uint32_t i = 0; i < uses.count; i++)
            assert_memory_equal(&volumes.uses.items[i], &uses.items[i], sizeof(VolumeUse));
    }
    world_free(world);
}

TEST(row_pvc_without_volumes_nothing_is_constrained) {
    assert_alternatives(POD("p", ""), "");
    assert_alternatives(POD("p", "{name: e, emptyDir: {}}"), "");
}

TEST(row_pvc_missing_claim) {
    assert_alternatives(POD("p", CLAIM("data")), "error: getting persistent volume claim, PersistentVolumeClaim "
                                                 "\"data\" not found (PersistentVolumeClaim=data)");
    // A claim of that name in another namespace is not the pod's.
    assert_alternatives(POD("p", CLAIM("data")) CLASS("fast", WAIT)
                            PVC("data", ", namespace: other", "storageClassName: fast", ""),
                        "error: getting persistent volume claim, PersistentVolumeClaim \"data\" not found "
                        "(PersistentVolumeClaim=data)");
}

TEST(row_pvc_deleting_claim) {
    assert_alternatives(POD("p", CLAIM("data")) CLASS("fast", WAIT)
                            PVC("data", ", deletionTimestamp: \"2026-01-01T00:00:00Z\"", "storageClassName: fast", ""),
                        "error: persistentvolumeclaim is being deleted (PersistentVolumeClaim=default/data)");
}

TEST(row_pvc_lost_claim) {
    assert_alternatives(POD("p", CLAIM("data")) PVC("data", BOUND, "volumeName: gone", ", status: {phase: Lost}"),
                        "error: persistentvolumeclaim bound to non-existent persistentvolume (PersistentVolume=gone, "
                        "PersistentVolumeClaim=default/data)");
}

TEST(row_pvc_missing_volume) {
    assert_alternatives(POD("p", CLAIM("data"))
                            PVC("data", BOUND, "volumeName: gone, storageClassName: fast", ", status: {phase: Bound}"),
                        "error: failed to validate pvc, PersistentVolume \"gone\" not found (PersistentVolume=gone, "
                        "PersistentVolumeClaim=default/data, StorageClass=fast)");
}

TEST(row_pvc_deleting_volume) {
    assert_alternatives(POD("p", CLAIM("data")) PVC("data", BOUND, "volumeName: pv", "")
                            PV("pv", ", deletionTimestamp: \"2026-01-01T00:00:00Z\"", EBS, ZONES("a")),
                        "error: failed to validate pvc, persistentvolume is being deleted (PersistentVolume=pv, "
                        "PersistentVolumeClaim=default/data, StorageClass=)");
}

TEST(row_pvc_bound_without_annotation) {
    assert_alternatives(
        POD("p", CLAIM("data")) PVC("data", "", "volumeName: pv", "") PV("pv", "", EBS, ZONES("a")),
        "error: pvc is considered unbound because it does not contain annotation "
        "(PersistentVolume=pv, PersistentVolumeClaim=data, annotation=pv.kubernetes.io/bind-completed)");
}

TEST(row_pvc_unbound_without_class) {
    assert_alternatives(POD("p", CLAIM("data")) PVC("data", "", "", ""),
                        "error: unbound pvc must define a storage class (PersistentVolumeClaim=default/data, "
                        "StorageClass=)");
    // An empty class name means no class, even if there is a default class.
    assert_alternatives(
        POD("p", CLAIM("data")) PVC("data", "", "storageClassName: \"\"", "") OBJECT(
            "apiVersion: storage.k8s.io/v1, kind: StorageClass, provisioner: ebs.csi.aws.com, metadata: {name: d, "
            "annotations: {storageclass.kubernetes.io/is-default-class: \"true\"}}" WAIT),
        "error: unbound pvc must define a storage class (PersistentVolumeClaim=default/data, StorageClass=)");
}

TEST(row_pvc_missing_class) {
    assert_alternatives(POD("p", CLAIM("data")) PVC("data", "", "storageClassName: fast", ""),
                        "error: failed to validate pvc, failed to get storage class, StorageClass.storage.k8s.io "
                        "\"fast\" not found (PersistentVolumeClaim=default/data, StorageClass=fast)");
}

TEST(row_pvc_immediate_and_unbound) {
    assert_alternatives(POD("p", CLAIM("data")) PVC("data", "", "storageClassName: now", "") CLASS("now", ""),
                        "error: failed to validate pvc, pvc with immediate volume binding mode must be bound "
                        "(PersistentVolumeClaim=default/data, StorageClass=now)");
    // Bound, the mode no longer matters.
    assert_alternatives(POD("p", CLAIM("data")) PVC("data", BOUND, "volumeName: pv, storageClassName: now", "")
                            CLASS("now", "") PV("pv", "", EBS, ZONES("a")),
                        "topology.kubernetes.io/zone In [a]");
}

// The newest default class fills an omitted name, as admission does.
TEST(row_pvc_default_class) {
    assert_alternatives(
        POD("p", CLAIM("data")) PVC("data", "", "", "") OBJECT(
            "apiVersion: storage.k8s.io/v1, kind: StorageClass, provisioner: ebs.csi.aws.com, metadata: {name: "
            "old, creationTimestamp: \"2025-01-01T00:00:00Z\", annotations: "
            "{storageclass.kubernetes.io/is-default-class: \"true\"}}, allowedTopologies: [" TOPOLOGY("a") "]" WAIT)
            OBJECT("apiVersion: storage.k8s.io/v1, kind: StorageClass, provisioner: ebs.csi.aws.com, metadata: {name: "
                   "new, creationTimestamp: \"2026-01-01T00:00:00Z\", annotations: "
                   "{storageclass.kubernetes.io/is-default-class: \"true\"}}, allowedTopologies: [" TOPOLOGY(
                       "b") "]" WAIT),
        "topology.kubernetes.io/zone In [b]");
}

TEST(row_pvc_wait_for_first_consumer_zones) {
    assert_alternatives(POD("p", CLAIM("data")) PVC("data", "", "storageClassName: fast", "")
                            CLASS("fast", WAIT ", allowedTopologies: [" TOPOLOGY("a, b") "]"),
                        "topology.kubernetes.io/zone In [a b]");
    assert_alternatives(POD("p", CLAIM("data")) PVC("data", "", "storageClassName: fast", "") CLASS("fast", WAIT), "");
}

TEST(row_pvc_multi_term_zones_are_alternatives) {
    assert_alternatives(POD("p", CLAIM("data")) PVC("data", BOUND, "volumeName: pv", "")
                            PV("pv", "", EBS, ZONES("a") ", " ZONES("b")),
                        "topology.kubernetes.io/zone In [a] | topology.kubernetes.io/zone In [b]");
    assert_alternatives(POD("p", CLAIM("data")) PVC("data", "", "storageClassName: fast", "")
                            CLASS("fast", WAIT ", allowedTopologies: [" TOPOLOGY("b") ", " TOPOLOGY("c") "]"),
                        "topology.kubernetes.io/zone In [b] | topology.kubernetes.io/zone In [c]");
}

TEST(row_pvc_several_volumes_multiply) {
    assert_alternatives(POD("p", CLAIM("one") ", " CLAIM("two")) PVC("one", BOUND, "volumeName: px", "")
                            PVC("two", BOUND, "volumeName: py", "") PV("px", "", EBS, ZONES("a") ", " ZONES("b"))
                                PV("py", "", EBS,
                                   "{matchExpressions: [{key: load_table, operator: In, values: [r1]}]}, "
                                   "{matchExpressions: [{key: load_table, "
                                   "operator: In, values: [r2]}]}"),
                        "load_table In [r1], topology.kubernetes.io/zone In [a] | load_table In [r2], "
                        "topology.kubernetes.io/zone In [a] | "
                        "load_table In [r1], topology.kubernetes.io/zone In [b] | load_table In [r2], "
                        "topology.kubernetes.io/zone In [b]");
}

TEST(row_pvc_disjoint_branches_are_pruned) {
    assert_alternatives(POD("p", CLAIM("one") ", " CLAIM("two")) PVC("one", BOUND, "volumeName: px", "")
                            PVC("two", BOUND, "volumeName: py", "") PV("px", "", EBS, ZONES("a") ", " ZONES("b"))
                                PV("py", "", EBS, ZONES("b") ", " ZONES("c")),
                        "topology.kubernetes.io/zone In [b]");
}

// Volumes in different zones are an error; a node without the label is no solution.
TEST(row_pvc_volumes_apart_are_an_error) {
    assert_alternatives(POD("p", CLAIM("one") ", " CLAIM("two")) PVC("one", BOUND, "volumeName: px", "")
                            PVC("two", BOUND, "volumeName: py", "") PV("px", "", EBS, ZONES("a"))
                                PV("py", "", EBS, ZONES("b")),
                        "error: incompatible volume requirements, key topology.kubernetes.io/zone, "
                        "topology.kubernetes.io/zone In [b] not in topology.kubernetes.io/zone In [a] "
                        "(PersistentVolumeClaim=default/two)");
}

TEST(row_pvc_equal_branches_count_once) {
    assert_alternatives(POD("p", CLAIM("one") ", " CLAIM("two")) PVC("one", BOUND, "volumeName: px", "")
                            PVC("two", BOUND, "volumeName: py", "") PV("px", "", EBS, ZONES("a") ", " ZONES("b"))
                                PV("py", "", EBS, ZONES("a, b") ", " ZONES("b, a")),
                        "topology.kubernetes.io/zone In [a] | topology.kubernetes.io/zone In [b]");
}

// Three volumes with ten terms each on labels of their own give 1,000 alternatives; an eleventh term is one too many.
TEST(row_pvc_product_is_bounded) {
    char yaml[16384] = POD("p", CLAIM("c0") ", " CLAIM("c1") ", " CLAIM("c2"));
    Cluster *world;
    PodVolumes volumes;
    Err err;

    for (int extra = 0; extra < 2; extra++) {
        char *at = yaml + strlen(POD("p", CLAIM("c0") ", " CLAIM("c1") ", " CLAIM("c2")));

        for (int v = 0; v < 3; v++) {
            at += sprintf(at, PVC("c%d", BOUND, "volumeName: pv%d", ""), v, v);
            at += sprintf(at,
                          "---\n{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv%d}, spec: {" EBS
                          ", nodeAffinity: {required: {nodeSelectorTerms: [",
                          v);
            for (int t = 0; t < 10 + (extra && v == 2); t++)
                at += sprintf(at, "{matchExpressions: [{key: k%d, operator: In, values: [t%d]}]}, ", v, t);
            at += sprintf(at, "]}}}}\n");
        }
        world = world_from_yaml(yaml);
        if (extra) {
            assert_int_equal(pod_volumes_resolve(&world->arena, volume_index_make(&world->arena, world),
                                                 world_pod(world, "p"), &volumes, &err),
                             ERR_INVALID);
            assert_string_equal(err.text, "the volumes of the pod allow more than 1000 combinations of node affinity "
                                          "terms; use fewer terms or list more values in each "
                                          "(PersistentVolumeClaim=default/c2)");
        } else {
            assert_int_equal(pod_volumes_resolve(&world->arena, volume_index_make(&world->arena, world),
                                                 world_pod(world, "p"), &volumes, &err),
                             OK);
            assert_int_equal(volumes.alternatives.count, 1000);
        }
        world_free(world);
    }
}

// The host name of a local volume, whose node may be gone, is dropped; other expressions stay.
TEST(row_pvc_local_volumes_lose_their_hostname) {
    assert_alternatives(POD("p", CLAIM("data")) PVC("data", BOUND, "volumeName: pv", "")
                            PV("pv", "", "local: {path: /mnt}",
                               "{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [n1]}, {key: "
                               "topology.kubernetes.io/zone, operator: In, values: [a]}]}, {matchExpressions: [{key: "
                               "kubernetes.io/hostname, operator: In, values: [n1]}]}"),
                        "topology.kubernetes.io/zone In [a] | any");
    assert_alternatives(POD("p", CLAIM("data")) PVC("data", BOUND, "volumeName: pv", "")
                            PV("pv", "", "hostPath: {path: /mnt}",
                               "{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [n1]}]}"),
                        "any");
}

#define ON_N1 "{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [n1]}]}"
#define N1(meta)                                                                                                       \
    OBJECT("apiVersion: v1, kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1}" meta "}")

// How many alternatives there are and whether the first names a host.
static void assert_host(const char *yaml, bool named) {
    Cluster *world = world_from_yaml(yaml);
    PodVolumes volumes;

    assert_int_equal(pod_volumes_resolve(&world->arena, volume_index_make(&world->arena, world), world_pod(world, "p"),
                                         &volumes, NULL),
                     OK);
    assert_int_equal(volumes.alternatives.count, 1);
    assert_int_equal(requirements_get(&volumes.alternatives.items[0], NAME_HOSTNAME) != NULL, named);
    world_free(world);
}

// While the volume's node exists, kube-scheduler lets the pod go nowhere else.
TEST(local_volumes_hold_a_pod_while_their_node_stays) {
    assert_host(POD("p", CLAIM("data")) PVC("data", BOUND, "volumeName: pv", "")
                    PV("pv", "", "local: {path: /mnt}", ON_N1) N1(""),
                true);
    assert_host(POD("p", CLAIM("data")) PVC("data", BOUND, "volumeName: pv", "")
                    PV("pv", "", "local: {path: /mnt}", ON_N1) N1(", deletionTimestamp: '2026-01-01T00:00:00Z'"),
                false);
    assert_host(OBJECT("apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeName: n1, containers: [{name: c, "
                       "image: i}], volumes: [" CLAIM("data") "]}") PVC("data", BOUND, "volumeName: pv", "")
                    PV("pv", "", "local: {path: /mnt}", ON_N1) N1(""),
                false); // the pod is on a deleting node
}

#define ON(node) ", annotations: {volume.kubernetes.io/selected-node: " node "}"

// kube-scheduler chose a node for the volume of an unbound claim: until the choice is taken back, no other will do.
TEST(a_claim_whose_node_is_chosen_holds_its_pod_there) {
    assert_alternatives(POD("p", CLAIM("data")) CLASS("fast", WAIT ", allowedTopologies: [" TOPOLOGY("a") "]")
                            PVC("data", ON("n1"), "storageClassName: fast", "") N1(""),
                        "topology.kubernetes.io/zone In [a], kubernetes.io/hostname In [n1]");
    assert_alternatives(POD("p", CLAIM("data")) CLASS("fast", WAIT) PVC("data", ON("n1"), "storageClassName: fast", "")
                            OBJECT("apiVersion: v1, kind: Node, metadata: {name: n1}"),
                        ""); // no label tells it from others
    assert_alternatives(
        POD("p", CLAIM("data")) CLASS("fast", WAIT) PVC("data", ON("gone"), "storageClassName: fast", "") N1(""), "");
    assert_alternatives(POD("p", CLAIM("data")) CLASS("fast", WAIT) PVC("data", ON("n1"), "storageClassName: fast", "")
                            N1(", deletionTimestamp: '2026-01-01T00:00:00Z'"),
                        "");
    // A volume that is there decides for itself.
    assert_alternatives(
        POD("p", CLAIM("data")) PVC(
            "data", ", annotations: {pv.kubernetes.io/bind-completed: \"yes\", volume.kubernetes.io/selected-node: n1}",
            "volumeName: pv", "") PV("pv", "", EBS, ZONES("a")) N1(""),
        "topology.kubernetes.io/zone In [a]");
}

#define PV_LABELLED(name, labels, rest)                                                                                \
    OBJECT("apiVersion: v1, kind: PersistentVolume, metadata: {name: " name ", labels: {" labels                       \
           "}}, spec: {" EBS rest "}")

// kube-scheduler's plugin VolumeZone; Karpenter does not read these.
TEST(zone_labels_of_volumes_count) {
    assert_alternatives(POD("p", CLAIM("data")) PVC("data", BOUND, "volumeName: pv", "")
                            PV_LABELLED("pv", "topology.kubernetes.io/zone: a__c", ""),
                        "topology.kubernetes.io/zone In [a c]");
    assert_alternatives(POD("p", CLAIM("data")) PVC("data", BOUND, "volumeName: pv", "")
                            PV_LABELLED("pv", "failure-domain.beta.kubernetes.io/zone: a", ""),
                        "topology.kubernetes.io/zone In [a]");
    assert_alternatives(POD("p", CLAIM("data")) PVC("data", BOUND, "volumeName: pv", "") PV_LABELLED(
                            "pv", "topology.kubernetes.io/zone: a",
                            ", nodeAffinity: {required: {nodeSelectorTerms: [" ZONES("a, b") ", " ZONES("b") "]}}"),
                        "topology.kubernetes.io/zone In [a]");
    assert_alternatives(
        POD("p", CLAIM("data")) PVC("data", BOUND, "volumeName: pv", "")
            PV_LABELLED("pv", "topology.kubernetes.io/zone: a",
                        ", nodeAffinity: {required: {nodeSelectorTerms: [" ZONES("b") "]}}"),
        "error: node affinity of the persistentvolume matches no node that can be planned for (PersistentVolume=pv)");
}

#define USER(name, rest)                                                                                               \
    OBJECT("apiVersion: v1, kind: Pod, metadata: {name: " name                                                         \
           "}, spec: {nodeName: n1, containers: [{name: c, image: "                                                    \
           "i}], volumes: [" CLAIM("data") "]}" rest)

TEST(a_claim_for_one_pod_is_for_one_pod) {
    static const char claim[] = POD("p", CLAIM("data"))
        PVC("data", BOUND, "volumeName: pv, accessModes: [ReadWriteOncePod]", "") PV("pv", "", EBS, ZONES("a"));
    static const struct {
        const char *user, *expected;
    } rows[] = {
        {"", "topology.kubernetes.io/zone In [a]"},
        {USER("q", ""), "error: persistentvolumeclaim with access mode ReadWriteOncePod is in use by another pod "
                        "(PersistentVolumeClaim=default/data, Pod=default/q)"},
        {USER("q", ", status: {phase: Succeeded}"), "topology.kubernetes.io/zone In [a]"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char yaml[2048];

        snprintf(yaml, sizeof yaml, "%s%s", claim, rows[i].user);
        assert_alternatives(yaml, rows[i].expected);
    }
}

// Of other volumes the hostname counts.
TEST(row_pvc_network_volumes_keep_their_hostname) {
    Cluster *world = world_from_yaml(POD("p", CLAIM("data")) PVC("data", BOUND, "volumeName: pv", "") PV(
        "pv", "", EBS, "{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [n1]}]}"));
    PodVolumes volumes;

    assert_int_equal(pod_volumes_resolve(&world->arena, volume_index_make(&world->arena, world), world_pod(world, "p"),
                                         &volumes, NULL),
                     OK);
    assert_int_equal(volumes.alternatives.count, 1);
    assert_non_null(requirements_get(&volumes.alternatives.items[0], NAME_HOSTNAME));
    world_free(world);
}

// A term that contradicts itself or has matchFields matches no node; the other terms stay.
TEST(row_pvc_impossible_terms_are_left_out) {
    assert_alternatives(
        POD("p", CLAIM("data")) PVC("data", BOUND, "volumeName: pv", "")
            PV("pv", "", EBS,
               "{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [a]}, {key: "
               "topology.kubernetes.io/zone, operator: In, values: [b]}]}, {matchFields: [{key: metadata.name, "
               "operator: In, values: [n1]}], matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, "
               "values: [d]}]}, " ZONES("c")),
        "topology.kubernetes.io/zone In [c]");
    assert_alternatives(
        POD("p", CLAIM("data")) PVC("data", BOUND, "volumeName: pv", "")
            PV("pv", "", EBS, "{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}"),
        "error: node affinity of the persistentvolume matches no node that can be planned for (PersistentVolume=pv)");
}

TEST(row_pvc_deprecated_zone_keys_are_normalised) {
    assert_alternatives(
        POD("p", CLAIM("data")) PVC("data", BOUND, "volumeName: pv", "")
            PV("pv", "", EBS, "{matchExpressions: [{key: topology.ebs.csi.aws.com/zone, operator: In, values: [a]}]}"),
        "topology.kubernetes.io/zone In [a]");
}

TEST(row_pvc_ephemeral_volumes) {
    static const char pod[] =
        POD("p", "{name: scratch, ephemeral: {volumeClaimTemplate: {spec: {storageClassName: fast}}}}")
            CLASS("fast", WAIT ", allowedTopologies: [" TOPOLOGY("a") "]");
    char yaml[2048];

    // Until its controller makes the claim, the template decides where the volume can be.
    assert_alternatives(pod, "topology.kubernetes.io/zone In [a]");
    assert_uses(pod, "p", "ebs.csi.aws.com=default/p-scratch");
    // Afterwards the claim "<pod>-<volume>" does.
    snprintf(yaml, sizeof yaml, "%s%s", pod,
             PVC("p-scratch", BOUND, "volumeName: pv", "") PV("pv", "", EBS, ZONES("b")));
    assert_alternatives(yaml, "topology.kubernetes.io/zone In [b]");
    assert_uses(yaml, "p", "ebs.csi.aws.com=default/p-scratch");
}

// A template that names no class gets the newest default one.
TEST(row_pvc_ephemeral_volumes_of_the_default_class) {
    assert_alternatives(
        POD("p", "{name: scratch, ephemeral: {volumeClaimTemplate: {spec: {}}}}") OBJECT(
            "apiVersion: storage.k8s.io/v1, kind: StorageClass, provisioner: ebs.csi.aws.com, metadata: {name: a-old, "
            "creationTimestamp: \"2025-01-01T00:00:00Z\", annotations: "
            "{storageclass.kubernetes.io/is-default-class: \"true\"}}, allowedTopologies: [" TOPOLOGY("a") "]" WAIT)
            OBJECT("apiVersion: storage.k8s.io/v1, kind: StorageClass, provisioner: ebs.csi.aws.com, metadata: {name: "
                   "b-new, creationTimestamp: \"2026-01-01T00:00:00Z\", annotations: "
                   "{storageclass.kubernetes.io/is-default-class: \"true\"}}, allowedTopologies: [" TOPOLOGY(
                       "b") "]" WAIT),
        "topology.kubernetes.io/zone In [b]");
    assert_alternatives(POD("p", "{name: scratch, ephemeral: {volumeClaimTemplate: {spec: {}}}}"),
                        "error: unbound pvc must define a storage class (PersistentVolumeClaim=default/p-scratch, "
                        "StorageClass=)");
}

TEST(row_pvc_same_claim_is_one_attachment) {
    assert_uses(POD("p", CLAIM("data") ", {name: again, persistentVolumeClaim: {claimName: data}}, " CLAIM("more"))
                    PVC("data", BOUND, "volumeName: pv", "") PV("pv", "", EBS, ZONES("a"))
                        PVC("more", "", "storageClassName: fast", "") CLASS("fast", WAIT),
                "p", "ebs.csi.aws.com=default/data ebs.csi.aws.com=default/more");
}

TEST(row_pvc_other_volumes_are_not_attachments) {
    assert_uses(POD("p", CLAIM("nfs")) PVC("nfs", BOUND, "volumeName: pv", "") OBJECT(
                    "apiVersion: v1, kind: PersistentVolume, metadata: {name: pv}, spec: {nfs: {server: s, path: "
                    "/x}}"),
                "p", "");
    assert_alternatives(POD("p", CLAIM("nfs")) PVC("nfs", BOUND, "volumeName: pv", "")
                            OBJECT("apiVersion: v1, kind: PersistentVolume, metadata: {name: pv}, spec: {nfs: {server: "
                                   "s, path: /x}}"),
                        "");
}

TEST(row_pvc_in_tree_drivers_are_translated) {
    assert_uses(POD("p", CLAIM("old") ", " CLAIM("new")) PVC("old", BOUND, "volumeName: pv", "") OBJECT(
                    "apiVersion: v1, kind: PersistentVolume, metadata: {name: pv}, spec: {awsElasticBlockStore: "
                    "{volumeID: v}}") PVC("new", "", "storageClassName: tree", "")
                    OBJECT("apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: tree}, provisioner: "
                           "kubernetes.io/aws-ebs" WAIT),
                "p", "ebs.csi.aws.com=default/old ebs.csi.aws.com=default/new");
}

// For bound pods, volumes that cannot be resolved are not counted.
TEST(row_pvc_uses_of_bound_pods_skip_the_unknown) {
    assert_uses(POD("p", CLAIM("missing") ", " CLAIM("lost") ", " CLAIM("data"))
                    PVC("lost", BOUND, "volumeName: gone, storageClassName: fast", "") CLASS("fast", WAIT)
                        PVC("data", "", "volumeName: pv", "") PV("pv", "", EBS, ZONES("a")),
                "p", "ebs.csi.aws.com=default/data");
}
