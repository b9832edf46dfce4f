// Binding pods to nodes.
#include "suite.h"

static ErrCode try_bind(Case *c, const char *name, const char *uid, const char *node) {
    return kube_bind(c->kube, ref(c, KUBE_POD, name), slice_of(uid), slice_of(node), &c->error);
}

static void binding_gives_a_pod_its_node(Case *c) {
    Value pod = make_pod(c, "p", "", NULL);

    assert_int_equal(try_bind(c, "p", "", "n"), OK);
    pod = get(c, KUBE_POD, "p");
    assert_at(&pod, "spec.nodeName", "n");
    assert_at(&pod, "status.conditions.0.type", "PodScheduled");
    assert_at(&pod, "status.conditions.0.status", "True");
    assert_int_equal(kube_generation(&pod), 1);
}

static void a_bound_pod_is_not_bound_again(Case *c) {
    make_pod(c, "p", "", NULL);
    try_bind(c, "p", "", "n");
    try_bind(c, "p", "", "m");
    assert_failed(c, ERR_CONFLICT, KUBE_REASON_CONFLICT,
                  "Operation cannot be fulfilled on pods/binding \"p\": pod p is already assigned to node \"n\"");
}

static void a_gated_pod_is_not_bound(Case *c) {
    create(c, KUBE_POD,
           "{metadata: {name: p}, spec: {schedulingGates: [{name: a.example/x}], containers: [{name: a, image: i}]}}");
    try_bind(c, "p", "", "n");
    assert_failed(c, ERR_CONFLICT, KUBE_REASON_CONFLICT, "pod p has non-empty .spec.schedulingGates");
}

static void a_going_pod_is_not_bound(Case *c) {
    create(c, KUBE_POD,
           "{metadata: {name: p, finalizers: [example.com/a]}, spec: {schedulerName: nobody, containers: [{name: a, "
           "image: i}]}}");
    del(c, KUBE_POD, "p");
    try_bind(c, "p", "", "n");
    assert_failed(c, ERR_CONFLICT, KUBE_REASON_CONFLICT, "pod p is being deleted, cannot be assigned to a host");
    merge(c, KUBE_POD, "p", KUBE_OBJECT, "{metadata: {finalizers: null}}");
}

static void binding_another_uid_conflicts(Case *c) {
    make_pod(c, "p", "", NULL);
    try_bind(c, "p", "other", "n");
    assert_failed(c, ERR_CONFLICT, KUBE_REASON_CONFLICT, "UID in precondition: other");
}

static void binding_what_is_not_there_is_not_found(Case *c) {
    try_bind(c, "none", "", "n");
    assert_failed(c, ERR_NOT_FOUND, KUBE_REASON_NOT_FOUND, "\"none\" not found");
}

static void binding_clears_the_nomination(Case *c) {
    Value pod;

    make_pod(c, "p", "", NULL);
    merge(c, KUBE_POD, "p", KUBE_STATUS, "{status: {nominatedNodeName: m}}");
    try_bind(c, "p", "", "n");
    pod = get(c, KUBE_POD, "p");
    assert_at(&pod, "status.nominatedNodeName", "");
}

static void a_bound_pod_is_nominated_no_more(Case *c) {
    make_pod(c, "p", "", "node");
    try_patch(c, KUBE_POD, "p", KUBE_STATUS, KUBE_PATCH_MERGE, "{status: {nominatedNodeName: other}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "may not be set on pods that are already bound to a node");
}

const CaseEntry binding_cases[] = {
    CASE(binding_gives_a_pod_its_node),
    CASE(a_bound_pod_is_not_bound_again),
    CASE(a_gated_pod_is_not_bound),
    CASE(a_going_pod_is_not_bound),
    CASE(binding_another_uid_conflicts),
    CASE(binding_what_is_not_there_is_not_found),
    CASE(binding_clears_the_nomination),
    CASE(a_bound_pod_is_nominated_no_more),
    CASES_END,
};
