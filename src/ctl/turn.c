// Turn: writing intents, and enqueueing keys.
#include "ctl/turn_host.h"

#include "model/pool_name.h"
#include "text/value_edit.h"

#include <stdarg.h>
#include <stdio.h>

// --- work queue

static const TurnHost *host_of(const Turn *turn) {
    CHECK(turn->engine, "a turn without anybody to ask");
    return turn->engine;
}

void turn_enqueue(Turn *turn, const Controller *controller, Key key, int64_t after_ns) {
    const TurnHost *host = host_of(turn);

    host->enqueue(host->self, controller, key, after_ns);
}

void turn_again(Turn *turn, Key key, int64_t after_ns) {
    const TurnHost *host = host_of(turn);

    host->again(host->self, key, after_ns);
}

void turn_retry(Turn *turn, Key key) {
    const TurnHost *host = host_of(turn);

    host->retry(host->self, key);
}

void turn_succeed(Turn *turn, Key key) {
    const TurnHost *host = host_of(turn);

    host->succeed(host->self, key);
}

// --- intents

Intent *turn_intend(Turn *turn, IntentType type) {
    vec_push(turn->arena, turn->intents, (Intent){.type = type, .aside = intent_is_aside(type)});
    return vec_last(turn->intents);
}

void turn_create(Turn *turn, KubeKind kind, const Value *object) {
    Intent *intent = turn_intend(turn, INTENT_CREATE);

    intent->ref.kind = kind;
    intent->object = object;
}

// A copy of the body with metadata.resourceVersion; the caller's body is not changed.
static const Value *with_revision(Arena *arena, const Value *body, KubeRevision revision) {
    Value *locked = arena_new(arena, Value);

    *locked = value_copy_tree(arena, body);
    value_put(arena, value_make(arena, locked, "metadata", NULL), SLICE("resourceVersion"),
              value_string(arena_printf(arena, "%llu", (unsigned long long)revision)));
    return locked;
}

void turn_patch(Turn *turn, KubeKind kind, Symbol ns, Symbol name, KubePart part, const Value *body,
                KubeRevision revision) {
    Intent *intent = turn_intend(turn, INTENT_PATCH);

    intent->ref = (KubeRef){kind, symbol_text(turn->symbols, ns), symbol_text(turn->symbols, name)};
    intent->part = part;
    intent->patch.type = KUBE_PATCH_MERGE;
    intent->patch.body = revision ? with_revision(turn->arena, body, revision) : body;
}

static KubeRef ref_of(const Turn *turn, KubeKind kind, const ObjectMeta *meta) {
    return (KubeRef){kind, symbol_text(turn->symbols, meta->ns), symbol_text(turn->symbols, meta->name)};
}

void turn_remove(Turn *turn, KubeKind kind, const ObjectMeta *meta) {
    Intent *intent = turn_intend(turn, INTENT_REMOVE);

    intent->ref = ref_of(turn, kind, meta);
    intent->deletion.uid = symbol_text(turn->symbols, meta->uid);
}

void turn_read(Turn *turn, KubeKind kind, Slice labels, Slice fields) {
    turn_intend(turn, INTENT_READ)->list = (KubeListRequest){.kind = kind, .labels = labels, .fields = fields};
}

__attribute__((format(printf, 2, 0))) static Slice print_message(Arena *arena, const char *format, va_list args) {
    va_list again;
    int length;
    char *text;

    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    CHECK(length >= 0, "a message that cannot be printed: %s", format);
    text = arena_alloc_raw(arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, args);
    return (Slice){text, (size_t)length};
}

void turn_event(Turn *turn, KubeKind kind, const ObjectMeta *meta, bool warning, const char *reason, const char *format,
                ...) {
    Intent *intent = turn_intend(turn, INTENT_EVENT);
    va_list args;

    va_start(args, format);
    intent->event.message = print_message(turn->arena, format, args);
    va_end(args);
    intent->event.about = ref_of(turn, kind, meta);
    intent->event.uid = symbol_text(turn->symbols, meta->uid);
    intent->event.warning = warning;
    intent->event.reason = reason;
}

static Symbol pool_of_claim(const Turn *turn, Symbol name) {
    const NodeClaim *claim =
        name == INDEX_NONE ? NULL
                           : state_node_claim(turn->state, state_find(turn->state, KUBE_NODE_CLAIM, NAME_EMPTY, name));

    return claim ? labels_get(&claim->meta.labels, NAME_NODEPOOL) : INDEX_NONE;
}

// A Machine's line had its Provisioner beside it (reference legacy.md 5.6); today's lines about a NodeClaim do not.
static void add_provisioner(Turn *turn, SliceVec *pairs) {
    Slice claim = {0};
    Symbol pool;

    for (uint32_t i = 0; i + 1 < pairs->count; i += 2) {
        if (slice_eq_text(pairs->items[i], "NodePool"))
            return;
        if (slice_eq_text(pairs->items[i], "NodeClaim"))
            claim = pairs->items[i + 1];
    }
    pool = claim.len ? pool_of_claim(turn, symbol_find(turn->symbols, claim)) : INDEX_NONE;
    if (!pool_is_provisioner(turn->symbols, pool))
        return;
    vec_push(turn->arena, pairs, SLICE("NodePool"));
    vec_push(turn->arena, pairs, symbol_text(turn->symbols, pool));
}

void turn_log(Turn *turn, LogLevel level, const char *message, ...) {
    SliceVec pairs = {0};
    Intent *intent;
    va_list args;

    va_start(args, message);
    for (const char *key; (key = va_arg(args, const char *));) {
        vec_push(turn->arena, &pairs, slice_of(key));
        vec_push(turn->arena, &pairs, va_arg(args, Slice));
    }
    va_end(args);
    add_provisioner(turn, &pairs);
    intent = turn_intend(turn, INTENT_LOG);
    intent->log = (LogIntent){level, message, pairs.items, pairs.count};
}
