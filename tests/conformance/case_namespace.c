// Namespaces: they must be there first, and take their content along.
#include "suite.h"

static void a_namespace_is_active(Case *c) {
    Value ns = get(c, KUBE_NAMESPACE, "${ns}");

    assert_at(&ns, "status.phase", "Active");
    assert_at(&ns, "spec.finalizers.0", "kubernetes");
    assert_true(slice_eq(value_at(&ns, "metadata", "labels", "kubernetes.io/metadata.name", NULL)->text, c->ns));
}

static void nothing_is_created_in_a_namespace_that_is_not_there(Case *c) {
    try_create(c, KUBE_LEASE, "{metadata: {name: one, namespace: 'none-${id}'}, spec: {}}");
    assert_failed(c, ERR_NOT_FOUND, KUBE_REASON_NOT_FOUND, "namespaces \"none-${id}\" not found");
}

static void a_deleted_namespace_takes_its_content_along(Case *c) {
    create(c, KUBE_NAMESPACE, "{metadata: {name: 'gone-${id}'}}");
    create(c, KUBE_LEASE, "{metadata: {name: one, namespace: 'gone-${id}'}, spec: {}}");
    create(c, KUBE_POD,
           "{metadata: {name: p, namespace: 'gone-${id}'}, spec: {schedulerName: nobody, containers: [{name: a, image: "
           "i}]}}");
    del(c, KUBE_NAMESPACE, "gone-${id}");
    settle(c);
    assert_false(exists(c, KUBE_NAMESPACE, "gone-${id}"));
    create(c, KUBE_NAMESPACE, "{metadata: {name: 'gone-${id}'}}");
    c->ns = unique(c, "gone");
    assert_false(exists(c, KUBE_LEASE, "one"));
    assert_false(exists(c, KUBE_POD, "p"));
}

static void a_namespace_waits_for_what_finalizers_hold(Case *c) {
    Value ns;

    create(c, KUBE_NAMESPACE, "{metadata: {name: 'held-${id}'}}");
    c->ns = unique(c, "held");
    create(c, KUBE_LEASE, "{metadata: {name: one, finalizers: [example.com/a]}, spec: {}}");
    del(c, KUBE_NAMESPACE, "held-${id}");
    settle(c);
    ns = get(c, KUBE_NAMESPACE, "held-${id}");
    assert_at(&ns, "status.phase", "Terminating");
    assert_true(kube_is_deleting(&ns));
    merge(c, KUBE_LEASE, "one", KUBE_OBJECT, "{metadata: {finalizers: null}}");
    settle(c);
    assert_false(exists(c, KUBE_NAMESPACE, "held-${id}"));
}

static void nothing_is_created_in_a_namespace_that_is_going_away(Case *c) {
    create(c, KUBE_NAMESPACE, "{metadata: {name: 'held-${id}'}}");
    c->ns = unique(c, "held");
    create(c, KUBE_LEASE, "{metadata: {name: one, finalizers: [example.com/a]}, spec: {}}");
    del(c, KUBE_NAMESPACE, "held-${id}");
    try_create(c, KUBE_LEASE, "{metadata: {name: two}, spec: {}}");
    assert_failed(c, ERR_DENIED, KUBE_REASON_FORBIDDEN,
                  "unable to create new content in namespace held-${id} because it is being terminated");
    merge(c, KUBE_LEASE, "one", KUBE_OBJECT, "{metadata: {finalizers: null}}");
    settle(c);
}

static void the_default_namespace_is_not_deleted(Case *c) {
    try_delete(c, KUBE_NAMESPACE, "default", NULL);
    assert_failed(c, ERR_DENIED, KUBE_REASON_FORBIDDEN,
                  "namespaces \"default\" is forbidden: this namespace may not be deleted");
}

static void names_of_namespaces_are_dns_labels(Case *c) {
    try_create(c, KUBE_NAMESPACE, "{metadata: {name: a.b}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "must not contain dots");
    try_create(c, KUBE_NAMESPACE, "{metadata: {name: Big_Name}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "a lowercase RFC 1123 label must consist of");
}

const CaseEntry namespace_cases[] = {
    CASE(a_namespace_is_active),
    CASE(nothing_is_created_in_a_namespace_that_is_not_there),
    CASE(a_deleted_namespace_takes_its_content_along),
    CASE(a_namespace_waits_for_what_finalizers_hold),
    CASE(nothing_is_created_in_a_namespace_that_is_going_away),
    CASE(the_default_namespace_is_not_deleted),
    CASE(names_of_namespaces_are_dns_labels),
    CASES_END,
};
