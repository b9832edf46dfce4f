// A provider over a transport in memory.
#include "cloud/support/provider_world.h"

#include "cloud/support/offers.h"
#include "model/names.h"
#include "text/value_edit.h"

#include <stdlib.h>

// --- AWS

static bool fits(const MemorySent *sent, const char *text) {
    return text == NULL || strstr(sent->url, text) || strstr(sent->headers, text) || strstr(sent->body, text);
}

static MemoryReply answer(void *context, const MemorySent *sent) {
    ProviderWorld *w = context;

    for (vec_each(Scripted, scripted, &w->script)) {
        if ((scripted->most && scripted->used >= scripted->most) || !fits(sent, scripted->has) ||
            !fits(sent, scripted->and_has))
            continue;
        scripted->used++;
        return scripted->reply;
    }
    fail_msg("nothing is scripted for %s %s", sent->url, sent->body);
    return (MemoryReply){.status = 500};
}

void provider_script_reply(ProviderWorld *w, Scripted scripted) {
    vec_push(&w->arena, &w->script, scripted);
}

void provider_script(ProviderWorld *w, const char *has, const char *body) {
    provider_script_reply(w, (Scripted){.has = has, .reply = {.body = body}});
}

void provider_script_end(ProviderWorld *w) {
    w->script.count = 0;
}

uint32_t provider_asked(const ProviderWorld *w, const char *has) {
    uint32_t count = 0;

    for (vec_each(const MemorySent, sent, &w->memory->sent))
        count += strstr(sent->url, has) || strstr(sent->headers, has) || strstr(sent->body, has);
    return count;
}

// --- Kubernetes

static ErrCode config_map_get(void *self, Arena *arena, KubeRef ref, Value *ret_object, KubeError *error) {
    ProviderWorld *w = self;

    assert_int_equal(ref.kind, KUBE_CONFIG_MAP);
    assert_true(slice_eq_text(ref.ns, "kube-system"));
    w->kube_gets++;
    if (w->kube_get_code == ERR_DENIED)
        return kube_fail(error, KUBE_REASON_FORBIDDEN, "configmaps is forbidden");
    if (w->kube_get_code)
        return kube_fail(error, KUBE_REASON_INTERNAL_ERROR, "etcd");
    if (!w->config_map)
        return kube_fail(error, KUBE_REASON_NOT_FOUND, "not found");
    *ret_object = value_copy(arena, w->config_map);
    return OK;
}

static ErrCode config_map_patch(void *self, Arena *arena, Slice manager, KubeRef ref, KubePart part,
                                const KubePatch *patch, Value *ret_object, KubeError *error) {
    ProviderWorld *w = self;

    (void)arena, (void)manager, (void)part, (void)ret_object;
    assert_int_equal(ref.kind, KUBE_CONFIG_MAP);
    w->kube_patches++;
    if (w->kube_patch_code == ERR_DENIED)
        return kube_fail(error, KUBE_REASON_FORBIDDEN, "configmaps is forbidden");
    if (w->kube_patch_code)
        return kube_fail(error, KUBE_REASON_INTERNAL_ERROR, "etcd");
    if (!w->config_map)
        return kube_fail(error, KUBE_REASON_NOT_FOUND, "not found");
    value_merge_patch(&w->arena, w->config_map, patch->body);
    *w->config_map = value_copy(&w->arena, w->config_map);
    return OK;
}

static ErrCode config_map_create(void *self, Arena *arena, Slice manager, KubeKind kind, const Value *object,
                                 Value *ret_object, KubeError *error) {
    ProviderWorld *w = self;

    (void)arena, (void)manager, (void)ret_object;
    assert_int_equal(kind, KUBE_CONFIG_MAP);
    w->kube_creates++;
    if (w->config_map)
        return kube_fail(error, KUBE_REASON_ALREADY_EXISTS, "already exists");
    w->config_map = arena_new(&w->arena, Value);
    *w->config_map = value_copy(&w->arena, object);
    return OK;
}

static const KubeTable kube_table = {.get = config_map_get, .patch = config_map_patch, .create = config_map_create};

// --- the world

static void take_log(void *context, AwsLogLevel level, const char *message, Slice subject, const Err *err) {
    ProviderWorld *w = context;

    buffer_printf(&w->log, "%s%s [%.*s] %s\n", level == AWS_LOG_ERROR ? "ERROR " : "", message, SLICE_ARG(subject),
                  err->text);
}

static void make_provider(ProviderWorld *w, const AwsProviderSettings *settings) {
    AwsConfig config = {
        .settings = AWS_PROVIDER_SETTINGS,
        .session = w->session,
        .kube = {&kube_table, w},
        .symbols = w->symbols,
        .log = {take_log, w},
        .namespace = SLICE("kube-system"),
    };

    config.settings.cluster_name = SLICE("c");
    config.settings.interruption_queue = SLICE("q");
    if (settings)
        config.settings = *settings;
    w->provider = aws_provider_new(&config);
}

ProviderWorld *provider_world(const char *region, const AwsProviderSettings *settings) {
    ProviderWorld *w = NEW(ProviderWorld);
    AwsSessionOptions options = {0};
    Err err;

    w->memory = memory_new();
    w->memory->answer = answer;
    w->memory->context = w;
    w->environment = environment_new();
    environment_set(w->environment, "AWS_ACCESS_KEY_ID", "AKID");
    environment_set(w->environment, "AWS_SECRET_ACCESS_KEY", "secret");
    environment_set(w->environment, "AWS_REGION", region);
    options.environment = &w->environment->environment;
    options.transport = w->memory->transport;
    if (aws_session_open(&options, &w->session, &err) != OK)
        fail_msg("%s", err.text);
    w->first = test_class("");
    w->symbols = &w->first->symbols;
    make_provider(w, settings);
    return w;
}

void provider_world_restart(ProviderWorld *w) {
    AwsProviderSettings settings = w->provider->config.settings;
    Arena arena = {0};

    settings.cluster_name = arena_slice(&arena, settings.cluster_name);
    settings.interruption_queue = arena_slice(&arena, settings.interruption_queue);
    aws_provider_free(w->provider);
    make_provider(w, &settings);
    arena_free(&arena);
}

void provider_world_free(ProviderWorld *w) {
    aws_provider_free(w->provider);
    for (vec_each(ClassSnapshot *, snapshot, &w->snapshots)) {
        arena_free(&(*snapshot)->arena);
        free(*snapshot);
    }
    for (vec_each(TestClass *, class, &w->classes)) {
        arena_free(&(*class)->arena);
        free(*class);
    }
    test_class_free(w->first);
    aws_session_close(w->session);
    environment_free(w->environment);
    memory_free(w->memory);
    buffer_free(&w->log);
    arena_free(&w->arena);
    free(w);
}

bool provider_logged(ProviderWorld *w, const char *text) {
    buffer_append_char(&w->log, '\0');
    w->log.len--;
    return strstr(w->log.bytes, text) != NULL;
}

// --- classes

#define STATUS                                                                                                         \
    "status:\n  subnets:\n  - {id: subnet-a, zone: us-east-1a, zoneID: use1-az1}\n"                                    \
    "  - {id: subnet-b, zone: us-east-1b, zoneID: use1-az2}\n"                                                         \
    "  - {id: subnet-c, zone: us-east-1c, zoneID: use1-az3}\n"

const ClassSnapshot *provider_class(ProviderWorld *w, const char *name, const char *lines) {
    const char *text = strstr(lines, "status:") ? lines : arena_printf(&w->arena, "%s%s", lines, STATUS).ptr;
    TestClass *class = test_class(text);
    ClassSnapshot *snapshot = NEW(ClassSnapshot);

    symbols_free(&class->symbols);
    class->symbols = *w->symbols;
    test_class_decode(class);
    snapshot->holders = 1; // the test's
    snapshot->number = w->snapshots.count + 1;
    snapshot->name = arena_slice(&snapshot->arena, slice_of(name));
    snapshot->class = class->class;
    snapshot->ami_requirements = ami_requirements(&snapshot->arena, w->symbols, &class->class.found.amis);
    vec_push(&w->arena, &w->classes, class);
    vec_push(&w->arena, &w->snapshots, snapshot);
    provider_types_class_changed(w->provider, slice_of(name), snapshot);
    return snapshot;
}

Symbol provider_word(ProviderWorld *w, const char *text) {
    return symbol_intern(w->symbols, slice_of(text));
}

static void print_offering(ProviderWorld *w, Buffer *text, const Offering *offering, Symbol *capacity_type) {
    Slice zone = symbol_text(w->symbols, offering->zone);

    if (offering->capacity_type != *capacity_type)
        buffer_printf(text, "%s%.*s:", text->len ? " " : "",
                      SLICE_ARG(symbol_text(w->symbols, offering->capacity_type)));
    *capacity_type = offering->capacity_type;
    buffer_printf(text, "%c%c", zone.ptr[zone.len - 1], offering->available ? '+' : '-');
    if (offering->reservation_id != NAME_EMPTY)
        buffer_printf(text, "%.*s=%d", SLICE_ARG(symbol_text(w->symbols, offering->reservation_id)),
                      offering->reservation_capacity);
}

const char *provider_offers(ProviderWorld *w, const char *class_name, const char *type) {
    static const Symbol order[] = {NAME_SPOT, NAME_ON_DEMAND, NAME_RESERVED};
    const InstanceTypeVec *types = provider_types(w->provider, slice_of(class_name));
    const InstanceType *found = types ? instance_type_find(types, provider_word(w, type)) : NULL;
    Symbol capacity_type = NAME_EMPTY;
    Buffer text = {0};
    const char *copy;

    if (!found)
        return types ? "-" : "?";
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        for (vec_each(const Offering, offering, &found->offerings)) {
            if (offering->capacity_type == order[i])
                print_offering(w, &text, offering, &capacity_type);
        }
    }
    copy = arena_text(&w->arena, buffer_slice(&text));
    buffer_free(&text);
    return copy;
}

void provider_mark_offering(ProviderWorld *w, const char *capacity_type, const char *type, const char *zone) {
    UnavailableMark mark = {.kind = UNAVAILABLE_OFFERING,
                            .capacity_type = provider_word(w, capacity_type),
                            .type = provider_word(w, type),
                            .zone = provider_word(w, zone)};
    const UnavailableMarkVec marks = {&mark, 1, 1};

    provider_mark(w->provider, &marks);
}

// --- instances and messages

CloudInstance provider_an_instance(ProviderWorld *w, Slice text) {
    SliceVec parts = test_parts(&w->arena, text, ':');
    CloudInstance instance = {
        .provider_id =
            symbol_intern(w->symbols, arena_printf(&w->arena, "aws:///us-east-1a/%.*s", SLICE_ARG(parts.items[0]))),
        .instance_type = provider_word(w, "m5.large"),
        .zone = provider_word(w, "us-east-1a"),
        .capacity_type = parts.count > 1 ? NAME_RESERVED : NAME_SPOT,
    };

    if (parts.count > 1)
        labels_set(&w->arena, &instance.labels, NAME_RESERVATION_ID, symbol_intern(w->symbols, parts.items[1]));
    return instance;
}

void provider_listed(ProviderWorld *w, const char *instances) {
    SliceVec parts = test_parts(&w->arena, slice_of(instances), ' ');
    CloudInstanceVec list = {0};

    for (vec_each(const Slice, part, &parts))
        vec_push(&w->arena, &list, provider_an_instance(w, *part));
    provider_news_listed(w->provider, &list);
}

const char *provider_messages(ProviderWorld *w, const CloudMessageVec *messages) {
    static const char *const kinds[CLOUD_MESSAGE_KINDS] = {
        [CLOUD_MESSAGE_OTHER] = "other",
        [CLOUD_MESSAGE_SPOT_INTERRUPTED] = "spot",
        [CLOUD_MESSAGE_REBALANCE] = "rebalance",
        [CLOUD_MESSAGE_SCHEDULED_CHANGE] = "change",
        [CLOUD_MESSAGE_STOPPED] = "stopped",
        [CLOUD_MESSAGE_TERMINATED] = "terminated",
        [CLOUD_MESSAGE_RESERVATION_INTERRUPTED] = "reservation",
        [CLOUD_MESSAGE_RESERVATION_ENDING] = "ending",
        [CLOUD_MESSAGE_INSTANCE_IMPAIRED] = "instance",
        [CLOUD_MESSAGE_HOST_IMPAIRED] = "host",
        [CLOUD_MESSAGE_EVENT_SCHEDULED] = "event",
        [CLOUD_MESSAGE_ZONE_LEFT] = "left",
        [CLOUD_MESSAGE_ZONE_BACK] = "back",
    };
    Buffer text = {0};
    const char *copy;

    for (vec_each(const CloudMessage, message, messages)) {
        buffer_printf(&text, "%s%s%s", text.len ? "; " : "", kinds[message->kind], message->is_repeated ? "!" : "");
        if (message->zone != NAME_EMPTY)
            buffer_printf(&text, " %.*s", SLICE_ARG(symbol_text(w->symbols, message->zone)));
        for (vec_each(const Symbol, id, &message->provider_ids)) {
            Slice provider_id = symbol_text(w->symbols, *id);

            buffer_printf(&text, " %s", strrchr(provider_id.ptr, '/') + 1);
        }
    }
    copy = arena_text(&w->arena, buffer_slice(&text));
    buffer_free(&text);
    return copy;
}
