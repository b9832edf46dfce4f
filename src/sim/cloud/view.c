// View: the cloud in the symbols of one program, with that program's memory of unavailable offerings.
#include "base/alloc.h"
#include "cloud/aws/repair_table.h"
#include "cloud/kwok/repair_table.h"
#include "sim/cloud/calls.h"
#include "sim/cloud/launch.h"
#include "sim/cloud/launch_asked.h"
#include "sim/cloud/messages.h"
#include "sim/cloud/view_classes.h"
#include "sim/cloud/view_types.h"

// --- the table

static SimView *enter(void *self) {
    SimView *view = self;

    CHECK(view->has_symbols, "a view was asked before it was given symbols");
    pthread_mutex_lock(&view->cloud->lock);
    return view;
}

static ErrCode leave(SimView *view, ErrCode code) {
    pthread_mutex_unlock(&view->cloud->lock);
    return code;
}

static ErrCode call_launch(void *self, Arena *arena, const CloudLaunch *launch, CloudInstance *ret_instance,
                           CloudError *error) {
    SimView *view = enter(self);

    return leave(view, cloud_view_launch(view, arena, launch, ret_instance, error));
}

static ErrCode call_terminate(void *self, Symbol provider_id, CloudError *error) {
    SimView *view = enter(self);

    return leave(view, cloud_view_terminate(view, provider_id, error));
}

// Labels and resources of the result live as long as the view, which outlives `arena`.
static ErrCode call_get(void *self, Arena *arena, Symbol provider_id, CloudInstance *ret_instance, CloudError *error) {
    SimView *view = enter(self);

    (void)arena;
    return leave(view, cloud_view_get(view, provider_id, ret_instance, error));
}

static ErrCode call_reboot(void *self, Symbol provider_id, Slice operation, CloudError *error) {
    SimView *view = enter(self);

    return leave(view, cloud_view_reboot(view, provider_id, operation, error));
}

static ErrCode call_list(void *self, Arena *arena, CloudInstanceVec *ret_instances, CloudError *error) {
    SimView *view = enter(self);

    return leave(view, cloud_view_list(view, arena, ret_instances, error));
}

static ErrCode call_instance_types(void *self, const NodePool *pool, const InstanceTypeVec **ret_types,
                                   CloudError *error) {
    SimView *view = enter(self);
    ClassEntry *entry;
    ViewClass *class;
    ErrCode code = cloud_view_class(view, &pool->template_spec.node_class, &class, &entry, error);

    if (code == OK)
        *ret_types = cloud_view_types(view, class);
    return leave(view, code);
}

static ErrCode call_is_drifted(void *self, const NodeClaim *claim, Slice *ret_reason, CloudError *error) {
    SimView *view = enter(self);

    return leave(view, cloud_view_is_drifted(view, claim, ret_reason, error));
}

static RepairPolicies call_repair_policies(void *self, const NodePool *pool) {
    const SimView *view = self;
    Slice kind = symbol_text(&view->symbols, pool->template_spec.node_class.kind);

    return slice_eq_text(kind, "KWOKNodeClass") ? kwok_repair_policies() : aws_repair_policies();
}

static ErrCode call_receive(void *self, Arena *arena, CloudMessageVec *ret_messages, CloudError *error) {
    SimView *view = enter(self);

    return leave(view, cloud_view_receive(view, arena, ret_messages, error));
}

static ErrCode call_settle(void *self, uint64_t receipt, CloudError *error) {
    SimView *view = enter(self);

    return leave(view, cloud_view_settle(view, receipt, error));
}

Cloud sim_view_cloud(SimView *view) {
    static const CloudTable table = {
        .launch = call_launch,
        .terminate = call_terminate,
        .reboot = call_reboot,
        .get = call_get,
        .list = call_list,
        .instance_types = call_instance_types,
        .is_drifted = call_is_drifted,
        .repair_policies = call_repair_policies,
        .receive = call_receive,
        .settle = call_settle,
    };

    return (Cloud){&table, view};
}

// --- making

SimView *sim_view_new(SimCloud *cloud, const Symbols *symbols) {
    SimView *view = NEW(SimView);

    view->cloud = cloud;
    if (symbols)
        sim_view_set_symbols(view, symbols);
    return view;
}

void sim_view_set_symbols(SimView *view, const Symbols *symbols) {
    CHECK(!view->has_symbols, "a view has symbols already");
    view->symbols = *symbols;
    view->symbols.holder = NULL; // permanent: vectors of types live long
    view->has_symbols = true;
}

size_t sim_view_memory(const SimView *view) {
    return arena_used(&view->arena);
}

void sim_view_free(SimView *view) {
    if (!view)
        return;
    for (vec_each(ViewClass *, class, &view->classes))
        cloud_view_class_free(*class);
    for (uint32_t i = view->retired_at; i < view->retired.count; i++)
        free(view->retired.items[i].memory);
    cloud_forget_asked(view);
    arena_free(&view->arena);
    free(view);
}
