// Watches: their events, their start, and their end.
#include "suite.h"

static KubeWatchRequest from(Case *c, KubeRevision revision) {
    return (KubeWatchRequest){.kind = KUBE_LEASE, .ns = c->ns, .revision = revision};
}

static KubeRevision now(Case *c) {
    return list(c, KUBE_LEASE, "", "").revision;
}

static void a_watch_tells_what_happens(Case *c) {
    KubeWatchRequest request = from(c, now(c));
    Notes *told = watch(c, &request);

    create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {}}");
    merge(c, KUBE_LEASE, "one", KUBE_OBJECT, "{spec: {holderIdentity: x}}");
    del(c, KUBE_LEASE, "one");
    assert_notes(c, told, "ADDED one, MODIFIED one, DELETED one");
    unwatch(c, told);
}

static void a_watch_goes_on_where_another_ended(Case *c) {
    KubeWatchRequest request = from(c, now(c));
    Notes *told = watch(c, &request);

    create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {}}");
    assert_notes(c, told, "ADDED one");
    request.revision = told->revision;
    unwatch(c, told);
    create(c, KUBE_LEASE, "{metadata: {name: two}, spec: {}}");
    del(c, KUBE_LEASE, "one");
    told = watch(c, &request);
    assert_notes(c, told, "ADDED two, DELETED one");
    unwatch(c, told);
}

static void a_watch_from_nowhere_starts_with_the_present(Case *c) {
    KubeWatchRequest request = from(c, 0);
    Notes *told;

    create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {}}");
    create(c, KUBE_LEASE, "{metadata: {name: two}, spec: {}}");
    told = watch(c, &request);
    assert_notes(c, told, "ADDED one, ADDED two");
    del(c, KUBE_LEASE, "one");
    assert_notes(c, told, "DELETED one");
    unwatch(c, told);
}

static void initial_events_end_with_a_bookmark(Case *c) {
    KubeWatchRequest request = from(c, 0);
    Notes *told;

    create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {}}");
    request.initial_events = request.bookmarks = true;
    told = watch(c, &request);
    assert_notes(c, told, "ADDED one, INITIAL END");
    create(c, KUBE_LEASE, "{metadata: {name: two}, spec: {}}");
    assert_notes(c, told, "ADDED two");
    unwatch(c, told);
}

// A real server sends one about once a minute; the two watches wait for it together.
static void bookmarks_move_those_on_who_want_them(Case *c) {
    KubeWatchRequest request = from(c, now(c));
    Notes *told, *without = watch(c, &request);
    KubeRevision before;

    request.bookmarks = true;
    told = watch(c, &request);
    settle(c);
    before = told->revision;
    create(c, KUBE_NAMESPACE, "{metadata: {name: 'other-${id}'}}");
    create(c, KUBE_LEASE, "{metadata: {name: there, namespace: 'other-${id}'}, spec: {}}"); // not told
    c->harness->pass(c->harness, 70);
    assert_true(slice_starts_with(notes(c, told), SLICE("BOOKMARK")));
    assert_true(told->revision > before);
    assert_notes(c, without, "");
    unwatch(c, told);
    unwatch(c, without);
}

static void revisions_of_events_grow(Case *c) {
    KubeWatchRequest request = from(c, now(c));
    Notes *told = watch(c, &request);
    KubeRevision first;

    create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {}}");
    assert_notes(c, told, "ADDED one");
    first = told->revision;
    assert_true(kube_revision(&told->last) == first);
    del(c, KUBE_LEASE, "one");
    assert_notes(c, told, "DELETED one");
    assert_true(told->revision > first);
    assert_true(kube_revision(&told->last) == told->revision); // of the deletion, not of the last write
    unwatch(c, told);
}

static void a_watch_of_a_namespace_hears_nothing_of_others(Case *c) {
    KubeWatchRequest request = from(c, now(c));
    Notes *told;

    create(c, KUBE_NAMESPACE, "{metadata: {name: 'other-${id}'}}");
    told = watch(c, &request);
    create(c, KUBE_LEASE, "{metadata: {name: there, namespace: 'other-${id}'}, spec: {}}");
    create(c, KUBE_LEASE, "{metadata: {name: here}, spec: {}}");
    assert_notes(c, told, "ADDED here");
    unwatch(c, told);
}

static void an_object_that_begins_to_match_is_added(Case *c) {
    KubeWatchRequest request = from(c, now(c));
    Notes *told;

    request.labels = SLICE("a=b");
    told = watch(c, &request);
    create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {}}");
    assert_notes(c, told, "");
    merge(c, KUBE_LEASE, "one", KUBE_OBJECT, "{metadata: {labels: {a: b}}}");
    assert_notes(c, told, "ADDED one");
    merge(c, KUBE_LEASE, "one", KUBE_OBJECT, "{spec: {holderIdentity: x}}");
    assert_notes(c, told, "MODIFIED one");
    merge(c, KUBE_LEASE, "one", KUBE_OBJECT, "{metadata: {labels: {a: c}}}");
    assert_notes(c, told, "DELETED one");
    assert_at(&told->last, "metadata.labels.a", "b"); // as it was when it still matched
    merge(c, KUBE_LEASE, "one", KUBE_OBJECT, "{metadata: {labels: {a: d}}}");
    assert_notes(c, told, "");
    unwatch(c, told);
}

static void pods_are_watched_by_their_node(Case *c) {
    KubeWatchRequest request = {.kind = KUBE_POD, .ns = c->ns, .fields = SLICE("spec.nodeName=n1"), .revision = now(c)};
    Notes *told = watch(c, &request);

    make_pod(c, "p", "", NULL);
    assert_notes(c, told, "");
    assert_int_equal(kube_bind(c->kube, ref(c, KUBE_POD, "p"), SLICE(""), SLICE("n1"), &c->error), OK);
    assert_notes(c, told, "ADDED p");
    unwatch(c, told);
}

static void a_write_that_changes_nothing_is_not_told(Case *c) {
    KubeWatchRequest request;
    Notes *told;

    create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {holderIdentity: x}}");
    request = from(c, now(c));
    told = watch(c, &request);
    merge(c, KUBE_LEASE, "one", KUBE_OBJECT, "{spec: {holderIdentity: x}}");
    assert_notes(c, told, "");
    unwatch(c, told);
}

static void the_last_finalizer_gone_is_told_as_deletion(Case *c) {
    KubeWatchRequest request;
    Notes *told;

    create(c, KUBE_LEASE, "{metadata: {name: one, finalizers: [example.com/a]}, spec: {}}");
    request = from(c, now(c));
    told = watch(c, &request);
    del(c, KUBE_LEASE, "one");
    assert_notes(c, told, "MODIFIED one");
    merge(c, KUBE_LEASE, "one", KUBE_OBJECT, "{metadata: {finalizers: null}}");
    assert_notes(c, told, "DELETED one");
    unwatch(c, told);
}

static void a_pod_killed_at_once_is_first_told_as_going(Case *c) {
    KubeWatchRequest request = {.kind = KUBE_POD, .ns = c->ns};
    Notes *told;

    make_pod(c, "p", "", "n");
    request.revision = now(c);
    told = watch(c, &request);
    try_delete(c, KUBE_POD, "p", &(KubeDeletion){.has_grace = true});
    assert_notes(c, told, "MODIFIED p, DELETED p");
    unwatch(c, told);
}

// A real server that has never forgotten anything knows it: the lists' cases have made it forget before this one.
static void the_beginning_of_time_is_too_old(Case *c) {
    KubeWatchRequest request = from(c, 1);

    try_watch(c, &request);
    assert_failed(c, ERR_GONE, KUBE_REASON_EXPIRED, "too old resource version: 1 (");
}

static void forgotten_history_is_too_old(Case *c) {
    KubeWatchRequest request = from(c, now(c));

    create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {}}");
    create(c, KUBE_LEASE, "{metadata: {name: two}, spec: {}}");
    if (!c->harness->forget_history(c->harness))
        skip();
    try_watch(c, &request);
    assert_failed(c, ERR_GONE, KUBE_REASON_EXPIRED, "too old resource version");
}

static void a_dropped_watch_says_that_it_ended(Case *c) {
    KubeWatchRequest request = from(c, now(c));
    Notes *told = watch(c, &request), *again;

    create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {}}");
    assert_notes(c, told, "ADDED one");
    if (!c->harness->drop_watches(c->harness)) {
        unwatch(c, told);
        skip();
    }
    assert_true(slice_starts_with(notes(c, told), SLICE("ENDED")));
    create(c, KUBE_LEASE, "{metadata: {name: two}, spec: {}}");
    assert_notes(c, told, "");
    request.revision = told->revision;
    again = watch(c, &request);
    assert_notes(c, again, "ADDED two");
    unwatch(c, told);
    unwatch(c, again);
}

static void several_watches_hear_the_same(Case *c) {
    KubeWatchRequest request = from(c, now(c));
    Notes *one = watch(c, &request), *other = watch(c, &request);

    create(c, KUBE_LEASE, "{metadata: {name: one}, spec: {}}");
    assert_notes(c, one, "ADDED one");
    assert_notes(c, other, "ADDED one");
    unwatch(c, one);
    del(c, KUBE_LEASE, "one");
    assert_notes(c, other, "DELETED one");
    unwatch(c, other);
}

const CaseEntry watch_cases[] = {
    CASE(a_watch_tells_what_happens),
    CASE(a_watch_goes_on_where_another_ended),
    CASE(a_watch_from_nowhere_starts_with_the_present),
    CASE(initial_events_end_with_a_bookmark),
    CASE(bookmarks_move_those_on_who_want_them),
    CASE(revisions_of_events_grow),
    CASE(a_watch_of_a_namespace_hears_nothing_of_others),
    CASE(an_object_that_begins_to_match_is_added),
    CASE(pods_are_watched_by_their_node),
    CASE(a_write_that_changes_nothing_is_not_told),
    CASE(the_last_finalizer_gone_is_told_as_deletion),
    CASE(a_pod_killed_at_once_is_first_told_as_going),
    CASE_ALONE(the_beginning_of_time_is_too_old),
    CASE_ALONE(forgotten_history_is_too_old),
    CASE_ALONE(a_dropped_watch_says_that_it_ended),
    CASE(several_watches_hear_the_same),
    CASES_END,
};
