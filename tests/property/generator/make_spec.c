// Pod specs: containers, selectors, affinity, spread, tolerations, ports.
#include "generator/cluster.h"

#include <stdio.h>

typedef struct {
    Making *making;
    Writer *writer;
    const MadeWorkload *workload;
} SpecMaking;

// ---- containers

static void write_requests(Writer *writer, uint32_t cpu_milli, uint32_t memory_mib, uint32_t gpus, bool disk) {
    write_begin(writer, "resources", '{');
    write_begin(writer, "requests", '{');
    if (cpu_milli)
        write_text(writer, "cpu", "%um", cpu_milli);
    if (memory_mib)
        write_text(writer, "memory", "%uMi", memory_mib);
    if (gpus)
        write_text(writer, "nvidia.com/gpu", "%u", gpus);
    if (disk)
        write_text(writer, "ephemeral-storage", "%uGi", 1 + cpu_milli % 12);
    write_end(writer, '}');
    if (gpus) {
        write_begin(writer, "limits", '{');
        write_text(writer, "nvidia.com/gpu", "%u", gpus);
        write_end(writer, '}');
    }
    write_end(writer, '}');
}

static void write_ports(SpecMaking *at) {
    const char *protocol = PICK(at->making, "TCP", "TCP", "TCP", "UDP");
    uint32_t port = chance(at->making, 30) ? 9100 : 8080;

    write_begin(at->writer, "ports", '[');
    write_begin(at->writer, NULL, '{');
    write_number(at->writer, "containerPort", port);
    write_number(at->writer, "hostPort", port);
    write_text(at->writer, "protocol", "%s", protocol);
    if (chance(at->making, 20))
        write_text(at->writer, "hostIP", "%s", PICK(at->making, "10.0.0.1", "0.0.0.0", "10.0.0.2"));
    write_end(at->writer, '}');
    write_end(at->writer, ']');
}

static void write_container(SpecMaking *at, const char *name, uint32_t cpu_milli, uint32_t memory_mib,
                            bool is_sidecar) {
    write_begin(at->writer, NULL, '{');
    write_text(at->writer, "name", "%s", name);
    write_requests(at->writer, cpu_milli, memory_mib, 0, false);
    if (is_sidecar)
        write_text(at->writer, "restartPolicy", "Always");
    write_end(at->writer, '}');
}

static void write_containers(SpecMaking *at) {
    const MadeWorkload *workload = at->workload;
    uint32_t gpus = chance(at->making, 6) ? 1 + below(at->making, 2) : 0;
    bool disk = chance(at->making, 8), ports = chance(at->making, 9), second = chance(at->making, 12);
    bool init = chance(at->making, 10), sidecar = chance(at->making, 8);

    write_begin(at->writer, "containers", '[');
    write_begin(at->writer, NULL, '{');
    write_text(at->writer, "name", "main");
    write_requests(at->writer, workload->cpu_milli, workload->memory_mib, gpus, disk);
    if (ports)
        write_ports(at);
    write_end(at->writer, '}');
    if (second)
        write_container(at, "helper", 50, 32, false);
    write_end(at->writer, ']');
    if (init || sidecar) {
        write_begin(at->writer, "initContainers", '[');
        if (sidecar)
            write_container(at, "proxy", 100, 64, true);
        if (init)
            write_container(at, "setup", workload->cpu_milli + 300, 128, false);
        write_end(at->writer, ']');
    }
}

// ---- node selection

static void write_node_selector(SpecMaking *at) {
    uint32_t kind = below(at->making, 7);
    bool old_key = chance(at->making, 20);

    write_begin(at->writer, "nodeSelector", '{');
    if (kind == 0)
        write_text(at->writer, "topology.kubernetes.io/zone", "%s",
                   zone_name(below(at->making, at->making->zone_count)));
    else if (kind == 1)
        write_text(at->writer, old_key ? "beta.kubernetes.io/arch" : "kubernetes.io/arch", "%s",
                   PICK(at->making, "amd64", "amd64", "arm64"));
    else if (kind == 2)
        write_text(at->writer, "karpenter.sh/capacity-type", "%s", PICK(at->making, "spot", "on-demand"));
    else if (kind == 3)
        write_text(at->writer, "example.com/team", "%s", PICK(at->making, "red", "blue"));
    else if (kind == 4)
        write_text(at->writer, "karpenter.kwok.sh/instance-family", "%s", PICK(at->making, "c", "m", "r"));
    else if (kind == 5)
        write_text(at->writer, "karpenter.sh/nodepool", "%s",
                   at->making->pools[below(at->making, at->making->pool_count)].name);
    else
        write_text(at->writer, "kubernetes.io/os", "linux");
    write_end(at->writer, '}');
}

// One expression over a label that pools, types or offerings may have.
static void write_expression(SpecMaking *at) {
    Making *making = at->making;
    const char *zone = zone_name(below(making, making->zone_count));
    const char *other = zone_name(below(making, making->zone_count));
    bool flip = chance(making, 35);

    switch (below(making, 9)) {
    case 0:
    case 1:
        write_requirement(at->writer, "topology.kubernetes.io/zone", flip ? "NotIn" : "In",
                          (const char *[]){zone, flip || zone == other ? NULL : other, NULL});
        return;
    case 2:
        write_requirement(at->writer, "karpenter.kwok.sh/instance-cpu", flip ? "Lt" : "Gt",
                          (const char *[]){flip ? "17" : "2", NULL});
        return;
    case 3:
        write_requirement(at->writer, "example.com/team", flip ? "NotIn" : "In", (const char *[]){"red", NULL});
        return;
    case 4:
        write_requirement(at->writer, "example.com/team", flip ? "DoesNotExist" : "Exists", NULL);
        return;
    case 5:
        write_requirement(at->writer, "example.com/tier", flip ? "Lt" : "Gt", (const char *[]){flip ? "5" : "2", NULL});
        return;
    case 6:
        write_requirement(at->writer, "karpenter.sh/capacity-type", flip ? "NotIn" : "In",
                          (const char *[]){"spot", NULL});
        return;
    case 7:
        write_requirement(at->writer, "karpenter.kwok.sh/instance-family", flip ? "NotIn" : "In",
                          (const char *[]){PICK(making, "c", "g", "m"), flip ? NULL : "r", NULL});
        return;
    default:
        write_requirement(at->writer, "kubernetes.io/arch", "In",
                          (const char *[]){"amd64", flip ? "arm64" : NULL, NULL});
    }
}

static void write_expressions(SpecMaking *at) {
    uint32_t count = 1 + (chance(at->making, 30) ? 1 : 0);

    write_begin(at->writer, "matchExpressions", '[');
    for (uint32_t i = 0; i < count; i++)
        write_expression(at);
    write_end(at->writer, ']');
}

static void write_node_affinity(SpecMaking *at, bool required, bool preferred) {
    uint32_t terms = 1 + at->making->heavy + below(at->making, 3), preferences = 1 + below(at->making, 2);

    write_begin(at->writer, "nodeAffinity", '{');
    if (required) {
        write_begin(at->writer, "requiredDuringSchedulingIgnoredDuringExecution", '{');
        write_begin(at->writer, "nodeSelectorTerms", '[');
        for (uint32_t i = 0; i < terms; i++) {
            write_begin(at->writer, NULL, '{');
            write_expressions(at);
            write_end(at->writer, '}');
        }
        write_end(at->writer, ']');
        write_end(at->writer, '}');
    }
    if (preferred) {
        write_begin(at->writer, "preferredDuringSchedulingIgnoredDuringExecution", '[');
        for (uint32_t i = 0; i < preferences; i++) {
            write_begin(at->writer, NULL, '{');
            write_number(at->writer, "weight", 1 + below(at->making, 100));
            write_begin(at->writer, "preference", '{');
            write_expressions(at);
            write_end(at->writer, '}');
            write_end(at->writer, '}');
        }
        write_end(at->writer, ']');
    }
    write_end(at->writer, '}');
}

// ---- pod affinity

static void write_selector(SpecMaking *at, bool own) {
    write_begin(at->writer, "labelSelector", '{');
    if (own || chance(at->making, 70)) {
        write_begin(at->writer, "matchLabels", '{');
        write_text(at->writer, "app", "%s", own ? at->workload->name : PICK(at->making, "w0", "w1", "w2"));
        write_end(at->writer, '}');
    } else {
        write_begin(at->writer, "matchExpressions", '[');
        write_requirement(at->writer, "app", "In", (const char *[]){"w0", PICK(at->making, "w1", "w2", "w3"), NULL});
        write_end(at->writer, ']');
    }
    write_end(at->writer, '}');
}

static void write_affinity_term(SpecMaking *at, const char *key, bool own) {
    uint32_t where = below(at->making, 100);

    write_text(at->writer, "topologyKey", "%s", key);
    write_selector(at, own);
    if (where < 6) {
        write_begin(at->writer, "namespaces", '[');
        write_text(at->writer, NULL, "shop");
        write_text(at->writer, NULL, "%s", at->workload->ns);
        write_end(at->writer, ']');
    } else if (where < 14) {
        write_begin(at->writer, "namespaceSelector", '{');
        if (where < 10) {
            write_begin(at->writer, "matchLabels", '{');
            write_text(at->writer, "env", "prod");
            write_end(at->writer, '}');
        }
        write_end(at->writer, '}');
    }
}

static const char *affinity_key(SpecMaking *at, uint32_t hostname_percent) {
    return chance(at->making, hostname_percent) ? "kubernetes.io/hostname"
           : chance(at->making, 85)             ? "topology.kubernetes.io/zone"
                                                : "karpenter.sh/capacity-type";
}

static void write_pod_affinity(SpecMaking *at, const char *name, bool required, bool preferred, uint32_t hostnames,
                               uint32_t own_percent) {
    uint32_t terms = 1 + (chance(at->making, 12) ? 1 : 0);
    const char *key;

    write_begin(at->writer, name, '{');
    if (required) {
        write_begin(at->writer, "requiredDuringSchedulingIgnoredDuringExecution", '[');
        for (uint32_t i = 0; i < terms; i++) {
            write_begin(at->writer, NULL, '{');
            key = affinity_key(at, hostnames);
            write_affinity_term(at, key, chance(at->making, own_percent));
            write_end(at->writer, '}');
        }
        write_end(at->writer, ']');
    }
    if (preferred) {
        write_begin(at->writer, "preferredDuringSchedulingIgnoredDuringExecution", '[');
        write_begin(at->writer, NULL, '{');
        write_number(at->writer, "weight", 1 + below(at->making, 100));
        write_begin(at->writer, "podAffinityTerm", '{');
        key = affinity_key(at, hostnames);
        write_affinity_term(at, key, chance(at->making, own_percent));
        write_end(at->writer, '}');
        write_end(at->writer, '}');
        write_end(at->writer, ']');
    }
    write_end(at->writer, '}');
}

static void write_affinity(SpecMaking *at) {
    bool node = chance_or(at->making, 15, 35), node_wish = chance(at->making, 12);
    bool apart = chance_or(at->making, 16, 18), apart_wish = chance(at->making, 7);
    bool together = chance_or(at->making, 11, 12), together_wish = chance(at->making, 7);

    if (!node && !node_wish && !apart && !apart_wish && !together && !together_wish)
        return;
    write_begin(at->writer, "affinity", '{');
    if (node || node_wish)
        write_node_affinity(at, node, node_wish);
    if (apart || apart_wish)
        write_pod_affinity(at, "podAntiAffinity", apart, apart_wish, 65, 75);
    if (together || together_wish)
        write_pod_affinity(at, "podAffinity", together, together_wish, 25, 60);
    write_end(at->writer, '}');
}

// ---- spread

static void write_spread(SpecMaking *at) {
    Making *making = at->making;
    uint32_t key = below(making, 100), zones = making->heavy ? 40 : 60, hosts = making->heavy ? 55 : 82;
    bool hard = chance(making, 75);

    write_begin(at->writer, NULL, '{');
    write_number(at->writer, "maxSkew", 1 + (chance(making, 30) ? below(making, 3) : 0));
    write_text(at->writer, "topologyKey", "%s",
               key < zones   ? "topology.kubernetes.io/zone"
               : key < hosts ? "kubernetes.io/hostname"
               : key < 92    ? "karpenter.sh/capacity-type"
                             : "example.com/rack");
    write_text(at->writer, "whenUnsatisfiable", "%s", hard ? "DoNotSchedule" : "ScheduleAnyway");
    if (chance(making, 3)) { // an empty selector, which selects no pods here
        write_begin(at->writer, "labelSelector", '{');
        write_end(at->writer, '}');
    } else if (chance(making, 97))
        write_selector(at, chance(making, 85));
    if (hard && chance(making, 15))
        write_number(at->writer, "minDomains", 1 + below(making, 4));
    if (chance(making, 15))
        write_text(at->writer, "nodeAffinityPolicy", "%s", PICK(making, "Ignore", "Honor"));
    if (chance(making, 15))
        write_text(at->writer, "nodeTaintsPolicy", "%s", PICK(making, "Honor", "Ignore"));
    if (at->workload->has_versions && chance(making, 50)) {
        write_begin(at->writer, "matchLabelKeys", '[');
        write_text(at->writer, NULL, "version");
        write_end(at->writer, ']');
    }
    write_end(at->writer, '}');
}

static void write_spreads(SpecMaking *at) {
    uint32_t count = chance_or(at->making, 30, 40) ? 1 + (chance(at->making, 15) ? 1 : 0) : 0;

    if (count == 0)
        return;
    write_begin(at->writer, "topologySpreadConstraints", '[');
    for (uint32_t i = 0; i < count; i++)
        write_spread(at);
    write_end(at->writer, ']');
}

// ---- the rest

static void write_toleration(Writer *writer, const char *key, const char *op, const char *value, const char *effect) {
    write_begin(writer, NULL, '{');
    if (key)
        write_text(writer, "key", "%s", key);
    write_text(writer, "operator", "%s", op);
    if (value)
        write_text(writer, "value", "%s", value);
    if (effect)
        write_text(writer, "effect", "%s", effect);
    write_end(writer, '}');
}

static void write_tolerations(SpecMaking *at) {
    bool equal = chance(at->making, 22), exists = chance(at->making, 14), all = chance(at->making, 4);
    bool spare = chance(at->making, 5), any_effect = chance(at->making, 40);

    if (!equal && !exists && !all && !spare)
        return;
    write_begin(at->writer, "tolerations", '[');
    if (equal)
        write_toleration(at->writer, "dedicated", "Equal", PICK(at->making, "web", "batch"),
                         any_effect ? NULL : "NoSchedule");
    if (exists)
        write_toleration(at->writer, "dedicated", "Exists", NULL, NULL);
    if (spare)
        write_toleration(at->writer, "example.com/spare", "Exists", NULL, "PreferNoSchedule");
    if (all)
        write_toleration(at->writer, NULL, "Exists", NULL, NULL);
    write_end(at->writer, ']');
}

// Selectors that Karpenter refuses to plan for.
static bool write_refused_selector(SpecMaking *at) {
    uint32_t kind = below(at->making, 500);

    if (kind > 3)
        return false;
    write_begin(at->writer, "nodeSelector", '{');
    if (kind == 0)
        write_text(at->writer, "kubernetes.io/hostname", "node-0");
    else
        write_text(at->writer, kind == 1 ? "karpenter.sh/odd" : "karpenter.kwok.sh/odd", "yes");
    write_end(at->writer, '}');
    return true;
}

void write_pod_spec(Making *making, const MadeWorkload *workload, const char *pod, const char *node, bool is_gated) {
    SpecMaking at = {making, &making->manifests, workload};
    Random saved = making->random;

    random_seed(&making->random, workload->seed);
    write_begin(at.writer, "spec", '{');
    if (node)
        write_text(at.writer, "nodeName", "%s", node);
    write_text(at.writer, "schedulerName", "default-scheduler");
    if (workload->priority)
        write_number(at.writer, "priority", workload->priority);
    write_containers(&at);
    if (!write_refused_selector(&at) && chance(making, 16))
        write_node_selector(&at);
    write_affinity(&at);
    write_spreads(&at);
    write_tolerations(&at);
    if (chance(making, 5)) {
        write_text(at.writer, "runtimeClassName", "kata");
        write_begin(at.writer, "overhead", '{');
        write_text(at.writer, "cpu", "250m");
        write_text(at.writer, "memory", "120Mi");
        write_end(at.writer, '}');
    }
    if (chance(making, 4))
        write_requests(at.writer, workload->cpu_milli + 700, workload->memory_mib + 512, 0, false);
    if (is_gated) {
        write_begin(at.writer, "schedulingGates", '[');
        write_begin(at.writer, NULL, '{');
        write_text(at.writer, "name", "example.com/wait");
        write_end(at.writer, '}');
        write_end(at.writer, ']');
    }
    if (making->profile != GENERATE_KARPENTER && chance(making, 1)) {
        write_begin(at.writer, "resourceClaims", '[');
        write_begin(at.writer, NULL, '{');
        write_text(at.writer, "name", "device");
        write_text(at.writer, "resourceClaimName", "device");
        write_end(at.writer, '}');
        write_end(at.writer, ']');
    }
    write_pod_volumes(making, workload, pod);
    write_end(at.writer, '}');
    making->random = saved;
}
