// Volume claims and volumes of pods.
#include "generator/cluster.h"

#include <stdio.h>

// Name of the claim of a pod.
static void claim_name(const MadeWorkload *workload, const char *pod, char name[64]) {
    if (workload->volume == VOLUME_SHARED)
        snprintf(name, 64, "shared-%s", workload->name);
    else
        snprintf(name, 64, "data-%s", pod);
}

static void write_claim(Writer *writer, const char *ns, const char *name, const char *class, bool is_bound) {
    write_object(writer, "v1", "PersistentVolumeClaim", ns, name);
    if (is_bound) {
        write_begin(writer, "annotations", '{');
        write_text(writer, "pv.kubernetes.io/bind-completed", "yes");
        write_end(writer, '}');
    }
    write_end(writer, '}');
    write_begin(writer, "spec", '{');
    write_text(writer, "storageClassName", "%s", class);
    if (is_bound)
        write_text(writer, "volumeName", "pv-%s-%s", ns, name);
    write_begin(writer, "accessModes", '[');
    write_text(writer, NULL, "ReadWriteMany");
    write_end(writer, ']');
    write_end(writer, '}');
    write_begin(writer, "status", '{');
    write_text(writer, "phase", is_bound ? "Bound" : "Pending");
    write_end(writer, '}');
    write_end(writer, '}');
}

static void write_term(Writer *writer, const char *zone, const char *hostname) {
    write_begin(writer, NULL, '{');
    write_begin(writer, "matchExpressions", '[');
    write_requirement(writer, "topology.kubernetes.io/zone", "In", (const char *[]){zone, NULL});
    if (hostname)
        write_requirement(writer, "kubernetes.io/hostname", "In", (const char *[]){hostname, NULL});
    write_end(writer, ']');
    write_end(writer, '}');
}

static void write_volume(Making *making, VolumeKind kind, const char *ns, const char *claim, bool anywhere) {
    Writer *writer = &making->manifests;
    uint32_t zone = below(making, making->zone_count);
    char name[96];

    snprintf(name, sizeof name, "pv-%s-%s", ns, claim);
    write_object(writer, "v1", "PersistentVolume", NULL, name);
    if (kind != VOLUME_NFS && chance(making, 20)) { // as volumes had before node affinity
        write_begin(writer, "labels", '{');
        write_text(writer, "topology.kubernetes.io/zone", "%s", zone_name(zone));
        write_end(writer, '}');
    }
    write_end(writer, '}');
    write_begin(writer, "spec", '{');
    if (kind == VOLUME_LOCAL) {
        write_begin(writer, "local", '{');
        write_text(writer, "path", "/mnt/disk");
    } else if (kind == VOLUME_NFS) {
        write_begin(writer, "nfs", '{');
        write_text(writer, "server", "files.example.com");
    } else {
        write_begin(writer, "csi", '{');
        write_text(writer, "driver", "ebs.csi.aws.com");
        write_text(writer, "volumeHandle", "%s", name);
    }
    write_end(writer, '}');
    if (kind != VOLUME_NFS && !anywhere) {
        write_begin(writer, "nodeAffinity", '{');
        write_begin(writer, "required", '{');
        write_begin(writer, "nodeSelectorTerms", '[');
        write_term(writer, zone_name(zone), kind == VOLUME_LOCAL ? "node-0" : NULL);
        if (kind == VOLUME_TWO_TERMS)
            write_term(writer, zone_name((zone + 1) % making->zone_count), NULL);
        write_end(writer, ']');
        write_end(writer, '}');
        write_end(writer, '}');
    }
    write_end(writer, '}');
    write_begin(writer, "status", '{');
    write_text(writer, "phase", "Bound");
    write_end(writer, '}');
    write_end(writer, '}');
}

void make_pod_volumes(Making *making, const MadeWorkload *workload, const char *pod, bool is_bound) {
    Writer *writer = &making->manifests;
    char name[64];

    claim_name(workload, pod, name);
    switch (workload->volume) {
    case VOLUME_NONE:
    case VOLUME_SHARED: // made once, with the workload
    case VOLUME_MISSING:
        return;
    case VOLUME_FLEXIBLE:
    case VOLUME_ZONAL:
    case VOLUME_IMMEDIATE:
        write_claim(writer, workload->ns, name,
                    workload->volume == VOLUME_ZONAL       ? "zonal"
                    : workload->volume == VOLUME_IMMEDIATE ? "immediate"
                                                           : "flexible",
                    is_bound);
        if (is_bound)
            write_volume(making, VOLUME_BOUND, workload->ns, name, true);
        return;
    default:
        write_claim(writer, workload->ns, name, "flexible", true);
        write_volume(making, workload->volume, workload->ns, name, false);
    }
}

void make_shared_volume(Making *making, const MadeWorkload *workload) {
    char name[64];

    if (workload->volume != VOLUME_SHARED)
        return;
    claim_name(workload, "", name);
    write_claim(&making->manifests, workload->ns, name, "flexible", true);
    write_volume(making, chance(making, 50) ? VOLUME_NFS : VOLUME_BOUND, workload->ns, name, false);
}

void write_pod_volumes(Making *making, const MadeWorkload *workload, const char *pod) {
    Writer *writer = &making->manifests;
    char name[64];

    if (workload->volume == VOLUME_NONE)
        return;
    claim_name(workload, pod, name);
    write_begin(writer, "volumes", '[');
    write_begin(writer, NULL, '{');
    write_text(writer, "name", "data");
    write_begin(writer, "persistentVolumeClaim", '{');
    write_text(writer, "claimName", "%s", name);
    write_end(writer, '}');
    write_end(writer, '}');
    write_end(writer, ']');
}
