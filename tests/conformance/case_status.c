// The status subresource: each write touches its own part only.
#include "suite.h"

#define CLAIM                                                                                                          \
    "{metadata: {name: 'nc-${id}'}, spec: {requirements: [], nodeClassRef: {group: karpenter.kwok.sh, kind: "          \
    "KWOKNodeClass, name: default}}}"

static void a_write_of_the_object_leaves_the_status(Case *c) {
    Value pod = make_pod(c, "p", "", NULL);

    pod = merge(c, KUBE_POD, "p", KUBE_OBJECT, "{metadata: {labels: {a: b}}, status: {phase: Running}}");
    assert_at(&pod, "metadata.labels.a", "b");
    assert_at(&pod, "status.phase", "Pending");
}

static void a_write_of_the_status_leaves_the_spec(Case *c) {
    Value node = create(c, KUBE_NODE, "{metadata: {name: 'node-${id}'}}");

    node =
        merge(c, KUBE_NODE, "node-${id}", KUBE_STATUS, "{spec: {unschedulable: true}, status: {capacity: {cpu: '4'}}}");
    assert_false(has(&node, "spec.unschedulable"));
    assert_at(&node, "status.capacity.cpu", "4");
    del(c, KUBE_NODE, "node-${id}");
}

static void a_status_of_a_custom_object_leaves_its_metadata(Case *c) {
    Value claim = create(c, KUBE_NODE_CLAIM, CLAIM);

    claim = merge(c, KUBE_NODE_CLAIM, "nc-${id}", KUBE_STATUS,
                  "{metadata: {labels: {a: b}}, status: {providerID: 'kwok://x'}}");
    assert_false(has(&claim, "metadata.labels.a"));
    assert_at(&claim, "status.providerID", "kwok://x");
    assert_int_equal(kube_generation(&claim), 1);
    del(c, KUBE_NODE_CLAIM, "nc-${id}");
}

static void a_status_of_a_built_in_object_may_bring_labels(Case *c) {
    Value node = create(c, KUBE_NODE, "{metadata: {name: 'node-${id}'}}");

    node = merge(c, KUBE_NODE, "node-${id}", KUBE_STATUS, "{metadata: {labels: {a: b}}}");
    assert_at(&node, "metadata.labels.a", "b");
    del(c, KUBE_NODE, "node-${id}");
}

static void a_status_update_of_an_old_revision_conflicts(Case *c) {
    Value claim = create(c, KUBE_NODE_CLAIM, CLAIM);

    merge(c, KUBE_NODE_CLAIM, "nc-${id}", KUBE_OBJECT, "{metadata: {labels: {a: b}}}");
    try_update(c, KUBE_NODE_CLAIM, KUBE_STATUS, &claim);
    assert_failed(c, ERR_CONFLICT, KUBE_REASON_CONFLICT, "the object has been modified");
    del(c, KUBE_NODE_CLAIM, "nc-${id}");
}

static void a_pods_class_of_service_survives_its_status(Case *c) {
    Value pod = make_pod(c, "p", "", NULL);

    pod = merge(c, KUBE_POD, "p", KUBE_STATUS, "{status: {phase: Running, qosClass: null}}");
    assert_at(&pod, "status.phase", "Running");
    assert_at(&pod, "status.qosClass", "BestEffort");
}

static void leases_have_no_status(Case *c) {
    create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {}}");
    try_patch(c, KUBE_LEASE, "one", KUBE_STATUS, KUBE_PATCH_MERGE, "{status: {a: b}}");
    assert_failed(c, ERR_NOT_FOUND, KUBE_REASON_NOT_FOUND, "the server could not find the requested resource");
}

const CaseEntry status_cases[] = {
    CASE(a_write_of_the_object_leaves_the_status),
    CASE(a_write_of_the_status_leaves_the_spec),
    CASE(a_status_of_a_custom_object_leaves_its_metadata),
    CASE(a_status_of_a_built_in_object_may_bring_labels),
    CASE(a_status_update_of_an_old_revision_conflicts),
    CASE(a_pods_class_of_service_survives_its_status),
    CASE(leases_have_no_status),
    CASES_END,
};
