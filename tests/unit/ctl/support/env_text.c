// Intents as texts, so that tests compare lines.
#include "ctl/support/env_parts.h"

#include "text/duration.h"
#include "text/json.h"
#include "text/value_edit.h"

#include <ctype.h>

static void print_ref(Buffer *buffer, KubeRef ref) {
    Slice kind = kube_kind(ref.kind)->kind;

    for (size_t i = 0; i < kind.len; i++)
        buffer_append_char(buffer, (char)tolower((unsigned char)kind.ptr[i]));
    buffer_printf(buffer, "/%.*s%s%.*s", SLICE_ARG(ref.ns), ref.ns.len ? "/" : "", SLICE_ARG(ref.name));
}

// Conditions become Type=Status/Reason: a number is printed as it stands.
static void shorten(Arena *arena, Value *value) {
    Slice type = kube_text(value, "type", NULL), status = kube_text(value, "status", NULL);

    if (value->kind == VALUE_MAP && type.len && status.len) {
        Slice text = arena_printf(arena, "%.*s=%.*s/%.*s", SLICE_ARG(type), SLICE_ARG(status),
                                  SLICE_ARG(kube_text(value, "reason", NULL)));

        *value = (Value){.kind = VALUE_NUMBER, .text = text};
    } else if (value->kind == VALUE_MAP) {
        for (vec_each(ValueMember, member, &value->map))
            shorten(arena, &member->value);
    } else if (value->kind == VALUE_LIST) {
        for (vec_each(Value, element, &value->list))
            shorten(arena, element);
    }
}

// Prints a patch with "locked" instead of its resourceVersion.
static void print_patch(Buffer *buffer, Arena *arena, const Intent *intent) {
    Value body = value_copy(arena, intent->patch.body), *meta = value_find_text(&body, "metadata");
    bool locked = meta && value_remove_text(meta, "resourceVersion");

    if (meta && meta->kind == VALUE_MAP && meta->map.count == 0)
        value_remove_text(&body, "metadata");
    shorten(arena, &body);
    buffer_printf(buffer, "%s%s ", intent->part == KUBE_STATUS ? " status" : "", locked ? " locked" : "");
    json_print(buffer, &body, false);
}

static void print_log(Buffer *buffer, const LogIntent *log) {
    static const char *const levels[] = {"debug", "info", "warn", "error"};

    buffer_printf(buffer, " %s %s", levels[log->level], log->message);
    for (uint32_t i = 0; i + 1 < log->pair_count; i += 2)
        buffer_printf(buffer, " %.*s=%.*s", SLICE_ARG(log->pairs[i]), SLICE_ARG(log->pairs[i + 1]));
}

static void print_event(Buffer *buffer, const EventIntent *event) {
    buffer_append(buffer, event->warning ? SLICE(" Warning ") : SLICE(" Normal "));
    print_ref(buffer, event->about);
    buffer_printf(buffer, " %s: %.*s", event->reason, SLICE_ARG(event->message));
}

static Slice claim_name(const TestEnv *env, Handle handle) {
    const NodeClaim *claim = env ? state_node_claim(env->state, handle) : NULL;

    return claim ? symbol_text(state_symbols(env->state), claim->meta.name) : SLICE("?");
}

static const char *step_text(const DisruptionStep *step) {
    static const char *const texts[] = {
        [DISRUPTION_STARTED] = "started", [DISRUPTION_REJECTED] = "rejected", [DISRUPTION_FAILED] = "failed"};

    return texts[step->event];
}

static void print_intent(Buffer *buffer, Arena *arena, TestEnv *env, const Intent *intent) {
    const Symbols *symbols = state_symbols(env->state);

    buffer_append(buffer, slice_of(intent_text(intent->type)));
    switch (intent->type) {
    case INTENT_CREATE:
        buffer_printf(buffer, " %.*s ", SLICE_ARG(kube_kind(intent->ref.kind)->kind));
        json_print(buffer, intent->object, false);
        break;
    case INTENT_PATCH:
    case INTENT_GET:
    case INTENT_REMOVE:
    case INTENT_EVICT:
        buffer_append_char(buffer, ' ');
        print_ref(buffer, intent->ref);
        if (intent->type == INTENT_PATCH)
            print_patch(buffer, arena, intent);
        else if (intent->deletion.has_grace)
            buffer_printf(buffer, " grace=%lds", (long)intent->deletion.grace_s);
        break;
    case INTENT_READ:
        buffer_printf(buffer, " %.*s %.*s%.*s", SLICE_ARG(kube_kind(intent->list.kind)->resource),
                      SLICE_ARG(intent->list.labels), SLICE_ARG(intent->list.fields));
        break;
    case INTENT_LAUNCH:
    case INTENT_CHECK_DRIFT:
    case INTENT_TAG:
    case INTENT_LEARN:
        buffer_printf(buffer, " %.*s", SLICE_ARG(claim_name(env, intent->claim)));
        break;
    case INTENT_TERMINATE:
    case INTENT_REBOOT:
    case INTENT_GET_INSTANCE:
        buffer_printf(buffer, " %.*s", SLICE_ARG(symbol_text(symbols, intent->provider_id)));
        break;
    case INTENT_RESOLVE_CLASS:
    case INTENT_FINALIZE_CLASS:
        buffer_printf(buffer, " %.*s", SLICE_ARG(intent->ref.name));
        break;
    case INTENT_REFRESH:
        buffer_printf(buffer, " %s", cloud_refresh_text(intent->refresh));
        break;
    case INTENT_EVENT:
        print_event(buffer, &intent->event);
        break;
    case INTENT_LOG:
        print_log(buffer, &intent->log);
        break;
    case INTENT_STEP:
        buffer_printf(buffer, " %s", step_text(&intent->step));
        break;
    default:
        break;
    }
}

const char *env_texts(TestEnv *env) {
    Buffer buffer = {0};
    const char *text;

    for (vec_each(Intent, intent, &env->intents)) {
        print_intent(&buffer, &env->arena, env, intent);
        buffer_append_char(&buffer, '\n');
    }
    text = arena_text(&env->arena, buffer_slice(&buffer));
    buffer_free(&buffer);
    return text;
}

void env_note(TestEnv *env, const Intent *intent) {
    Slice since;

    if (!env->history)
        return;
    since = duration_print(&env->arena, env->now_ns - env->history_from_ns);
    buffer_printf(env->history, "+%.*s ", SLICE_ARG(since));
    print_intent(env->history, &env->arena, env, intent);
    buffer_append_char(env->history, '\n');
}
