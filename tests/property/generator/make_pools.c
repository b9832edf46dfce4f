// NodePools with every operator, weights, taints, labels, limits; and the objects that others refer to.
#include "generator/cluster.h"

#include <stdio.h>

typedef struct {
    Making *making;
    Writer *writer;
    MadePool *pool;
} PoolMaking;

static void begin_requirement(Writer *writer, const char *key, const char *op) {
    write_begin(writer, NULL, '{');
    write_text(writer, "key", "%s", key);
    write_text(writer, "operator", "%s", op);
}

static void end_requirement(Writer *writer, const char *const *values, uint32_t min_values) {
    if (values[0]) {
        write_begin(writer, "values", '[');
        for (size_t i = 0; values[i]; i++)
            write_text(writer, NULL, "%s", values[i]);
        write_end(writer, ']');
    }
    if (min_values)
        write_number(writer, "minValues", min_values);
    write_end(writer, '}');
}

static void zone_requirement(PoolMaking *at) {
    const char *values[ZONES_MAX + 1] = {NULL};
    uint32_t count = 0, first = below(at->making, at->making->zone_count);
    bool excludes = chance(at->making, 25);

    for (uint32_t i = 0; i < (excludes ? 1 : at->making->zone_count); i++) {
        if (i == 0 || chance(at->making, 60))
            values[count++] = zone_name((first + i) % at->making->zone_count);
    }
    begin_requirement(at->writer, "topology.kubernetes.io/zone", excludes ? "NotIn" : "In");
    end_requirement(at->writer, values, 0);
}

static void capacity_type_requirement(PoolMaking *at) {
    bool reserved = at->making->has_reservations && chance(at->making, 60);
    uint32_t kind = below(at->making, 5);
    const char *values[4] = {NULL};
    uint32_t count = 0;

    begin_requirement(at->writer, "karpenter.sh/capacity-type", kind == 4 ? "NotIn" : "In");
    if (kind == 4)
        values[count++] = "spot";
    if (kind != 4 && reserved)
        values[count++] = "reserved";
    if (kind != 4 && kind != 1)
        values[count++] = "on-demand";
    if (kind != 4 && kind != 0)
        values[count++] = "spot";
    end_requirement(at->writer, values, 0);
}

static void arch_requirement(PoolMaking *at) {
    const char *values[3] = {"amd64", chance(at->making, 40) ? "arm64" : NULL, NULL};

    begin_requirement(at->writer, "kubernetes.io/arch", "In");
    end_requirement(at->writer, values, 0);
}

static void cpu_requirement(PoolMaking *at) {
    const char *op = PICK(at->making, "Gt", "Gte", "Lt", "Lte");
    const char *bound = op[0] == 'G' ? PICK(at->making, "0", "1", "2", "4") : PICK(at->making, "9", "16", "33", "64");

    begin_requirement(at->writer, "karpenter.kwok.sh/instance-cpu", op);
    end_requirement(at->writer, (const char *[]){bound, NULL}, 0);
}

static void family_requirement(PoolMaking *at) {
    bool excludes = chance(at->making, 40), several = chance_or(at->making, 20, 60);

    begin_requirement(at->writer, "karpenter.kwok.sh/instance-family", excludes ? "NotIn" : "In");
    if (excludes)
        end_requirement(at->writer, (const char *[]){PICK(at->making, "c", "r", "g"), NULL}, 0);
    else
        end_requirement(at->writer, (const char *[]){"c", "m", "r", NULL}, several ? 2 : 0);
}

static void type_requirement(PoolMaking *at) {
    uint32_t min_values = chance(at->making, 60) ? 2 + below(at->making, 3) : 0;

    begin_requirement(at->writer, "node.kubernetes.io/instance-type", "Exists");
    end_requirement(at->writer, (const char *[]){NULL}, min_values);
}

static void team_requirement(PoolMaking *at) {
    const char *op = PICK(at->making, "In", "In", "In", "Exists", "NotIn", "DoesNotExist");

    begin_requirement(at->writer, "example.com/team", op);
    if (strcmp(op, "In") == 0)
        end_requirement(at->writer, (const char *[]){"red", PICK(at->making, "blue", "green"), NULL}, 0);
    else
        end_requirement(at->writer, (const char *[]){strcmp(op, "NotIn") == 0 ? "green" : NULL, NULL}, 0);
}

static void tier_requirement(PoolMaking *at) {
    const char *op = PICK(at->making, "In", "Gt", "Lt", "Gte", "Lte");

    begin_requirement(at->writer, "example.com/tier", op);
    if (strcmp(op, "In") == 0)
        end_requirement(at->writer, (const char *[]){"1", "3", "7", NULL}, 0);
    else
        end_requirement(at->writer, (const char *[]){PICK(at->making, "2", "5"), NULL}, 0);
}

static void rack_requirement(PoolMaking *at) {
    bool all = chance(at->making, 60);

    at->pool->rack = "r1";
    begin_requirement(at->writer, "example.com/rack", "In");
    end_requirement(at->writer, all ? (const char *[]){"r1", "r2", "r3", NULL} : (const char *[]){"r1", NULL}, 0);
}

static void write_requirements(PoolMaking *at) {
    static void (*const makers[])(PoolMaking *) = {zone_requirement, capacity_type_requirement, arch_requirement,
                                                   cpu_requirement,  family_requirement,        type_requirement,
                                                   team_requirement, tier_requirement,          rack_requirement};
    static const uint32_t percents[] = {30, 35, 25, 20, 15, 12, 25, 12, 20};
    static const uint32_t heavy_percents[] = {60, 35, 25, 20, 35, 35, 25, 12, 20};

    write_begin(at->writer, "requirements", '[');
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        bool is_team = makers[i] == team_requirement;

        if (chance_or(at->making, percents[i], heavy_percents[i]) && !(is_team && at->pool->label_team))
            makers[i](at);
    }
    if (at->making->has_reservations == false)
        write_requirement(at->writer, "kubernetes.io/os", "In", (const char *[]){"linux", NULL});
    write_end(at->writer, ']');
}

static void write_taint(Writer *writer, const char *key, const char *value, const char *effect) {
    write_begin(writer, NULL, '{');
    write_text(writer, "key", "%s", key);
    if (value)
        write_text(writer, "value", "%s", value);
    write_text(writer, "effect", "%s", effect);
    write_end(writer, '}');
}

static void write_taints(PoolMaking *at) {
    MadePool *pool = at->pool;

    if (chance(at->making, at->pool == at->making->pools ? 7 : 25)) {
        pool->taint_value = PICK(at->making, "web", "batch");
        pool->taint_effect = chance(at->making, 80) ? "NoSchedule" : "NoExecute";
    }
    pool->prefers_others = chance(at->making, 12);
    pool->has_startup_taint = chance(at->making, 15);
    if (pool->taint_value || pool->prefers_others) {
        write_begin(at->writer, "taints", '[');
        if (pool->taint_value)
            write_taint(at->writer, "dedicated", pool->taint_value, pool->taint_effect);
        if (pool->prefers_others)
            write_taint(at->writer, "example.com/spare", NULL, "PreferNoSchedule");
        write_end(at->writer, ']');
    }
    if (pool->has_startup_taint) {
        write_begin(at->writer, "startupTaints", '[');
        write_taint(at->writer, "example.com/starting", "true", "NoSchedule");
        write_end(at->writer, ']');
    }
}

static void write_limits(PoolMaking *at) {
    bool cpu = chance(at->making, 60), memory = chance(at->making, 25), nodes = chance(at->making, 35);

    write_begin(at->writer, "limits", '{');
    if (cpu && !at->pool->is_static)
        write_text(at->writer, "cpu", "%u", 4 + 4 * below(at->making, at->making->heavy ? 12 : 20));
    if (memory && !at->pool->is_static)
        write_text(at->writer, "memory", "%uGi", 16 + 16 * below(at->making, 12));
    if (nodes || at->pool->is_static)
        write_text(at->writer, "nodes", "%u", 1 + below(at->making, 6));
    write_end(at->writer, '}');
}

static void write_template(PoolMaking *at) {
    if (chance(at->making, 35))
        at->pool->label_team = PICK(at->making, "red", "blue");
    write_begin(at->writer, "template", '{');
    write_begin(at->writer, "metadata", '{');
    write_begin(at->writer, "labels", '{');
    if (at->pool->label_team)
        write_text(at->writer, "example.com/team", "%s", at->pool->label_team);
    write_text(at->writer, "example.com/pool", "%s", at->pool->name);
    write_end(at->writer, '}');
    write_end(at->writer, '}');
    write_begin(at->writer, "spec", '{');
    write_begin(at->writer, "nodeClassRef", '{');
    write_text(at->writer, "group", "karpenter.kwok.sh");
    write_text(at->writer, "kind", "KWOKNodeClass");
    write_text(at->writer, "name", "default");
    write_end(at->writer, '}');
    write_text(at->writer, "expireAfter", "Never");
    write_taints(at);
    write_requirements(at);
    write_end(at->writer, '}');
    write_end(at->writer, '}');
}

static void write_conditions(Writer *writer, bool ready) {
    static const char *const types[] = {"ValidationSucceeded", "NodeClassReady", "Ready"};

    write_begin(writer, "status", '{');
    write_begin(writer, "conditions", '[');
    for (size_t i = 0; i < 3; i++) {
        write_begin(writer, NULL, '{');
        write_text(writer, "type", "%s", types[i]);
        write_text(writer, "status", ready ? "True" : "False");
        write_text(writer, "reason", "%s", types[i]);
        write_text(writer, "message", "-");
        write_text(writer, "lastTransitionTime", "2026-01-01T00:00:00Z");
        write_end(writer, '}');
    }
    write_end(writer, ']');
    write_end(writer, '}');
}

static void make_pool(Making *making, uint32_t index) {
    static const uint32_t weights[] = {0, 0, 0, 10, 10, 50, 100};
    MadePool *pool = &making->pools[index];
    PoolMaking at = {making, &making->manifests, pool};

    snprintf(pool->name, sizeof pool->name, "%s", (const char *[]){"alpha", "beta", "gamma", "delta"}[index]);
    pool->weight = weights[below(making, sizeof weights / sizeof *weights)];
    if (making->profile != GENERATE_KARPENTER && index > 0) {
        pool->is_static = chance(making, 6);
        pool->not_ready = chance(making, 6);
    }
    write_object(at.writer, "karpenter.sh/v1", "NodePool", NULL, pool->name);
    write_end(at.writer, '}');
    write_begin(at.writer, "spec", '{');
    if (pool->is_static)
        write_number(at.writer, "replicas", 1 + below(making, 3));
    else if (pool->weight)
        write_number(at.writer, "weight", pool->weight);
    write_template(&at);
    if (chance_or(making, 25, 60))
        write_limits(&at);
    write_end(at.writer, '}');
    write_conditions(at.writer, !pool->not_ready);
    write_end(at.writer, '}');
}

void make_pools(Making *making) {
    making->pool_count = 1 + below(making, POOLS_MAX);
    for (uint32_t i = 0; i < making->pool_count; i++)
        make_pool(making, i);
}
