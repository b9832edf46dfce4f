// Jobs: completions and parallelism, failures and their limit, replacement of evicted pods, the end.
#include "sim/workload_bed.h"

// Pods run for 60 s unless `annotations` say otherwise.
static void job(Bed *bed, const char *spec, const char *annotations) {
    cluster_create(bed->world,
                   "{apiVersion: batch/v1, kind: Job, metadata: {name: work}, spec: {%s template: {metadata: {labels: "
                   "{app: work}, annotations: {%s}}, spec: {restartPolicy: Never, containers: [{name: c, image: i, "
                   "resources: {requests: {cpu: 100m}}}]}}}}",
                   spec, annotations);
}

static int64_t status(Bed *bed, const char *member) {
    return bed_int(bed, KUBE_JOB, "work", arena_printf(&bed->arena, "status.%s", member).ptr);
}

static uint32_t in_phase(Bed *bed, const char *phase) {
    return bed_list(bed, KUBE_POD, "app=work", arena_printf(&bed->arena, "status.phase=%s", phase).ptr).items.count;
}

static const char *running_pod(Bed *bed) {
    KubeList pods = bed_list(bed, KUBE_POD, "app=work", "status.phase=Running");

    assert_true(pods.items.count > 0);
    return arena_printf(&bed->arena, "%.*s", SLICE_ARG(kube_name(&pods.items.items[0]))).ptr;
}

static void assert_condition(Bed *bed, const char *type, const char *status_text) {
    assert_text(bed_condition(bed, KUBE_JOB, "work", type), status_text);
}

// --- tests

TEST(a_job_runs_one_pod_to_its_end) {
    Bed *bed = bed_new();

    bed_nodes(bed, 1);
    job(bed, "", "");
    bed_run_s(bed, 10);
    assert_int_equal(status(bed, "active"), 1);
    assert_int_equal(status(bed, "ready"), 1);
    assert_true(bed_text(bed, KUBE_JOB, "work", "status.startTime").len > 0);
    bed_run_s(bed, 60);
    assert_int_equal(status(bed, "succeeded"), 1);
    assert_int_equal(status(bed, "active"), 0);
    assert_condition(bed, "Complete", "True");
    assert_condition(bed, "SuccessCriteriaMet", "True");
    assert_true(bed_text(bed, KUBE_JOB, "work", "status.completionTime").len > 0);
    assert_int_equal(in_phase(bed, "Succeeded"), 1); // its pod stays
    bed_free(bed);
}

TEST(never_more_pods_than_parallelism_until_completions_are_reached) {
    Bed *bed = bed_new();

    bed_nodes(bed, 1);
    job(bed, "completions: 5, parallelism: 2,", "sim.tenon.sh/run-seconds: '20'");
    bed_run_s(bed, 10);
    assert_int_equal(in_phase(bed, "Running"), 2);
    bed_run_s(bed, 20);
    assert_int_equal(status(bed, "succeeded"), 2);
    assert_int_equal(status(bed, "active"), 2);
    bed_run_s(bed, 25);
    assert_int_equal(status(bed, "succeeded"), 4);
    assert_int_equal(status(bed, "active"), 1); // one is left to do
    bed_run_s(bed, 30);
    assert_int_equal(status(bed, "succeeded"), 5);
    assert_condition(bed, "Complete", "True");
    assert_int_equal(bed_count(bed, KUBE_POD, "app=work"), 5);
    bed_free(bed);
}

TEST(an_evicted_pod_is_made_again_and_counts_as_failed) {
    Bed *bed = bed_new();
    const char *evicted;

    bed_nodes(bed, 1);
    job(bed, "completions: 2, parallelism: 2,", "");
    bed_run_s(bed, 10);
    evicted = running_pod(bed);
    assert_int_equal(
        kube_evict(world_kube(bed->world), (KubeRef){KUBE_POD, SLICE("default"), slice_of(evicted)}, NULL, NULL), OK);
    bed_run_s(bed, 5);
    assert_null(bed_get(bed, KUBE_POD, evicted));
    assert_int_equal(status(bed, "failed"), 1);
    assert_int_equal(status(bed, "active"), 1); // the next one comes 10 s after the failure
    bed_run_s(bed, 10);
    assert_int_equal(status(bed, "active"), 2);
    bed_run_s(bed, 90);
    assert_int_equal(status(bed, "succeeded"), 2);
    assert_condition(bed, "Complete", "True");
    bed_free(bed);
}

TEST(failures_are_tried_again_after_10_20_40_seconds_up_to_the_limit) {
    static const int64_t waits_s[] = {10, 20, 40};
    Bed *bed = bed_new();

    bed_nodes(bed, 1);
    job(bed, "backoffLimit: 3,", "sim.tenon.sh/exit-code: '1', sim.tenon.sh/run-seconds: '0'");
    bed_run_s(bed, 3);
    for (int64_t i = 0; i < 3; i++) {
        assert_int_equal(in_phase(bed, "Failed"), i + 1);
        bed_run_s(bed, waits_s[i] - 2);
        assert_int_equal(bed_count(bed, KUBE_POD, "app=work"), i + 1);
        bed_run_s(bed, 4);
    }
    bed_run_s(bed, 10);
    assert_int_equal(status(bed, "failed"), 4);
    assert_condition(bed, "FailureTarget", "True");
    assert_condition(bed, "Failed", "True");
    assert_text(bed_condition_of(bed_get(bed, KUBE_JOB, "work"), "Failed", "reason"), "BackoffLimitExceeded");
    bed_run_s(bed, 1000);
    assert_int_equal(bed_count(bed, KUBE_POD, "app=work"), 4);
    bed_free(bed);
}

TEST(a_failing_job_takes_its_running_pods_along) {
    Bed *bed = bed_new();

    bed_nodes(bed, 1);
    job(bed, "completions: 3, parallelism: 3, backoffLimit: 0,", "");
    bed_run_s(bed, 10);
    cluster_patch(bed->world, KUBE_POD, "default", running_pod(bed), KUBE_STATUS, "{status: {phase: Failed}}");
    bed_run_s(bed, 10);
    assert_int_equal(in_phase(bed, "Running"), 0);
    assert_condition(bed, "Failed", "True");
    assert_int_equal(status(bed, "failed"), 1); // pods that the Job deletes itself are not failures
    bed_free(bed);
}

TEST(a_deadline_ends_the_job) {
    Bed *bed = bed_new();

    bed_nodes(bed, 1);
    job(bed, "activeDeadlineSeconds: 30,", "");
    bed_run_s(bed, 20);
    assert_int_equal(in_phase(bed, "Running"), 1);
    bed_run_s(bed, 20);
    assert_int_equal(in_phase(bed, "Running"), 0);
    assert_text(bed_condition_of(bed_get(bed, KUBE_JOB, "work"), "Failed", "reason"), "DeadlineExceeded");
    bed_free(bed);
}

TEST(an_indexed_job_runs_each_index_once) {
    Bed *bed = bed_new();
    bool seen[4] = {false};
    KubeList pods;

    bed_nodes(bed, 1);
    job(bed, "completions: 4, parallelism: 3, completionMode: Indexed,", "");
    bed_run_s(bed, 10);
    cluster_delete(bed->world, KUBE_POD, "default", running_pod(bed)); // its index comes again
    bed_run_s(bed, 200);
    assert_condition(bed, "Complete", "True");
    pods = bed_list(bed, KUBE_POD, "app=work", "status.phase=Succeeded");
    assert_int_equal(pods.items.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const Value *labels = bed_at(&pods.items.items[i], "metadata.labels");
        int64_t index;

        assert_true(slice_to_int64(kube_text(labels, "batch.kubernetes.io/job-completion-index", NULL), &index));
        assert_false(seen[index]);
        seen[index] = true;
    }
    bed_free(bed);
}

TEST(a_suspended_job_has_no_pods_until_it_is_resumed) {
    Bed *bed = bed_new();

    bed_nodes(bed, 1);
    job(bed, "suspend: true, activeDeadlineSeconds: 100,", "");
    bed_run_s(bed, 200);
    assert_int_equal(bed_count(bed, KUBE_POD, "app=work"), 0);
    assert_condition(bed, "Suspended", "True");
    cluster_patch(bed->world, KUBE_JOB, "default", "work", KUBE_OBJECT, "{spec: {suspend: false}}");
    bed_run_s(bed, 10);
    assert_int_equal(in_phase(bed, "Running"), 1);
    cluster_patch(bed->world, KUBE_JOB, "default", "work", KUBE_OBJECT, "{spec: {suspend: true}}");
    bed_run_s(bed, 200); // the deadline does not run meanwhile
    assert_int_equal(in_phase(bed, "Running"), 0);
    assert_int_equal(status(bed, "failed"), 0);
    cluster_patch(bed->world, KUBE_JOB, "default", "work", KUBE_OBJECT, "{spec: {suspend: false}}");
    bed_run_s(bed, 80);
    assert_condition(bed, "Complete", "True");
    assert_condition(bed, "Suspended", "False");
    bed_free(bed);
}

TEST(a_finished_job_goes_after_its_time_to_live_with_its_pods) {
    Bed *bed = bed_new();

    bed_nodes(bed, 1);
    job(bed, "ttlSecondsAfterFinished: 100,", "");
    bed_run_s(bed, 70);
    assert_condition(bed, "Complete", "True");
    bed_run_s(bed, 80);
    assert_non_null(bed_get(bed, KUBE_JOB, "work"));
    bed_run_s(bed, 20);
    assert_null(bed_get(bed, KUBE_JOB, "work"));
    assert_int_equal(bed_count(bed, KUBE_POD, "app=work"), 0);
    bed_free(bed);
}

TEST(pods_of_a_dead_node_are_made_again_elsewhere) {
    Bed *bed = bed_new();

    bed_nodes(bed, 1);
    job(bed, "", "sim.tenon.sh/run-seconds: '300'");
    bed_run_s(bed, 10);
    cluster_delete(bed->world, KUBE_NODE, "", "n0");
    bed_node(bed, "n1");
    bed_run_s(bed, 90); // the pod collector takes it after its quarantine
    assert_int_equal(bed_list(bed, KUBE_POD, "app=work", "spec.nodeName=n1").items.count, 1);
    assert_int_equal(status(bed, "failed"), 1);
    bed_run_s(bed, 320);
    assert_condition(bed, "Complete", "True");
    bed_free(bed);
}
