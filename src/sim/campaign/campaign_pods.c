// Pods of a random scenario: requests, behaviour, and constraints.
#include "sim/campaign/campaign_pods.h"

#include "sim/campaign/campaign_draft.h"

#include <inttypes.h>

static const char *const PRIORITIES[] = {"high", "low", "meek", "system-cluster-critical"};

// --- objects that pods refer to

void draft_classes_of_pods(Draft *draft) {
    static const char *const objects[] = {
        "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}",
        "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: low}, value: -10}",
        "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: meek}, value: 500, "
        "preemptionPolicy: Never}",
        "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: late}, provisioner: ebs.csi.aws.com, "
        "volumeBindingMode: WaitForFirstConsumer}",
    };

    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        draft_begin_line(draft, 0);
        buffer_printf(draft->out, "apply: %s", objects[i]);
        draft_end_line(draft);
    }
}

// --- metadata

static void put_metadata(Draft *draft, uint32_t workload, bool ends) {
    buffer_printf(draft->out, "metadata: {labels: {app: w%u}, annotations: {campaign: \"1\"", workload);
    if (draw_chance(draft, 12))
        buffer_printf(draft->out, ", karpenter.sh/do-not-disrupt: \"true\"");
    else if (draw_chance(draft, 6))
        buffer_printf(draft->out, ", karpenter.sh/do-not-disrupt: %" PRId64 "m", draw_between(draft, 1, 60));
    if (draw_chance(draft, 15))
        buffer_printf(draft->out, ", controller.kubernetes.io/pod-deletion-cost: \"%" PRId64 "\"",
                      draw_between(draft, -1000, 1000));
    if (ends)
        buffer_printf(draft->out, ", sim.tenon.sh/run-seconds: \"%" PRId64 "\"", draw_between(draft, 10, 1500));
    if (draw_chance(draft, 15))
        buffer_printf(draft->out, ", sim.tenon.sh/stop-seconds: \"%" PRId64 "\"", draw_between(draft, 1, 900));
    buffer_printf(draft->out, "}}");
}

// --- spec

static void put_container(Draft *draft, bool gpu, bool small) {
    buffer_printf(draft->out,
                  "containers: [{name: c, image: i, resources: {requests: {cpu: %" PRId64 "m, memory: %" PRId64 "Mi}",
                  draw_between(draft, 1, small ? 8 : 40) * 100, draw_between(draft, 1, small ? 8 : 32) * 128);
    if (gpu)
        buffer_printf(draft->out, ", limits: {nvidia.com/gpu: \"1\"}");
    buffer_printf(draft->out, "}}]");
}

static void put_grace(Draft *draft) {
    if (draw_chance(draft, 10))
        buffer_printf(draft->out, ", terminationGracePeriodSeconds: %" PRId64, draw_between(draft, 0, 1));
    else if (draw_chance(draft, 20))
        buffer_printf(draft->out, ", terminationGracePeriodSeconds: %" PRId64, draw_between(draft, 2, 600));
    else if (draw_chance(draft, 8))
        buffer_printf(draft->out, ", terminationGracePeriodSeconds: %" PRId64, draw_between(draft, 600, 3600));
}

static void put_affinity(Draft *draft, uint32_t workload) {
    if (draw_chance(draft, 12)) {
        buffer_printf(draft->out,
                      ", affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
                      "kubernetes.io/hostname, labelSelector: {matchLabels: {app: w%u}}}]}}",
                      workload);
    } else if (draw_chance(draft, 8)) {
        buffer_printf(draft->out,
                      ", affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
                      "topology.kubernetes.io/zone, labelSelector: {matchLabels: {app: w%u}}}]}}",
                      workload);
    }
    if (draw_chance(draft, 30)) {
        buffer_printf(draft->out,
                      ", topologySpreadConstraints: [{maxSkew: %" PRId64 ", topologyKey: topology.kubernetes.io/zone, "
                      "whenUnsatisfiable: %s, labelSelector: {matchLabels: {app: w%u}}}]",
                      draw_between(draft, 1, 3), draw_chance(draft, 70) ? "DoNotSchedule" : "ScheduleAnyway", workload);
    }
}

static void put_spec(Draft *draft, uint32_t workload, bool ends, bool small) {
    bool gpu = draft->has_gpu && draw_chance(draft, 30);

    put_container(draft, gpu, small);
    if (ends)
        buffer_printf(draft->out, ", restartPolicy: %s", draw_chance(draft, 50) ? "Never" : "OnFailure");
    put_grace(draft);
    if (gpu)
        buffer_printf(draft->out, ", tolerations: [{key: nvidia.com/gpu, operator: Exists}]");
    else if (draw_chance(draft, 60))
        buffer_printf(draft->out, ", tolerations: [{key: pool, operator: Exists}]");
    else if (draw_chance(draft, 3))
        buffer_printf(draft->out, ", tolerations: [{operator: Exists}]");
    if (!gpu && draw_chance(draft, 15))
        buffer_printf(draft->out, ", nodeSelector: {pool: p%" PRId64 "}", draw_between(draft, 0, draft->pools - 1));
    if (draw_chance(draft, 20))
        buffer_printf(draft->out, ", priorityClassName: %s", draw_word(draft, PRIORITIES, 4));
    put_affinity(draft, workload);
}

void draft_pod(Draft *draft, uint32_t workload, DraftKind kind, bool small) {
    bool ends = kind == WORKLOAD_JOB;

    buffer_printf(draft->out, "template: {");
    put_metadata(draft, workload, ends);
    buffer_printf(draft->out, ", spec: {");
    put_spec(draft, workload, ends, small);
    buffer_printf(draft->out, "}}");
}
