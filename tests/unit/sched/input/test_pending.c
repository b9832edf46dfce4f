// Selection of the pods to plan. Rows of reference scheduling.md 12: "deleting nodes", "PVC" (rows of 4.1), "hostname".
#include "harness/test.h"
#include "model/pod_predicates.h"
#include "model/well_known.h"
#include "sched/input/pending.h"
#include "sched/support/world.h"
#include "text/duration.h"

#include <stdio.h>

#define OBJECT(text) "---\n{" text "}\n"
// A pod with more members of metadata, spec and status; each starts with a comma or is empty.
#define POD(name, meta, spec, status)                                                                                  \
    OBJECT("apiVersion: v1, kind: Pod, metadata: {name: " name meta "}, spec: {containers: [{name: c, image: i}]" spec \
           "}, status: {phase: Pending" status "}")
#define OWNER(api, kind) ", ownerReferences: [{apiVersion: " api ", kind: " kind ", name: o, uid: u, controller: true}]"
#define UNSCHEDULABLE    ", conditions: [{type: PodScheduled, status: \"False\", reason: Unschedulable}]"
#define TERMS(terms)                                                                                                   \
    ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" terms "]}}}"
#define NO_KARPENTER   "{matchExpressions: [{key: karpenter.sh/nodepool, operator: DoesNotExist}]}"
#define NO_PROVISIONER "{matchExpressions: [{key: karpenter.sh/provisioner-name, operator: DoesNotExist}]}"
#define NODE_GROUP     "{matchExpressions: [{key: eks.amazonaws.com/nodegroup, operator: In, values: [ng-v1]}]}"
#define AWAY_OF_OLD                                                                                                    \
    "configured to not run on a Karpenter provisioned node via karpenter.sh/provisioner-name DoesNotExist requirement"
#define CAPACITY_TYPE(v) "{matchExpressions: [{key: karpenter.sh/capacity-type, operator: In, values: [" v "]}]}"
#define NOW              "2026-01-01T12:00:00Z"
#define AWAY             "configured to not run on a Karpenter provisioned node (requirement=karpenter.sh/nodepool DoesNotExist)"

// The result of pending_select as "name name=ignored …"; pods of deleting nodes have a '*'.
static Slice selected_text(Cluster *world) {
    NodeViewVec nodes = node_views_make(&world->arena, world, NULL, 0);
    PendingPodVec pods;
    Slice text = SLICE("");
    int64_t now_ns;

    assert_int_equal(time_parse(SLICE(NOW), &now_ns, NULL), OK);
    pods = pending_select(&world->arena, world, &nodes, now_ns);
    for (vec_each(PendingPod, pending, &pods))
        text = arena_printf(&world->arena, "%.*s%s%.*s%s%s%.*s", SLICE_ARG(text), text.len ? " " : "",
                            SLICE_ARG(symbol_text(&world->symbols, pending->pod->name)),
                            pending->from_deleting_node ? "*" : "", pending->ignored.len ? "=" : "",
                            SLICE_ARG(pending->ignored));
    return text;
}

static void assert_selected(const char *yaml, const char *expected) {
    Cluster *world = world_from_yaml(yaml);

    assert_string_equal(arena_text(&world->arena, selected_text(world)), expected);
    world_free(world);
}

// The pod is ignored with label_restriction's text for `key`, and whatever comes `before` and `after` it.
static void assert_restricted(const char *yaml, const char *before, const char *key, const char *after) {
    Cluster *world = world_from_yaml(yaml);
    Slice restriction = label_restriction(&world->arena, &world->symbols, world_symbol(world, key));

    assert_true(restriction.len > 0);
    assert_string_equal(
        arena_text(&world->arena, selected_text(world)),
        arena_text(&world->arena, arena_printf(&world->arena, "p=%s%.*s%s", before, SLICE_ARG(restriction), after)));
    world_free(world);
}

// ---- Pending pods

TEST(unbound_pods_wait_in_the_order_of_reading) {
    assert_selected(POD("b", "", "", "") POD("a", "", "", UNSCHEDULABLE), "b a");
}

TEST(pods_that_do_not_wait_are_left_out_without_a_word) {
    assert_selected(POD("bound", "", ", nodeName: x", ""), "");
    assert_selected(POD("nominated", "", "", ", nominatedNodeName: x" UNSCHEDULABLE), "");
    assert_selected(POD("daemon", OWNER("apps/v1", "DaemonSet"), "", UNSCHEDULABLE), "");
    assert_selected(POD("mirror", OWNER("v1", "Node"), "", UNSCHEDULABLE), "");
    assert_selected(
        POD("gated", "", "", ", conditions: [{type: PodScheduled, status: \"False\", reason: SchedulingGated}]"), "");
    assert_selected(POD("gates", "", ", schedulingGates: [{name: g}]", ""), "");
    // kube-scheduler leaves it alone, as long as a finalizer may keep it.
    assert_selected(POD("leaving", ", deletionTimestamp: \"2026-01-01T00:00:00Z\"", "", UNSCHEDULABLE), "");
    assert_selected(OBJECT("apiVersion: v1, kind: Pod, metadata: {name: done}, spec: {containers: [{name: c, image: "
                           "i}]}, status: {phase: Failed}"),
                    "");
}

// A pod is pending even if it is being deleted, has another schedulerName, or is owned by a DaemonSet of another group.
TEST(pods_that_wait_although_it_looks_otherwise) {
    assert_selected(POD("other", "", ", schedulerName: mine", UNSCHEDULABLE), "other");
    assert_selected(POD("owned", OWNER("example.com/v1", "DaemonSet"), "", UNSCHEDULABLE), "owned");
}

// ---- Validation

TEST(row_hostname_selectors_are_never_provisioned_for) {
    assert_restricted(POD("p", "", ", nodeSelector: {kubernetes.io/hostname: x}", ""), "", "kubernetes.io/hostname",
                      "");
    assert_restricted(POD("p", "", TERMS("{matchExpressions: [{key: kubernetes.io/hostname, operator: Exists}]}"), ""),
                      "", "kubernetes.io/hostname", "");
}

TEST(restricted_keys_are_refused_in_every_required_term) {
    assert_restricted(POD("p", "", ", nodeSelector: {karpenter.sh/custom: x}", ""), "", "karpenter.sh/custom", "");
    assert_restricted(POD("p", "",
                          TERMS("{matchExpressions: [{key: zone, operator: Exists}]}, {matchExpressions: [{key: "
                                "sub.karpenter.sh/custom, operator: NotIn, values: [v]}]}"),
                          ""),
                      "", "sub.karpenter.sh/custom", "");
    // Deprecated keys are read as the stable ones, and well-known keys are allowed.
    assert_selected(POD("p", "",
                        ", nodeSelector: {failure-domain.beta.kubernetes.io/zone: a, karpenter.sh/capacity-type: spot, "
                        "kops.k8s.io/instancegroup: g, notkarpenter.sh/x: v}",
                        ""),
                    "p");
    // Preferences are not validated.
    assert_selected(POD("p", "",
                        ", affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
                        "preference: {matchExpressions: [{key: karpenter.sh/custom, operator: Exists}]}}]}}",
                        ""),
                    "p");
}

TEST(the_text_of_a_restricted_key_lists_what_may_be_used) {
    Cluster *world = world_from_yaml(POD("p", "", ", nodeSelector: {karpenter.sh/custom: x}", ""));
    Slice text = selected_text(world);

    assert_true(slice_starts_with(text, SLICE("p=using label karpenter.sh/custom is not allowed as it might interfere "
                                              "with the internal provisioning logic; specify a well known label: [")));
    assert_true(slice_contains(text, SLICE(" topology.kubernetes.io/zone], or a custom label that does not use a "
                                           "restricted domain: [")));
    assert_true(slice_contains(text, SLICE("karpenter.sh]")));
    world_free(world);
}

TEST(unknown_values_of_a_known_label_are_refused) {
    assert_selected(POD("p", "", TERMS(CAPACITY_TYPE("cheap")), ""),
                    "p=no valid values found in [cheap] for karpenter.sh/capacity-type, expected one of: [on-demand "
                    "reserved spot], got: [cheap]");
    assert_selected(POD("p", "", TERMS(CAPACITY_TYPE("cheap, spot")), ""), "p");
}

TEST(values_and_bounds_are_checked) {
    assert_selected(POD("p", "", TERMS("{matchExpressions: [{key: cores, operator: Gt, values: [many]}]}"), ""),
                    "p=key cores with operator Gt must have a single positive integer value");
    assert_selected(POD("p", "", TERMS("{matchExpressions: [{key: cores, operator: Lt, values: [\"5\"]}]}"), ""), "p");
}

TEST(several_complaints_are_joined) {
    assert_restricted(POD("p", "",
                          TERMS(CAPACITY_TYPE("cheap") ", {matchExpressions: [{key: karpenter.sh/custom, operator: "
                                                       "Exists}]}") ", volumes: [{name: v, persistentVolumeClaim: "
                                                                    "{claimName: data}}]",
                          ""),
                      "no valid values found in [cheap] for karpenter.sh/capacity-type, expected one of: [on-demand "
                      "reserved spot], got: [cheap]; ",
                      "karpenter.sh/custom",
                      "; getting persistent volume claim, PersistentVolumeClaim \"data\" not found "
                      "(PersistentVolumeClaim=data)");
}

// Complaints are sorted by key.
TEST(complaints_about_selectors_are_sorted) {
    Cluster *world = world_from_yaml(POD("p", "", ", nodeSelector: {late: \"-\", early: \"-\"}", ""));
    Slice why = label_value_complaint(SLICE("-"));

    assert_string_equal(
        arena_text(&world->arena, selected_text(world)),
        arena_text(&world->arena, arena_printf(&world->arena,
                                               "p=invalid value - for key early, %.*s; invalid value - for key late, "
                                               "%.*s",
                                               SLICE_ARG(why), SLICE_ARG(why))));
    world_free(world);
}

TEST(match_fields_are_not_supported) {
    assert_selected(POD("p", "", TERMS("{matchFields: [{key: metadata.name, operator: In, values: [x]}]}"), ""),
                    "p=node selector term with matchFields is not supported");
}

TEST(pods_may_keep_away_from_karpenters_nodes) {
    assert_selected(POD("p", "", TERMS(NO_KARPENTER), ""), "p=" AWAY);
    assert_selected(POD("p", "", TERMS(NO_KARPENTER ", " NO_KARPENTER), ""), "p=" AWAY);
    // R013: the affinity of seed 002, in any order, in the old spelling and in today's.
    assert_selected(POD("p", "", TERMS(NO_KARPENTER ", " NODE_GROUP), ""), "p=" AWAY);
    assert_selected(POD("p", "", TERMS(NODE_GROUP ", " NO_KARPENTER), ""), "p=" AWAY);
    assert_selected(POD("p", "", TERMS(NO_PROVISIONER), ""), "p=" AWAY_OF_OLD);
    assert_selected(POD("p", "", TERMS(NO_PROVISIONER ", " NODE_GROUP), ""), "p=" AWAY_OF_OLD);
    assert_selected(POD("p", "", TERMS(NODE_GROUP ", " NO_PROVISIONER), ""), "p=" AWAY_OF_OLD);
    // Only a node group is asked for: that is planned, and told to be nobody's.
    assert_selected(POD("p", "", TERMS(NODE_GROUP), ""), "p");
    // Another term allows Karpenter's nodes.
    assert_selected(POD("p", "", TERMS(NO_KARPENTER ", " CAPACITY_TYPE("spot")), ""), "p");
    assert_selected(POD("p", "", TERMS("{matchExpressions: [{key: karpenter.sh/nodepool, operator: Exists}]}"), ""),
                    "p");
}

TEST(row_pvc_pods_with_unusable_volumes_are_ignored) {
    assert_selected(POD("p", "", ", volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]", "")
                        OBJECT("apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {}"),
                    "p=unbound pvc must define a storage class (PersistentVolumeClaim=default/data, StorageClass=)");
    assert_selected(POD("p", "", ", volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]", "")
                        OBJECT("apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: "
                               "{storageClassName: fast}")
                            OBJECT("apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, "
                                   "provisioner: ebs.csi.aws.com, volumeBindingMode: WaitForFirstConsumer"),
                    "p");
}

#define USES(claim) ", volumes: [{name: v, persistentVolumeClaim: {claimName: " claim "}}]"
#define CLAIM_FOR_ONE(name)                                                                                            \
    OBJECT("apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: " name                                       \
           "}, spec: {storageClassName: fast, accessModes: [ReadWriteOncePod]}")
#define FAST                                                                                                           \
    OBJECT("apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: ebs.csi.aws.com, " \
           "volumeBindingMode: WaitForFirstConsumer")
#define IN_USE(claim, pod)                                                                                             \
    "=persistentvolumeclaim with access mode ReadWriteOncePod is in use by another pod "                               \
    "(PersistentVolumeClaim=default/" claim ", Pod=default/" pod ")"

// The older one may fit nowhere, as that of an update that failed: then kube-scheduler takes the other.
TEST(pods_that_wait_for_a_claim_for_one_pod_are_all_planned) {
    assert_selected(POD("b", "", USES("one"), "") POD("a", "", USES("one"), "") CLAIM_FOR_ONE("one") FAST, "b a");
    assert_selected(POD("b", "", USES("one"), "") POD("a", "", USES("one") ", nodeName: node-1", "")
                        CLAIM_FOR_ONE("one") FAST,
                    "b" IN_USE("one", "a"));
}

// ---- Deleting nodes

#define DELETING                                                                                                       \
    OBJECT("apiVersion: v1, kind: Node, metadata: {name: leaving, deletionTimestamp: \"2026-01-01T00:00:00Z\"}")       \
    OBJECT("apiVersion: v1, kind: Node, metadata: {name: staying}")
#define ON_LEAVING(name, meta, spec, status)                                                                           \
    OBJECT("apiVersion: v1, kind: Pod, metadata: {name: " name meta                                                    \
           "}, spec: {nodeName: leaving, containers: [{name: c, image: i}]" spec "}, status: {phase: Running" status   \
           "}")
#define TERMINATING ", deletionTimestamp: \"2026-01-01T00:00:00Z\""
#define HOLD(value) ", annotations: {karpenter.sh/do-not-disrupt: \"" value "\"}"
#define SURGES(uid) ", annotations: {tenon.sh/surge-for: " uid "/2026-01-01T11:59:00Z}"
#define SINCE(time) ", startTime: \"" time "\""
#define WEB         ", labels: {app: web}"
#define NOT_READY   ", conditions: [{type: Ready, status: \"False\"}]"
#define READY       ", conditions: [{type: Ready, status: \"True\"}]"
#define BUDGET(name, rest)                                                                                             \
    OBJECT("apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: " name                                  \
           "}, spec: {selector: {matchLabels: {app: web}}, " rest "}")

TEST(row_deleting_nodes_active_pods_are_planned_again) {
    assert_selected(DELETING ON_LEAVING("a", "", "", "") POD("new", "", "", "")
                        POD("stays", "", ", nodeName: staying", ""),
                    "new a*");
}

TEST(row_deleting_nodes_not_daemons_and_mirrors) {
    assert_selected(DELETING ON_LEAVING("d", OWNER("apps/v1", "DaemonSet"), "", ""), "");
    assert_selected(DELETING ON_LEAVING("m", OWNER("v1", "Node"), "", ""), "");
}

TEST(row_deleting_nodes_terminating_pods_only_of_stateful_sets) {
    assert_selected(DELETING ON_LEAVING("r", TERMINATING OWNER("apps/v1", "ReplicaSet"), "", ""), "");
    assert_selected(DELETING ON_LEAVING("s", TERMINATING OWNER("apps/v1", "StatefulSet"), "", ""), "s*");
    // The pod is terminating already, so do-not-disrupt has no effect.
    assert_selected(DELETING ON_LEAVING("s", TERMINATING OWNER("apps/v1", "StatefulSet") HOLD("true") WEB, "", "")
                        BUDGET("b", "maxUnavailable: 0"),
                    "s*");
    assert_selected(DELETING OBJECT("apiVersion: v1, kind: Pod, metadata: {name: done}, spec: {nodeName: leaving, "
                                    "containers: [{name: c, image: i}]}, status: {phase: Succeeded}"),
                    "");
}

// A Deployment has started another pod in its place, which asks for a node itself.
TEST(deleting_nodes_pods_that_are_surged_are_not_planned_again) {
    assert_selected(DELETING ON_LEAVING("a", ", uid: u-1", "", "") POD("b", SURGES("u-1"), "", ""), "b");
    assert_selected(DELETING ON_LEAVING("a", ", uid: u-1", "", "") POD("b", SURGES("u-1"), ", nodeName: staying", ""),
                    "");
    assert_selected(DELETING ON_LEAVING("a", ", uid: u-1", "", "") POD("b", SURGES("u-2"), "", ""), "b a*");
    assert_selected(DELETING ON_LEAVING("a", ", uid: u-1", "", "") POD("b", TERMINATING SURGES("u-1"), "", ""), "a*");
    // Nobody else may say so.
    assert_selected(DELETING ON_LEAVING("a", ", uid: u-1", "", "") POD("b", ", namespace: other" SURGES("u-1"), "", ""),
                    "b a*");
}

TEST(row_deleting_nodes_do_not_disrupt_holds) {
    assert_selected(DELETING ON_LEAVING("a", HOLD("true"), "", ""), "");
    assert_selected(DELETING ON_LEAVING("a", HOLD("false"), "", ""), "a*");
    assert_selected(DELETING ON_LEAVING("a", HOLD("TRUE"), "", ""), "a*");
}

TEST(row_deleting_nodes_do_not_disrupt_for_a_while) {
    // The time is 12:00.
    assert_selected(DELETING ON_LEAVING("a", HOLD("1h"), "", SINCE("2026-01-01T11:30:00Z")), "");
    assert_selected(DELETING ON_LEAVING("a", HOLD("1h"), "", SINCE("2026-01-01T11:00:00Z")), "a*");
    assert_selected(DELETING ON_LEAVING("a", HOLD("1h30m"), "", SINCE("2026-01-01T11:00:00Z")), "");
    assert_selected(DELETING ON_LEAVING("a", HOLD("1h"), "", ""), "");
    assert_selected(DELETING ON_LEAVING("a", HOLD("-1h"), "", SINCE("2026-01-01T11:30:00Z")), "a*");
    assert_selected(DELETING ON_LEAVING("a", HOLD("0s"), "", ""), "a*");
}

TEST(row_deleting_nodes_fully_blocking_budgets_hold) {
    static const char *const blocking[] = {"maxUnavailable: 0", "maxUnavailable: \"0%\"", "minAvailable: \"100%\""};
    static const char *const open[] = {"maxUnavailable: 1", "minAvailable: 1", "minAvailable: \"99%\"",
                                       "maxUnavailable: \"1%\""};
    char yaml[4096];

    for (size_t i = 0; i < sizeof blocking / sizeof *blocking; i++) {
        snprintf(yaml, sizeof yaml, DELETING ON_LEAVING("a", WEB, "", READY) BUDGET("b", "%s"), blocking[i]);
        assert_selected(yaml, "");
    }
    for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
        snprintf(yaml, sizeof yaml, DELETING ON_LEAVING("a", WEB, "", READY) BUDGET("b", "%s"), open[i]);
        assert_selected(yaml, "a*");
    }
    // Other pods and other namespaces are not covered.
    assert_selected(DELETING ON_LEAVING("a", ", labels: {app: api}", "", READY) BUDGET("b", "maxUnavailable: 0"), "a*");
    assert_selected(DELETING ON_LEAVING("a", WEB, "", READY) OBJECT(
                        "apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b, namespace: other}, "
                        "spec: {selector: {matchLabels: {app: web}}, maxUnavailable: 0}"),
                    "a*");
}

TEST(row_deleting_nodes_several_budgets_hold) {
    assert_selected(
        DELETING ON_LEAVING("a", WEB, "", READY) BUDGET("b", "maxUnavailable: 1") BUDGET("c", "maxUnavailable: 1"), "");
    assert_selected(DELETING ON_LEAVING("a", WEB, "", NOT_READY)
                        BUDGET("b", "maxUnavailable: 1, unhealthyPodEvictionPolicy: AlwaysAllow")
                            BUDGET("c", "maxUnavailable: 1, unhealthyPodEvictionPolicy: AlwaysAllow"),
                    "");
}

TEST(row_deleting_nodes_unready_pods_may_be_let_go) {
    assert_selected(DELETING ON_LEAVING("a", WEB, "", NOT_READY)
                        BUDGET("b", "maxUnavailable: 0, unhealthyPodEvictionPolicy: AlwaysAllow"),
                    "a*");
    assert_selected(DELETING ON_LEAVING("a", WEB, "", READY)
                        BUDGET("b", "maxUnavailable: 0, unhealthyPodEvictionPolicy: AlwaysAllow"),
                    "");
    assert_selected(DELETING ON_LEAVING("a", WEB, "", NOT_READY) BUDGET("b", "maxUnavailable: 0"), "");
}

// A pod that tolerates the taint of disrupted nodes is never evicted, so budgets do not apply.
TEST(row_deleting_nodes_budgets_only_count_for_evictable_pods) {
    assert_selected(DELETING ON_LEAVING("a", WEB, ", tolerations: [{key: karpenter.sh/disrupted, operator: Exists}]",
                                        READY) BUDGET("b", "maxUnavailable: 0"),
                    "a*");
    assert_selected(DELETING ON_LEAVING("a", WEB,
                                        ", tolerations: [{key: karpenter.sh/disrupted, operator: Exists, effect: "
                                        "NoExecute}]",
                                        READY) BUDGET("b", "maxUnavailable: 0"),
                    "");
}

// Pods of deleting nodes run already: their selectors are not validated, but pods with unresolved volumes are ignored.
TEST(row_deleting_nodes_pods_skip_validation) {
    assert_selected(DELETING ON_LEAVING("a", "", ", nodeSelector: {kubernetes.io/hostname: leaving}", ""), "a*");
    assert_selected(
        DELETING ON_LEAVING("a", "", ", volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]", ""),
        "a*=getting persistent volume claim, PersistentVolumeClaim \"data\" not found (PersistentVolumeClaim=data)");
}

// Nothing says on which new node the devices would be.
TEST(row_deleting_nodes_pods_with_resource_claims_have_no_other_place) {
    assert_selected(DELETING ON_LEAVING("a", "", ", resourceClaims: [{name: gpu, resourceClaimName: gpu}]", ""),
                    "a*=pod has Dynamic Resource Allocation requirements that are not yet supported by Karpenter");
}
