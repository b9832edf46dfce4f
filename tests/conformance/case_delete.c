// Deletion: preconditions, finalizers, grace of pods.
#include "suite.h"

#include "text/duration.h"

static void a_deleted_object_is_gone(Case *c) {
    create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {}}");
    del(c, KUBE_LEASE, "one");
    assert_false(exists(c, KUBE_LEASE, "one"));
}

static void deleting_what_is_not_there_is_not_found(Case *c) {
    try_delete(c, KUBE_LEASE, "none", NULL);
    assert_failed(c, ERR_NOT_FOUND, KUBE_REASON_NOT_FOUND, "leases.coordination.k8s.io \"none\" not found");
}

static void a_recreated_object_has_another_uid(Case *c) {
    Value one = create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {}}"), other;

    del(c, KUBE_LEASE, "one");
    other = create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {}}");
    assert_false(slice_eq(kube_uid(&one), kube_uid(&other)));
}

static void deletion_of_another_uid_conflicts(Case *c) {
    create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {}}");
    try_delete(c, KUBE_LEASE, "one", &(KubeDeletion){.uid = SLICE("other")});
    assert_failed(c, ERR_CONFLICT, KUBE_REASON_CONFLICT,
                  "the UID in the precondition (other) does not match the UID in record");
    assert_true(exists(c, KUBE_LEASE, "one"));
}

static void deletion_of_an_old_revision_conflicts(Case *c) {
    Value lease = create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {}}");

    merge(c, KUBE_LEASE, "one", KUBE_OBJECT, "{spec: {holderIdentity: x}}");
    try_delete(c, KUBE_LEASE, "one", &(KubeDeletion){.revision = kube_revision(&lease)});
    assert_failed(c, ERR_CONFLICT, KUBE_REASON_CONFLICT, "the ResourceVersion in the precondition");
}

static void deletion_with_right_preconditions_goes_through(Case *c) {
    Value lease = create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {}}");

    assert_int_equal(
        try_delete(c, KUBE_LEASE, "one", &(KubeDeletion){.uid = kube_uid(&lease), .revision = kube_revision(&lease)}),
        OK);
    assert_false(exists(c, KUBE_LEASE, "one"));
}

// Finalizers.

static void a_finalizer_holds_a_deleted_object(Case *c) {
    Value lease = create(c, KUBE_LEASE, "{metadata: {name: one, finalizers: [example.com/hold]}, spec: {}}");

    del(c, KUBE_LEASE, "one");
    lease = get(c, KUBE_LEASE, "one");
    assert_true(kube_is_deleting(&lease));
    assert_at(&lease, "metadata.deletionGracePeriodSeconds", "0");
    merge(c, KUBE_LEASE, "one", KUBE_OBJECT, "{metadata: {finalizers: null}}");
    assert_false(exists(c, KUBE_LEASE, "one"));
}

static void the_object_goes_with_the_last_finalizer(Case *c) {
    create(c, KUBE_LEASE, "{metadata: {name: one, finalizers: [example.com/a, example.com/b]}, spec: {}}");
    del(c, KUBE_LEASE, "one");
    merge(c, KUBE_LEASE, "one", KUBE_OBJECT, "{metadata: {finalizers: [example.com/b]}}");
    assert_true(exists(c, KUBE_LEASE, "one"));
    merge(c, KUBE_LEASE, "one", KUBE_OBJECT, "{metadata: {finalizers: []}}");
    assert_false(exists(c, KUBE_LEASE, "one"));
}

static void no_finalizer_is_added_to_a_deleted_object(Case *c) {
    create(c, KUBE_LEASE, "{metadata: {name: one, finalizers: [example.com/a]}, spec: {}}");
    del(c, KUBE_LEASE, "one");
    try_patch(c, KUBE_LEASE, "one", KUBE_OBJECT, KUBE_PATCH_MERGE,
              "{metadata: {finalizers: [example.com/a, example.com/b]}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID,
                  "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted");
    merge(c, KUBE_LEASE, "one", KUBE_OBJECT, "{metadata: {finalizers: null}}");
}

static void deletion_makes_a_new_generation(Case *c) {
    Value budget = create(c, KUBE_POD_DISRUPTION_BUDGET,
                          "{metadata: {name: b, finalizers: [example.com/a]}, spec: {minAvailable: 1, selector: "
                          "{matchLabels: {a: b}}}}");

    del(c, KUBE_POD_DISRUPTION_BUDGET, "b");
    budget = get(c, KUBE_POD_DISRUPTION_BUDGET, "b");
    assert_int_equal(kube_generation(&budget), 2);
    merge(c, KUBE_POD_DISRUPTION_BUDGET, "b", KUBE_OBJECT, "{metadata: {finalizers: null}}");
}

static void a_second_deletion_changes_nothing(Case *c) {
    Value first, second;

    create(c, KUBE_LEASE, "{metadata: {name: one, finalizers: [example.com/a]}, spec: {}}");
    del(c, KUBE_LEASE, "one");
    first = get(c, KUBE_LEASE, "one");
    del(c, KUBE_LEASE, "one");
    second = get(c, KUBE_LEASE, "one");
    assert_true(kube_revision(&first) == kube_revision(&second));
    merge(c, KUBE_LEASE, "one", KUBE_OBJECT, "{metadata: {finalizers: null}}");
}

static void a_deletion_is_not_taken_back(Case *c) {
    Value lease;

    create(c, KUBE_LEASE, "{metadata: {name: one, finalizers: [example.com/a]}, spec: {}}");
    del(c, KUBE_LEASE, "one");
    lease = merge(c, KUBE_LEASE, "one", KUBE_OBJECT, "{metadata: {deletionTimestamp: null, labels: {a: b}}}");
    assert_true(kube_is_deleting(&lease));
    merge(c, KUBE_LEASE, "one", KUBE_OBJECT, "{metadata: {finalizers: null}}");
}

static void a_name_that_is_going_away_is_still_taken(Case *c) {
    create(c, KUBE_LEASE, "{metadata: {name: one, finalizers: [example.com/a]}, spec: {}}");
    del(c, KUBE_LEASE, "one");
    try_create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {}}");
    assert_failed(c, ERR_CONFLICT, KUBE_REASON_ALREADY_EXISTS, "object is being deleted: ");
    merge(c, KUBE_LEASE, "one", KUBE_OBJECT, "{metadata: {finalizers: null}}");
}

// Pods.

static void a_pod_without_node_goes_at_once(Case *c) {
    make_pod(c, "p", "", NULL);
    del(c, KUBE_POD, "p");
    assert_false(exists(c, KUBE_POD, "p"));
}

static int64_t seconds_between(const Value *pod, const char *from, const char *to) {
    int64_t from_ns = 0, to_ns = 0;

    assert_int_equal(time_parse(at(pod, from), &from_ns, NULL), OK);
    assert_int_equal(time_parse(at(pod, to), &to_ns, NULL), OK);
    return (to_ns - from_ns) / NS_PER_S;
}

static void a_bound_pod_gets_its_grace(Case *c) {
    Value pod = make_pod(c, "p", "", "n");
    int64_t grace_s;

    del(c, KUBE_POD, "p");
    pod = get(c, KUBE_POD, "p");
    assert_at(&pod, "metadata.deletionGracePeriodSeconds", "30");
    grace_s = seconds_between(&pod, "metadata.creationTimestamp", "metadata.deletionTimestamp");
    assert_true(grace_s >= 30 && grace_s <= 60);
    assert_int_equal(try_delete(c, KUBE_POD, "p", &(KubeDeletion){.has_grace = true}), OK);
    assert_false(exists(c, KUBE_POD, "p"));
}

static void the_deletion_may_say_another_grace(Case *c) {
    Value pod = make_pod(c, "p", "", "n");

    assert_int_equal(try_delete(c, KUBE_POD, "p", &(KubeDeletion){.has_grace = true, .grace_s = 5}), OK);
    pod = get(c, KUBE_POD, "p");
    assert_at(&pod, "metadata.deletionGracePeriodSeconds", "5");
    try_delete(c, KUBE_POD, "p", &(KubeDeletion){.has_grace = true});
}

static void grace_may_be_shortened_but_not_extended(Case *c) {
    Value pod;

    make_pod(c, "p", "", "n");
    del(c, KUBE_POD, "p");
    try_delete(c, KUBE_POD, "p", &(KubeDeletion){.has_grace = true, .grace_s = 100});
    pod = get(c, KUBE_POD, "p");
    assert_at(&pod, "metadata.deletionGracePeriodSeconds", "30");
    try_delete(c, KUBE_POD, "p", &(KubeDeletion){.has_grace = true, .grace_s = 10});
    pod = get(c, KUBE_POD, "p");
    assert_at(&pod, "metadata.deletionGracePeriodSeconds", "10");
    try_delete(c, KUBE_POD, "p", &(KubeDeletion){.has_grace = true});
}

static void an_ended_pod_goes_at_once(Case *c) {
    make_pod(c, "p", "", "n");
    merge(c, KUBE_POD, "p", KUBE_STATUS, "{status: {phase: Succeeded}}");
    del(c, KUBE_POD, "p");
    assert_false(exists(c, KUBE_POD, "p"));
}

static void a_pod_with_finalizer_stays_after_its_grace(Case *c) {
    create(c, KUBE_POD,
           "{metadata: {name: p, finalizers: [example.com/a]}, spec: {schedulerName: nobody, containers: [{name: a, "
           "image: i}]}}");
    del(c, KUBE_POD, "p");
    assert_true(exists(c, KUBE_POD, "p"));
    merge(c, KUBE_POD, "p", KUBE_OBJECT, "{metadata: {finalizers: null}}");
    assert_false(exists(c, KUBE_POD, "p"));
}

static void a_finalizer_removed_does_not_cut_the_grace_short(Case *c) {
    create(c, KUBE_POD,
           "{metadata: {name: p, finalizers: [example.com/a]}, spec: {nodeName: node, containers: [{name: a, image: "
           "i}]}}");
    del(c, KUBE_POD, "p");
    merge(c, KUBE_POD, "p", KUBE_OBJECT, "{metadata: {finalizers: null}}");
    assert_true(exists(c, KUBE_POD, "p"));
    try_delete(c, KUBE_POD, "p", &(KubeDeletion){.has_grace = true});
    assert_false(exists(c, KUBE_POD, "p"));
}

const CaseEntry deletion_cases[] = {
    CASE(a_deleted_object_is_gone),
    CASE(deleting_what_is_not_there_is_not_found),
    CASE(a_recreated_object_has_another_uid),
    CASE(deletion_of_another_uid_conflicts),
    CASE(deletion_of_an_old_revision_conflicts),
    CASE(deletion_with_right_preconditions_goes_through),
    CASE(a_finalizer_holds_a_deleted_object),
    CASE(the_object_goes_with_the_last_finalizer),
    CASE(no_finalizer_is_added_to_a_deleted_object),
    CASE(deletion_makes_a_new_generation),
    CASE(a_second_deletion_changes_nothing),
    CASE(a_deletion_is_not_taken_back),
    CASE(a_name_that_is_going_away_is_still_taken),
    CASE(a_pod_without_node_goes_at_once),
    CASE(a_bound_pod_gets_its_grace),
    CASE(the_deletion_may_say_another_grace),
    CASE(grace_may_be_shortened_but_not_extended),
    CASE(an_ended_pod_goes_at_once),
    CASE(a_pod_with_finalizer_stays_after_its_grace),
    CASE(a_finalizer_removed_does_not_cut_the_grace_short),
    CASES_END,
};
