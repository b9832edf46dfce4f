// The store: objects, indexes and sums, invalid handles, and old events that change nothing.
#include "base/time.h"
#include "state/support/mirror.h"

FIXTURE(Mirror, mirror_new, mirror_free);

// A pod of "web" with 1 CPU; `more` goes into its metadata, spec and status.
#define POD(name, uid, meta, spec, status)                                                                             \
    "{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: " name ", uid: " uid meta                           \
    "}, spec: {containers: [{name: main, resources: {requests: {cpu: '1'}}}]" spec "}, status: {phase: Pending" status \
    "}}"

TEST_F(Mirror, mirror, an_empty_state_answers) {
    assert_int_equal(state_count(mirror->state, KUBE_POD), 0);
    assert_int_equal(state_pods_pending(mirror->state)->count, 0);
    assert_int_equal(state_next(mirror->state, KUBE_POD, HANDLE_NONE).generation, 0);
    assert_int_equal(state_node_usage(mirror->state, 5)->pods, 0);
    assert_int_equal(state_pool_usage(mirror->state, 5)->nodes, 0);
    snapshot_free(state_snapshot(mirror->state));
}

TEST_F(Mirror, mirror, a_pod_is_decoded) {
    Handle handle;
    const Pod *pod;

    mirror_add(mirror, KUBE_POD,
               "{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: web-1, uid: u1, resourceVersion: '77', "
               "labels: {app: web}, deletionTimestamp: '2026-01-05T00:00:30Z', ownerReferences: [{apiVersion: apps/v1, "
               "kind: ReplicaSet, name: web, uid: r1, controller: true}]}, spec: {nodeName: n1, priority: 1000, "
               "terminationGracePeriodSeconds: 45, containers: [{name: main, resources: {requests: {cpu: 250m}}}]}, "
               "status: {phase: Running, conditions: [{type: Ready, status: 'False'}]}}");
    handle = mirror_find(mirror, KUBE_POD, "shop", "web-1");
    pod = state_pod(mirror->state, handle);
    assert_int_equal(pod->revision, 77);
    assert_int_equal(pod->priority, 1000);
    assert_int_equal(pod->grace_s, 45);
    assert_true(pod->deleting && pod->unready && !pod->ready && !pod->unschedulable);
    assert_int_equal(pod->deleted_ns, 1767571230000000000);
    assert_int_equal(pod->owners.count, 1);
    assert_string_equal(mirror_resources(mirror, &pod->spec->requests), "{\"cpu\":\"250m\",\"pods\":\"1\"}");
    assert_true(handle_eq(handle, state_find_uid(mirror->state, KUBE_POD, pod->uid)));
    assert_int_equal(pod->file, SYMBOL_EMPTY);
}

TEST_F(Mirror, mirror, what_cannot_be_read_names_the_field) {
    Value object = mirror_object(mirror, "{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: web-1}, spec: "
                                         "{containers: [{name: main, resources: {requests: {cpu: much}}}]}}");
    StateUpdate *update = NULL;
    Err err;

    assert_int_equal(state_decode(state_symbols(mirror->state), KUBE_POD, &object, &update, &err), ERR_INVALID);
    assert_null(update);
    assert_non_null(strstr(err.text, "spec.containers[0].resources.requests.cpu: "));
    assert_non_null(strstr(err.text, "(Pod shop/web-1:"));
    object = mirror_object(mirror, "{metadata: {name: p}, spec: {template: {spec: {requirements: 5}}}}");
    assert_int_equal(state_decode(state_symbols(mirror->state), KUBE_NODE_POOL, &object, &update, &err), ERR_INVALID);
    assert_non_null(strstr(err.text, "spec.template.spec.requirements: expected list, got number (NodePool p:"));
}

// Objects of every row of STATE_KINDS can be put, found, iterated and removed.
TEST_F(Mirror, mirror, every_kind_is_kept) {
    static const struct {
        KubeKind kind;
        const char *ns, *yaml;
    } objects[] = {
        {KUBE_POD, "shop", POD("x", "u1", "", "", "")},
        {KUBE_NODE, NULL, "{metadata: {name: x, uid: '1'}}"},
        {KUBE_NODE_POOL, NULL,
         "{metadata: {name: x, uid: '1'}, spec: {template: {spec: {requirements: [], nodeClassRef: {group: "
         "karpenter.sh, kind: K, name: c}}}}}"},
        {KUBE_NODE_CLAIM, NULL,
         "{metadata: {name: x, uid: '1', finalizers: [karpenter.sh/termination]}, spec: {requirements: [], "
         "nodeClassRef: {group: karpenter.sh, kind: K, name: c}}, status: {imageID: ami-1, lastPodEventTime: "
         "'2026-01-05T00:00:00Z'}}"},
        {KUBE_EC2_NODE_CLASS, NULL,
         "{metadata: {name: x, uid: '1'}, spec: {role: r, amiSelectorTerms: [{alias: al2023@latest}], "
         "subnetSelectorTerms: [{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}]}}"},
        {KUBE_KWOK_NODE_CLASS, NULL, "{metadata: {name: x, uid: '1'}}"},
        {KUBE_NAMESPACE, NULL, "{metadata: {name: x, uid: '1'}}"},
        {KUBE_PERSISTENT_VOLUME, NULL, "{metadata: {name: x, uid: '1'}, spec: {csi: {driver: ebs.csi.aws.com}}}"},
        {KUBE_PERSISTENT_VOLUME_CLAIM, "shop", "{metadata: {namespace: shop, name: x, uid: '1'}, spec: {}}"},
        {KUBE_STORAGE_CLASS, NULL, "{metadata: {name: x, uid: '1'}, provisioner: ebs.csi.aws.com}"},
        {KUBE_CSI_NODE, NULL, "{metadata: {name: x, uid: '1'}, spec: {drivers: [{name: d, allocatable: {count: 3}}]}}"},
        {KUBE_VOLUME_ATTACHMENT, NULL,
         "{metadata: {name: x, uid: '1'}, spec: {attacher: d, nodeName: n1, source: {persistentVolumeName: v}}}"},
        {KUBE_POD_DISRUPTION_BUDGET, "shop",
         "{metadata: {namespace: shop, name: x, uid: '1'}, spec: {selector: {matchLabels: {app: web}}}}"},
        {KUBE_SERVICE, "shop", "{metadata: {namespace: shop, name: x, uid: '1'}, spec: {selector: {app: web}}}"},
        {KUBE_REPLICA_SET, "shop",
         "{metadata: {namespace: shop, name: x, uid: '1'}, spec: {selector: {matchLabels: {app: web}}}}"},
        {KUBE_STATEFUL_SET, "shop",
         "{metadata: {namespace: shop, name: x, uid: '1'}, spec: {selector: {matchLabels: {app: web}}}}"},
        {KUBE_DAEMON_SET, "shop",
         "{metadata: {namespace: shop, name: x, uid: '1'}, spec: {selector: {matchLabels: {app: d}}, template: "
         "{metadata: {labels: {app: d}}, spec: {containers: [{name: m, resources: {requests: {cpu: 10m}}}]}}}}"},
        {KUBE_PRIORITY_CLASS, NULL, "{metadata: {name: x, uid: '1'}, value: 5}"},
        {KUBE_RUNTIME_CLASS, NULL, "{metadata: {name: x, uid: '1'}, handler: h, overhead: {podFixed: {cpu: 10m}}}"},
    };
    uint32_t kinds = 0;

    for (unsigned kind = 0; kind < KUBE_KIND_COUNT; kind++)
        kinds += state_keeps((KubeKind)kind);
    assert_int_equal(kinds, sizeof objects / sizeof *objects);
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        Value object = mirror_object(mirror, "%s", objects[i].yaml);
        HandleVec one = {0};
        Handle handle;

        assert_true(mirror_put(mirror, objects[i].kind, &object));
        handle = mirror_find(mirror, objects[i].kind, objects[i].ns, "x");
        assert_true(handle_eq(handle, mirror->change.handle));
        assert_null(mirror->change.before);
        assert_true(handle_eq(state_next(mirror->state, objects[i].kind, HANDLE_NONE), handle));
        vec_push(&mirror->arena, &one, handle);
        assert_string_equal(mirror_names(mirror, objects[i].kind, &one), "x");
        assert_int_equal(state_next(mirror->state, objects[i].kind, handle).generation, 0);
        assert_true(mirror_take(mirror, objects[i].kind, &object));
        assert_non_null(mirror->change.before);
        assert_null(mirror->change.after);
        assert_true(handle_eq(handle, mirror->change.handle));
        assert_int_equal(state_count(mirror->state, objects[i].kind), 0);
    }
}

TEST_F(Mirror, mirror, claims_bring_what_controllers_ask_for) {
    const NodeClaim *claim;

    mirror_add(
        mirror, KUBE_NODE_CLAIM,
        "{metadata: {name: c, uid: c1, generation: 3, finalizers: [karpenter.sh/termination, x/y], "
        "deletionTimestamp: '2026-01-05T00:00:00Z', annotations: {a: b}}, spec: {requirements: [], nodeClassRef: "
        "{group: g, kind: K, name: c}}, status: {nodeName: n9, imageID: ami-1, lastPodEventTime: "
        "'2026-01-05T00:00:01Z', conditions: [{type: Launched, status: 'True', reason: Launched, message: m, "
        "lastTransitionTime: '2026-01-05T00:00:02Z', observedGeneration: 2}]}}");
    claim = state_node_claim(mirror->state, mirror_find(mirror, KUBE_NODE_CLAIM, NULL, "c"));
    assert_int_equal(claim->meta.finalizers.count, 2);
    assert_int_equal(claim->meta.deleted_ns, 1767571200000000000);
    assert_true(claim->meta.deleting);
    assert_int_equal(claim->image_id, mirror_symbol(mirror, "ami-1"));
    assert_int_equal(claim->last_pod_event_ns, 1767571201 * NS_PER_S);
    assert_int_equal(claim->conditions.items[0].transition_ns, 1767571202000000000);
    assert_int_equal(claim->conditions.items[0].observed_generation, 2);
}

TEST_F(Mirror, mirror, handles_end_with_their_object) {
    Handle first, second;

    mirror_add(mirror, KUBE_POD, POD("web-1", "u1", "", "", ""));
    first = mirror->change.handle;
    mirror_remove(mirror, KUBE_POD, POD("web-1", "u1", "", "", ""));
    assert_null(state_pod(mirror->state, first));
    mirror_add(mirror, KUBE_POD, POD("web-2", "u2", "", "", ""));
    second = mirror->change.handle;
    assert_int_equal(first.index, second.index); // the slot is reused
    assert_null(state_pod(mirror->state, first));
    assert_non_null(state_pod(mirror->state, second));
    assert_null(state_pod(mirror->state, HANDLE_NONE));
    assert_null(state_pod(mirror->state, (Handle){1000000, 1}));
}

TEST_F(Mirror, mirror, older_revisions_change_nothing) {
    Value old = mirror_object(mirror, POD("a", "u1", ", resourceVersion: '10'", "", ""));
    Value new = mirror_object(mirror, POD("a", "u1", ", resourceVersion: '12'", ", nodeName: n1", ""));
    Value gone = mirror_object(mirror, POD("a", "u1", ", resourceVersion: '15'", ", nodeName: n1", ""));
    Value late = mirror_object(mirror, POD("a", "u1", ", resourceVersion: '14'", ", nodeName: n1", ""));
    Value next = mirror_object(mirror, POD("a", "u2", ", resourceVersion: '16'", "", ""));

    assert_true(mirror_put(mirror, KUBE_POD, &new));
    assert_false(mirror_put(mirror, KUBE_POD, &old));
    assert_false(mirror_put(mirror, KUBE_POD, &new));
    assert_false(mirror_take(mirror, KUBE_POD, &old));
    assert_true(mirror_take(mirror, KUBE_POD, &gone));
    assert_false(mirror_take(mirror, KUBE_POD, &gone));
    assert_false(mirror_put(mirror, KUBE_POD, &late)); // the reply to a write, later than the deletion's event
    assert_int_equal(state_count(mirror->state, KUBE_POD), 0);
    assert_true(mirror_put(mirror, KUBE_POD, &next)); // the same name, another pod
    assert_false(mirror_take(mirror, KUBE_POD, &gone));
    assert_int_equal(state_count(mirror->state, KUBE_POD), 1);
}

TEST_F(Mirror, mirror, what_was_removed_is_remembered_until_told_otherwise) {
    Value pod = mirror_object(mirror, POD("a", "u1", ", resourceVersion: '10'", "", ""));
    Value gone = mirror_object(mirror, POD("a", "u1", ", resourceVersion: '11'", "", ""));

    assert_false(mirror_take(mirror, KUBE_POD, &gone)); // before any other event: it counts as removed
    assert_false(mirror_put(mirror, KUBE_POD, &pod));
    state_forget_removed(mirror->state, 11, UINT32_MAX);
    assert_false(mirror_put(mirror, KUBE_POD, &pod));
    state_forget_removed(mirror->state, 12, 0);
    assert_false(mirror_put(mirror, KUBE_POD, &pod));
    state_forget_removed(mirror->state, 12, 1);
    assert_true(mirror_put(mirror, KUBE_POD, &pod));
}

TEST_F(Mirror, mirror, another_object_of_the_name_ends_the_handles) {
    Handle first;

    mirror_add(mirror, KUBE_NODE, "{metadata: {name: n1, uid: u1}}");
    first = mirror->change.handle;
    state_nominate(mirror->state, first, (Mono){99});
    state_settle(mirror->state, first, (Mono){77});
    state_settle(mirror->state, first, (Mono){55}); // the later one counts
    assert_int_equal(state_settles_until(mirror->state, first).ns, 77);
    state_expect(mirror->state, first, (NodeOutlook){.place = 3, .is_planned = true});
    assert_int_equal(state_outlook(mirror->state, first).place, 3);
    mirror_add(mirror, KUBE_NODE, "{metadata: {name: n1, uid: u2}}");
    assert_null(state_node(mirror->state, first));
    assert_non_null(mirror->change.before);
    assert_int_equal(state_nominated_until(mirror->state, mirror->change.handle).ns, 0);
    assert_int_equal(state_settles_until(mirror->state, mirror->change.handle).ns, 0);
    assert_int_equal(state_outlook(mirror->state, mirror->change.handle).place, 0);
    assert_false(state_outlook(mirror->state, mirror->change.handle).is_planned);
    assert_int_equal(state_find_uid(mirror->state, KUBE_NODE, mirror_symbol(mirror, "u1")).generation, 0);
    assert_int_equal(state_count(mirror->state, KUBE_NODE), 1);
}

static void count_told(void *context, const StateChange *change) {
    assert_null(change->after);
    assert_non_null(((const Pod *)change->before)->spec);
    ++*(uint32_t *)context;
}

TEST_F(Mirror, mirror, a_new_list_takes_out_what_it_lacks) {
    Value a = mirror_object(mirror, POD("a", "ua", ", resourceVersion: '5'", ", nodeName: n1", ""));
    Value b = mirror_object(mirror, POD("b", "ub", ", resourceVersion: '6'", ", nodeName: n1", ""));
    Value c = mirror_object(mirror, POD("c", "uc", ", resourceVersion: '21'", ", nodeName: n1", ""));
    uint32_t told = 0;

    assert_true(mirror_put(mirror, KUBE_POD, &a));
    assert_true(mirror_put(mirror, KUBE_POD, &b));
    state_relist_begin(mirror->state, KUBE_POD, false);
    assert_false(mirror_put(mirror, KUBE_POD, &a)); // unchanged, and in the list
    state_relist_end(mirror->state, KUBE_POD, 20, count_told, &told);
    assert_int_equal(told, 1);
    assert_string_equal(mirror_names(mirror, KUBE_POD, state_pods_on_node(mirror->state, mirror_symbol(mirror, "n1"))),
                        "a");
    assert_false(mirror_put(mirror, KUBE_POD, &b)); // removed, and stays removed

    assert_true(mirror_put(mirror, KUBE_POD, &c)); // newer than the list: made while it was read
    state_relist_begin(mirror->state, KUBE_POD, false);
    state_relist_end(mirror->state, KUBE_POD, 20, count_told, &told);
    assert_int_equal(told, 2);
    assert_string_equal(mirror_names(mirror, KUBE_POD, state_pods_on_node(mirror->state, mirror_symbol(mirror, "n1"))),
                        "c");
}

// Of what the next list may show otherwise: a definition came or went.
TEST_F(Mirror, mirror, a_relist_anew_takes_what_is_no_newer) {
    Value a = mirror_object(mirror, POD("a", "ua", ", resourceVersion: '5'", ", nodeName: n1", ""));
    Value other = mirror_object(mirror, POD("a", "ua", ", resourceVersion: '5'", ", nodeName: n2", ""));
    Value old = mirror_object(mirror, POD("a", "ua", ", resourceVersion: '4'", ", nodeName: n3", ""));
    uint32_t told = 0;

    assert_true(mirror_put(mirror, KUBE_POD, &a));
    state_relist_begin(mirror->state, KUBE_POD, true);
    assert_true(mirror_put(mirror, KUBE_POD, &other));
    assert_false(mirror_put(mirror, KUBE_POD, &old));
    state_relist_end(mirror->state, KUBE_POD, 20, count_told, &told);
    assert_int_equal(told, 0);
    assert_string_equal(mirror_names(mirror, KUBE_POD, state_pods_on_node(mirror->state, mirror_symbol(mirror, "n2"))),
                        "a");
    assert_false(mirror_put(mirror, KUBE_POD, &a)); // it is over

    state_relist_begin(mirror->state, KUBE_POD, true);
    state_relist_end(mirror->state, KUBE_POD, 30, count_told, &told);
    assert_int_equal(told, 1);
    assert_false(mirror_put(mirror, KUBE_POD, &a)); // removed
    state_relist_begin(mirror->state, KUBE_POD, true);
    assert_true(mirror_put(mirror, KUBE_POD, &a)); // there again
    state_relist_end(mirror->state, KUBE_POD, 40, count_told, &told);
    assert_int_equal(told, 1);
}

TEST_F(Mirror, mirror, pods_move_between_the_lists) {
    Symbol node = mirror_symbol(mirror, "n1"), owner = mirror_symbol(mirror, "r1");

    mirror_add(mirror, KUBE_POD, POD("a", "ua", ", ownerReferences: [{uid: r1}, {uid: r2}]", "", ""));
    mirror_add(mirror, KUBE_POD, POD("b", "ub", ", ownerReferences: [{uid: r1}]", "", ""));
    mirror_add(mirror, KUBE_POD, POD("c", "uc", ", ownerReferences: [{uid: r1}, {uid: r1}]", "", ""));
    assert_string_equal(mirror_names(mirror, KUBE_POD, state_pods_pending(mirror->state)), "a b c");
    assert_string_equal(mirror_names(mirror, KUBE_POD, state_pods_of_owner(mirror->state, owner)), "a b c c");
    mirror_add(mirror, KUBE_POD, POD("a", "ua", ", ownerReferences: [{uid: r1}, {uid: r2}]", ", nodeName: n1", ""));
    assert_string_equal(mirror_names(mirror, KUBE_POD, state_pods_pending(mirror->state)), "b c");
    assert_string_equal(mirror_names(mirror, KUBE_POD, state_pods_on_node(mirror->state, node)), "a");
    mirror_add(mirror, KUBE_POD, POD("d", "ud", "", "", ""));
    mirror_remove(mirror, KUBE_POD, POD("b", "ub", "", "", ""));
    assert_string_equal(mirror_names(mirror, KUBE_POD, state_pods_pending(mirror->state)), "c d");
    assert_string_equal(mirror_names(mirror, KUBE_POD, state_pods_of_owner(mirror->state, owner)), "a c c");
    mirror_add(mirror, KUBE_POD, POD("c", "uc", "", "", ""));
    assert_string_equal(mirror_names(mirror, KUBE_POD, state_pods_of_owner(mirror->state, owner)), "a");
    mirror_add(mirror, KUBE_POD, POD("d", "ud", "", "", ", reason: x, phase: Failed"));
    assert_string_equal(mirror_names(mirror, KUBE_POD, state_pods_pending(mirror->state)), "c");
    mirror_remove(mirror, KUBE_POD, POD("a", "ua", "", "", ""));
    assert_int_equal(state_pods_of_owner(mirror->state, owner)->count, 0);
    assert_int_equal(state_pods_on_node(mirror->state, node)->count, 0);
}

TEST_F(Mirror, mirror, usage_counts_what_runs) {
    const NodeUsage *usage;

    mirror_add(mirror, KUBE_POD, POD("a", "ua", "", ", nodeName: n1", ""));
    mirror_add(mirror, KUBE_POD,
               POD("d", "ud", ", ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: d, uid: d}]",
                   ", nodeName: n1", ""));
    mirror_add(
        mirror, KUBE_POD,
        POD("s", "us", ", ownerReferences: [{apiVersion: v1, kind: Node, name: n1, uid: n1}]", ", nodeName: n1", ""));
    mirror_add(mirror, KUBE_POD, POD("t", "ut", ", deletionTimestamp: '2026-01-05T00:00:00Z'", ", nodeName: n1", ""));
    mirror_add(mirror, KUBE_POD,
               POD("u", "uu",
                   ", deletionTimestamp: '2026-01-05T00:00:00Z', ownerReferences: [{apiVersion: apps/v1, "
                   "kind: StatefulSet, name: u, uid: su}]",
                   ", nodeName: n1", ""));
    usage = state_node_usage(mirror->state, mirror_symbol(mirror, "n1"));
    assert_string_equal(mirror_resources(mirror, &usage->requests), "{\"cpu\":\"5\",\"pods\":\"5\"}");
    assert_string_equal(mirror_resources(mirror, &usage->daemon_requests), "{\"cpu\":\"1\",\"pods\":\"1\"}");
    assert_int_equal(usage->pods, 5);
    assert_int_equal(usage->daemon_pods, 1);
    assert_int_equal(usage->reschedulable, 2);
    mirror_add(mirror, KUBE_POD, POD("a", "ua", "", ", nodeName: n1", ", reason: x, phase: Succeeded"));
    mirror_remove(mirror, KUBE_POD, POD("d", "ud", "", ", nodeName: n1", ""));
    usage = state_node_usage(mirror->state, mirror_symbol(mirror, "n1"));
    assert_string_equal(mirror_resources(mirror, &usage->requests), "{\"cpu\":\"3\",\"pods\":\"3\"}");
    assert_int_equal(usage->daemon_pods, 0);
    assert_int_equal(usage->daemon_requests.count, 0);
    assert_int_equal(usage->reschedulable, 1);
}

#define HUGE_POD                                                                                                       \
    "{metadata: {namespace: shop, name: %s, uid: %s}, spec: {nodeName: n1, containers: [{name: m, resources: "         \
    "{requests: "                                                                                                      \
    "{memory: '9000000000000000000'}}}]}}"

TEST_F(Mirror, mirror, sums_beyond_63_bits_come_back) {
    Value a = mirror_object(mirror, HUGE_POD, "a", "ua"), b = mirror_object(mirror, HUGE_POD, "b", "ub");
    Symbol node = mirror_symbol(mirror, "n1");

    assert_true(mirror_put(mirror, KUBE_POD, &a));
    assert_true(mirror_put(mirror, KUBE_POD, &b));
    assert_int_equal(resources_get(&state_node_usage(mirror->state, node)->requests, NAME_MEMORY), INT64_MAX);
    assert_true(mirror_take(mirror, KUBE_POD, &b));
    assert_int_equal(resources_get(&state_node_usage(mirror->state, node)->requests, NAME_MEMORY), 9000000000000000000);
}

TEST_F(Mirror, mirror, other_lists_follow) {
    mirror_add(mirror, KUBE_VOLUME_ATTACHMENT, "{metadata: {name: va, uid: '1'}, spec: {nodeName: n1, source: {}}}");
    mirror_add(mirror, KUBE_POD_DISRUPTION_BUDGET, "{metadata: {namespace: shop, name: b, uid: '2'}, spec: {}}");
    mirror_add(mirror, KUBE_PERSISTENT_VOLUME_CLAIM, "{metadata: {namespace: shop, name: v, uid: '3'}, spec: {}}");
    assert_string_equal(mirror_names(mirror, KUBE_VOLUME_ATTACHMENT,
                                     state_attachments_on_node(mirror->state, mirror_symbol(mirror, "n1"))),
                        "va");
    assert_string_equal(mirror_names(mirror, KUBE_POD_DISRUPTION_BUDGET,
                                     state_budgets_in(mirror->state, mirror_symbol(mirror, "shop"))),
                        "b");
    assert_string_equal(mirror_names(mirror, KUBE_PERSISTENT_VOLUME_CLAIM,
                                     state_volume_claims_in(mirror->state, mirror_symbol(mirror, "shop"))),
                        "v");
    assert_int_equal(state_budgets_in(mirror->state, mirror_symbol(mirror, "other"))->count, 0);
}

TEST_F(Mirror, mirror, equal_specs_are_one) {
    const Pod *a, *b, *c;
    size_t bytes;

    mirror_add(mirror, KUBE_POD, POD("a", "ua", "", "", ""));
    mirror_add(mirror, KUBE_POD, POD("b", "ub", "", ", nodeName: n1", ""));
    mirror_add(mirror, KUBE_POD, POD("c", "uc", "", ", hostNetwork: true", ""));
    a = state_pod(mirror->state, mirror_find(mirror, KUBE_POD, "shop", "a"));
    b = state_pod(mirror->state, mirror_find(mirror, KUBE_POD, "shop", "b"));
    c = state_pod(mirror->state, mirror_find(mirror, KUBE_POD, "shop", "c"));
    assert_ptr_equal(a->spec, b->spec);
    assert_ptr_not_equal(a->spec, c->spec);
    bytes = state_memory(mirror->state).bytes;
    mirror_add(mirror, KUBE_POD, POD("c", "uc", "", "", "")); // the other spec is not used any more
    mirror_add(mirror, KUBE_POD, POD("d", "ud", "", "", ""));
    assert_true(state_memory(mirror->state).bytes < bytes + 1000);
    assert_ptr_equal(state_pod(mirror->state, mirror_find(mirror, KUBE_POD, "shop", "c"))->spec,
                     state_pod(mirror->state, mirror_find(mirror, KUBE_POD, "shop", "a"))->spec);
}

#define SPREAD_POD                                                                                                     \
    "{metadata: {namespace: shop, name: %s, uid: %s, labels: {app: web, rev: %s}}, spec: {containers: [{name: m}], "   \
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, matchLabelKeys: "   \
    "[rev], labelSelector: {matchLabels: {app: web%s}}}]}}"

// matchLabelKeys: per value of the label, and not again where the API server did it.
TEST_F(Mirror, mirror, label_keys_are_merged_once) {
    Value a = mirror_object(mirror, SPREAD_POD, "a", "ua", "r1", ""),
          b = mirror_object(mirror, SPREAD_POD, "b", "ub", "r1", "");
    Value c = mirror_object(mirror, SPREAD_POD, "c", "uc", "r2", ""),
          d = mirror_object(mirror, SPREAD_POD, "d", "ud", "r1", ", rev: r1");
    const PodSpec *of_a, *of_c, *of_d;

    assert_true(mirror_put(mirror, KUBE_POD, &a));
    assert_true(mirror_put(mirror, KUBE_POD, &b));
    assert_true(mirror_put(mirror, KUBE_POD, &c));
    assert_true(mirror_put(mirror, KUBE_POD, &d));
    of_a = state_pod(mirror->state, mirror_find(mirror, KUBE_POD, "shop", "a"))->spec;
    of_c = state_pod(mirror->state, mirror_find(mirror, KUBE_POD, "shop", "c"))->spec;
    of_d = state_pod(mirror->state, mirror_find(mirror, KUBE_POD, "shop", "d"))->spec;
    assert_ptr_equal(of_a, state_pod(mirror->state, mirror_find(mirror, KUBE_POD, "shop", "b"))->spec);
    assert_ptr_not_equal(of_a, of_c);
    assert_int_equal(of_a->spreads.items[0].selector->expressions.count, 2);
    assert_int_equal(of_d->spreads.items[0].selector->expressions.count, 2);
    assert_int_equal(of_a->spreads.items[0].selector->expressions.items[1].values.items[0],
                     mirror_symbol(mirror, "r1"));
    assert_int_equal(of_c->spreads.items[0].selector->expressions.items[1].values.items[0],
                     mirror_symbol(mirror, "r2"));
}

// Names and uids of removed pods are released.
TEST_F(Mirror, mirror, symbols_of_removed_objects_are_removed) {
    size_t bytes = 0;

    for (uint32_t i = 0; i < 150000; i++) {
        Arena arena = mirror->arena;

        mirror->arena = (Arena){0};
        mirror_add(mirror, KUBE_NAMESPACE, "{metadata: {name: 'namespace-%u', uid: 'uid-%u'}}", i, i);
        mirror_remove(mirror, KUBE_NAMESPACE, "{metadata: {name: 'namespace-%u', uid: 'uid-%u'}}", i, i);
        arena_free(&mirror->arena);
        mirror->arena = arena;
        if (i == 110000)
            bytes = state_memory(mirror->state).bytes;
    }
    assert_true(state_memory(mirror->state).symbols < 140000); // 300,000 names were seen
    assert_true(state_memory(mirror->state).bytes <= bytes + bytes / 10);
}
