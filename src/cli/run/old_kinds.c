// The questions.
#include "cli/run/old_kinds.h"

#include "base/time.h"

enum { ASK_UNKNOWN_EVERY_S = 15, ASK_KNOWN_EVERY_S = 30 };

static const struct {
    KubeKind kind;
    uint32_t bit;
} kinds[] = {{KUBE_PROVISIONER, BRIDGE_KNOWS_PROVISIONERS},
             {KUBE_AWS_NODE_TEMPLATE, BRIDGE_KNOWS_TEMPLATES},
             {KUBE_MACHINE, BRIDGE_KNOWS_MACHINES}};

enum { KINDS = sizeof kinds / sizeof *kinds };

static void say(const OldKinds *old, LogLevel level, const char *message, const char *key, Slice value,
                const char *second_key, Slice second) {
    json_log_say(old->log, clock_system_wall_ns(), level, message, key, value, second_key, second, NULL);
}

// --- definitions

// Whether the kind is known; an API server that does not say changes nothing. Who may not list has no right to it, and
// may do without in a cluster that has none of its objects; but once the kinds are known, a refusal does not take them
// away: their instances would be nobody's. Nor does one that does not know who asks.
static bool is_known(OldKinds *old, KubeKind kind, bool before) {
    Arena arena = {0};
    KubeList list;
    KubeError error = {0};
    ErrCode code = kube_list(old->asks, &arena, &(KubeListRequest){.kind = kind, .limit = 1}, &list, &error);
    bool is_refused = code == ERR_DENIED && error.reason == KUBE_REASON_FORBIDDEN && !(before && old->is_learnt);

    arena_free(&arena);
    old->answers = code == OK || code == ERR_NOT_FOUND || is_refused;
    if (is_refused)
        atomic_store(&old->hides_machines, true);
    return code == OK || (before && !old->answers);
}

static uint32_t ask_for_all(OldKinds *old) {
    uint32_t known = 0;

    for (size_t i = 0; i < KINDS && (!i || known); i++) // without Provisioners the others do not matter
        known |= is_known(old, kinds[i].kind, old->known & kinds[i].bit) ? kinds[i].bit : 0;
    return known;
}

static Slice names_of(Arena *arena, uint32_t known) {
    Buffer text = {0};
    Slice names;

    for (size_t i = 0; i < KINDS; i++) {
        if (known & kinds[i].bit)
            buffer_printf(&text, "%s%.*s", text.len ? ", " : "", SLICE_ARG(kube_kind(kinds[i].kind)->kind));
    }
    names = arena_slice(arena, buffer_slice(&text));
    buffer_free(&text);
    return names;
}

static void say_kinds(const OldKinds *old, uint32_t known) {
    Arena arena = {0};
    Slice there = names_of(&arena, known), missing = names_of(&arena, BRIDGE_KNOWS_ALL & ~known);

    if (known == BRIDGE_KNOWS_ALL)
        say(old, LOG_INFO, "the API server knows the kinds of 2023", "kinds", there, NULL, SLICE(""));
    else if (known)
        say(old, LOG_WARN, "the API server knows not all kinds of 2023: tenon crds --legacy prints them", "kinds",
            there, "missing", missing);
    else
        say(old, LOG_INFO, "the API server does not know the kinds of 2023 any more", "missing", missing, NULL,
            SLICE(""));
    arena_free(&arena);
}

// Settings that could not be asked for at the start, of a cluster that turns out to have use for them.
static void say_unread(OldKinds *old, uint32_t known) {
    if (!old->is_unread || !old->answers)
        return;
    old->is_unread = false;
    if (known & BRIDGE_KNOWS_PROVISIONERS)
        say(old, LOG_ERROR,
            "the settings of 2023 are not in force, the API server did not answer at the start: restart tenon",
            "settings", old->name, NULL, SLICE(""));
}

// Says what has been learnt: what is only presumed, while nobody answers, is not said, nor that nothing is there at
// first.
static void say_news(OldKinds *old, uint32_t known) {
    if (!old->answers || (old->is_learnt && known == old->known))
        return;
    if (known || old->is_learnt)
        say_kinds(old, known);
    old->is_learnt = true;
}

void old_kinds_ask(OldKinds *old) {
    uint32_t known = ask_for_all(old);

    say_unread(old, known);
    say_news(old, known);
    if (known != old->known) {
        old->known = known;
        bridge_know(old->bridge, known);
    }
}

static int ask_again(void *context) {
    OldKinds *old = context;

    old_kinds_ask(old);
    return old->known ? ASK_KNOWN_EVERY_S : ASK_UNKNOWN_EVERY_S;
}

// --- settings

static void read_config_map(OldKinds *old, Slice ns) {
    KubeRef ref = {KUBE_CONFIG_MAP, ns, SLICE(GLOBAL_SETTINGS_NAME)};
    KubeError error = {0};
    ErrCode code;

    old->settings = value_null();
    if (!ns.len)
        return;
    old->name = arena_printf(&old->arena, "configmap %.*s/" GLOBAL_SETTINGS_NAME, SLICE_ARG(ns));
    code = kube_get(old->asks, &old->arena, ref, &old->settings, &error);
    if (code == OK)
        return;
    old->settings = value_null();
    old->is_unread = code != ERR_NOT_FOUND && !old->answers;
    if (code != ERR_NOT_FOUND && old->answers && old_kinds_are_there(old))
        say(old, LOG_ERROR, "cannot read the settings of 2023, going on without", "settings", old->name, "error",
            slice_of(error.err.text));
}

static void read_settings(OldKinds *old, Slice ns, GlobalSettings *settings) {
    BadSettingVec bad = {0};

    read_config_map(old, ns);
    global_settings_read(&old->arena, &old->settings, settings, &bad);
    for (vec_each(const BadSetting, one, &bad))
        say(old, LOG_ERROR, "ignoring setting", "settings", old->name, "error",
            arena_printf(&old->arena, "%.*s: %.*s", SLICE_ARG(one->key), SLICE_ARG(one->expected)));
}

// --- the whole

bool old_kinds_are_there(const OldKinds *old) {
    return old->known & BRIDGE_KNOWS_PROVISIONERS;
}

ErrCode old_kinds_open(OldKinds *old, Kube kube, Kube asks, Slice ns, JsonLog *log, Err *err) {
    PresentSettings settings = {.needs_profile = true};

    old->asks = asks;
    old->log = log;
    old->known = BRIDGE_KNOWS_ALL;
    old->known = ask_for_all(old);
    say_news(old, old->known);
    read_settings(old, ns, &settings.global);
    old->bridge = bridge_new(kube, &settings);
    bridge_know(old->bridge, old->known);
    old->kube = bridge_kube(old->bridge);
    return asker_new("old_kinds", old->known ? ASK_KNOWN_EVERY_S : ASK_UNKNOWN_EVERY_S, ask_again, old, &old->asker,
                     err);
}

void old_kinds_close(OldKinds *old) {
    asker_free(old->asker);
    bridge_free(old->bridge);
    arena_free(&old->arena);
}
