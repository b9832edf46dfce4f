// Server-side apply: owning fields, giving them up, conflicts.
#include "suite.h"

#define LEASE "apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: one"

// Whether somebody of that name is among the managers.
static bool is_manager(const Value *object, const char *name) {
    const Value *managers = value_at(object, "metadata", "managedFields", NULL);

    for (uint32_t i = 0; managers && i < managers->list.count; i++) {
        if (slice_eq_text(kube_text(&managers->list.items[i], "manager", NULL), name))
            return true;
    }
    return false;
}

static void apply_creates_what_is_not_there(Case *c) {
    Value lease = apply(c, "a", KUBE_LEASE, "one", KUBE_OBJECT, false, "{" LEASE "}, spec: {holderIdentity: x}}");

    assert_at(&lease, "spec.holderIdentity", "x");
    assert_at(&lease, "metadata.managedFields.0.manager", "a");
    assert_at(&lease, "metadata.managedFields.0.operation", "Apply");
    assert_true(has(&lease, "metadata.managedFields.0.fieldsV1.f:spec.f:holderIdentity"));
}

static void apply_again_changes_nothing(Case *c) {
    Value first = apply(c, "a", KUBE_LEASE, "one", KUBE_OBJECT, false, "{" LEASE "}, spec: {holderIdentity: x}}");
    Value second = apply(c, "a", KUBE_LEASE, "one", KUBE_OBJECT, false, "{" LEASE "}, spec: {holderIdentity: x}}");

    assert_true(kube_revision(&first) == kube_revision(&second));
}

static void what_is_applied_no_more_goes(Case *c) {
    Value lease = apply(c, "a", KUBE_LEASE, "one", KUBE_OBJECT, false,
                        "{" LEASE ", labels: {l: v}}, spec: {holderIdentity: x, leaseDurationSeconds: 5}}");

    assert_at(&lease, "metadata.labels.l", "v");
    lease = apply(c, "a", KUBE_LEASE, "one", KUBE_OBJECT, false, "{" LEASE "}, spec: {holderIdentity: x}}");
    assert_false(has(&lease, "spec.leaseDurationSeconds"));
    assert_false(has(&lease, "metadata.labels.l"));
    assert_at(&lease, "spec.holderIdentity", "x");
}

static void what_another_also_owns_stays(Case *c) {
    Value lease;

    apply(c, "a", KUBE_LEASE, "one", KUBE_OBJECT, false,
          "{" LEASE "}, spec: {holderIdentity: x, leaseDurationSeconds: 5}}");
    apply(c, "b", KUBE_LEASE, "one", KUBE_OBJECT, false, "{" LEASE "}, spec: {leaseDurationSeconds: 5}}");
    lease = apply(c, "a", KUBE_LEASE, "one", KUBE_OBJECT, false, "{" LEASE "}, spec: {holderIdentity: x}}");
    assert_at(&lease, "spec.leaseDurationSeconds", "5");
}

static void a_field_of_another_applier_conflicts(Case *c) {
    apply(c, "a", KUBE_LEASE, "one", KUBE_OBJECT, false, "{" LEASE "}, spec: {holderIdentity: x}}");
    try_apply(c, "b", KUBE_LEASE, "one", KUBE_OBJECT, false, "{" LEASE "}, spec: {holderIdentity: z}}");
    assert_failed(c, ERR_CONFLICT, KUBE_REASON_CONFLICT,
                  "Apply failed with 1 conflict: conflict with \"a\": .spec.holderIdentity");
}

static void the_same_value_does_not_conflict(Case *c) {
    Value lease;

    apply(c, "a", KUBE_LEASE, "one", KUBE_OBJECT, false, "{" LEASE "}, spec: {holderIdentity: x}}");
    lease = apply(c, "b", KUBE_LEASE, "one", KUBE_OBJECT, false, "{" LEASE "}, spec: {holderIdentity: x}}");
    assert_true(is_manager(&lease, "a") && is_manager(&lease, "b"));
}

static void force_takes_fields_over(Case *c) {
    Value lease;

    apply(c, "a", KUBE_LEASE, "one", KUBE_OBJECT, false, "{" LEASE "}, spec: {holderIdentity: x}}");
    lease = apply(c, "b", KUBE_LEASE, "one", KUBE_OBJECT, true, "{" LEASE "}, spec: {holderIdentity: z}}");
    assert_at(&lease, "spec.holderIdentity", "z");
    assert_true(!is_manager(&lease, "a") && is_manager(&lease, "b"));
}

static void what_an_update_set_conflicts(Case *c) {
    create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {holderIdentity: x}}");
    try_apply(c, "b", KUBE_LEASE, "one", KUBE_OBJECT, false, "{" LEASE "}, spec: {holderIdentity: z}}");
    assert_failed(c, ERR_CONFLICT, KUBE_REASON_CONFLICT, "conflict with \"conformance\" using coordination.k8s.io/v1");
}

static void an_update_takes_fields_from_an_applier(Case *c) {
    Value lease;

    apply(c, "a", KUBE_LEASE, "one", KUBE_OBJECT, false,
          "{" LEASE "}, spec: {holderIdentity: x, leaseDurationSeconds: 5}}");
    merge(c, KUBE_LEASE, "one", KUBE_OBJECT, "{spec: {holderIdentity: z}}");
    lease = apply(c, "a", KUBE_LEASE, "one", KUBE_OBJECT, false, "{" LEASE "}, spec: {leaseDurationSeconds: 5}}");
    assert_at(&lease, "spec.holderIdentity", "z"); // it belongs to the other one now
}

static void lists_with_keys_are_owned_by_element(Case *c) {
    static const char head[] = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 0, "
                               "selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: "
                               "{containers: [{name: main, image: i}]}}}}";
    static const char side[] = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: {spec: "
                               "{containers: [{name: side, image: j}]}}}}";
    Value deployment;

    apply(c, "a", KUBE_DEPLOYMENT, "web", KUBE_OBJECT, false, head);
    deployment = apply(c, "b", KUBE_DEPLOYMENT, "web", KUBE_OBJECT, false, side);
    assert_at(&deployment, "spec.template.spec.containers.0.name", "main");
    assert_at(&deployment, "spec.template.spec.containers.1.name", "side");
    deployment = apply(c, "a", KUBE_DEPLOYMENT, "web", KUBE_OBJECT, false, head);
    assert_at(&deployment, "spec.template.spec.containers.1.name", "side");
}

static void the_order_of_an_applied_list_is_kept(Case *c) {
    Value lease =
        create(c, KUBE_LEASE, "{metadata: {name: one, finalizers: [example.com/b, example.com/c]}, spec: {}}");

    lease = apply(c, "a", KUBE_LEASE, "one", KUBE_OBJECT, false,
                  "{" LEASE ", finalizers: [example.com/a, example.com/c]}}");
    assert_at(&lease, "metadata.finalizers.0", "example.com/b");
    assert_at(&lease, "metadata.finalizers.1", "example.com/a");
    assert_at(&lease, "metadata.finalizers.2", "example.com/c");
    merge(c, KUBE_LEASE, "one", KUBE_OBJECT, "{metadata: {finalizers: null}}");
}

static void several_conflicts_are_told_by_owner(Case *c) {
    apply(c, "b", KUBE_LEASE, "one", KUBE_OBJECT, false, "{" LEASE ", labels: {l: v1}}, spec: {holderIdentity: x}}");
    apply(c, "a", KUBE_LEASE, "one", KUBE_OBJECT, false, "{" LEASE "}, spec: {leaseDurationSeconds: 5}}");
    try_apply(c, "d", KUBE_LEASE, "one", KUBE_OBJECT, false,
              "{" LEASE ", labels: {l: v2}}, spec: {holderIdentity: z, leaseDurationSeconds: 6}}");
    assert_failed(c, ERR_CONFLICT, KUBE_REASON_CONFLICT,
                  "Apply failed with 3 conflicts: conflicts with \"a\":?- .spec.leaseDurationSeconds?conflicts with "
                  "\"b\":?- .metadata.labels.l?- .spec.holderIdentity"); // line breaks become '?'
}

static void status_is_applied_apart(Case *c) {
    Value node = create(c, KUBE_NODE, "{metadata: {name: 'node-${id}'}}");

    node = apply(c, "kubelet", KUBE_NODE, "node-${id}", KUBE_STATUS, false,
                 "{apiVersion: v1, kind: Node, metadata: {name: 'node-${id}'}, spec: {unschedulable: true}, status: "
                 "{conditions: [{type: Ready, status: 'True'}]}}");
    assert_at(&node, "status.conditions.0.status", "True");
    assert_false(has(&node, "spec.unschedulable"));
    del(c, KUBE_NODE, "node-${id}");
}

static void apply_must_name_its_kind(Case *c) {
    try_apply(c, "a", KUBE_LEASE, "one", KUBE_OBJECT, false, "{metadata: {name: one}, spec: {}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_BAD_REQUEST, NULL);
}

static void apply_with_an_old_revision_conflicts(Case *c) {
    apply(c, "a", KUBE_LEASE, "one", KUBE_OBJECT, false, "{" LEASE "}, spec: {holderIdentity: x}}");
    try_apply(c, "a", KUBE_LEASE, "one", KUBE_OBJECT, false,
              "{" LEASE ", resourceVersion: '1'}, spec: {holderIdentity: z}}");
    assert_failed(c, ERR_CONFLICT, KUBE_REASON_CONFLICT, "the object has been modified");
}

const CaseEntry apply_cases[] = {
    CASE(apply_creates_what_is_not_there),
    CASE(apply_again_changes_nothing),
    CASE(what_is_applied_no_more_goes),
    CASE(what_another_also_owns_stays),
    CASE(a_field_of_another_applier_conflicts),
    CASE(the_same_value_does_not_conflict),
    CASE(force_takes_fields_over),
    CASE(what_an_update_set_conflicts),
    CASE(an_update_takes_fields_from_an_applier),
    CASE(lists_with_keys_are_owned_by_element),
    CASE(the_order_of_an_applied_list_is_kept),
    CASE(several_conflicts_are_told_by_owner),
    CASE(status_is_applied_apart),
    CASE(apply_must_name_its_kind),
    CASE(apply_with_an_old_revision_conflicts),
    CASES_END,
};
