// Workloads and their pods.
#include "generator/cluster.h"

#include <stdio.h>

static VolumeKind choose_volume(Making *making) {
    static const VolumeKind kinds[] = {VOLUME_FLEXIBLE, VOLUME_FLEXIBLE, VOLUME_ZONAL,     VOLUME_ZONAL, VOLUME_BOUND,
                                       VOLUME_BOUND,    VOLUME_BOUND,    VOLUME_TWO_TERMS, VOLUME_LOCAL, VOLUME_NFS,
                                       VOLUME_SHARED,   VOLUME_MISSING,  VOLUME_IMMEDIATE};

    return chance(making, 88) ? VOLUME_NONE : kinds[below(making, sizeof kinds / sizeof *kinds)];
}

void make_workloads(Making *making) {
    static const uint32_t cpus[] = {0, 100, 100, 250, 250, 500, 500, 1000, 1000, 1500, 2000, 3500};
    static const uint32_t memories[] = {0, 64, 128, 256, 256, 512, 512, 1024, 2048, 4096};

    making->workload_count = 2 + below(making, WORKLOADS_MAX - 1);
    for (uint32_t i = 0; i < making->workload_count; i++) {
        MadeWorkload *workload = &making->workloads[i];

        snprintf(workload->name, sizeof workload->name, "w%u", i);
        workload->ns = PICK(making, "default", "default", "default", "shop", "data");
        workload->replicas = 1 + below(making, chance(making, 30) ? 12 : 6);
        workload->has_versions = chance(making, 20);
        workload->is_stateful = chance(making, 20);
        workload->seed = random_u64(&making->random);
        workload->cpu_milli = cpus[below(making, sizeof cpus / sizeof *cpus)];
        workload->memory_mib = memories[below(making, sizeof memories / sizeof *memories)];
        if (chance(making, 3))
            workload->cpu_milli = 1000000; // fits nowhere
        if (making->heavy) {
            workload->replicas += below(making, 20);
            workload->priority = 500 * below(making, 3);
        }
        workload->volume = choose_volume(making);
        make_shared_volume(making, workload);
    }
}

static void write_owner(Writer *writer, const MadeWorkload *workload) {
    write_begin(writer, "ownerReferences", '[');
    write_begin(writer, NULL, '{');
    write_text(writer, "apiVersion", "apps/v1");
    write_text(writer, "kind", "%s", workload->is_stateful ? "StatefulSet" : "ReplicaSet");
    write_text(writer, "name", "%s", workload->name);
    write_text(writer, "uid", "uid-owner-%s-%s", workload->ns, workload->name);
    write_bool(writer, "controller", true);
    write_end(writer, '}');
    write_end(writer, ']');
}

static void write_status(Writer *writer, const PodFate *fate, bool is_gated) {
    write_begin(writer, "status", '{');
    write_text(writer, "phase", fate->terminal ? "Succeeded" : fate->node ? "Running" : "Pending");
    write_begin(writer, "conditions", '[');
    write_begin(writer, NULL, '{');
    write_text(writer, "type", "PodScheduled");
    write_text(writer, "status", fate->node ? "True" : "False");
    if (!fate->node)
        write_text(writer, "reason", is_gated ? "SchedulingGated" : "Unschedulable");
    write_end(writer, '}');
    if (fate->node && !fate->terminal) {
        write_begin(writer, NULL, '{');
        write_text(writer, "type", "Ready");
        write_text(writer, "status", "True");
        write_end(writer, '}');
    }
    write_end(writer, ']');
    write_end(writer, '}');
}

void make_pod(Making *making, const MadeWorkload *workload, const PodFate *fate) {
    Writer *writer = &making->manifests;
    uint32_t number = making->pod_number++;
    bool is_gated = !fate->node && chance(making, 1);
    char name[32];

    snprintf(name, sizeof name, "%s-%u", workload->name, number);
    make_pod_volumes(making, workload, name, fate->node != NULL);
    write_object(writer, "v1", "Pod", workload->ns, name);
    write_text(writer, "creationTimestamp", "2026-01-01T00:%02u:%02uZ", number / 60 % 60, number % 60);
    if (fate->terminating) {
        write_text(writer, "deletionTimestamp", "2026-01-01T02:00:00Z");
        write_number(writer, "deletionGracePeriodSeconds", 30);
        write_begin(writer, "finalizers", '[');
        write_text(writer, NULL, "example.com/hold");
        write_end(writer, ']');
    }
    if (fate->protected) {
        write_begin(writer, "annotations", '{');
        write_text(writer, "karpenter.sh/do-not-disrupt", "true");
        write_end(writer, '}');
    }
    write_begin(writer, "labels", '{');
    write_text(writer, "app", "%s", workload->name);
    if (workload->has_versions)
        write_text(writer, "version", "v%u", 1 + number % 2);
    write_end(writer, '}');
    write_owner(writer, workload);
    write_end(writer, '}');
    write_pod_spec(making, workload, name, fate->node, is_gated);
    write_status(writer, fate, is_gated);
    write_end(writer, '}');
}

static uint32_t pending_most(const Making *making) {
    if (making->profile == GENERATE_FLEET)
        return PODS_MAX_FLEET;
    return making->profile == GENERATE_SMALL ? PODS_MAX_SMALL : making->heavy ? PODS_MAX_HEAVY : PODS_MAX;
}

void make_pending_pods(Making *making) {
    uint32_t left = pending_most(making);

    for (uint32_t i = 0; i < making->workload_count; i++) {
        for (uint32_t k = 0; k < making->workloads[i].replicas && left > 0; k++, left--)
            make_pod(making, &making->workloads[i], &(PodFate){.terminating = chance(making, 2)});
    }
}
