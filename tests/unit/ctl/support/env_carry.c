// Carrying out intents in a TestEnv: against its API server and its cloud.
#include "ctl/support/env_parts.h"

#include "text/duration.h"

#include <stdio.h>

static const Slice MANAGER = SLICE_INIT("tenon");

// The first reason of metav1.Status that stands for the code.
static KubeReason reason_of(ErrCode code) {
    for (KubeReason reason = 1; reason < KUBE_REASON_COUNT; reason++) {
        if (kube_fail(NULL, reason, "%s", "") == code)
            return reason;
    }
    fail_msg("the API server does not answer \"%s\"", err_code_text(code));
    return KUBE_REASON_NONE;
}

// Whether the answer is lost.
static ErrCode lose_answer(TestEnv *env, const Intent *intent, ErrCode code, Err *err) {
    const EnvBreak *wanted = code == OK ? env_take_break(env, intent->type, true) : NULL;

    return wanted ? err_set(err, wanted->code, "%s", wanted->text) : code;
}

static ErrCode perform_read(TestEnv *env, Arena *arena, const KubeListRequest *request, KubeError *error) {
    KubeList list = {0};

    TRY(kube_list(env->kube, arena, request, &list, error));
    for (vec_each(const Value, object, &list.items))
        env_apply(env, request->kind, object);
    return OK;
}

static ErrCode perform_kube(TestEnv *env, Arena *arena, const Intent *intent, EnvOutcome *ret) {
    const EnvBreak *wanted = env_take_break(env, intent->type, false);

    if (wanted && wanted->code == OK)
        return OK;
    if (wanted)
        return kube_fail(&ret->kube_error, reason_of(wanted->code), "%s", wanted->text);
    switch (intent->type) {
    case INTENT_CREATE:
        return kube_create(env->kube, arena, MANAGER, intent->ref.kind, intent->object, &ret->object, &ret->kube_error);
    case INTENT_PATCH:
        return kube_patch(env->kube, arena, MANAGER, intent->ref, intent->part, &intent->patch, &ret->object,
                          &ret->kube_error);
    case INTENT_GET:
        return kube_get(env->kube, arena, intent->ref, &ret->object, &ret->kube_error);
    case INTENT_REMOVE:
        return kube_remove(env->kube, intent->ref, &intent->deletion, &ret->kube_error);
    case INTENT_READ:
        return perform_read(env, arena, &intent->list, &ret->kube_error);
    default:
        return kube_evict(env->kube, intent->ref, &intent->deletion, &ret->kube_error);
    }
}

static ErrCode perform_launch(TestEnv *env, Arena *arena, const Intent *intent, EnvOutcome *ret) {
    const NodeClaim *claim = state_node_claim(env->state, intent->claim);
    CloudLaunch launch = {.claim = claim};

    if (!claim)
        return err_set(&ret->cloud_error.err, ERR_NOT_FOUND, "the claim is gone");
    for (vec_each(const Expression, expression, &claim->spec.requirements)) {
        Requirement requirement = requirement_make(arena, state_symbols(env->state), expression);

        requirements_add(arena, state_symbols(env->state), &launch.requirements, &requirement);
    }
    return cloud_launch(env_cloud_table(env), arena, &launch, &ret->instance, &ret->cloud_error);
}

static ErrCode perform_drift_check(TestEnv *env, const Intent *intent, EnvOutcome *ret) {
    const NodeClaim *claim = state_node_claim(env->state, intent->claim);

    if (!claim)
        return err_set(&ret->cloud_error.err, ERR_NOT_FOUND, "the claim is gone");
    return cloud_is_drifted(env_cloud_table(env), claim, &ret->completion.drift, &ret->cloud_error);
}

static ErrCode perform_for_claim(TestEnv *env, const Intent *intent, EnvOutcome *ret) {
    const NodeClaim *claim = state_node_claim(env->state, intent->claim);

    if (!claim)
        return err_set(&ret->cloud_error.err, ERR_NOT_FOUND, "the claim is gone");
    return intent->type == INTENT_TAG ? cloud_tag(env_cloud_table(env), claim, &ret->cloud_error)
                                      : cloud_learn(env_cloud_table(env), claim, intent->memory, &ret->cloud_error);
}

static ErrCode perform_cloud(TestEnv *env, Arena *arena, const Intent *intent, EnvOutcome *ret) {
    Cloud cloud = env_cloud_table(env);

    switch (intent->type) {
    case INTENT_LAUNCH:
        return perform_launch(env, arena, intent, ret);
    case INTENT_TERMINATE:
        return cloud_terminate(cloud, intent->provider_id, &ret->cloud_error);
    case INTENT_REBOOT:
        return cloud_reboot(cloud, intent->provider_id, intent->operation, &ret->cloud_error);
    case INTENT_GET_INSTANCE:
        return cloud_get(cloud, arena, intent->provider_id, &ret->instance, &ret->cloud_error);
    case INTENT_RECEIVE:
        return cloud_receive(cloud, arena, &ret->messages, &ret->cloud_error);
    case INTENT_SETTLE:
        return cloud_settle(cloud, intent->receipt, &ret->cloud_error);
    case INTENT_CHECK_DRIFT:
        return perform_drift_check(env, intent, ret);
    case INTENT_TAG:
    case INTENT_LEARN:
        return perform_for_claim(env, intent, ret);
    case INTENT_RESOLVE_CLASS:
        return cloud_class_resolve(cloud, arena, intent->ref.name, &ret->node_class, &ret->cloud_error);
    case INTENT_FINALIZE_CLASS:
        return cloud_class_finalize(cloud, intent->ref.name, &ret->cloud_error);
    case INTENT_REFRESH:
        return cloud_refresh(cloud, arena, intent->refresh, &ret->messages, &ret->cloud_error);
    default:
        return cloud_list(cloud, arena, &ret->instances, &ret->cloud_error);
    }
}

void env_perform(TestEnv *env, Arena *arena, const Intent *intent, EnvOutcome *ret) {
    Completion *completion = &ret->completion;

    *completion = (Completion){.type = intent->type, .tag = intent->tag};
    switch (intent->type) {
    case INTENT_CREATE:
    case INTENT_PATCH:
    case INTENT_GET:
    case INTENT_REMOVE:
    case INTENT_EVICT:
    case INTENT_READ:
        completion->code = lose_answer(env, intent, perform_kube(env, arena, intent, ret), &ret->kube_error.err);
        completion->kube_error = &ret->kube_error;
        completion->object = completion->code == OK && intent->type <= INTENT_GET ? &ret->object : NULL;
        break;
    case INTENT_SOLVE:
        completion->solved = env->cloud.solved;
        completion->code = env->cloud.solved ? OK : ERR_INVALID;
        break;
    case INTENT_DISRUPT:
        completion->disrupted = env->cloud.look ? env->cloud.look(env, &intent->disrupt) : NULL;
        completion->code = completion->disrupted ? OK : ERR_INVALID;
        break;
    case INTENT_STEP:
    case INTENT_REBOOTED:
    case INTENT_COSTED:
    case INTENT_EVENT:
    case INTENT_LOG:
        break;
    default:
        completion->code = lose_answer(env, intent, perform_cloud(env, arena, intent, ret), &ret->cloud_error.err);
        completion->cloud_error = &ret->cloud_error;
        completion->instance =
            completion->code == OK && intent->type != INTENT_TERMINATE && intent->type != INTENT_REBOOT ? &ret->instance
                                                                                                        : NULL;
        completion->instances = &ret->instances;
        completion->messages = &ret->messages;
        completion->node_class = completion->code == OK ? &ret->node_class : NULL;
    }
}

// --- telling the controller

static void answer_for(Turn *turn, Key key, ErrCode code) {
    if (code == OK)
        turn_succeed(turn, key);
    else if (code != ERR_NOT_FOUND)
        turn_retry(turn, key);
}

// What the controller intends meanwhile goes into `next`.
static void complete(TestEnv *env, const Controller *controller, Key key, const Completion *completions, uint32_t count,
                     IntentVec *next) {
    EnvTurn turn;

    env_turn_begin(env, &turn, controller, &env->arena, next);
    if (controller->complete)
        controller->complete(env_self(env, controller), &turn.turn, key, completions, count);
    else
        answer_for(&turn.turn, key, completions[count - 1].code);
}

static void carry_asides(TestEnv *env, const IntentVec *intents, IntentVec *next) {
    for (vec_each(Intent, intent, intents)) {
        EnvOutcome *outcome; // what is intended about it is carried out later

        if (!intent->aside)
            continue;
        outcome = arena_new(&env->arena, EnvOutcome);
        env_note(env, intent);
        env_perform(env, &env->arena, intent, outcome);
        if (outcome->completion.object)
            env_apply(env, intent->ref.kind, &outcome->object);
        if (!intent_is_aside(intent->type) || intent->type == INTENT_LEARN)
            complete(env, env->turn_controller, env->turn_key, &outcome->completion, 1, next);
    }
}

static bool dies_now(TestEnv *env) {
    if (!env->dying || env->lives > 0)
        return false;
    env->dying = false;
    env->died = true;
    return true;
}

// Intent `fail_at` of the batch fails with `failure`.
static void carry_batch(TestEnv *env, const IntentVec *intents, uint32_t fail_at, const EnvBreak *failure,
                        IntentVec *next) {
    CompletionVec completions = {0};
    uint32_t at = 0;

    for (vec_each(Intent, intent, intents)) {
        EnvOutcome *outcome = arena_new(&env->arena, EnvOutcome);

        if (intent->aside)
            continue;
        if (dies_now(env))
            return;
        env_note(env, intent);
        if (at++ == fail_at && failure)
            env_break(env, intent->type, 1, failure->code, "%s", failure->text);
        env_perform(env, &env->arena, intent, outcome);
        if (env->dying)
            env->lives--;
        if (dies_now(env))
            return;
        if (outcome->completion.object)
            env_apply(env, intent->ref.kind, &outcome->object);
        vec_push(&env->arena, &completions, outcome->completion);
        if (outcome->completion.code != OK)
            break;
    }
    if (env->holding)
        env->held = completions;
    else if (completions.count)
        complete(env, env->turn_controller, env->turn_key, completions.items, completions.count, next);
}

// Batch after batch: what is intended while a completion is told is the next one.
static void carry_out(TestEnv *env, uint32_t fail_at, const EnvBreak *failure) {
    IntentVec intents = env->intents;

    CHECK(env->turn_controller, "env_carry_out without env_reconcile");
    while (intents.count && !env->died) {
        IntentVec next = {0};

        carry_asides(env, &intents, &next);
        carry_batch(env, &intents, fail_at, failure, &next);
        intents = next;
        fail_at = UINT32_MAX;
    }
    env_forget(env);
    if (!env->died)
        env_tell(env);
}

void env_hold(TestEnv *env) {
    CHECK(!env->holding, "env_hold twice");
    env->holding = true;
    env->held_controller = env->turn_controller;
    env->held_key = env->turn_key;
    carry_out(env, UINT32_MAX, NULL);
}

void env_let_go(TestEnv *env) {
    CHECK(env->holding, "env_let_go without env_hold");
    env_forget(env);
    env->holding = false;
    env->turn_controller = env->held_controller;
    env->turn_key = env->held_key;
    if (env->held.count)
        complete(env, env->turn_controller, env->turn_key, env->held.items, env->held.count, &env->intents);
    env->held.count = 0;
    carry_out(env, UINT32_MAX, NULL);
}

void env_carry_out(TestEnv *env) {
    carry_out(env, UINT32_MAX, NULL);
}

void env_fail(TestEnv *env, uint32_t at, ErrCode code, const char *format, ...) {
    EnvBreak failure = {.code = code};
    va_list args;

    va_start(args, format);
    vsnprintf(failure.text, sizeof failure.text, format, args);
    va_end(args);
    carry_out(env, at, &failure);
}
