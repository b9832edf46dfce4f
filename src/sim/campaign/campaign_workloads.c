// Workloads of a random scenario: kinds, numbers of pods, times, and budgets.
#include "sim/campaign/campaign_workloads.h"

#include "sim/campaign/campaign_draft.h"
#include "sim/campaign/campaign_pods.h"

#include <inttypes.h>

enum { BURST_LEAST = 150 };

const char *draft_kind_text(DraftKind kind) {
    static const char *const texts[] = {"Deployment", "StatefulSet", "Job", "PodDisruptionBudget"};

    return texts[kind];
}

// --- budgets

static void put_budget(Draft *draft, uint32_t workload, const char *suffix, const char *rule) {
    draft->has[WORKLOAD_BUDGET] = true;
    draft_begin_line(draft, draw_chance(draft, 80) ? 5 : draw_between(draft, 5, draft->end_s - 60));
    buffer_printf(draft->out,
                  "apply: {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: w%u%s, namespace: "
                  "default, labels: {campaign: \"1\"}}, spec: {%s, selector: {matchLabels: {app: w%u}}}}",
                  workload, suffix, rule, workload);
    draft_end_line(draft);
}

// Writes budgets. Percentages of a Job cannot be computed: its budget is a number of pods. Evictions of a pod with two
// budgets are refused.
static void put_budgets(Draft *draft, uint32_t workload, DraftKind kind) {
    static const char *const rules[] = {"maxUnavailable: 1", "maxUnavailable: 25%", "minAvailable: 1",
                                        "minAvailable: 50%", "maxUnavailable: 0"};

    if (!draw_chance(draft, 45))
        return;
    put_budget(draft, workload, "", kind == WORKLOAD_JOB ? "minAvailable: 1" : draw_word(draft, rules, 5));
    if (draw_chance(draft, 8))
        put_budget(draft, workload, "-again", "maxUnavailable: 50%");
}

// --- workloads

static int64_t draw_pods(Draft *draft) {
    if (draw_chance(draft, 85))
        return draw_between(draft, 1, 20);
    return draw_chance(draft, 80) ? draw_between(draft, 20, 80) : draw_between(draft, BURST_LEAST, 400);
}

static void put_volumes(Draft *draft) {
    buffer_printf(draft->out,
                  "volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], "
                  "storageClassName: late, resources: {requests: {storage: %" PRId64 "Gi}}}}], ",
                  draw_between(draft, 1, 100));
}

static void put_spec(Draft *draft, uint32_t workload, DraftKind kind, int64_t pods) {
    if (kind == WORKLOAD_JOB)
        buffer_printf(draft->out, "parallelism: %" PRId64 ", completions: %" PRId64 ", backoffLimit: 1000, ", pods,
                      pods * draw_between(draft, 1, 3));
    else
        buffer_printf(draft->out, "replicas: %" PRId64 ", selector: {matchLabels: {app: w%u}}, ", pods, workload);
    if (kind == WORKLOAD_STATEFUL_SET) {
        buffer_printf(draft->out, "serviceName: w, podManagementPolicy: %s, ",
                      draw_chance(draft, 60) ? "Parallel" : "OrderedReady");
        if (draw_chance(draft, 50))
            put_volumes(draft);
    }
    draft_pod(draft, workload, kind, pods >= BURST_LEAST);
}

static void put_workload(Draft *draft, uint32_t workload) {
    static const char *const versions[] = {"apps/v1", "apps/v1", "batch/v1"};
    DraftKind kind = draw_chance(draft, 50) ? WORKLOAD_DEPLOYMENT
                                            : (DraftKind)draw_between(draft, WORKLOAD_STATEFUL_SET, WORKLOAD_JOB);

    draft->has[kind] = true;
    draft->workload_s[workload] = draw_between(draft, 5, draft->end_s / 2);
    draft_begin_line(draft, draft->workload_s[workload]);
    buffer_printf(draft->out,
                  "apply: {apiVersion: %s, kind: %s, metadata: {name: w%u, namespace: default, labels: {campaign: "
                  "\"1\"}}, spec: {",
                  versions[kind], draft_kind_text(kind), workload);
    put_spec(draft, workload, kind, draw_pods(draft));
    buffer_printf(draft->out, "}}");
    draft_end_line(draft);
    if (kind != WORKLOAD_JOB) {
        draft->scalable_kind[draft->scalable_count] = kind;
        draft->scalable[draft->scalable_count++] = workload;
    }
    put_budgets(draft, workload, kind);
}

static void put_daemon(Draft *draft) {
    draft_begin_line(draft, 1);
    buffer_printf(
        draft->out,
        "apply: {apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent, namespace: kube-system}, spec: "
        "{selector: {matchLabels: {app: agent}}, template: {metadata: {labels: {app: agent}}, spec: "
        "{%stolerations: [%s], containers: [{name: c, image: i, resources: {requests: {cpu: "
        "50m, memory: 64Mi}}}]}}}}",
        draw_chance(draft, 30) ? "priorityClassName: system-node-critical, " : "",
        draw_chance(draft, 70) ? "{operator: Exists}" : "{key: pool, operator: Exists}");
    draft_end_line(draft);
}

void draft_workloads(Draft *draft) {
    draft_classes_of_pods(draft);
    if (draw_chance(draft, 60))
        put_daemon(draft);
    draft->workloads = (uint32_t)draw_between(draft, 1, WORKLOADS_MOST);
    for (uint32_t workload = 0; workload < draft->workloads; workload++)
        put_workload(draft, workload);
}
