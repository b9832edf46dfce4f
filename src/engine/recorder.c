// The event recorder: filters, the queue of events to write, and the Event objects.
#include "engine/recorder.h"

#include "base/alloc.h"
#include "engine/recorder_memory.h"
#include "text/duration.h"

#include <stdio.h>

enum { DEDUPE_DEFAULT_S = 120, MESSAGE_MAX = 1024, NAME_MAX_BYTES = 230 };

// Token buckets of reasons: rate and burst. Karpenter limits Nominated alone; the conditions that every NodeClaim
// passes through are limited here too, and what a plan may say of thousands of equal pods, because each event is a
// write and nobody reads thousands of them.
typedef struct {
    const char *reason;
    int64_t per_second, burst;
} RateLimit;
static const RateLimit rate_limits[] = {{"Nominated", 5, 10},   {"Launched", 2, 20}, {"Registered", 2, 20},
                                        {"Initialized", 2, 20}, {"Ready", 2, 20},    {"PreferenceGivenUp", 5, 100}};
enum { RATE_LIMIT_COUNT = sizeof rate_limits / sizeof *rate_limits };

// An event to be written. One allocation, with the texts behind it.
typedef struct Note Note;
struct Note {
    Note *next;
    KubeKind kind;
    Slice ns, name, uid, reason, message;
    bool warning, again; // again: patch the Event that was written before
    uint64_t hash, stamp;
    int64_t first_ns, last_ns;
    uint32_t count;
    char texts[];
};

typedef struct {
    Note *first, **last;
    uint32_t count;
} NoteList;

struct Recorder {
    bool omit;
    RecorderMemory *memory;
    NoteList waiting, writing;
    uint64_t notes; // number of notes so far, so that two of the same moment get different names
    // Content of each token bucket, in billionths of a token, and the time of that content.
    int64_t tokens[RATE_LIMIT_COUNT];
    Mono filled[RATE_LIMIT_COUNT];
    RecorderCounts counts;
};

// --- queue

static void list_add(NoteList *list, Note *note) {
    note->next = NULL;
    if (!list->first)
        list->last = &list->first;
    *list->last = note;
    list->last = &note->next;
    list->count++;
}

static Note *list_take(NoteList *list) {
    Note *note = list->first;

    if (note) {
        list->first = note->next;
        list->count--;
    }
    return note;
}

Recorder *recorder_new(bool omit) {
    Recorder *recorder = NEW(Recorder);

    recorder->omit = omit;
    recorder->memory = recorder_memory_new();
    for (int i = 0; i < RATE_LIMIT_COUNT; i++)
        recorder->tokens[i] = rate_limits[i].burst * NS_PER_S;
    return recorder;
}

void recorder_free(Recorder *recorder) {
    Note *note;

    if (!recorder)
        return;
    while ((note = list_take(&recorder->waiting)) || (note = list_take(&recorder->writing)))
        free(note);
    recorder_memory_free(recorder->memory);
    free(recorder);
}

// --- filters

static uint64_t add_text(uint64_t hash, Slice text) {
    return hash_combine(hash, slice_hash(text));
}

static uint64_t hash_object(const EventIntent *event) {
    return add_text(add_text(add_text((uint64_t)event->about.kind, event->about.ns), event->about.name), event->uid);
}

static bool was_said(Recorder *recorder, const EventIntent *event, Mono now) {
    int64_t time_ns = event->dedupe_ns ? event->dedupe_ns : DEDUPE_DEFAULT_S * NS_PER_S;
    uint64_t hash = slice_hash(slice_of(event->reason));

    if (event->dedupe_ns < 0)
        return false;
    if (event->dedupe_key.len)
        hash = add_text(hash, event->dedupe_key);
    else
        hash = hash_combine(add_text(hash, event->message), hash_object(event));
    return recorder_memory_was_said(recorder->memory, hash, now, mono_after(now, time_ns));
}

static bool is_limited(Recorder *recorder, const char *reason, Mono now) {
    for (int i = 0; i < RATE_LIMIT_COUNT; i++) {
        int64_t full = rate_limits[i].burst * NS_PER_S, passed_ns = mono_since(now, recorder->filled[i]);

        if (strcmp(rate_limits[i].reason, reason) != 0)
            continue;
        // the quotient first: the product could overflow 63 bits
        if (passed_ns >= full / rate_limits[i].per_second ||
            (passed_ns > 0 && (recorder->tokens[i] += passed_ns * rate_limits[i].per_second) > full))
            recorder->tokens[i] = full;
        recorder->filled[i] = now;
        if (recorder->tokens[i] < NS_PER_S)
            return true;
        recorder->tokens[i] -= NS_PER_S;
    }
    return false;
}

// --- notes

static Slice keep_text(char **at, Slice text) {
    Slice kept = {*at, text.len};

    if (text.len)
        memcpy(*at, text.ptr, text.len);
    *at += text.len;
    return kept;
}

// Cuts a message to MESSAGE_MAX bytes, not inside a UTF-8 character.
static Slice cut_message(Slice message) {
    size_t length = message.len;

    if (length <= MESSAGE_MAX)
        return message;
    for (length = MESSAGE_MAX; length && ((unsigned char)message.ptr[length] & 0xc0) == 0x80; length--) {
    }
    return slice_first(message, length);
}

static Note *note_new(const EventIntent *event, int64_t wall_ns) {
    Slice reason = slice_of(event->reason), message = cut_message(event->message);
    size_t texts = event->about.ns.len + event->about.name.len + event->uid.len + reason.len + message.len;
    Note *note = alloc_zeroed(1, sizeof *note + texts);
    char *at;

    at = note->texts;
    note->kind = event->about.kind;
    note->ns = keep_text(&at, event->about.ns);
    note->name = keep_text(&at, event->about.name);
    note->uid = keep_text(&at, event->uid);
    note->reason = keep_text(&at, reason);
    note->message = keep_text(&at, message);
    note->warning = event->warning;
    note->hash = add_text(add_text(hash_combine(hash_object(event), event->warning), reason), message) | 1;
    note->first_ns = note->last_ns = wall_ns;
    note->count = 1;
    return note;
}

// Finds out whether an equal event was written before, and how often.
static void count_note(Recorder *recorder, Note *note) {
    WrittenEvent *written = recorder_memory_find(recorder->memory, note->hash);

    if (written) {
        note->again = true;
        note->stamp = written->stamp;
        note->first_ns = written->first_ns;
    } else {
        written = recorder_memory_add(recorder->memory, note->hash);
        written->first_ns = note->first_ns;
        written->stamp = note->stamp = (uint64_t)note->first_ns + recorder->notes++;
    }
    written->last_ns = note->last_ns;
    note->count = ++written->count;
}

void recorder_take(Recorder *recorder, const EventIntent *event, Moment at) {
    Note *note;

    recorder->counts.said++;
    if (recorder->omit)
        return;
    if (was_said(recorder, event, at.now)) {
        recorder->counts.repeated++;
        return;
    }
    if (is_limited(recorder, event->reason, at.now)) {
        recorder->counts.limited++;
        return;
    }
    if (recorder->waiting.count >= RECORDER_WAITING_MAX) {
        recorder->counts.dropped++;
        return;
    }
    note = note_new(event, at.wall_ns);
    count_note(recorder, note);
    list_add(&recorder->waiting, note);
}

// --- Event objects

static Slice event_name(Arena *arena, const Note *note) {
    return arena_printf(arena, "%.*s.%llx", SLICE_ARG(slice_first(note->name, NAME_MAX_BYTES)),
                        (unsigned long long)note->stamp);
}

// Namespace of the Event: "default" for objects without one.
static Slice event_namespace(const Note *note) {
    return note->ns.len ? note->ns : SLICE("default");
}

static void put_text(Arena *arena, Value *map, const char *key, Slice text) {
    value_put(arena, map, slice_of(key), value_string(text));
}

static const Value *event_object(Arena *arena, const Note *note) {
    Value *event = arena_new(arena, Value), *part;

    *event = value_map();
    put_text(arena, event, "apiVersion", SLICE("v1"));
    put_text(arena, event, "kind", SLICE("Event"));
    part = value_put(arena, event, SLICE("metadata"), value_map());
    put_text(arena, part, "name", event_name(arena, note));
    put_text(arena, part, "namespace", event_namespace(note));
    part = value_put(arena, event, SLICE("involvedObject"), value_map());
    put_text(arena, part, "apiVersion", kube_kind(note->kind)->api_version);
    put_text(arena, part, "kind", kube_kind(note->kind)->kind);
    if (note->ns.len)
        put_text(arena, part, "namespace", note->ns);
    put_text(arena, part, "name", note->name);
    put_text(arena, part, "uid", note->uid);
    put_text(arena, event, "reason", note->reason);
    put_text(arena, event, "message", note->message);
    put_text(arena, event, "type", note->warning ? SLICE("Warning") : SLICE("Normal"));
    part = value_put(arena, event, SLICE("source"), value_map());
    put_text(arena, part, "component", SLICE("karpenter"));
    put_text(arena, event, "reportingComponent", SLICE("karpenter"));
    put_text(arena, event, "reportingInstance", SLICE(""));
    put_text(arena, event, "firstTimestamp", time_print(arena, note->first_ns));
    put_text(arena, event, "lastTimestamp", time_print(arena, note->last_ns));
    value_put(arena, event, SLICE("count"), value_int(arena, note->count));
    return event;
}

static const Value *event_patch(Arena *arena, const Note *note) {
    Value *patch = arena_new(arena, Value);

    *patch = value_map();
    value_put(arena, patch, SLICE("count"), value_int(arena, note->count));
    put_text(arena, patch, "lastTimestamp", time_print(arena, note->last_ns));
    return patch;
}

static Intent intent_of(Arena *arena, const Note *note) {
    Intent intent = {.type = note->again ? INTENT_PATCH : INTENT_CREATE, .aside = true, .ref.kind = KUBE_EVENT};

    if (note->again) {
        intent.ref = (KubeRef){KUBE_EVENT, event_namespace(note), event_name(arena, note)};
        intent.patch.body = event_patch(arena, note);
    } else {
        intent.object = event_object(arena, note);
    }
    return intent;
}

bool recorder_next(Recorder *recorder, Arena *arena, IntentVec *ret_intents) {
    if (recorder->writing.count || !recorder->waiting.count)
        return false;
    *ret_intents = (IntentVec){0};
    while (recorder->waiting.count && ret_intents->count < RECORDER_BATCH) {
        Note *note = list_take(&recorder->waiting);

        list_add(&recorder->writing, note);
        vec_push(arena, ret_intents, intent_of(arena, note));
    }
    return true;
}

static void told(Recorder *recorder, Note *note, ErrCode code) {
    if (code == ERR_NOT_FOUND && note->again) { // the Event has expired
        note->again = false;
        list_add(&recorder->waiting, note);
        return;
    }
    if (code == OK) {
        recorder->counts.written++;
    } else {
        recorder->counts.dropped++;
        recorder_memory_forget(recorder->memory, note->hash);
    }
    free(note);
}

void recorder_take_result(Recorder *recorder, const Completion *completions, uint32_t count) {
    Note *note;

    for (uint32_t i = 0; (note = list_take(&recorder->writing)); i++)
        told(recorder, note, i < count ? completions[i].code : ERR_IO);
}

RecorderCounts recorder_counts(const Recorder *recorder) {
    RecorderCounts counts = recorder->counts;

    counts.waiting = recorder->waiting.count;
    return counts;
}
