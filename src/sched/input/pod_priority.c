// Priorities by PriorityClass.
#include "sched/input/pod_priority.h"

// The classes that every cluster has.
static const struct {
    const char *name;
    int32_t value;
} of_the_system[] = {{"system-cluster-critical", 2000000000}, {"system-node-critical", 2000001000}};

int32_t pod_spec_priority(const Cluster *cluster, const PodSpec *spec) {
    Symbol name = spec->priority_class;

    if (name == NAME_EMPTY)
        return 0;
    for (vec_each(const PriorityClass, class, &cluster->priority_classes)) {
        if (class->meta.name == name)
            return class->value;
    }
    for (size_t i = 0; i < sizeof of_the_system / sizeof *of_the_system; i++) {
        if (slice_eq_text(symbol_text(&cluster->symbols, name), of_the_system[i].name))
            return of_the_system[i].value;
    }
    return 0;
}

int32_t pod_priority(const Cluster *cluster, const Pod *pod) {
    return pod->priority ? pod->priority : pod_spec_priority(cluster, pod->spec);
}

int pod_priority_compare(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x < y) - (x > y);
}
