// Owner references and their garbage collection: background, foreground, orphaning.
#include "suite.h"

#include <stdio.h>

// A lease, owned by those given as ownerReferences; leases have no controllers of their own.
static Value lease(Case *c, const char *name, const char *owners) {
    char yaml[1024];

    snprintf(yaml, sizeof yaml, "{metadata: {name: '%s', ownerReferences: [%s]}, spec: {}}", name, owners);
    return create(c, KUBE_LEASE, yaml);
}

static const char *owner(Case *c, const Value *object, bool blocks) {
    return arena_printf(&c->arena, "{apiVersion: coordination.k8s.io/v1, kind: Lease, name: %.*s, uid: '%.*s'%s}",
                        SLICE_ARG(kube_name(object)), SLICE_ARG(kube_uid(object)),
                        blocks ? ", blockOwnerDeletion: true" : "")
        .ptr;
}

static void dependents_go_after_their_owner(Case *c) {
    Value top = lease(c, "top", "");

    lease(c, "below", owner(c, &top, false));
    del(c, KUBE_LEASE, "top");
    settle(c);
    assert_false(exists(c, KUBE_LEASE, "below"));
}

static void dependents_of_dependents_go_too(Case *c) {
    Value top = lease(c, "top", ""), middle = lease(c, "middle", owner(c, &top, false));

    lease(c, "below", owner(c, &middle, false));
    del(c, KUBE_LEASE, "top");
    settle(c);
    assert_false(exists(c, KUBE_LEASE, "middle"));
    assert_false(exists(c, KUBE_LEASE, "below"));
}

static void an_object_with_another_owner_stays(Case *c) {
    Value one = lease(c, "one", ""), other = lease(c, "other", ""), below;
    char owners[512];

    snprintf(owners, sizeof owners, "%s, %s", owner(c, &one, false), owner(c, &other, false));
    lease(c, "below", owners);
    del(c, KUBE_LEASE, "one");
    settle(c);
    below = get(c, KUBE_LEASE, "below");
    assert_at(&below, "metadata.ownerReferences.0.name", "other");
    assert_false(has(&below, "metadata.ownerReferences.1"));
    del(c, KUBE_LEASE, "other");
    settle(c);
    assert_false(exists(c, KUBE_LEASE, "below"));
}

static void an_owner_that_never_was_takes_its_dependent_along(Case *c) {
    lease(c, "below", "{apiVersion: coordination.k8s.io/v1, kind: Lease, name: none, uid: 'never'}");
    settle(c);
    assert_false(exists(c, KUBE_LEASE, "below"));
}

static void an_owner_of_the_same_name_and_another_uid_is_none(Case *c) {
    lease(c, "top", "");
    lease(c, "below", "{apiVersion: coordination.k8s.io/v1, kind: Lease, name: top, uid: 'other'}");
    settle(c);
    assert_false(exists(c, KUBE_LEASE, "below"));
}

static void an_owner_without_namespace_is_found(Case *c) {
    Value node = create(c, KUBE_NODE, "{metadata: {name: 'node-${id}'}}");
    const char *reference = arena_printf(&c->arena, "{apiVersion: v1, kind: Node, name: %.*s, uid: '%.*s'}",
                                         SLICE_ARG(kube_name(&node)), SLICE_ARG(kube_uid(&node)))
                                .ptr;

    lease(c, "below", reference);
    settle(c);
    assert_true(exists(c, KUBE_LEASE, "below"));
    del(c, KUBE_NODE, "node-${id}");
    settle(c);
    assert_false(exists(c, KUBE_LEASE, "below"));
}

static void finalizers_hold_collected_objects(Case *c) {
    Value top = lease(c, "top", "");

    lease(c, "below", owner(c, &top, false));
    merge(c, KUBE_LEASE, "below", KUBE_OBJECT, "{metadata: {finalizers: [example.com/a]}}");
    del(c, KUBE_LEASE, "top");
    settle(c);
    assert_true(exists(c, KUBE_LEASE, "below"));
    merge(c, KUBE_LEASE, "below", KUBE_OBJECT, "{metadata: {finalizers: null}}");
    assert_false(exists(c, KUBE_LEASE, "below"));
}

static void orphaned_dependents_stay_without_owner(Case *c) {
    Value top = lease(c, "top", ""), below;

    lease(c, "below", owner(c, &top, false));
    try_delete(c, KUBE_LEASE, "top", &(KubeDeletion){.propagation = KUBE_PROPAGATION_ORPHAN});
    settle(c);
    assert_false(exists(c, KUBE_LEASE, "top"));
    below = get(c, KUBE_LEASE, "below");
    assert_false(has(&below, "metadata.ownerReferences.0"));
}

static void jobs_orphan_their_pods_unless_told_otherwise(Case *c) {
    Value job = create(c, KUBE_JOB,
                       "{metadata: {name: batch}, spec: {parallelism: 0, template: {spec: {restartPolicy: Never, "
                       "containers: [{name: a, image: i}]}}}}");
    const char *reference = arena_printf(&c->arena, "{apiVersion: batch/v1, kind: Job, name: batch, uid: '%.*s'}",
                                         SLICE_ARG(kube_uid(&job)))
                                .ptr;

    lease(c, "below", reference);
    settle(c); // a collector that hears of the lease later than of the job's end takes it along
    del(c, KUBE_JOB, "batch");
    settle(c);
    assert_false(exists(c, KUBE_JOB, "batch"));
    assert_true(exists(c, KUBE_LEASE, "below"));
}

static void foreground_deletion_waits_for_blocking_dependents(Case *c) {
    Value top = lease(c, "top", ""), waiting;

    lease(c, "below", owner(c, &top, true));
    merge(c, KUBE_LEASE, "below", KUBE_OBJECT, "{metadata: {finalizers: [example.com/a]}}");
    try_delete(c, KUBE_LEASE, "top", &(KubeDeletion){.propagation = KUBE_PROPAGATION_FOREGROUND});
    waiting = get(c, KUBE_LEASE, "top");
    assert_at(&waiting, "metadata.finalizers.0", "foregroundDeletion");
    settle(c);
    assert_true(exists(c, KUBE_LEASE, "top"));
    waiting = get(c, KUBE_LEASE, "below");
    assert_true(kube_is_deleting(&waiting));
    merge(c, KUBE_LEASE, "below", KUBE_OBJECT, "{metadata: {finalizers: null}}");
    settle(c);
    assert_false(exists(c, KUBE_LEASE, "below"));
    assert_false(exists(c, KUBE_LEASE, "top"));
}

static void foreground_deletion_does_not_wait_for_others(Case *c) {
    Value top = lease(c, "top", "");

    lease(c, "below", owner(c, &top, false));
    merge(c, KUBE_LEASE, "below", KUBE_OBJECT, "{metadata: {finalizers: [example.com/a]}}");
    try_delete(c, KUBE_LEASE, "top", &(KubeDeletion){.propagation = KUBE_PROPAGATION_FOREGROUND});
    settle(c);
    assert_false(exists(c, KUBE_LEASE, "top"));
    assert_true(exists(c, KUBE_LEASE, "below"));
    merge(c, KUBE_LEASE, "below", KUBE_OBJECT, "{metadata: {finalizers: null}}");
}

static void foreground_deletion_goes_down_the_tree(Case *c) {
    Value top = lease(c, "top", ""), middle = lease(c, "middle", owner(c, &top, true));

    lease(c, "below", owner(c, &middle, true));
    merge(c, KUBE_LEASE, "below", KUBE_OBJECT, "{metadata: {finalizers: [example.com/a]}}");
    try_delete(c, KUBE_LEASE, "top", &(KubeDeletion){.propagation = KUBE_PROPAGATION_FOREGROUND});
    settle(c);
    assert_true(exists(c, KUBE_LEASE, "top"));
    assert_true(exists(c, KUBE_LEASE, "middle"));
    merge(c, KUBE_LEASE, "below", KUBE_OBJECT, "{metadata: {finalizers: null}}");
    settle(c);
    assert_false(exists(c, KUBE_LEASE, "middle"));
    assert_false(exists(c, KUBE_LEASE, "top"));
}

static void a_dependent_that_lets_go_frees_its_owner(Case *c) {
    Value top = lease(c, "top", "");

    lease(c, "below", owner(c, &top, true));
    merge(c, KUBE_LEASE, "below", KUBE_OBJECT, "{metadata: {finalizers: [example.com/a]}}");
    try_delete(c, KUBE_LEASE, "top", &(KubeDeletion){.propagation = KUBE_PROPAGATION_FOREGROUND});
    settle(c);
    assert_true(exists(c, KUBE_LEASE, "top"));
    merge(c, KUBE_LEASE, "below", KUBE_OBJECT, "{metadata: {ownerReferences: null}}");
    settle(c);
    assert_false(exists(c, KUBE_LEASE, "top"));
    merge(c, KUBE_LEASE, "below", KUBE_OBJECT, "{metadata: {finalizers: null}}");
}

const CaseEntry collection_cases[] = {
    CASE(dependents_go_after_their_owner),
    CASE(dependents_of_dependents_go_too),
    CASE(an_object_with_another_owner_stays),
    CASE(an_owner_that_never_was_takes_its_dependent_along),
    CASE(an_owner_of_the_same_name_and_another_uid_is_none),
    CASE(an_owner_without_namespace_is_found),
    CASE(finalizers_hold_collected_objects),
    CASE(orphaned_dependents_stay_without_owner),
    CASE(jobs_orphan_their_pods_unless_told_otherwise),
    CASE(foreground_deletion_waits_for_blocking_dependents),
    CASE(foreground_deletion_does_not_wait_for_others),
    CASE(foreground_deletion_goes_down_the_tree),
    CASE(a_dependent_that_lets_go_frees_its_owner),
    CASES_END,
};
