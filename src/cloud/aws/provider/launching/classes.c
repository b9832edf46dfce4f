// EC2NodeClasses of a call.
#include "cloud/aws/launch/class_gate.h"
#include "cloud/aws/provider/launching/launching.h"

// A class that no snapshot is of: is there one? A process that has just started has not looked at it yet, and that must
// not end claims.
static void ask_kubernetes(LaunchCall *call, LaunchClass *class) {
    KubeError failure = {0};
    Arena arena = {0};
    Value object;
    ErrCode code = kube_get(call->provider->config.kube, &arena, (KubeRef){KUBE_EC2_NODE_CLASS, {0}, class->name},
                            &object, &failure);

    if (code == ERR_NOT_FOUND)
        (void)class_gate(&call->scratch, &call->provider->symbols, NULL, &class->unknown);
    else if (code != OK)
        cloud_fail(&class->unknown, ERR_IO, "reading EC2NodeClass %.*s: %s", SLICE_ARG(class->name), failure.err.text);
    else
        cloud_fail_for(&class->unknown, ERR_IO, "NodeClassReadinessUnknown", "EC2NodeClass %.*s was not looked up yet",
                       SLICE_ARG(class->name));
    arena_free(&arena);
}

static void look_at(LaunchCall *call, LaunchClass *class) {
    const ProviderNeighbours *others = call->provider->neighbours;

    class->snapshot = others->class_hold(call->provider, class->name);
    if (!class->snapshot) {
        ask_kubernetes(call, class);
        return;
    }
    class->family = ami_family(class->snapshot->class.ami_family);
    if (!others->is_confirmed(call->provider) ||
        !others->launchable(call->provider, &call->scratch, class->name, &class->types))
        cloud_fail_for(&class->unknown, ERR_IO, "InstanceTypeResolutionFailed",
                       "EC2 has not said yet which instance types the account has");
    else if (!class->family)
        cloud_fail(&class->unknown, ERR_INVALID, "EC2NodeClass %.*s: no AMI family \"%.*s\"", SLICE_ARG(class->name),
                   SLICE_ARG(class->snapshot->class.ami_family));
    else
        (void)class_gate(&call->scratch, &call->provider->symbols, &class->snapshot->class, &class->closed);
}

static const LaunchClass *class_of(LaunchCall *call, Slice name) {
    LaunchClass *class;

    for (vec_each(LaunchClass *, known, &call->classes)) {
        if (slice_eq((*known)->name, name))
            return *known;
    }
    class = arena_new(&call->scratch, LaunchClass);
    class->name = name;
    look_at(call, class);
    vec_push(&call->scratch, &call->classes, class);
    return class;
}

void launch_find_classes(LaunchCall *call) {
    for (uint32_t i = 0; i < call->count; i++) {
        LaunchItem *item = &call->items[i];

        item->class = class_of(call, symbol_text(&call->provider->symbols, item->launch->claim->spec.node_class.name));
        if (item->class->unknown.err.code != OK)
            launch_fail(item, &item->class->unknown);
    }
}

void launch_release_classes(LaunchCall *call) {
    for (vec_each(LaunchClass *, class, &call->classes))
        call->provider->neighbours->class_release((*class)->snapshot);
}
