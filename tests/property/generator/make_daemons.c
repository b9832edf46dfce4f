// DaemonSets and their pods. The spec of a DaemonSet is encoded in a number, so that it can be written again for each
// of its pods: bits 0..1 size, 2 tolerates everything, 3..4 runs everywhere, by arch or by OR terms, 5 a host port.
#include "generator/cluster.h"

#include <stdio.h>

uint32_t daemon_cpu_milli(uint32_t decider) {
    return 50 + 50 * (decider % 4);
}

static void write_affinity(Writer *writer, uint32_t decider) {
    write_begin(writer, "affinity", '{');
    write_begin(writer, "nodeAffinity", '{');
    write_begin(writer, "requiredDuringSchedulingIgnoredDuringExecution", '{');
    write_begin(writer, "nodeSelectorTerms", '[');
    write_begin(writer, NULL, '{');
    write_begin(writer, "matchExpressions", '[');
    write_requirement(writer, "topology.kubernetes.io/zone", "In", (const char *[]){zone_name(0), NULL});
    write_end(writer, ']');
    write_end(writer, '}');
    write_begin(writer, NULL, '{');
    write_begin(writer, "matchExpressions", '[');
    if (decider % 2)
        write_requirement(writer, "karpenter.kwok.sh/instance-family", "In", (const char *[]){"r", "g", NULL});
    else
        write_requirement(writer, "example.com/team", "Exists", NULL);
    write_end(writer, ']');
    write_end(writer, '}');
    write_end(writer, ']');
    write_end(writer, '}');
    write_end(writer, '}');
    write_end(writer, '}');
}

static void write_spec(Writer *writer, uint32_t decider, const char *node) {
    uint32_t where = decider >> 3 & 3;

    write_begin(writer, "spec", '{');
    if (node)
        write_text(writer, "nodeName", "%s", node);
    if (where == 1) {
        write_begin(writer, "nodeSelector", '{');
        write_text(writer, "kubernetes.io/arch", "amd64");
        write_end(writer, '}');
    } else if (where == 2) {
        write_affinity(writer, decider);
    }
    if (decider & 4) {
        write_begin(writer, "tolerations", '[');
        write_begin(writer, NULL, '{');
        write_text(writer, "operator", "Exists");
        write_end(writer, '}');
        write_end(writer, ']');
    }
    write_begin(writer, "containers", '[');
    write_begin(writer, NULL, '{');
    write_text(writer, "name", "agent");
    write_begin(writer, "resources", '{');
    write_begin(writer, "requests", '{');
    write_text(writer, "cpu", "%um", daemon_cpu_milli(decider));
    write_text(writer, "memory", "64Mi");
    write_end(writer, '}');
    write_end(writer, '}');
    if (decider & 32) {
        write_begin(writer, "ports", '[');
        write_begin(writer, NULL, '{');
        write_number(writer, "containerPort", 9100);
        write_number(writer, "hostPort", 9100);
        write_text(writer, "protocol", "TCP");
        write_end(writer, '}');
        write_end(writer, ']');
    }
    write_end(writer, '}');
    write_end(writer, ']');
    write_end(writer, '}');
}

void make_daemon_sets(Making *making) {
    Writer *writer = &making->manifests;

    making->daemon_count = below(making, 4);
    for (uint32_t i = 0; i < making->daemon_count; i++) {
        char name[16];

        making->daemons[i] = below(making, 32) | (chance(making, 15) ? 32 : 0);
        snprintf(name, sizeof name, "daemon-%u", i);
        write_object(writer, "apps/v1", "DaemonSet", "default", name);
        write_end(writer, '}');
        write_begin(writer, "spec", '{');
        write_begin(writer, "selector", '{');
        write_begin(writer, "matchLabels", '{');
        write_text(writer, "daemon", "%s", name);
        write_end(writer, '}');
        write_end(writer, '}');
        write_begin(writer, "template", '{');
        write_begin(writer, "metadata", '{');
        write_begin(writer, "labels", '{');
        write_text(writer, "daemon", "%s", name);
        write_end(writer, '}');
        write_end(writer, '}');
        write_spec(writer, making->daemons[i], NULL);
        write_end(writer, '}');
        write_end(writer, '}');
        write_end(writer, '}');
    }
}

void make_daemon_pod(Making *making, uint32_t index, const char *node) {
    Writer *writer = &making->manifests;
    char name[64];

    snprintf(name, sizeof name, "daemon-%u-%s", index, node);
    write_object(writer, "v1", "Pod", "default", name);
    write_text(writer, "creationTimestamp", "2026-01-01T00:00:00Z");
    write_begin(writer, "labels", '{');
    write_text(writer, "daemon", "daemon-%u", index);
    write_end(writer, '}');
    write_begin(writer, "ownerReferences", '[');
    write_begin(writer, NULL, '{');
    write_text(writer, "apiVersion", "apps/v1");
    write_text(writer, "kind", "DaemonSet");
    write_text(writer, "name", "daemon-%u", index);
    write_text(writer, "uid", "uid-DaemonSet-default-daemon-%u", index);
    write_bool(writer, "controller", true);
    write_end(writer, '}');
    write_end(writer, ']');
    write_end(writer, '}');
    write_spec(writer, making->daemons[index], node);
    write_begin(writer, "status", '{');
    write_text(writer, "phase", "Running");
    write_end(writer, '}');
    write_end(writer, '}');
}
