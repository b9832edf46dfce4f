// `tenon catalog`: the instance types that a NodePool can launch, as a table or as the JSON that --catalog reads.
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/flags.h"
#include "cli/load.h"
#include "cli/report.h"

#include "text/json.h"

#include <stdio.h>

typedef struct {
    PlanOptions options;
    Arena arena;
    Slice pool;
    bool json;
} Invocation;

static ErrCode take_file(void *context, const char *value, Err *err) {
    Invocation *invocation = context;

    return manifests_read(&invocation->arena, value, &invocation->options.inputs, err);
}

static ErrCode take_region(void *context, const char *value, Err *err) {
    (void)err;
    ((Invocation *)context)->options.region = slice_of(value);
    return OK;
}

static ErrCode take_catalogue(void *context, const char *value, Err *err) {
    Invocation *invocation = context;

    return file_read(&invocation->arena, value, &invocation->options.catalogue, err);
}

static ErrCode take_pool(void *context, const char *value, Err *err) {
    (void)err;
    ((Invocation *)context)->pool = slice_of(value);
    return OK;
}

static ErrCode take_output(void *context, const char *value, Err *err) {
    bool json = strcmp(value, "json") == 0;

    if (!json && strcmp(value, "table") != 0)
        return err_set(err, ERR_INVALID, "--output: expected table or json, got %s", value);
    ((Invocation *)context)->json = json;
    return OK;
}

static const Flag flags[] = {
    {"--filename", "-f", "FILE|DIR|-", "manifests with a NodePool and its NodeClass (repeatable)", take_file},
    {"--nodepool", NULL, "NAME", "the NodePool to answer for (default: the first)", take_pool},
    {"--region", NULL, "REGION", "AWS region (default: what the manifests show, else us-east-1)", take_region},
    {"--catalog", NULL, "FILE", "instance types as JSON instead of the built-in ones", take_catalogue},
    {"--output", "-o", "FORMAT", "table (default) or json (what --catalog reads)", take_output},
};

static const FlagTable table = {
    .command = "catalog",
    .usage = "-f FILE|DIR|- [flags]",
    .about = "Prints the instance types that a NodePool's NodeClass can give it, with their room and prices.",
    .flags = flags,
    .count = sizeof flags / sizeof *flags,
};

#define PUT(report, map, key, value) value_put((report)->arena, (map), SLICE(key), (value))

static Value values_of(const Report *report, const Requirements *requirements, Symbol key) {
    const Requirement *requirement = requirements_get(requirements, key);
    Value list = value_list();

    for (uint32_t i = 0; requirement && i < requirement->values.count; i++)
        value_append(report->arena, &list, value_string(report_text(report, requirement->values.items[i])));
    return list;
}

static Value offering_value(const Report *report, const Offering *offering) {
    Value map = value_map();

    PUT(report, &map, "Available", value_bool(offering->available));
    PUT(report, &map, "Price", value_real(report->arena, offering->price_per_hour));
    if (offering->price_estimated)
        PUT(report, &map, "PriceEstimated", value_bool(true));
    PUT(report, &map, "Requirements", report_requirements(report, &offering->requirements));
    if (offering->capacity_type == NAME_RESERVED)
        PUT(report, &map, "ReservationCapacity", value_int(report->arena, offering->reservation_capacity));
    if (offering->has_override) {
        PUT(report, &map, "capacityOverride", report_resources(report, &offering->capacity_override));
        PUT(report, &map, "overheadOverride", report_resources(report, &offering->overhead_override));
    }
    return map;
}

// Labels of a type besides those that the JSON reader derives itself.
static Value further_labels(const Report *report, const InstanceType *type) {
    Requirements further = requirements_copy(report->arena, &type->requirements);
    static const Symbol made[] = {NAME_INSTANCE_TYPE, NAME_ARCH, NAME_OS, NAME_ZONE, NAME_CAPACITY_TYPE};

    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        requirements_remove(&further, made[i]);
    return report_requirements(report, &further);
}

static Value type_value(const Report *report, const InstanceType *type) {
    Value map = value_map(), offerings = value_list(), limits = value_map();
    Value arch = values_of(report, &type->requirements, NAME_ARCH);

    for (vec_each(Offering, offering, &type->offerings))
        value_append(report->arena, &offerings, offering_value(report, offering));
    for (vec_each(VolumeLimit, limit, &type->volume_limits)) {
        if (limit->has_count)
            value_put(report->arena, &limits, report_text(report, limit->driver),
                      value_int(report->arena, limit->count));
    }
    PUT(report, &map, "name", value_string(report_text(report, type->name)));
    if (arch.list.count)
        PUT(report, &map, "architecture", arch.list.items[0]);
    PUT(report, &map, "operatingSystems", values_of(report, &type->requirements, NAME_OS));
    PUT(report, &map, "resources", report_resources(report, &type->capacity));
    PUT(report, &map, "overhead", report_resources(report, &type->overhead));
    PUT(report, &map, "requirements", further_labels(report, type));
    if (limits.map.count)
        PUT(report, &map, "volumeLimits", limits);
    PUT(report, &map, "offerings", offerings);
    return map;
}

static void print_json(const Report *report, const InstanceTypeVec *types) {
    Value list = value_list();
    Buffer out = {0};

    for (vec_each(InstanceType, type, types))
        value_append(report->arena, &list, type_value(report, type));
    json_print(&out, &list, true);
    printf("%.*s\n", (int)out.len, out.bytes);
    buffer_free(&out);
}

static const Offering *cheapest(const InstanceType *type, Symbol capacity_type) {
    const Offering *best = NULL;

    for (vec_each(Offering, offering, &type->offerings)) {
        if (offering->available && offering->capacity_type == capacity_type &&
            (!best || offering->price_per_hour < best->price_per_hour))
            best = offering;
    }
    return best;
}

static void print_price(const Offering *offering) {
    char text[32] = "-";

    if (offering)
        snprintf(text, sizeof text, "%s%.4f", offering->price_estimated ? "~" : "", offering->price_per_hour);
    printf(" %10s", text);
}

static void print_table(const Report *report, const InstanceTypeVec *types) {
    printf("%-22s %10s %12s %6s %10s %10s\n", "TYPE", "CPU", "MEMORY", "PODS", "$/H", "SPOT $/H");
    for (vec_each(InstanceType, type, types)) {
        Resources room = instance_type_allocatable(report->arena, &report->input->cluster->symbols, type, NULL);
        Slice cpu = resource_print(report->arena, NAME_CPU, resources_get(&room, NAME_CPU));

        printf("%-22.*s %10.*s %10lldMi %6lld", SLICE_ARG(report_shown(report, type->name)), SLICE_ARG(cpu),
               (long long)(resources_get(&room, NAME_MEMORY) >> 20), (long long)resources_get(&room, NAME_PODS));
        print_price(cheapest(type, NAME_ON_DEMAND));
        print_price(cheapest(type, NAME_SPOT));
        printf("\n");
    }
}

static const PlanPool *find_pool(const Loaded *loaded, Slice name) {
    for (vec_each(PlanPool, pool, &loaded->pools)) {
        if (!name.len || slice_eq(symbol_text(&loaded->cluster.symbols, pool->pool->meta.name), name))
            return pool;
    }
    return NULL;
}

static ErrCode run(const Invocation *invocation, Loaded *loaded, Err *err) {
    PlanInput input = {.cluster = &loaded->cluster};
    Report report = {.arena = &loaded->arena, .input = &input};
    const PlanPool *pool;

    TRY(load_input(&invocation->options, loaded, err));
    pool = find_pool(loaded, invocation->pool);
    if (!pool)
        return err_set(err, ERR_NOT_FOUND, "no NodePool %.*s%sin the manifests", SLICE_ARG(invocation->pool),
                       invocation->pool.len ? " " : "");
    if (invocation->json)
        print_json(&report, pool->types);
    else
        print_table(&report, pool->types);
    return OK;
}

int command_catalog(int argc, char **argv) {
    Invocation invocation = {0};
    Loaded loaded = {0};
    Err err = {0};
    bool help;
    ErrCode code = flags_take(&table, argc, argv, &invocation, &help, &err);

    if (code == OK && help)
        flags_print_help(&table);
    else if (code == OK && !invocation.options.inputs.count)
        code = err_set(&err, ERR_INVALID, "no manifests: name a file or folder with -f; see tenon catalog --help");
    else if (code == OK) {
        code = run(&invocation, &loaded, &err);
        loaded_free(&loaded);
    }
    if (code != OK)
        fprintf(stderr, "error: %s\n", err.text);
    arena_free(&invocation.arena);
    return code == OK ? 0 : EXIT_BAD_INPUT;
}
