// Carrying intents out on the stage: against its API server and its cloud.
#include "ctl/support/stage_parts.h"

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

// Whether the answer is lost on its way.
static ErrCode lose_answer(Stage *stage, const Intent *intent, ErrCode code, Err *err) {
    const StageBreak *wanted = code == OK ? stage_take_break(stage, intent->type, true) : NULL;

    return wanted ? err_set(err, wanted->code, "%s", wanted->text) : code;
}

static ErrCode perform_read(Stage *stage, Arena *arena, const KubeListRequest *request, KubeError *error) {
    KubeList list = {0};

    TRY(kube_list(stage->kube, arena, request, &list, error));
    for (vec_each(const Value, object, &list.items))
        stage_apply(stage, request->kind, object);
    return OK;
}

static ErrCode perform_kube(Stage *stage, Arena *arena, const Intent *intent, StageOutcome *ret) {
    const StageBreak *wanted = stage_take_break(stage, intent->type, false);

    if (wanted)
        return kube_fail(&ret->kube_error, reason_of(wanted->code), "%s", wanted->text);
    switch (intent->type) {
    case INTENT_CREATE:
        return kube_create(stage->kube, arena, MANAGER, intent->ref.kind, intent->object, &ret->object,
                           &ret->kube_error);
    case INTENT_PATCH:
        return kube_patch(stage->kube, arena, MANAGER, intent->ref, intent->part, &intent->patch, &ret->object,
                          &ret->kube_error);
    case INTENT_REMOVE:
        return kube_remove(stage->kube, intent->ref, &intent->deletion, &ret->kube_error);
    case INTENT_READ:
        return perform_read(stage, arena, &intent->list, &ret->kube_error);
    default:
        return kube_evict(stage->kube, intent->ref, &intent->deletion, &ret->kube_error);
    }
}

static ErrCode perform_launch(Stage *stage, Arena *arena, const Intent *intent, StageOutcome *ret) {
    const NodeClaim *claim = state_node_claim(stage->state, intent->claim);
    CloudLaunch launch = {.claim = claim};

    if (!claim)
        return err_set(&ret->cloud_error.err, ERR_NOT_FOUND, "the claim is gone");
    for (vec_each(const Expression, expression, &claim->spec.requirements)) {
        Requirement requirement = requirement_make(arena, state_symbols(stage->state), expression);

        requirements_add(arena, state_symbols(stage->state), &launch.requirements, &requirement);
    }
    return cloud_launch(stage_cloud_table(stage), arena, &launch, &ret->instance, &ret->cloud_error);
}

static ErrCode perform_drift_check(Stage *stage, const Intent *intent, StageOutcome *ret) {
    const NodeClaim *claim = state_node_claim(stage->state, intent->claim);

    if (!claim)
        return err_set(&ret->cloud_error.err, ERR_NOT_FOUND, "the claim is gone");
    return cloud_is_drifted(stage_cloud_table(stage), claim, &ret->completion.drift, &ret->cloud_error);
}

static ErrCode perform_cloud(Stage *stage, Arena *arena, const Intent *intent, StageOutcome *ret) {
    Cloud cloud = stage_cloud_table(stage);

    switch (intent->type) {
    case INTENT_LAUNCH:
        return perform_launch(stage, arena, intent, ret);
    case INTENT_TERMINATE:
        return cloud_terminate(cloud, intent->provider_id, &ret->cloud_error);
    case INTENT_GET_INSTANCE:
        return cloud_get(cloud, arena, intent->provider_id, &ret->instance, &ret->cloud_error);
    case INTENT_CHECK_DRIFT:
        return perform_drift_check(stage, intent, ret);
    default:
        return cloud_list(cloud, arena, &ret->instances, &ret->cloud_error);
    }
}

void stage_perform(Stage *stage, Arena *arena, const Intent *intent, StageOutcome *ret) {
    Completion *completion = &ret->completion;

    *completion = (Completion){.type = intent->type, .tag = intent->tag};
    switch (intent->type) {
    case INTENT_CREATE:
    case INTENT_PATCH:
    case INTENT_REMOVE:
    case INTENT_EVICT:
    case INTENT_READ:
        completion->code = lose_answer(stage, intent, perform_kube(stage, arena, intent, ret), &ret->kube_error.err);
        completion->kube_error = &ret->kube_error;
        completion->object = completion->code == OK && intent->type <= INTENT_PATCH ? &ret->object : NULL;
        break;
    case INTENT_SOLVE:
        completion->solved = stage->cloud.solved;
        completion->code = stage->cloud.solved ? OK : ERR_INVALID;
        break;
    case INTENT_EVENT:
    case INTENT_LOG:
        break;
    default:
        completion->code = lose_answer(stage, intent, perform_cloud(stage, arena, intent, ret), &ret->cloud_error.err);
        completion->cloud_error = &ret->cloud_error;
        completion->instance = completion->code == OK && intent->type != INTENT_TERMINATE ? &ret->instance : NULL;
        completion->instances = &ret->instances;
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
static void complete(Stage *stage, const Controller *controller, Key key, const Completion *completions, uint32_t count,
                     IntentVec *next) {
    StageTurn turn;

    stage_turn_begin(stage, &turn, controller, &stage->arena, next);
    if (controller->complete)
        controller->complete(stage_self(stage, controller), &turn.turn, key, completions, count);
    else
        answer_for(&turn.turn, key, completions[count - 1].code);
}

static void carry_asides(Stage *stage, const IntentVec *intents, IntentVec *next) {
    for (vec_each(Intent, intent, intents)) {
        StageOutcome *outcome; // what is intended about it is carried out later

        if (!intent->aside)
            continue;
        outcome = arena_new(&stage->arena, StageOutcome);
        stage_note(stage, intent);
        stage_perform(stage, &stage->arena, intent, outcome);
        if (outcome->completion.object)
            stage_apply(stage, intent->ref.kind, &outcome->object);
        if (!intent_is_aside(intent->type))
            complete(stage, stage->turn_controller, stage->turn_key, &outcome->completion, 1, next);
    }
}

static bool dies_now(Stage *stage) {
    if (!stage->dying || stage->lives > 0)
        return false;
    stage->dying = false;
    stage->died = true;
    return true;
}

// Intent `fail_at` of the batch fails with `failure`.
static void carry_batch(Stage *stage, const IntentVec *intents, uint32_t fail_at, const StageBreak *failure,
                        IntentVec *next) {
    CompletionVec completions = {0};
    uint32_t at = 0;

    for (vec_each(Intent, intent, intents)) {
        StageOutcome *outcome = arena_new(&stage->arena, StageOutcome);

        if (intent->aside)
            continue;
        if (dies_now(stage))
            return;
        stage_note(stage, intent);
        if (at++ == fail_at && failure)
            stage_break(stage, intent->type, 1, failure->code, "%s", failure->text);
        stage_perform(stage, &stage->arena, intent, outcome);
        if (stage->dying)
            stage->lives--;
        if (dies_now(stage))
            return;
        if (outcome->completion.object)
            stage_apply(stage, intent->ref.kind, &outcome->object);
        vec_push(&stage->arena, &completions, outcome->completion);
        if (outcome->completion.code != OK)
            break;
    }
    if (stage->holding)
        stage->held = completions;
    else if (completions.count)
        complete(stage, stage->turn_controller, stage->turn_key, completions.items, completions.count, next);
}

// Batch after batch: what is intended while a completion is told is the next one.
static void carry_out(Stage *stage, uint32_t fail_at, const StageBreak *failure) {
    IntentVec intents = stage->intents;

    CHECK(stage->turn_controller, "stage_carry_out without stage_reconcile");
    while (intents.count && !stage->died) {
        IntentVec next = {0};

        carry_asides(stage, &intents, &next);
        carry_batch(stage, &intents, fail_at, failure, &next);
        intents = next;
        fail_at = UINT32_MAX;
    }
    stage_forget(stage);
    if (!stage->died)
        stage_tell(stage);
}

void stage_hold(Stage *stage) {
    CHECK(!stage->holding, "stage_hold twice");
    stage->holding = true;
    stage->held_controller = stage->turn_controller;
    stage->held_key = stage->turn_key;
    carry_out(stage, UINT32_MAX, NULL);
}

void stage_let_go(Stage *stage) {
    CHECK(stage->holding, "stage_let_go without stage_hold");
    stage_forget(stage);
    stage->holding = false;
    stage->turn_controller = stage->held_controller;
    stage->turn_key = stage->held_key;
    if (stage->held.count)
        complete(stage, stage->turn_controller, stage->turn_key, stage->held.items, stage->held.count, &stage->intents);
    stage->held.count = 0;
    carry_out(stage, UINT32_MAX, NULL);
}

void stage_carry_out(Stage *stage) {
    carry_out(stage, UINT32_MAX, NULL);
}

void stage_fail(Stage *stage, uint32_t at, ErrCode code, const char *format, ...) {
    StageBreak failure = {.code = code};
    va_list args;

    va_start(args, format);
    vsnprintf(failure.text, sizeof failure.text, format, args);
    va_end(args);
    carry_out(stage, at, &failure);
}
