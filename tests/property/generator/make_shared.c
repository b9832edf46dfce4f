// Namespaces, node classes, storage classes, runtime classes, disruption budgets.
#include "generator/cluster.h"

#include <stdio.h>

static void make_namespaces(Making *making) {
    static const char *const names[] = {"default", "shop", "data"};
    Writer *writer = &making->manifests;

    for (size_t i = 0; i < 3; i++) {
        write_object(writer, "v1", "Namespace", NULL, names[i]);
        write_begin(writer, "labels", '{');
        write_text(writer, "kubernetes.io/metadata.name", "%s", names[i]);
        write_text(writer, "env", i == 2 ? "dev" : "prod");
        write_end(writer, '}');
        write_end(writer, '}');
        write_end(writer, '}');
    }
}

static void write_topology_term(Writer *writer, const char *zone) {
    write_begin(writer, NULL, '{');
    write_begin(writer, "matchLabelExpressions", '[');
    write_begin(writer, NULL, '{');
    write_text(writer, "key", "topology.kubernetes.io/zone");
    write_begin(writer, "values", '[');
    write_text(writer, NULL, "%s", zone);
    write_end(writer, ']');
    write_end(writer, '}');
    write_end(writer, ']');
    write_end(writer, '}');
}

// Three classes: anywhere on demand, in one or two zones on demand, and immediate.
static void make_storage_classes(Making *making) {
    static const char *const names[] = {"flexible", "zonal", "immediate"};
    Writer *writer = &making->manifests;
    uint32_t zone = below(making, making->zone_count);
    bool two = chance(making, 50);

    for (size_t i = 0; i < 3; i++) {
        write_object(writer, "storage.k8s.io/v1", "StorageClass", NULL, names[i]);
        write_end(writer, '}');
        write_text(writer, "provisioner", "ebs.csi.aws.com");
        write_text(writer, "volumeBindingMode", i == 2 ? "Immediate" : "WaitForFirstConsumer");
        if (i == 1) {
            write_begin(writer, "allowedTopologies", '[');
            write_topology_term(writer, zone_name(zone));
            if (two && making->zone_count > 1)
                write_topology_term(writer, zone_name((zone + 1) % making->zone_count));
            write_end(writer, ']');
        }
        write_end(writer, '}');
    }
}

static void make_budgets(Making *making) {
    Writer *writer = &making->manifests;

    for (uint32_t i = 0; i < 2; i++) {
        char name[16], app[16];
        uint32_t kind;

        if (!chance(making, 25))
            continue;
        snprintf(name, sizeof name, "budget-%u", i);
        snprintf(app, sizeof app, "w%u", below(making, 4));
        kind = below(making, 4);
        write_object(writer, "policy/v1", "PodDisruptionBudget", PICK(making, "default", "shop"), name);
        write_end(writer, '}');
        write_begin(writer, "spec", '{');
        if (kind == 0)
            write_number(writer, "maxUnavailable", 0);
        else if (kind == 1)
            write_text(writer, "minAvailable", "100%%");
        else
            write_number(writer, "maxUnavailable", 1);
        write_begin(writer, "selector", '{');
        write_begin(writer, "matchLabels", '{');
        write_text(writer, "app", "%s", app);
        write_end(writer, '}');
        write_end(writer, '}');
        write_end(writer, '}');
        write_end(writer, '}');
    }
}

void make_shared_objects(Making *making) {
    Writer *writer = &making->manifests;

    make_namespaces(making);
    write_object(writer, "karpenter.kwok.sh/v1alpha1", "KWOKNodeClass", NULL, "default");
    write_end(writer, '}');
    write_begin(writer, "status", '{');
    write_begin(writer, "conditions", '[');
    write_begin(writer, NULL, '{');
    write_text(writer, "type", "Ready");
    write_text(writer, "status", "True");
    write_text(writer, "reason", "Ready");
    write_text(writer, "message", "-");
    write_text(writer, "lastTransitionTime", "2026-01-01T00:00:00Z");
    write_end(writer, '}');
    write_end(writer, ']');
    write_end(writer, '}');
    write_end(writer, '}');
    make_storage_classes(making);
    make_budgets(making);
    write_object(writer, "node.k8s.io/v1", "RuntimeClass", NULL, "kata");
    write_end(writer, '}');
    write_text(writer, "handler", "kata");
    write_begin(writer, "overhead", '{');
    write_begin(writer, "podFixed", '{');
    write_text(writer, "cpu", "250m");
    write_text(writer, "memory", "120Mi");
    write_end(writer, '}');
    write_end(writer, '}');
    write_end(writer, '}');
}
