// Merge patches and strategic merge patches.
#include "suite.h"

static void a_merge_patch_sets_and_null_removes(Case *c) {
    Value lease = create(c, KUBE_LEASE, "{metadata: {name: one, labels: {a: b, c: d}}, spec: {holderIdentity: x}}");

    lease = merge(c, KUBE_LEASE, "one", KUBE_OBJECT,
                  "{metadata: {labels: {a: null, e: f}}, spec: {leaseDurationSeconds: 15}}");
    assert_false(has(&lease, "metadata.labels.a"));
    assert_at(&lease, "metadata.labels.c", "d");
    assert_at(&lease, "metadata.labels.e", "f");
    assert_at(&lease, "spec.holderIdentity", "x");
    assert_at(&lease, "spec.leaseDurationSeconds", "15");
}

static void a_merge_patch_replaces_lists(Case *c) {
    Value node =
        create(c, KUBE_NODE,
               "{metadata: {name: 'node-${id}', finalizers: [example.com/a, example.com/b]}, spec: {taints: [{key: "
               "a, effect: NoSchedule}]}}");

    node = merge(c, KUBE_NODE, "node-${id}", KUBE_OBJECT,
                 "{metadata: {finalizers: [example.com/b]}, spec: {taints: [{key: b, effect: NoExecute}]}}");
    assert_at(&node, "metadata.finalizers.0", "example.com/b");
    assert_false(has(&node, "metadata.finalizers.1"));
    assert_at(&node, "spec.taints.0.key", "b");
    assert_false(has(&node, "spec.taints.1"));
    merge(c, KUBE_NODE, "node-${id}", KUBE_OBJECT, "{metadata: {finalizers: null}}");
    del(c, KUBE_NODE, "node-${id}");
}

static void emptied_lists_and_maps_are_gone(Case *c) {
    Value node =
        create(c, KUBE_NODE, "{metadata: {name: 'node-${id}', labels: {a: b}}, status: {capacity: {cpu: '4'}}}");

    node = merge(c, KUBE_NODE, "node-${id}", KUBE_OBJECT, "{metadata: {labels: {a: null}}, spec: {taints: []}}");
    assert_false(has(&node, "metadata.labels"));
    assert_false(has(&node, "spec.taints"));
    node = merge(c, KUBE_NODE, "node-${id}", KUBE_STATUS, "{status: {capacity: {cpu: null}}}");
    assert_false(has(&node, "status.capacity"));
    del(c, KUBE_NODE, "node-${id}");
}

static void a_patch_with_an_old_revision_conflicts(Case *c) {
    create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {}}");
    try_patch(c, KUBE_LEASE, "one", KUBE_OBJECT, KUBE_PATCH_MERGE,
              "{metadata: {resourceVersion: '1'}, spec: {holderIdentity: x}}");
    assert_failed(c, ERR_CONFLICT, KUBE_REASON_CONFLICT, "the object has been modified");
}

static void a_patch_that_names_another_uid_is_invalid(Case *c) {
    create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {}}");
    try_patch(c, KUBE_LEASE, "one", KUBE_OBJECT, KUBE_PATCH_MERGE,
              "{metadata: {uid: other}, spec: {holderIdentity: x}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "field is immutable");
}

static void a_patch_of_what_is_not_there_is_not_found(Case *c) {
    try_patch(c, KUBE_LEASE, "none", KUBE_OBJECT, KUBE_PATCH_MERGE, "{spec: {}}");
    assert_failed(c, ERR_NOT_FOUND, KUBE_REASON_NOT_FOUND, "\"none\" not found");
}

static void a_patch_that_changes_nothing_writes_nothing(Case *c) {
    Value lease = create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {holderIdentity: x}}");
    Value after = merge(c, KUBE_LEASE, "one", KUBE_OBJECT, "{spec: {holderIdentity: x}}");

    assert_true(kube_revision(&lease) == kube_revision(&after));
}

static void strategic_lists_are_merged_by_their_key(Case *c) {
    Value deployment =
        create(c, KUBE_DEPLOYMENT,
               "{metadata: {name: web}, spec: {selector: {matchLabels: {app: web}}, template: {metadata: "
               "{labels: {app: web}}, spec: {containers: [{name: a, image: i}, {name: b, image: j}]}}}}");

    deployment = strategic(c, KUBE_DEPLOYMENT, "web", KUBE_OBJECT,
                           "{spec: {template: {spec: {containers: [{name: b, image: k}]}}}}");
    assert_at(&deployment, "spec.template.spec.containers.0.image", "i");
    assert_at(&deployment, "spec.template.spec.containers.1.image", "k");
}

static void strategic_patches_delete_elements(Case *c) {
    Value deployment;

    create(c, KUBE_DEPLOYMENT,
           "{metadata: {name: web}, spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: "
           "web}}, spec: {containers: [{name: a, image: i}, {name: b, image: j}]}}}}");
    deployment = strategic(c, KUBE_DEPLOYMENT, "web", KUBE_OBJECT,
                           "{spec: {template: {spec: {containers: [{name: a, $patch: delete}]}}}}");
    assert_at(&deployment, "spec.template.spec.containers.0.name", "b");
    assert_false(has(&deployment, "spec.template.spec.containers.1"));
}

static void strategic_patches_merge_finalizers(Case *c) {
    Value node = create(c, KUBE_NODE, "{metadata: {name: 'node-${id}', finalizers: [example.com/a]}}");

    node = strategic(c, KUBE_NODE, "node-${id}", KUBE_OBJECT, "{metadata: {finalizers: [example.com/b]}}");
    assert_at(&node, "metadata.finalizers.0", "example.com/b"); // what is new comes first
    assert_at(&node, "metadata.finalizers.1", "example.com/a");
    node = strategic(c, KUBE_NODE, "node-${id}", KUBE_OBJECT,
                     "{metadata: {$deleteFromPrimitiveList/finalizers: [example.com/a, example.com/b]}}");
    assert_false(has(&node, "metadata.finalizers.0"));
    del(c, KUBE_NODE, "node-${id}");
}

static void new_elements_stand_before_those_that_were_there(Case *c) {
    Value deployment;

    create(c, KUBE_DEPLOYMENT,
           "{metadata: {name: web}, spec: {replicas: 0, selector: {matchLabels: {app: web}}, template: {metadata: "
           "{labels: "
           "{app: web}}, spec: {containers: [{name: a, image: i}, {name: b, image: j}, {name: c, image: k}]}}}}");
    deployment = strategic(c, KUBE_DEPLOYMENT, "web", KUBE_OBJECT,
                           "{spec: {template: {spec: {containers: [{name: d, image: l}, {name: b, image: m}]}}}}");
    assert_at(&deployment, "spec.template.spec.containers.0.name", "d");
    assert_at(&deployment, "spec.template.spec.containers.1.name", "a");
    assert_at(&deployment, "spec.template.spec.containers.2.name", "b");
    assert_at(&deployment, "spec.template.spec.containers.3.name", "c");
}

static void an_order_is_set(Case *c) {
    Value deployment;

    create(c, KUBE_DEPLOYMENT,
           "{metadata: {name: web}, spec: {replicas: 0, selector: {matchLabels: {app: web}}, template: {metadata: "
           "{labels: "
           "{app: web}}, spec: {containers: [{name: a, image: i}, {name: b, image: j}, {name: c, image: k}]}}}}");
    deployment = strategic(c, KUBE_DEPLOYMENT, "web", KUBE_OBJECT,
                           "{spec: {template: {spec: {$setElementOrder/containers: [{name: c}, {name: a}], containers: "
                           "[{name: a, image: l}]}}}}");
    assert_at(&deployment, "spec.template.spec.containers.0.name", "b");
    assert_at(&deployment, "spec.template.spec.containers.1.name", "c");
    assert_at(&deployment, "spec.template.spec.containers.2.name", "a");
    assert_at(&deployment, "spec.template.spec.containers.2.image", "l");
}

static void strategic_patches_replace_atomic_lists(Case *c) {
    Value node =
        create(c, KUBE_NODE, "{metadata: {name: 'node-${id}'}, spec: {taints: [{key: a, effect: NoSchedule}]}}");

    node = strategic(c, KUBE_NODE, "node-${id}", KUBE_OBJECT, "{spec: {taints: [{key: b, effect: NoExecute}]}}");
    assert_at(&node, "spec.taints.0.key", "b");
    assert_false(has(&node, "spec.taints.1"));
    del(c, KUBE_NODE, "node-${id}");
}

static void strategic_patches_merge_conditions_by_type(Case *c) {
    Value node = create(c, KUBE_NODE,
                        "{metadata: {name: 'node-${id}'}, status: {conditions: [{type: Ready, status: 'False'}, {type: "
                        "DiskPressure, status: 'False'}]}}");

    node =
        strategic(c, KUBE_NODE, "node-${id}", KUBE_STATUS, "{status: {conditions: [{type: Ready, status: 'True'}]}}");
    assert_at(&node, "status.conditions.0.status", "True");
    assert_at(&node, "status.conditions.1.type", "DiskPressure");
    del(c, KUBE_NODE, "node-${id}");
}

static void custom_objects_take_no_strategic_patch(Case *c) {
    create(c, KUBE_KWOK_NODE_CLASS, "{metadata: {name: 'k-${id}'}, spec: {}}");
    try_patch(c, KUBE_KWOK_NODE_CLASS, "k-${id}", KUBE_OBJECT, KUBE_PATCH_STRATEGIC, "{metadata: {labels: {a: b}}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_UNSUPPORTED_MEDIA_TYPE, "application/merge-patch+json");
    del(c, KUBE_KWOK_NODE_CLASS, "k-${id}");
}

const CaseEntry patch_cases[] = {
    CASE(a_merge_patch_sets_and_null_removes),
    CASE(a_merge_patch_replaces_lists),
    CASE(emptied_lists_and_maps_are_gone),
    CASE(a_patch_with_an_old_revision_conflicts),
    CASE(a_patch_that_names_another_uid_is_invalid),
    CASE(a_patch_of_what_is_not_there_is_not_found),
    CASE(a_patch_that_changes_nothing_writes_nothing),
    CASE(strategic_lists_are_merged_by_their_key),
    CASE(strategic_patches_delete_elements),
    CASE(strategic_patches_merge_finalizers),
    CASE(new_elements_stand_before_those_that_were_there),
    CASE(an_order_is_set),
    CASE(strategic_patches_replace_atomic_lists),
    CASE(strategic_patches_merge_conditions_by_type),
    CASE(custom_objects_take_no_strategic_patch),
    CASES_END,
};
