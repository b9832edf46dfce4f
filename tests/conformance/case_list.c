// Lists: selectors, order, pages.
#include "suite.h"

#include <stdio.h>

static void leases(Case *c, int from, int to) {
    for (int i = from; i < to; i++) {
        char yaml[128];

        snprintf(yaml, sizeof yaml, "{metadata: {name: lease-%02d, labels: {num: '%d', parity: %s}}, spec: {}}", i, i,
                 i % 2 ? "odd" : "even");
        create(c, KUBE_LEASE, yaml);
    }
}

static Slice names(Case *c, const ValueList *items) {
    Slice joined = SLICE("");

    for (vec_each(const Value, item, items))
        joined =
            arena_printf(&c->arena, "%.*s%s%.*s", SLICE_ARG(joined), joined.len ? " " : "", SLICE_ARG(kube_name(item)));
    return joined;
}

static void a_list_is_sorted_by_name(Case *c) {
    KubeList all;

    create(c, KUBE_LEASE, "{metadata: {name: b}, spec: {}}");
    create(c, KUBE_LEASE, "{metadata: {name: c}, spec: {}}");
    create(c, KUBE_LEASE, "{metadata: {name: a}, spec: {}}");
    all = list(c, KUBE_LEASE, "", "");
    assert_slice(names(c, &all.items), "a b c");
    assert_true(all.revision >= kube_revision(&all.items.items[0]));
}

static void a_list_is_of_one_namespace(Case *c) {
    KubeList all;

    create(c, KUBE_NAMESPACE, "{metadata: {name: 'other-${id}'}}");
    create(c, KUBE_LEASE, "{metadata: {name: here}, spec: {}}");
    create(c, KUBE_LEASE, "{metadata: {name: there, namespace: 'other-${id}'}, spec: {}}");
    all = list(c, KUBE_LEASE, "", "");
    assert_slice(names(c, &all.items), "here");
}

static void labels_select(Case *c) {
    KubeList found;

    leases(c, 0, 6);
    found = list(c, KUBE_LEASE, "parity=odd,num!=3", "");
    assert_slice(names(c, &found.items), "lease-01 lease-05");
    found = list(c, KUBE_LEASE, "num in (2,4), parity", "");
    assert_slice(names(c, &found.items), "lease-02 lease-04");
    found = list(c, KUBE_LEASE, "!parity", "");
    assert_int_equal(found.items.count, 0);
    found = list(c, KUBE_LEASE, "parity notin (even)", "");
    assert_slice(names(c, &found.items), "lease-01 lease-03 lease-05");
}

static void a_malformed_selector_is_a_bad_request(Case *c) {
    KubeListRequest request = {KUBE_LEASE, .ns = c->ns, .labels = SLICE("a in b")};
    KubeList found;

    kube_list(c->kube, &c->arena, &request, &found, &c->error);
    assert_failed(c, ERR_INVALID, KUBE_REASON_BAD_REQUEST, NULL);
}

static void the_field_metadata_name_selects(Case *c) {
    KubeList found;

    leases(c, 0, 3);
    found = list(c, KUBE_LEASE, "", "metadata.name=lease-01");
    assert_slice(names(c, &found.items), "lease-01");
    found = list(c, KUBE_LEASE, "", "metadata.name!=lease-01");
    assert_slice(names(c, &found.items), "lease-00 lease-02");
}

static void pods_are_selected_by_their_node(Case *c) {
    KubeList found;

    make_pod(c, "one", "", "n1");
    make_pod(c, "two", "", "n2");
    make_pod(c, "three", "", NULL);
    found = list(c, KUBE_POD, "", "spec.nodeName=n2");
    assert_slice(names(c, &found.items), "two");
    found = list(c, KUBE_POD, "", "spec.nodeName=,status.phase=Pending");
    assert_slice(names(c, &found.items), "three");
}

static void an_unknown_field_is_a_bad_request(Case *c) {
    KubeListRequest request = {KUBE_POD, .ns = c->ns, .fields = SLICE("spec.hostname=x")};
    KubeList found;

    kube_list(c->kube, &c->arena, &request, &found, &c->error);
    assert_failed(c, ERR_INVALID, KUBE_REASON_BAD_REQUEST, "field label not supported: spec.hostname");
}

// Pages.

static KubeList page(Case *c, uint32_t limit, Slice from) {
    KubeListRequest request = {KUBE_LEASE, .ns = c->ns, .limit = limit, .from = from};
    KubeList result = {0};

    assert_int_equal(kube_list(c->kube, &c->arena, &request, &result, &c->error), OK);
    return result;
}

static void pages_together_are_the_list(Case *c) {
    KubeList first, second, third;

    leases(c, 0, 5);
    first = page(c, 2, SLICE(""));
    assert_slice(names(c, &first.items), "lease-00 lease-01");
    assert_int_equal(first.remaining, 3);
    second = page(c, 2, first.next);
    assert_slice(names(c, &second.items), "lease-02 lease-03");
    third = page(c, 2, second.next);
    assert_slice(names(c, &third.items), "lease-04");
    assert_int_equal(third.next.len, 0);
}

static void a_page_that_just_fits_is_the_last(Case *c) {
    KubeList first;

    leases(c, 0, 3);
    first = page(c, 3, SLICE(""));
    assert_int_equal(first.items.count, 3);
    assert_int_equal(first.next.len, 0);
}

static void pages_show_the_state_of_the_first(Case *c) {
    KubeList first, second;

    leases(c, 0, 6);
    first = page(c, 2, SLICE(""));
    create(c, KUBE_LEASE, "{metadata: {name: lease-025}, spec: {}}");
    del(c, KUBE_LEASE, "lease-03");
    merge(c, KUBE_LEASE, "lease-04", KUBE_OBJECT, "{spec: {holderIdentity: changed}}");
    del(c, KUBE_LEASE, "lease-05");
    create(c, KUBE_LEASE, "{metadata: {name: lease-05}, spec: {holderIdentity: again}}");
    second = page(c, 10, first.next);
    assert_slice(names(c, &second.items), "lease-02 lease-03 lease-04 lease-05");
    assert_false(has(&second.items.items[2], "spec.holderIdentity"));
    assert_false(has(&second.items.items[3], "spec.holderIdentity"));
    assert_true(second.revision == first.revision);
}

static void pages_of_a_forgotten_state_are_gone(Case *c) {
    KubeListRequest request = {KUBE_LEASE, .ns = c->ns, .limit = 2};
    KubeList result;

    leases(c, 0, 4);
    result = page(c, 2, SLICE(""));
    create(c, KUBE_LEASE, "{metadata: {name: later}, spec: {}}");
    if (!c->harness->forget_history(c->harness))
        skip();
    request.from = result.next;
    kube_list(c->kube, &c->arena, &request, &result, &c->error);
    assert_failed(c, ERR_GONE, KUBE_REASON_EXPIRED, "The provided continue parameter is too old");
}

static void pages_keep_the_selector(Case *c) {
    KubeListRequest request = {KUBE_LEASE, .ns = c->ns, .labels = SLICE("parity=odd"), .limit = 2};
    KubeList first, second;

    leases(c, 0, 7);
    assert_int_equal(kube_list(c->kube, &c->arena, &request, &first, &c->error), OK);
    assert_slice(names(c, &first.items), "lease-01 lease-03");
    request.from = first.next;
    assert_int_equal(kube_list(c->kube, &c->arena, &request, &second, &c->error), OK);
    assert_slice(names(c, &second.items), "lease-05");
}

static void a_state_of_the_future_times_out(Case *c) {
    KubeListRequest request = {KUBE_LEASE, .ns = c->ns};
    KubeList now = list(c, KUBE_LEASE, "", "");

    request.at = now.revision + 1000000;
    kube_list(c->kube, &c->arena, &request, &now, &c->error);
    assert_failed(c, ERR_TIMEOUT, KUBE_REASON_TIMEOUT, "Too large resource version");
}

const CaseEntry list_cases[] = {
    CASE(a_list_is_sorted_by_name),
    CASE(a_list_is_of_one_namespace),
    CASE(labels_select),
    CASE(a_malformed_selector_is_a_bad_request),
    CASE(the_field_metadata_name_selects),
    CASE(pods_are_selected_by_their_node),
    CASE(an_unknown_field_is_a_bad_request),
    CASE(pages_together_are_the_list),
    CASE(a_page_that_just_fits_is_the_last),
    CASE(pages_show_the_state_of_the_first),
    CASE_ALONE(pages_of_a_forgotten_state_are_gone),
    CASE(pages_keep_the_selector),
    CASE(a_state_of_the_future_times_out),
    CASES_END,
};
