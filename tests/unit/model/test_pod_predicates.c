// The predicates of pods, a test for each row of reference lifecycle.md 0.5.
#include "durations.h"
#include "harness/test.h"
#include "model/pod_predicates.h"

typedef struct {
    Arena arena;
    Symbols symbols;
    PodSpec spec;
    Pod pod;
} Subject;

static Subject *set_up(void) {
    Subject *subject = test_calloc(1, sizeof *subject);

    names_init(&subject->symbols);
    subject->pod.spec = &subject->spec;
    subject->pod.phase = POD_RUNNING;
    return subject;
}

static void tear_down(Subject *subject) {
    arena_free(&subject->arena);
    symbols_free(&subject->symbols);
    test_free(subject);
}

FIXTURE(Subject, set_up, tear_down);

static void owner(Subject *subject, const char *api_version, const char *kind) {
    subject->pod.owners.count = 0;
    vec_push(&subject->arena, &subject->pod.owners,
             (OwnerReference){.api_version = symbol_intern(&subject->symbols, slice_of(api_version)),
                              .kind = symbol_intern(&subject->symbols, slice_of(kind))});
}

static void annotate(Subject *subject, const char *value) {
    labels_set(&subject->arena, &subject->pod.annotations, NAME_DO_NOT_DISRUPT,
               symbol_intern(&subject->symbols, slice_of(value)));
}

static void tolerate(Subject *subject, const char *key, TaintEffect effect) {
    subject->spec.tolerations.count = 0;
    vec_push(&subject->arena, &subject->spec.tolerations,
             (Toleration){
                 .key = symbol_intern(&subject->symbols, slice_of(key)), .op = TOLERATION_EXISTS, .effect = effect});
}

TEST_F(Subject, subject, row_terminal) {
    Pod *pod = &subject->pod;

    assert_false(pod_is_terminal(pod));
    pod->phase = POD_FAILED;
    assert_true(pod_is_terminal(pod));
    pod->phase = POD_SUCCEEDED;
    assert_true(pod_is_terminal(pod));
    assert_false(pod_is_active(pod));
}

TEST_F(Subject, subject, row_active) {
    Pod *pod = &subject->pod;

    assert_true(pod_is_active(pod));
    pod->deleting = true;
    assert_false(pod_is_active(pod));
}

TEST_F(Subject, subject, row_stuck_terminating) {
    Pod *pod = &subject->pod;

    assert_false(pod_is_stuck_terminating(pod, INT64_MAX));
    assert_true(pod_stuck_at(pod) == INT64_MAX);
    pod->deleting = true;
    pod->deleted_ns = SECONDS(100);
    assert_false(pod_is_stuck_terminating(pod, SECONDS(160)));
    assert_true(pod_is_stuck_terminating(pod, SECONDS(160) + 1));
    assert_int_equal(pod_stuck_at(pod), SECONDS(160));
}

TEST_F(Subject, subject, row_tolerates_disrupted) {
    assert_false(pod_tolerates_disrupted(&subject->pod, &subject->symbols));
    tolerate(subject, "karpenter.sh/disrupted", EFFECT_NO_EXECUTE);
    assert_false(pod_tolerates_disrupted(&subject->pod, &subject->symbols));
    tolerate(subject, "karpenter.sh/disrupted", EFFECT_NO_SCHEDULE);
    assert_true(pod_tolerates_disrupted(&subject->pod, &subject->symbols));
    tolerate(subject, "", EFFECT_NONE);
    assert_true(pod_tolerates_disrupted(&subject->pod, &subject->symbols));
}

static DoNotDisruptState read_at(Subject *subject, int64_t now_ns, int64_t *ret_until_ns) {
    DoNotDisrupt read = pod_do_not_disrupt(&subject->pod, &subject->symbols, now_ns, NULL);
    bool holds = read.state == DO_NOT_DISRUPT_ALWAYS || read.state == DO_NOT_DISRUPT_UNTIL;

    assert_int_equal(holds, pod_is_do_not_disrupt(&subject->pod, &subject->symbols, now_ns));
    *ret_until_ns = read.until_ns;
    return read.state;
}

TEST_F(Subject, subject, row_do_not_disrupt_active) {
    int64_t until_ns;

    assert_int_equal(read_at(subject, SECONDS(1), &until_ns), DO_NOT_DISRUPT_NONE);
    annotate(subject, "true");
    assert_int_equal(read_at(subject, SECONDS(1), &until_ns), DO_NOT_DISRUPT_ALWAYS);
    annotate(subject, "30m");
    assert_int_equal(read_at(subject, SECONDS(1), &until_ns), DO_NOT_DISRUPT_UNTIL);
    assert_true(until_ns == INT64_MAX); // it has not started
    subject->pod.started_ns = SECONDS(100);
    assert_int_equal(read_at(subject, SECONDS(1899), &until_ns), DO_NOT_DISRUPT_UNTIL);
    assert_int_equal(until_ns, SECONDS(1900));
    assert_int_equal(read_at(subject, SECONDS(1900), &until_ns), DO_NOT_DISRUPT_ELAPSED);
}

TEST_F(Subject, subject, row_do_not_disrupt_that_cannot_be_read_does_not_count) {
    static const struct {
        const char *value, *complaint;
    } rows[] = {
        {"false", "\"false\" is no duration, expected \"true\" or a positive duration such as \"30m\""},
        {"soon", "\"soon\" is no duration, expected \"true\" or a positive duration such as \"30m\""},
        {"0s", "\"0s\" is not positive, expected \"true\" or a positive duration such as \"30m\""},
        {"-5m", "\"-5m\" is not positive, expected \"true\" or a positive duration such as \"30m\""},
    };
    int64_t until_ns;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Err err;

        annotate(subject, rows[i].value);
        assert_int_equal(read_at(subject, SECONDS(1), &until_ns), DO_NOT_DISRUPT_INVALID);
        pod_do_not_disrupt(&subject->pod, &subject->symbols, SECONDS(1), &err);
        assert_string_equal(err.text, rows[i].complaint);
    }
}

// Reference legacy.md 4: the annotation of 2023 keeps a node from disruption, and holds up no drain.
TEST_F(Subject, subject, row_do_not_evict_vetoes_disruption_and_not_a_drain) {
    int64_t until_ns;

    labels_set(&subject->arena, &subject->pod.annotations, NAME_DO_NOT_EVICT, NAME_TRUE);
    assert_int_equal(read_at(subject, SECONDS(1), &until_ns), DO_NOT_DISRUPT_ALWAYS);
    assert_false(pod_is_disruptable(&subject->pod, &subject->symbols, SECONDS(1)));
    assert_true(pod_is_evictable(&subject->pod, &subject->symbols, SECONDS(1)));
    assert_int_equal(pod_do_not_drain(&subject->pod, &subject->symbols, SECONDS(1), NULL).state, DO_NOT_DISRUPT_NONE);
    annotate(subject, "true");
    assert_false(pod_is_evictable(&subject->pod, &subject->symbols, SECONDS(1)));
}

// --- surge

static void annotate_as(Subject *subject, Symbol key, const char *value) {
    labels_set(&subject->arena, &subject->pod.annotations, key, symbol_intern(&subject->symbols, slice_of(value)));
}

TEST_F(Subject, subject, a_surge_has_five_minutes_or_the_time_that_it_says) {
    static const struct {
        const char *value;
        int64_t ns;
    } rows[] = {
        {"true", MINUTES(5)}, {"90s", SECONDS(90)}, {"2h", MINUTES(120)}, {"0s", 0}, {"-1m", 0}, {"false", 0}, {"", 0},
        {"soon", 0}};

    assert_int_equal(pod_surge_ns(&subject->pod, &subject->symbols), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        annotate_as(subject, NAME_SURGE, rows[i].value);
        assert_true(pod_surge_ns(&subject->pod, &subject->symbols) == rows[i].ns);
    }
}

TEST_F(Subject, subject, the_deployment_is_told_by_its_replica_set) {
    static const struct {
        const char *kind, *set, *hash, *deployment;
    } rows[] = {
        {"ReplicaSet", "web-abc", "abc", "web"}, {"ReplicaSet", "web-1-abc", "abc", "web-1"},
        {"ReplicaSet", "web-abd", "abc", ""},    {"ReplicaSet", "-abc", "abc", ""},
        {"ReplicaSet", "abc", "abc", ""},        {"ReplicaSet", "webabc", "abc", ""},
        {"StatefulSet", "web-abc", "abc", ""},
    };

    assert_int_equal(pod_deployment(&subject->pod, &subject->symbols).len, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        owner(subject, "apps/v1", rows[i].kind);
        subject->pod.owners.items[0].controller = true;
        subject->pod.owners.items[0].name = symbol_intern(&subject->symbols, slice_of(rows[i].set));
        labels_set(&subject->arena, &subject->pod.labels, NAME_POD_TEMPLATE_HASH,
                   symbol_intern(&subject->symbols, slice_of(rows[i].hash)));
        assert_true(slice_eq_text(pod_deployment(&subject->pod, &subject->symbols), rows[i].deployment));
    }
}

TEST_F(Subject, subject, a_pod_says_whom_it_was_started_for) {
    assert_int_equal(pod_surges_for(&subject->pod, &subject->symbols).len, 0);
    annotate_as(subject, NAME_SURGE_FOR, "1-2-3/2026-01-05T00:00:00Z");
    assert_true(slice_eq_text(pod_surges_for(&subject->pod, &subject->symbols), "1-2-3"));
    annotate_as(subject, NAME_SURGE_FOR, "/2026-01-05T00:00:00Z");
    assert_int_equal(pod_surges_for(&subject->pod, &subject->symbols).len, 0);
}

TEST_F(Subject, subject, row_disruptable) {
    assert_true(pod_is_disruptable(&subject->pod, &subject->symbols, SECONDS(1)));
    annotate(subject, "true");
    owner(subject, "apps/v1", "DaemonSet");
    assert_false(pod_is_disruptable(&subject->pod, &subject->symbols, SECONDS(1)));
    owner(subject, "v1", "Node");
    assert_false(pod_is_disruptable(&subject->pod, &subject->symbols, SECONDS(1)));
    subject->pod.deleting = true;
    assert_true(pod_is_disruptable(&subject->pod, &subject->symbols, SECONDS(1)));
    subject->pod.deleting = false;
    subject->pod.phase = POD_FAILED;
    assert_true(pod_is_disruptable(&subject->pod, &subject->symbols, SECONDS(1)));
}

TEST_F(Subject, subject, row_drainable) {
    annotate(subject, "true");
    assert_true(pod_is_drainable(&subject->pod, &subject->symbols, SECONDS(1)));
    owner(subject, "apps/v1", "DaemonSet");
    assert_true(pod_is_drainable(&subject->pod, &subject->symbols, SECONDS(1)));
    owner(subject, "v1", "Node");
    assert_false(pod_is_drainable(&subject->pod, &subject->symbols, SECONDS(1)));
    subject->pod.owners.count = 0;
    tolerate(subject, "karpenter.sh/disrupted", EFFECT_NO_SCHEDULE);
    assert_false(pod_is_drainable(&subject->pod, &subject->symbols, SECONDS(1)));
    subject->spec.tolerations.count = 0;
    subject->pod.deleting = true;
    assert_true(pod_is_drainable(&subject->pod, &subject->symbols, SECONDS(60)));
    assert_false(pod_is_drainable(&subject->pod, &subject->symbols, SECONDS(61)));
}

TEST_F(Subject, subject, row_waiting_eviction) {
    assert_true(pod_is_waiting_eviction(&subject->pod, &subject->symbols, SECONDS(1)));
    subject->pod.phase = POD_SUCCEEDED;
    assert_true(pod_is_drainable(&subject->pod, &subject->symbols, SECONDS(1)));
    assert_false(pod_is_waiting_eviction(&subject->pod, &subject->symbols, SECONDS(1)));
}

TEST_F(Subject, subject, row_owned_by) {
    assert_false(pod_is_daemon(&subject->pod));
    owner(subject, "apps/v1", "DaemonSet");
    assert_true(pod_is_daemon(&subject->pod));
    assert_false(pod_is_mirror(&subject->pod));
    owner(subject, "example.com/v1", "DaemonSet");
    assert_false(pod_is_daemon(&subject->pod));
    owner(subject, "v1", "Node");
    assert_true(pod_is_mirror(&subject->pod));
    owner(subject, "example.com/v1", "Node");
    assert_false(pod_is_mirror(&subject->pod));
}

TEST_F(Subject, subject, row_reschedulable) {
    assert_true(pod_is_reschedulable(&subject->pod));
    owner(subject, "apps/v1", "DaemonSet");
    assert_false(pod_is_reschedulable(&subject->pod));
    owner(subject, "v1", "Node");
    assert_false(pod_is_reschedulable(&subject->pod));
    owner(subject, "apps/v1", "ReplicaSet");
    subject->pod.deleting = true;
    assert_false(pod_is_reschedulable(&subject->pod));
    owner(subject, "apps/v1", "StatefulSet");
    assert_true(pod_is_reschedulable(&subject->pod));
}

TEST_F(Subject, subject, row_evictable) {
    assert_true(pod_is_evictable(&subject->pod, &subject->symbols, SECONDS(1)));
    annotate(subject, "true");
    assert_false(pod_is_evictable(&subject->pod, &subject->symbols, SECONDS(1)));
    annotate(subject, "false");
    assert_true(pod_is_evictable(&subject->pod, &subject->symbols, SECONDS(1)));
    owner(subject, "v1", "Node");
    assert_false(pod_is_evictable(&subject->pod, &subject->symbols, SECONDS(1)));
    owner(subject, "apps/v1", "DaemonSet");
    assert_true(pod_is_evictable(&subject->pod, &subject->symbols, SECONDS(1)));
    tolerate(subject, "karpenter.sh/disrupted", EFFECT_NO_SCHEDULE);
    assert_false(pod_is_evictable(&subject->pod, &subject->symbols, SECONDS(1)));
    subject->spec.tolerations.count = 0;
    subject->pod.deleting = true;
    assert_false(pod_is_evictable(&subject->pod, &subject->symbols, SECONDS(1)));
}

TEST_F(Subject, subject, row_provisionable) {
    subject->pod.phase = POD_PENDING;
    assert_false(pod_is_provisionable(&subject->pod)); // kube-scheduler has not tried yet
    subject->pod.unschedulable = true;
    assert_true(pod_is_provisionable(&subject->pod));
    owner(subject, "apps/v1", "DaemonSet");
    assert_false(pod_is_provisionable(&subject->pod));
    owner(subject, "apps/v1", "ReplicaSet");
    subject->pod.nominated_node_name = NAME_TRUE;
    assert_false(pod_is_provisionable(&subject->pod));
    subject->pod.nominated_node_name = NAME_EMPTY;
    subject->pod.node_name = NAME_TRUE;
    assert_false(pod_is_provisionable(&subject->pod));
}

TEST_F(Subject, subject, critical_are_the_two_priority_classes_of_the_system) {
    assert_false(pod_is_critical(&subject->pod, &subject->symbols));
    subject->spec.priority_class = symbol_intern(&subject->symbols, SLICE("system-node-critical"));
    assert_true(pod_is_critical(&subject->pod, &subject->symbols));
    subject->spec.priority_class = symbol_intern(&subject->symbols, SLICE("system-cluster-critical"));
    assert_true(pod_is_critical(&subject->pod, &subject->symbols));
    subject->spec.priority_class = symbol_intern(&subject->symbols, SLICE("critical"));
    assert_false(pod_is_critical(&subject->pod, &subject->symbols));
}
