// Creation: names, system metadata, first status, and what is refused.
#include "suite.h"

#define LEASE "{metadata: {name: one}, spec: {holderIdentity: me}}"

static void creation_fills_in_system_metadata(Case *c) {
    Value lease = create(c, KUBE_LEASE, LEASE);

    assert_at(&lease, "apiVersion", "coordination.k8s.io/v1");
    assert_at(&lease, "kind", "Lease");
    assert_int_equal(at(&lease, "metadata.uid").len, 36);
    assert_int_equal(at(&lease, "metadata.creationTimestamp").len, 20);
    assert_true(kube_revision(&lease) > 0);
    assert_at(&lease, "spec.holderIdentity", "me");
}

static void get_returns_what_was_created(Case *c) {
    Value made = create(c, KUBE_LEASE, LEASE), found = get(c, KUBE_LEASE, "one");

    assert_true(value_eq(&made, &found));
}

static void a_second_object_of_that_name_already_exists(Case *c) {
    create(c, KUBE_LEASE, LEASE);
    try_create(c, KUBE_LEASE, LEASE);
    assert_failed(c, ERR_CONFLICT, KUBE_REASON_ALREADY_EXISTS, "leases.coordination.k8s.io \"one\" already exists");
}

static void the_same_name_may_be_taken_in_another_namespace(Case *c) {
    create(c, KUBE_LEASE, LEASE);
    create(c, KUBE_NAMESPACE, "{metadata: {name: 'other-${id}'}}");
    create(c, KUBE_LEASE, "{metadata: {name: one, namespace: 'other-${id}'}, spec: {}}");
}

static void an_object_that_is_not_there_is_not_found(Case *c) {
    assert_false(exists(c, KUBE_LEASE, "none"));
    assert_failed(c, ERR_NOT_FOUND, KUBE_REASON_NOT_FOUND, "leases.coordination.k8s.io \"none\" not found");
}

static void generate_name_gives_different_names(Case *c) {
    Value one = create(c, KUBE_LEASE, "{metadata: {generateName: batch-}, spec: {}}");
    Value other = create(c, KUBE_LEASE, "{metadata: {generateName: batch-}, spec: {}}");

    assert_true(slice_starts_with(kube_name(&one), SLICE("batch-")));
    assert_int_equal(kube_name(&one).len, sizeof "batch-" - 1 + 5);
    assert_false(slice_eq(kube_name(&one), kube_name(&other)));
    assert_at(&one, "metadata.generateName", "batch-");
}

static void a_name_is_required(Case *c) {
    try_create(c, KUBE_LEASE, "{metadata: {}, spec: {}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "name or generateName is required");
}

static void names_are_dns_subdomains(Case *c) {
    try_create(c, KUBE_LEASE, "{metadata: {name: Big_Name}, spec: {}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "a lowercase RFC 1123 subdomain must consist of");
}

static void label_values_are_checked(Case *c) {
    try_create(c, KUBE_LEASE, "{metadata: {name: one, labels: {a: 'not valid'}}, spec: {}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "a valid label must be an empty string or consist of");
}

static void label_keys_are_checked(Case *c) {
    try_create(c, KUBE_LEASE, "{metadata: {name: one, labels: {'a b': x}}, spec: {}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "name part must consist of alphanumeric characters");
}

static void a_new_object_may_not_bring_a_resource_version(Case *c) {
    try_create(c, KUBE_LEASE, "{metadata: {name: one, resourceVersion: '5'}, spec: {}}");
    assert_failed(c, ERR_IO, KUBE_REASON_UNKNOWN, "resourceVersion should not be set on objects to be created");
}

static void uid_and_deletion_are_the_servers_to_give(Case *c) {
    Value lease = create(c, KUBE_LEASE,
                         "{metadata: {name: one, uid: mine, generation: 7, creationTimestamp: '2001-01-01T00:00:00Z', "
                         "deletionTimestamp: '2001-01-01T00:00:00Z'}, spec: {}}");

    assert_int_equal(at(&lease, "metadata.uid").len, 36);
    assert_false(has(&lease, "metadata.deletionTimestamp"));
    assert_false(slice_starts_with(at(&lease, "metadata.creationTimestamp"), SLICE("2001")));
}

static void owner_references_must_be_whole(Case *c) {
    try_create(c, KUBE_LEASE,
               "{metadata: {name: one, ownerReferences: [{apiVersion: v1, kind: Node, name: x}]}, spec: {}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "metadata.ownerReferences");
}

static void only_one_owner_may_be_the_controller(Case *c) {
    try_create(c, KUBE_LEASE,
               "{metadata: {name: one, ownerReferences: ["
               "{apiVersion: v1, kind: Node, name: x, uid: '1', controller: true}, "
               "{apiVersion: v1, kind: Node, name: z, uid: '2', controller: true}]}, spec: {}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_INVALID, "Only one reference can have Controller set to true");
}

static void a_new_object_starts_without_status(Case *c) {
    Value claim =
        create(c, KUBE_NODE_CLAIM,
               "{metadata: {name: 'nc-${id}'}, spec: {requirements: [], nodeClassRef: {group: karpenter.kwok.sh, "
               "kind: KWOKNodeClass, name: default}}, status: {providerID: 'kwok://x'}}");

    assert_false(has(&claim, "status.providerID"));
    del(c, KUBE_NODE_CLAIM, "nc-${id}");
}

static void nodes_may_start_with_status(Case *c) {
    Value node = create(c, KUBE_NODE, "{metadata: {name: 'node-${id}'}, status: {capacity: {cpu: '4'}}}");

    assert_at(&node, "status.capacity.cpu", "4");
    assert_at(&node, "status.allocatable.cpu", "4"); // unless it says otherwise
    del(c, KUBE_NODE, "node-${id}");
}

static void revisions_grow_over_all_kinds(Case *c) {
    Value lease = create(c, KUBE_LEASE, LEASE), pod = make_pod(c, "one", "", NULL);

    assert_true(kube_revision(&pod) > kube_revision(&lease));
}

static void wrong_types_are_bad_requests(Case *c) {
    try_create(c, KUBE_LEASE, "{metadata: {name: one, labels: [a]}, spec: {}}");
    assert_failed(c, ERR_INVALID, KUBE_REASON_BAD_REQUEST, NULL);
}

const CaseEntry creation_cases[] = {
    CASE(creation_fills_in_system_metadata),
    CASE(get_returns_what_was_created),
    CASE(a_second_object_of_that_name_already_exists),
    CASE(the_same_name_may_be_taken_in_another_namespace),
    CASE(an_object_that_is_not_there_is_not_found),
    CASE(generate_name_gives_different_names),
    CASE(a_name_is_required),
    CASE(names_are_dns_subdomains),
    CASE(label_values_are_checked),
    CASE(label_keys_are_checked),
    CASE(a_new_object_may_not_bring_a_resource_version),
    CASE(uid_and_deletion_are_the_servers_to_give),
    CASE(owner_references_must_be_whole),
    CASE(only_one_owner_may_be_the_controller),
    CASE(a_new_object_starts_without_status),
    CASE(nodes_may_start_with_status),
    CASE(revisions_grow_over_all_kinds),
    CASE(wrong_types_are_bad_requests),
    CASES_END,
};
