// Updates: optimistic locking, generations, and what may not change.
#include "suite.h"

#include "text/value_edit.h"

static void set(Case *c, Value *object, const char *part, const char *key, const char *text) {
    value_put(&c->arena, value_make(&c->arena, object, part, NULL), slice_of(key), value_string(slice_of(text)));
}

static void an_update_writes_a_new_revision(Case *c) {
    Value lease = create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {holderIdentity: a}}"), after;

    set(c, &lease, "spec", "holderIdentity", "b");
    after = update(c, KUBE_LEASE, KUBE_OBJECT, &lease);
    assert_at(&after, "spec.holderIdentity", "b");
    assert_true(kube_revision(&after) > kube_revision(&lease));
}

static void an_update_of_an_old_revision_conflicts(Case *c) {
    Value lease = create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {holderIdentity: a}}");

    set(c, &lease, "spec", "holderIdentity", "b");
    update(c, KUBE_LEASE, KUBE_OBJECT, &lease);
    set(c, &lease, "spec", "holderIdentity", "c");
    try_update(c, KUBE_LEASE, KUBE_OBJECT, &lease);
    assert_failed(c, ERR_CONFLICT, KUBE_REASON_CONFLICT,
                  "Operation cannot be fulfilled on leases.coordination.k8s.io \"one\": the object has been modified; "
                  "please apply your changes to the latest version and try again");
}

static void an_update_that_changes_nothing_writes_nothing(Case *c) {
    Value lease = create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {holderIdentity: a}}");
    Value after = update(c, KUBE_LEASE, KUBE_OBJECT, &lease);

    assert_true(kube_revision(&after) == kube_revision(&lease));
}

static void pods_may_be_updated_without_a_revision(Case *c) {
    Value pod = make_pod(c, "p", "", NULL), after;

    value_remove(value_find_text(&pod, "metadata"), SLICE("resourceVersion"));
    value_put(&c->arena, value_make(&c->arena, &pod, "metadata", "labels", NULL), SLICE("a"), value_string(SLICE("b")));
    after = update(c, KUBE_POD, KUBE_OBJECT, &pod);
    assert_at(&after, "metadata.labels.a", "b");
}

static void leases_must_be_updated_with_a_revision(Case *c) {
    Value lease = create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {}}");

    value_remove(value_find_text(&lease, "metadata"), SLICE("resourceVersion"));
    try_update(c, KUBE_LEASE, KUBE_OBJECT, &lease);
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "must be specified for an update");
}

static void custom_objects_must_be_updated_with_a_revision(Case *c) {
    Value class = create(c, KUBE_KWOK_NODE_CLASS, "{metadata: {name: 'k-${id}'}, spec: {}}");

    value_remove(value_find_text(&class, "metadata"), SLICE("resourceVersion"));
    try_update(c, KUBE_KWOK_NODE_CLASS, KUBE_OBJECT, &class);
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID,
                  "metadata.resourceVersion: Invalid value: 0: must be specified for an update");
    del(c, KUBE_KWOK_NODE_CLASS, "k-${id}");
}

static void an_update_of_what_is_not_there_is_not_found(Case *c) {
    Value pod = make_pod(c, "p", "", NULL);

    set(c, &pod, "metadata", "name", "other");
    try_update(c, KUBE_POD, KUBE_OBJECT, &pod);
    assert_failed(c, ERR_NOT_FOUND, KUBE_REASON_NOT_FOUND, "pods \"other\" not found");
}

static void an_update_that_names_another_uid_conflicts(Case *c) {
    Value lease = create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {}}");

    set(c, &lease, "metadata", "uid", "00000000-0000-4000-8000-000000000000");
    try_update(c, KUBE_LEASE, KUBE_OBJECT, &lease);
    assert_failed(c, ERR_CONFLICT, KUBE_REASON_CONFLICT, "UID in precondition: 00000000-0000-4000-8000-000000000000");
}

static void creation_time_survives_updates(Case *c) {
    Value lease = create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {}}"), after;

    set(c, &lease, "metadata", "creationTimestamp", "2001-01-01T00:00:00Z");
    set(c, &lease, "spec", "holderIdentity", "a");
    after = update(c, KUBE_LEASE, KUBE_OBJECT, &lease);
    assert_false(slice_starts_with(at(&after, "metadata.creationTimestamp"), SLICE("2001")));
}

// Generations.

static const char BUDGET[] = "{metadata: {name: b}, spec: {minAvailable: 1, selector: {matchLabels: {a: b}}}}";

static void a_change_of_the_spec_makes_a_new_generation(Case *c) {
    Value budget = create(c, KUBE_POD_DISRUPTION_BUDGET, BUDGET);

    assert_int_equal(kube_generation(&budget), 1);
    budget = merge(c, KUBE_POD_DISRUPTION_BUDGET, "b", KUBE_OBJECT, "{spec: {minAvailable: 2}}");
    assert_int_equal(kube_generation(&budget), 2);
}

static void labels_and_annotations_make_no_new_generation(Case *c) {
    Value budget = create(c, KUBE_POD_DISRUPTION_BUDGET, BUDGET);

    budget =
        merge(c, KUBE_POD_DISRUPTION_BUDGET, "b", KUBE_OBJECT, "{metadata: {labels: {a: b}, annotations: {c: d}}}");
    assert_int_equal(kube_generation(&budget), 1);
}

static void a_change_of_the_status_makes_no_new_generation(Case *c) {
    Value budget = create(c, KUBE_POD_DISRUPTION_BUDGET, BUDGET);

    budget = merge(c, KUBE_POD_DISRUPTION_BUDGET, "b", KUBE_STATUS,
                   "{status: {observedGeneration: 1, disruptionsAllowed: 3, currentHealthy: 4, desiredHealthy: 1, "
                   "expectedPods: 4}}");
    assert_int_equal(kube_generation(&budget), 1);
}

static void annotations_of_a_deployment_make_a_new_generation(Case *c) {
    Value deployment =
        create(c, KUBE_DEPLOYMENT,
               "{metadata: {name: web}, spec: {selector: {matchLabels: {app: web}}, template: {metadata: "
               "{labels: {app: web}}, spec: {containers: [{name: a, image: i}]}}}}");

    deployment = merge(c, KUBE_DEPLOYMENT, "web", KUBE_OBJECT, "{metadata: {annotations: {a: b}}}");
    assert_int_equal(kube_generation(&deployment), 2);
}

static void nodes_and_leases_have_no_generation(Case *c) {
    Value lease = create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {}}");
    Value node = create(c, KUBE_NODE, "{metadata: {name: 'node-${id}'}}");

    assert_false(has(&lease, "metadata.generation"));
    assert_false(has(&node, "metadata.generation"));
    del(c, KUBE_NODE, "node-${id}");
}

static void pods_count_generations(Case *c) {
    Value pod = make_pod(c, "p", "", NULL);

    assert_int_equal(kube_generation(&pod), 1);
    pod = strategic(c, KUBE_POD, "p", KUBE_OBJECT,
                    "{spec: {containers: [{name: main, image: 'registry.example/app:2'}]}}");
    assert_int_equal(kube_generation(&pod), 2);
}

// What may not change.

static void a_pods_spec_is_immutable(Case *c) {
    make_pod(c, "p", "", NULL);
    try_patch(c, KUBE_POD, "p", KUBE_OBJECT, KUBE_PATCH_MERGE, "{spec: {hostname: other}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "pod updates may not change fields other than");
}

static void a_pod_is_not_bound_by_an_update(Case *c) {
    make_pod(c, "p", "", NULL);
    try_patch(c, KUBE_POD, "p", KUBE_OBJECT, KUBE_PATCH_MERGE, "{spec: {nodeName: node}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "pod updates may not change fields other than");
}

static void tolerations_may_be_added_but_not_removed(Case *c) {
    make_pod(c, "p", "", NULL);
    strategic(c, KUBE_POD, "p", KUBE_OBJECT,
              "{spec: {tolerations: [{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, "
              "tolerationSeconds: 300}, {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, "
              "tolerationSeconds: 300}, {key: extra, operator: Exists}]}}");
    try_patch(c, KUBE_POD, "p", KUBE_OBJECT, KUBE_PATCH_MERGE, "{spec: {tolerations: []}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "existing toleration can not be modified");
}

static void scheduling_gates_may_only_be_removed(Case *c) {
    Value pod = create(c, KUBE_POD,
                       "{metadata: {name: p}, spec: {schedulerName: nobody, schedulingGates: [{name: a.example/x}], "
                       "containers: [{name: a, image: i}]}}");

    pod = merge(c, KUBE_POD, "p", KUBE_OBJECT, "{spec: {schedulingGates: []}}");
    assert_at(&pod, "spec.schedulingGates.0.name", "");
    try_patch(c, KUBE_POD, "p", KUBE_OBJECT, KUBE_PATCH_MERGE, "{spec: {schedulingGates: [{name: b.example/x}]}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "only deletion is allowed");
}

static void a_nodes_provider_id_is_given_once(Case *c) {
    Value node = create(c, KUBE_NODE, "{metadata: {name: 'node-${id}'}}");

    node = merge(c, KUBE_NODE, "node-${id}", KUBE_OBJECT, "{spec: {providerID: 'kwok://a'}}");
    assert_at(&node, "spec.providerID", "kwok://a");
    try_patch(c, KUBE_NODE, "node-${id}", KUBE_OBJECT, KUBE_PATCH_MERGE, "{spec: {providerID: 'kwok://b'}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID,
                  "node updates may not change providerID except from \"\" to valid");
    del(c, KUBE_NODE, "node-${id}");
}

static void a_workloads_selector_is_immutable(Case *c) {
    create(c, KUBE_REPLICA_SET,
           "{metadata: {name: web}, spec: {replicas: 0, selector: {matchLabels: {app: web}}, template: {metadata: "
           "{labels: {app: web}}, spec: {containers: [{name: a, image: i}]}}}}");
    try_patch(c, KUBE_REPLICA_SET, "web", KUBE_OBJECT, KUBE_PATCH_MERGE,
              "{spec: {selector: {matchLabels: {tier: x}}, template: {metadata: {labels: {tier: x}}}}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "field is immutable");
}

static void a_claim_of_storage_is_immutable(Case *c) {
    create(c, KUBE_PERSISTENT_VOLUME_CLAIM,
           "{metadata: {name: data}, spec: {storageClassName: x, accessModes: [ReadWriteOnce], resources: {requests: "
           "{storage: 1Gi}}}}");
    try_patch(c, KUBE_PERSISTENT_VOLUME_CLAIM, "data", KUBE_OBJECT, KUBE_PATCH_MERGE,
              "{spec: {accessModes: [ReadWriteMany]}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "spec is immutable after creation");
}

const CaseEntry update_cases[] = {
    CASE(an_update_writes_a_new_revision),
    CASE(an_update_of_an_old_revision_conflicts),
    CASE(an_update_that_changes_nothing_writes_nothing),
    CASE(pods_may_be_updated_without_a_revision),
    CASE(leases_must_be_updated_with_a_revision),
    CASE(custom_objects_must_be_updated_with_a_revision),
    CASE(an_update_of_what_is_not_there_is_not_found),
    CASE(an_update_that_names_another_uid_conflicts),
    CASE(creation_time_survives_updates),
    CASE(a_change_of_the_spec_makes_a_new_generation),
    CASE(labels_and_annotations_make_no_new_generation),
    CASE(a_change_of_the_status_makes_no_new_generation),
    CASE(annotations_of_a_deployment_make_a_new_generation),
    CASE(nodes_and_leases_have_no_generation),
    CASE(pods_count_generations),
    CASE(a_pods_spec_is_immutable),
    CASE(a_pod_is_not_bound_by_an_update),
    CASE(tolerations_may_be_added_but_not_removed),
    CASE(scheduling_gates_may_only_be_removed),
    CASE(a_nodes_provider_id_is_given_once),
    CASE(a_workloads_selector_is_immutable),
    CASE(a_claim_of_storage_is_immutable),
    CASES_END,
};
