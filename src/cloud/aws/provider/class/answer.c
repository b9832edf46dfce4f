// The answer of a lookup: status, conditions, what failed.
#include "cloud/aws/nodeclass_hash.h"
#include "cloud/aws/provider/class/steps.h"
#include "text/value_edit.h"

static const int64_t AGAIN_NS = 10 * NS_PER_MIN; // at the latest

// --- conditions

static const Condition *stored(const ClassTurn *turn, const char *type) {
    for (vec_each(const Condition, condition, &turn->class.conditions)) {
        if (slice_eq_text(symbol_text(&turn->provider->symbols, condition->type), type))
            return condition;
    }
    return NULL;
}

// What the object says of its present spec.
static CloudCondition as_stored(const ClassTurn *turn, const char *type) {
    const Symbols *symbols = &turn->provider->symbols;
    const Condition *kept = stored(turn, type);
    CloudCondition condition = {type, "Unknown", SLICE("AwaitingReconciliation"),
                                SLICE("object is awaiting reconciliation")};
    Slice status;

    if (!kept || kept->observed_generation != turn->class.meta.generation)
        return condition;
    status = symbol_text(symbols, kept->status);
    if (slice_eq_text(status, "True"))
        condition.status = "True";
    else if (slice_eq_text(status, "False"))
        condition.status = "False";
    condition.reason = symbol_text(symbols, kept->reason);
    condition.message = kept->message;
    return condition;
}

// A condition of which nothing is known stays as it is, or begins as any.
static void add_condition(ClassTurn *turn, CloudClass *class, uint32_t number, const ClassAnswer *answer) {
    const char *type = class_conditions[number];
    CloudCondition condition = {.type = type, .status = answer->status};

    if (answer->status) {
        condition.reason = answer->reason.len ? arena_slice(turn->arena, answer->reason) : slice_of(type);
        condition.message = arena_slice(turn->arena, answer->message);
    } else {
        condition = as_stored(turn, type);
    }
    vec_push(turn->arena, &class->conditions, condition);
}

static void add_conditions(ClassTurn *turn, CloudClass *class, const ClassAnswer *validation) {
    const ClassAnswer nothing = {0};

    for (uint32_t i = 0; i < CLASS_CONDITION_COUNT; i++) {
        const ClassPart *part = &turn->record->parts[i];

        if (!class_has_condition(turn->provider, i))
            continue;
        if (i == CLASS_CONDITION_VALIDATION)
            add_condition(turn, class, i, validation);
        else
            add_condition(turn, class, i, part->has_answered ? &part->answer : &nothing);
    }
}

// --- status

static const Value *status_of(ClassTurn *turn) {
    static const char *const members[CLASS_CONDITION_COUNT] = {
        [CLASS_CONDITION_AMIS] = "amis",
        [CLASS_CONDITION_SUBNETS] = "subnets",
        [CLASS_CONDITION_SECURITY_GROUPS] = "securityGroups",
        [CLASS_CONDITION_INSTANCE_PROFILE] = "instanceProfile",
        [CLASS_CONDITION_RESERVATIONS] = "capacityReservations",
    };
    Value patch = class_status_patch(turn->arena, &turn->provider->symbols, &turn->class);
    Value *status = arena_new(turn->arena, Value);

    *status = value_copy(turn->arena, value_get_text(&patch, "status"));
    for (uint32_t i = 0; i < CLASS_CONDITION_COUNT; i++) {
        if (members[i] && !turn->record->parts[i].has_answered)
            value_remove(status, slice_of(members[i]));
    }
    return status;
}

// --- what failed, and when to ask again

static void add_failure(Err *failure, const Err *err) {
    char before[ERR_TEXT_MAX];

    if (err->code == OK)
        return;
    if (failure->code == OK) {
        *failure = *err;
        return;
    }
    memcpy(before, failure->text, sizeof before);
    err_set(failure, failure->code, "%s; %s", before, err->text);
}

static void set_times(ClassTurn *turn, const ClassAnswer *validation, CloudClass *class) {
    int64_t after_ns = validation->for_ns > 0 && validation->for_ns < AGAIN_NS ? validation->for_ns : AGAIN_NS;

    for (uint32_t i = 0; i < CLASS_CONDITION_COUNT; i++) {
        const ClassPart *part = &turn->record->parts[i];
        int64_t left_ns = mono_left(turn->now.now, part->due);

        if (i == CLASS_CONDITION_VALIDATION || !class_has_condition(turn->provider, i))
            continue;
        add_failure(&class->failure, &part->failure);
        if (part->failure.code == OK && left_ns < after_ns)
            after_ns = left_ns;
    }
    add_failure(&class->failure, &turn->record->trial.failure);
    class->after_ns = after_ns > NS_PER_S ? after_ns : NS_PER_S;
}

CloudClass class_answer(ClassTurn *turn, const ClassAnswer *validation, Slice hash) {
    CloudClass class = {.status = status_of(turn)};

    add_conditions(turn, &class, validation);
    set_times(turn, validation, &class);
    if (hash.len)
        class.hash = (TextEntry){SLICE("karpenter.k8s.aws/ec2nodeclass-hash"), arena_slice(turn->arena, hash)};
    class.hash_version =
        (TextEntry){SLICE("karpenter.k8s.aws/ec2nodeclass-hash-version"), SLICE(EC2_NODE_CLASS_HASH_VERSION)};
    return class;
}

// --- as an API server will have it

static Value condition_value(Arena *arena, const CloudCondition *condition, int64_t generation) {
    Value map = value_map();

    value_put(arena, &map, SLICE("type"), value_string(slice_of(condition->type)));
    value_put(arena, &map, SLICE("status"), value_string(slice_of(condition->status)));
    value_put(arena, &map, SLICE("reason"), value_string(condition->reason));
    value_put(arena, &map, SLICE("message"), value_string(condition->message));
    value_put(arena, &map, SLICE("observedGeneration"), value_int(arena, generation));
    return map;
}

static const Value *find_condition(const Value *list, const char *type) {
    for (uint32_t i = 0; list && list->kind == VALUE_LIST && i < list->list.count; i++) {
        if (slice_eq_text(kube_text(&list->list.items[i], "type", NULL), type))
            return &list->list.items[i];
    }
    return NULL;
}

// Of the answer; else what is stored, without times. So equal conditions are equal texts.
static void add_plain_condition(Arena *arena, Value *list, const Value *before, const CloudClass *answer,
                                const char *type, int64_t generation) {
    const Value *kept = find_condition(before, type),
                *observed = kept ? value_get_text(kept, "observedGeneration") : NULL;
    int64_t number = 0;
    CloudCondition plain = {type, "Unknown", {0}, {0}};

    for (vec_each(const CloudCondition, condition, &answer->conditions)) {
        if (strcmp(condition->type, type) == 0) {
            value_append(arena, list, condition_value(arena, condition, generation));
            return;
        }
    }
    if (!kept)
        return;
    plain.status = arena_text(arena, kube_text(kept, "status", NULL));
    plain.reason = kube_text(kept, "reason", NULL);
    plain.message = kube_text(kept, "message", NULL);
    (void)(observed && value_to_int64(observed, &number));
    value_append(arena, list, condition_value(arena, &plain, number));
}

static Slice status_now(const Value *list, const char *type, int64_t generation) {
    const Value *condition = find_condition(list, type);
    int64_t number = 0;

    if (!condition || !value_to_int64(value_get_text(condition, "observedGeneration"), &number) || number != generation)
        return SLICE("Unknown");
    return kube_text(condition, "status", NULL);
}

// Ready is the conjunction of all others (reference lifecycle.md 0.3).
static CloudCondition ready(const ClassTurn *turn, const Value *list) {
    CloudCondition ready = {"Ready", "True", SLICE("Ready"), SLICE("")};
    Buffer bad = {0};

    for (uint32_t i = 0; i < CLASS_CONDITION_COUNT; i++) {
        Slice status;

        if (!class_has_condition(turn->provider, i))
            continue;
        status = status_now(list, class_conditions[i], turn->class.meta.generation);
        if (slice_eq_text(status, "True"))
            continue;
        buffer_printf(&bad, "%s%s=%.*s", bad.len ? ", " : "", class_conditions[i], SLICE_ARG(status));
        if (slice_eq_text(status, "False"))
            ready = (CloudCondition){"Ready", "False", SLICE("UnhealthyDependents"), {0}};
        else if (slice_eq_text(slice_of(ready.status), "True"))
            ready = (CloudCondition){"Ready", "Unknown", SLICE("ReconcilingDependents"), {0}};
    }
    ready.message = arena_slice(turn->arena, buffer_slice(&bad));
    buffer_free(&bad);
    return ready;
}

Value class_answered_object(ClassTurn *turn, const CloudClass *answer) {
    Arena *arena = turn->arena;
    int64_t generation = turn->class.meta.generation;
    Value object = value_copy(arena, &turn->object), list = value_list();
    Value *status = value_make(arena, &object, "status", NULL);
    CloudCondition root;

    if (answer->status)
        value_merge_patch(arena, status, answer->status);
    for (uint32_t i = 0; i < CLASS_CONDITION_COUNT; i++) {
        if (class_has_condition(turn->provider, i))
            add_plain_condition(arena, &list, value_get_text(status, "conditions"), answer, class_conditions[i],
                                generation);
    }
    root = ready(turn, &list);
    value_append(arena, &list, condition_value(arena, &root, generation));
    value_put(arena, status, SLICE("conditions"), list);
    return object;
}
