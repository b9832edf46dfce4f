// A whole tenon process on the embedded API server, with KWOK's provider, threads and the system's clock: it waits for
// the lease, leads, provisions nodes, stops, and another process takes over.
#include "cli/support/place.h"

TEST_F(Place, place, a_lone_process_gives_pods_their_nodes_and_stops) {
    Process *process;

    place_add_pod(place, "first");
    process = process_begin(place, false);
    WAIT_FOR(place_count(place, KUBE_NODE) == 1);
    assert_int_equal(place_count(place, KUBE_NODE_CLAIM), 1);
    assert_int_equal(place_count(place, KUBE_LEASE), 0);
    WAIT_FOR(place_lines(place, "\"message\":\"registered nodeclaim\"") == 1);
    assert_int_equal(process_stop(process), MANAGER_STOPPED);
    assert_int_equal(place_lines(place, "\"message\":\"created nodeclaim\""), 1);
    assert_int_equal(place_lines(place, "\"controllerKind\":\"NodeClaim\""),
                     place_lines(place, "\"controller\":\"nodeclaim.lifecycle\""));
}

TEST_F(Place, place, one_of_two_leads_and_the_other_goes_on_where_it_stopped) {
    Process *first = process_begin(place, true), *second;
    char name[64];

    WAIT_FOR(manager_leads(first->manager));
    second = process_begin(place, true);
    place_add_pod(place, "first");
    WAIT_FOR(place_count(place, KUBE_NODE) == 1);
    assert_false(manager_leads(second->manager));
    place_holder(place, name, sizeof name);
    assert_string_equal(name, "process-0");
    assert_int_equal(process_stop(first), MANAGER_STOPPED);
    WAIT_FOR(manager_leads(second->manager));
    place_holder(place, name, sizeof name);
    assert_string_equal(name, "process-1");
    WAIT_FOR(place_lines(place, "\"message\":\"registered nodeclaim\"") >= 1);
    assert_int_equal(place_count(place, KUBE_NODE_CLAIM), 1); // nothing is launched twice
    assert_int_equal(place_lines(place, "\"message\":\"successfully acquired leader lease\""), 2);
    assert_int_equal(process_stop(second), MANAGER_STOPPED);
    place_holder(place, name, sizeof name);
    assert_string_equal(name, "");
}

TEST_F(Place, place, a_leader_that_loses_the_lease_ends) {
    Process *process = process_begin(place, true);
    char name[64];

    WAIT_FOR(manager_leads(process->manager));
    place_patch(place, (KubeRef){KUBE_LEASE, SLICE("kube-system"), SLICE(LEASE_NAME)}, KUBE_OBJECT,
                "{spec: {holderIdentity: somebody}}");
    process_join(process);
    assert_int_equal(process->end, MANAGER_LOST);
    assert_false(manager_may_write(process->manager));
    assert_int_equal(process_stop(process), MANAGER_LOST);
    place_holder(place, name, sizeof name);
    assert_string_equal(name, "somebody"); // the lease of another holder is not taken
}

TEST_F(Place, place, one_that_waits_stops_as_well) {
    Process *process;

    place_create(
        place, KUBE_LEASE,
        "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {namespace: kube-system, name: " LEASE_NAME
        "}, spec: {holderIdentity: somebody, leaseDurationSeconds: 3600}}");
    process = process_begin(place, true);
    WAIT_FOR(place_lines(place, "waiting for the leader lease") == 1);
    assert_int_equal(place_lines(place, "\"holder\":\"somebody\""), 1);
    assert_int_equal(place_lines(place, "attempting to acquire leader lease"), 1);
    assert_int_equal(process_stop(process), MANAGER_STOPPED);
    assert_int_equal(place_count(place, KUBE_NODE_CLAIM), 0);
}

// For example by RBAC: it is logged, and the process starts again ten seconds later.
TEST_F(Place, place, a_refused_watch_is_said_and_tried_again) {
    Process *process;

    place_add_pod(place, "first");
    atomic_store(&place->watches_to_refuse, 1);
    process = process_begin(place, false);
    WAIT_FOR(place_lines(place, "cannot watch the cluster, trying again") == 1);
    assert_int_equal(place_lines(place, "is forbidden"), 1);
    WAIT_FOR(place_count(place, KUBE_NODE) == 1);
    assert_int_equal(process_stop(process), MANAGER_STOPPED);
    assert_int_equal(place_lines(place, "leader election is disabled"), 1);
}

// AWS is asked when the cloud is opened (aws.md 8), and may refuse: the process does not start.
TEST_F(Place, place, a_cloud_that_cannot_be_opened_is_no_start) {
    const ProcessWish wish = {.ports = {.metrics = -1, .health = -1}};
    Process *process;
    Err err = {0};

    place->open_to_refuse = 1;
    assert_int_equal(process_try(place, &wish, &process, &err), ERR_IO);
    assert_string_equal(err.text, "the cloud refuses");
}

// And when it is opened anew, after a watch was refused: no assertion fails, the process ends in order.
TEST_F(Place, place, a_cloud_that_cannot_be_opened_again_ends_the_process) {
    Process *process;

    place->open_to_refuse = 2;
    atomic_store(&place->watches_to_refuse, 1);
    process = process_begin(place, true);
    process_join(process);
    assert_int_equal(process->end, MANAGER_FAILED);
    assert_int_equal(place_lines(place, "cannot do any work, ending"), 1);
    assert_int_equal(place_lines(place, "the cloud refuses"), 1);
    assert_int_equal(process->opened, 2);
    assert_int_equal(process->counted, 1);
}

// A request to stop ends the cloud's calls, which is why it cannot be opened.
TEST_F(Place, place, a_stop_while_the_cloud_is_opened_again_is_a_stop) {
    Process *process;

    place->open_to_refuse = 2;
    place->stop_when_refused = true;
    atomic_store(&place->watches_to_refuse, 1);
    process = process_begin(place, false);
    process_join(process);
    assert_int_equal(process->end, MANAGER_STOPPED);
    assert_int_equal(place_lines(place, "cannot do any work, ending"), 0);
}
