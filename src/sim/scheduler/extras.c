// Reading schedulerName, preemptionPolicy, matchFields, and requests for scoring.
#include "sim/scheduler/extras.h"

#include "text/quantity.h"

enum { DEFAULT_CPU_MILLI = 100 };
static const int64_t DEFAULT_MEM_BYTES = INT64_C(200) * 1024 * 1024;

static const Value *list_of(const Value *map, const char *name, uint32_t *ret_count) {
    const Value *list = value_get(map, slice_of(name));
    bool is_list = list && list->kind == VALUE_LIST;

    *ret_count = is_list ? list->list.count : 0;
    return is_list ? list->list.items : NULL;
}

// --- pins

static void read_field(Arena *arena, Symbols *symbols, const Value *field, CachePin *pin) {
    bool is_in = slice_eq_text(kube_text(field, "operator", NULL), "In");
    uint32_t count;
    const Value *values = list_of(field, "values", &count);

    if (!slice_eq_text(kube_text(field, "key", NULL), "metadata.name"))
        return;
    pin->has_in |= is_in;
    for (uint32_t i = 0; i < count; i++)
        vec_push(arena, is_in ? &pin->in : &pin->not_in, symbol_intern(symbols, values[i].text));
}

static void read_pins(Arena *arena, Symbols *symbols, const Value *spec, CacheExtras *extras) {
    const Value *required =
        value_at(spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", NULL);
    uint32_t count, fields;
    const Value *terms = list_of(required, "nodeSelectorTerms", &count);
    bool any = false;

    for (uint32_t i = 0; i < count; i++)
        any |= list_of(&terms[i], "matchFields", &fields) != NULL;
    if (!any)
        return;
    extras->pins = arena_array(arena, CachePin, count);
    extras->pin_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const Value *items = list_of(&terms[i], "matchFields", &fields);

        for (uint32_t j = 0; j < fields; j++)
            read_field(arena, symbols, &items[j], &extras->pins[i]);
    }
}

// --- requests

typedef struct {
    int64_t cpu_milli, mem_bytes;
} Amounts;

static bool read_amount(const Value *resources, const char *part, const char *name, QuantityScale scale,
                        int64_t *ret_amount) {
    const Value *value = value_at(resources, part, name, NULL);

    return value && (value->kind == VALUE_STRING || value->kind == VALUE_NUMBER) &&
           quantity_parse(value->text, scale, ret_amount, NULL) == OK;
}

// Reads a request; without one the limit is the request.
static bool read_request(const Value *resources, const char *name, QuantityScale scale, int64_t *ret_amount) {
    return read_amount(resources, "requests", name, scale, ret_amount) ||
           read_amount(resources, "limits", name, scale, ret_amount);
}

static Amounts container_amounts(const Value *container) {
    const Value *resources = value_get_text(container, "resources");
    Amounts amounts = {DEFAULT_CPU_MILLI, DEFAULT_MEM_BYTES};

    read_request(resources, "cpu", QUANTITY_MILLI, &amounts.cpu_milli);
    read_request(resources, "memory", QUANTITY_UNIT, &amounts.mem_bytes);
    return amounts;
}

static void amounts_add(Amounts *to, const Amounts *from) {
    to->cpu_milli += from->cpu_milli;
    to->mem_bytes += from->mem_bytes;
}

static void amounts_max(Amounts *to, const Amounts *from) {
    to->cpu_milli = from->cpu_milli > to->cpu_milli ? from->cpu_milli : to->cpu_milli;
    to->mem_bytes = from->mem_bytes > to->mem_bytes ? from->mem_bytes : to->mem_bytes;
}

// Sum of containers and sidecars; or an init container together with the sidecars before it.
static Amounts pod_amounts(const Value *spec) {
    Amounts total = {0}, sidecars = {0}, start = {0}, overhead = {0};
    uint32_t count, init_count;
    const Value *containers = list_of(spec, "containers", &count);
    const Value *init = list_of(spec, "initContainers", &init_count);
    const Value *resources = value_get_text(spec, "resources");

    for (uint32_t i = 0; i < count; i++) {
        Amounts amounts = container_amounts(&containers[i]);

        amounts_add(&total, &amounts);
    }
    for (uint32_t i = 0; i < init_count; i++) {
        Amounts amounts = container_amounts(&init[i]);

        amounts_add(&amounts, &sidecars);
        amounts_max(&start, &amounts);
        if (slice_eq_text(kube_text(&init[i], "restartPolicy", NULL), "Always"))
            sidecars = amounts;
    }
    amounts_add(&total, &sidecars);
    amounts_max(&total, &start);
    read_request(resources, "cpu", QUANTITY_MILLI, &total.cpu_milli);
    read_request(resources, "memory", QUANTITY_UNIT, &total.mem_bytes);
    read_amount(spec, "overhead", "cpu", QUANTITY_MILLI, &overhead.cpu_milli);
    read_amount(spec, "overhead", "memory", QUANTITY_UNIT, &overhead.mem_bytes);
    amounts_add(&total, &overhead);
    return total;
}

CacheExtras cache_extras_read(Arena *arena, Symbols *symbols, const Value *pod) {
    const Value *spec = value_get_text(pod, "spec");
    Slice scheduler = kube_text(spec, "schedulerName", NULL);
    Amounts amounts = pod_amounts(spec);
    CacheExtras extras = {
        .foreign = scheduler.len && !slice_eq_text(scheduler, "default-scheduler"),
        .never_preempt = slice_eq_text(kube_text(spec, "preemptionPolicy", NULL), "Never"),
        .scored_cpu_milli = amounts.cpu_milli,
        .scored_mem_bytes = amounts.mem_bytes,
    };

    read_pins(arena, symbols, spec, &extras);
    return extras;
}
