// Workloads of a random scenario: what kinds of pods, how many, and what they insist on.
#include "sim/campaign/campaign_parts.h"

#include <inttypes.h>

enum { DEPLOYMENT, STATEFUL_SET, JOB, BUDGET };

static void put_container(Draft *draft) {
    buffer_printf(draft->out,
                  "containers: [{name: c, image: i, resources: {requests: {cpu: %" PRId64 "m, memory: %" PRId64
                  "Mi}}}]",
                  draw_between(draft, 1, 40) * 100, draw_between(draft, 1, 32) * 128);
}

static void put_affinity(Draft *draft, uint32_t number) {
    if (draw_chance(draft, 15)) {
        buffer_printf(draft->out,
                      ", affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
                      "kubernetes.io/hostname, labelSelector: {matchLabels: {app: w%u}}}]}}",
                      number);
    }
    if (draw_chance(draft, 30)) {
        buffer_printf(draft->out,
                      ", topologySpreadConstraints: [{maxSkew: %" PRId64 ", topologyKey: topology.kubernetes.io/zone, "
                      "whenUnsatisfiable: %s, labelSelector: {matchLabels: {app: w%u}}}]",
                      draw_between(draft, 1, 3), draw_chance(draft, 70) ? "DoNotSchedule" : "ScheduleAnyway", number);
    }
}

static void put_pod(Draft *draft, uint32_t number, bool ends) {
    buffer_printf(draft->out, "template: {metadata: {labels: {app: w%u}", number);
    if (draw_chance(draft, 15))
        buffer_printf(draft->out, ", annotations: {karpenter.sh/do-not-disrupt: \"true\"}");
    else if (ends)
        buffer_printf(draft->out, ", annotations: {sim.tenon.sh/run-seconds: \"%" PRId64 "\"}",
                      draw_between(draft, 10, 1500));
    buffer_printf(draft->out, "}, spec: {");
    put_container(draft);
    if (ends)
        buffer_printf(draft->out, ", restartPolicy: %s", draw_chance(draft, 50) ? "Never" : "OnFailure");
    if (draw_chance(draft, 30))
        buffer_printf(draft->out, ", terminationGracePeriodSeconds: %" PRId64, draw_between(draft, 0, 600));
    if (draw_chance(draft, 60))
        buffer_printf(draft->out, ", tolerations: [{key: pool, operator: Exists}]");
    if (draw_chance(draft, 15))
        buffer_printf(draft->out, ", nodeSelector: {pool: p%" PRId64 "}", draw_between(draft, 0, draft->pools - 1));
    put_affinity(draft, number);
    buffer_printf(draft->out, "}}");
}

static void put_budget(Draft *draft, uint32_t number) {
    static const char *const rules[] = {"maxUnavailable: 1", "maxUnavailable: 25%", "minAvailable: 1",
                                        "minAvailable: 50%", "maxUnavailable: 0"};

    draft->has[BUDGET] = true;
    draft_begin_line(draft, 5);
    buffer_printf(draft->out,
                  "apply: {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: w%u, namespace: default, "
                  "labels: {campaign: \"1\"}}, spec: {%s, selector: {matchLabels: {app: w%u}}}}",
                  number, draw_word(draft, rules, 5), number);
    draft_end_line(draft);
}

static void put_workload(Draft *draft, uint32_t number) {
    static const char *const kinds[] = {"Deployment", "StatefulSet", "Job"};
    static const char *const versions[] = {"apps/v1", "apps/v1", "batch/v1"};
    uint32_t kind = draw_chance(draft, 60) ? DEPLOYMENT : (uint32_t)draw_between(draft, STATEFUL_SET, JOB);
    int64_t pods = draw_chance(draft, 80) ? draw_between(draft, 1, 30) : draw_between(draft, 30, 150);

    draft->has[kind] = true;
    draft_begin_line(draft, draw_between(draft, 5, draft->end_s / 2));
    buffer_printf(
        draft->out,
        "apply: {apiVersion: %s, kind: %s, metadata: {name: w%u, namespace: default, labels: {campaign: \"1\"}}, "
        "spec: {",
        versions[kind], kinds[kind], number);
    if (kind == JOB)
        buffer_printf(draft->out, "parallelism: %" PRId64 ", completions: %" PRId64 ", backoffLimit: 1000, ", pods,
                      pods * draw_between(draft, 1, 3));
    else
        buffer_printf(draft->out, "replicas: %" PRId64 ", selector: {matchLabels: {app: w%u}}, ", pods, number);
    if (kind == STATEFUL_SET)
        buffer_printf(draft->out, "serviceName: w, podManagementPolicy: %s, ",
                      draw_chance(draft, 50) ? "Parallel" : "OrderedReady");
    put_pod(draft, number, kind == JOB);
    buffer_printf(draft->out, "}}");
    draft_end_line(draft);
    if (kind != JOB) {
        draft->scalable[draft->scalable_count].kind = kinds[kind];
        draft->scalable[draft->scalable_count++].number = number;
        if (draw_chance(draft, 45))
            put_budget(draft, number);
    }
}

static void put_daemon(Draft *draft) {
    draft_begin_line(draft, 1);
    buffer_printf(
        draft->out,
        "apply: {apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent, namespace: kube-system}, spec: "
        "{selector: {matchLabels: {app: agent}}, template: {metadata: {labels: {app: agent}}, spec: "
        "{tolerations: [{operator: Exists}], containers: [{name: c, image: i, resources: {requests: {cpu: "
        "50m, memory: 64Mi}}}]}}}}");
    draft_end_line(draft);
}

void draft_workloads(Draft *draft) {
    if (draw_chance(draft, 60))
        put_daemon(draft);
    draft->workloads = (uint32_t)draw_between(draft, 1, WORKLOADS_MOST);
    for (uint32_t number = 0; number < draft->workloads; number++)
        put_workload(draft, number);
}
