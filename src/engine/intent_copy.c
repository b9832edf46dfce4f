// Deep copies of intents, of NodeClaims to launch, and of instances. Symbols are not copied: their table outlives the
// job.
#include "engine/intent_copy.h"

#include "text/value_edit.h"

static const Value *copy_value(Arena *arena, const Value *value) {
    Value *copy;

    if (!value)
        return NULL;
    copy = arena_new(arena, Value);
    *copy = value_copy(arena, value);
    return copy;
}

#define COPY_VEC(arena, vec)                                                                                           \
    ((vec)->items = arena_copy((arena), (vec)->items, sizeof *(vec)->items * (vec)->count),                            \
     (vec)->capacity = (vec)->count)

static const DemandHistory *copy_demand(Arena *arena, const DemandHistory *demand) {
    DemandHistory *copy;

    if (!demand)
        return NULL;
    copy = arena_new(arena, DemandHistory);
    *copy = demand_copy(arena, demand);
    return copy;
}

static void copy_disrupt(Arena *arena, DisruptIntent *disrupt) {
    disrupt->options.demand = copy_demand(arena, disrupt->options.demand);
    COPY_VEC(arena, &disrupt->in_command);
    COPY_VEC(arena, &disrupt->nominated);
    COPY_VEC(arena, &disrupt->settling);
    COPY_VEC(arena, &disrupt->proposals);
    for (vec_each(DisruptProposal, proposal, &disrupt->proposals)) {
        COPY_VEC(arena, &proposal->claims);
        COPY_VEC(arena, &proposal->places);
        COPY_VEC(arena, &proposal->replacements);
        for (vec_each(ProposedClaim, claim, &proposal->replacements)) {
            COPY_VEC(arena, &claim->types);
            COPY_VEC(arena, &claim->labels);
        }
    }
}

// Copies an intent. Events and log lines never leave the engine's thread, so their texts are not copied.
Intent intent_copy(Arena *arena, const Intent *intent) {
    Intent copy = *intent;

    CHECK(intent->type != INTENT_EVENT && intent->type != INTENT_LOG, "a %s is not work", intent_text(intent->type));
    copy.ref.ns = arena_slice(arena, intent->ref.ns);
    copy.ref.name = arena_slice(arena, intent->ref.name);
    copy.deletion.uid = arena_slice(arena, intent->deletion.uid);
    copy.operation = arena_slice(arena, intent->operation);
    copy.list.ns = arena_slice(arena, intent->list.ns);
    copy.list.labels = arena_slice(arena, intent->list.labels);
    copy.list.fields = arena_slice(arena, intent->list.fields);
    copy.object = copy_value(arena, intent->object);
    copy.patch.body = copy_value(arena, intent->patch.body);
    copy.given = copy_value(arena, intent->given);
    COPY_VEC(arena, &copy.solve.set_aside);
    copy_disrupt(arena, &copy.disrupt);
    copy.event = (EventIntent){0};
    copy.log = (LogIntent){0};
    return copy;
}

static void copy_meta(Arena *arena, ObjectMeta *meta) {
    COPY_VEC(arena, &meta->labels);
    COPY_VEC(arena, &meta->annotations);
    COPY_VEC(arena, &meta->owners);
    COPY_VEC(arena, &meta->finalizers);
    meta->file = arena_slice(arena, meta->file);
}

static void copy_spec(Arena *arena, NodeClaimTemplateSpec *spec) {
    COPY_VEC(arena, &spec->taints);
    COPY_VEC(arena, &spec->startup_taints);
    COPY_VEC(arena, &spec->requirements);
    for (vec_each(Expression, expression, &spec->requirements))
        COPY_VEC(arena, &expression->values);
    spec->termination_grace_period_text = arena_slice(arena, spec->termination_grace_period_text);
    spec->expire_after_text = arena_slice(arena, spec->expire_after_text);
}

NodeClaim *claim_copy(Arena *arena, const NodeClaim *claim) {
    NodeClaim *copy = arena_copy(arena, claim, sizeof *claim);

    copy_meta(arena, &copy->meta);
    copy_spec(arena, &copy->spec);
    COPY_VEC(arena, &copy->requests);
    COPY_VEC(arena, &copy->capacity);
    COPY_VEC(arena, &copy->allocatable);
    COPY_VEC(arena, &copy->conditions);
    for (vec_each(Condition, condition, &copy->conditions))
        condition->message = arena_slice(arena, condition->message);
    return copy;
}

static void copy_instance(Arena *arena, CloudInstance *instance) {
    COPY_VEC(arena, &instance->labels);
    COPY_VEC(arena, &instance->annotations);
    COPY_VEC(arena, &instance->capacity);
    COPY_VEC(arena, &instance->allocatable);
}

CloudInstance *instance_copy(Arena *arena, const CloudInstance *instance) {
    CloudInstance *copy = arena_copy(arena, instance, sizeof *instance);

    copy_instance(arena, copy);
    return copy;
}

CloudInstanceVec *instances_copy(Arena *arena, const CloudInstanceVec *instances) {
    CloudInstanceVec *copy = arena_copy(arena, instances, sizeof *instances);

    COPY_VEC(arena, copy);
    for (vec_each(CloudInstance, instance, copy))
        copy_instance(arena, instance);
    return copy;
}
