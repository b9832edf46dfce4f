// Memory that nodes taught, kept in a ConfigMap over restarts. Reference aws.md 7.5.
#include "cloud/aws/provider/market_parts.h"
#include "text/value_edit.h"

static const Slice NAME = SLICE_INIT("tenon-learned-memory"), MANAGER = SLICE_INIT("tenon");
static const int64_t PAUSE_NS = NS_PER_MIN; // between two tries
enum { ARENA_MAX = 4 << 20 };

static bool is_kept(const AwsProvider *provider) {
    return provider->config.namespace.len && provider->config.kube.table;
}

static KubeRef reference(const AwsProvider *provider) {
    return (KubeRef){KUBE_CONFIG_MAP, provider->config.namespace, NAME};
}

// Logs a failure; rights that are missing only once, because learning goes on without them.
static void log_failure(AwsProvider *provider, const char *message, const KubeError *error) {
    ProviderMarket *market = provider->market;
    bool is_known;

    pthread_mutex_lock(&market->making);
    is_known = error->err.code == ERR_DENIED && market->memory.was_refused;
    market->memory.was_refused |= error->err.code == ERR_DENIED;
    pthread_mutex_unlock(&market->making);
    if (is_known)
        return;
    if (error->err.code == ERR_DENIED)
        provider_log(provider, AWS_LOG_ERROR, message, NAME,
                     "%s; memory learned from nodes is forgotten at a restart until tenon may get, create and patch "
                     "configmaps in namespace %.*s",
                     error->err.text, SLICE_ARG(provider->config.namespace));
    else
        provider_log(provider, AWS_LOG_ERROR, message, NAME, "%s", error->err.text);
}

// --- the book. With `making`

static void copy_rows(MarketMemory *memory, const MemoryBook *rows) {
    for (vec_each(const LearnedMemory, row, &rows->rows))
        memory_book_learn(&memory->arena, &memory->book, row->image, row->type, row->bytes, row->seen_ns);
}

// Rows that were replaced leave their memory behind.
static void compact(MarketMemory *memory) {
    Arena arena = memory->arena;
    MemoryBook book = memory->book;

    if (arena_used(&arena) < ARENA_MAX)
        return;
    memory->arena = (Arena){0};
    memory->book = (MemoryBook){0};
    copy_rows(memory, &book);
    arena_free(&arena);
}

static void teach_all(ProviderMarket *market) {
    for (uint32_t i = 0; i < market->class_count; i++)
        market_teach_class(market, market->classes[i]);
}

// --- reading

// Whether it is time to try; if so, nobody else does until end_call.
static bool begin_call(ProviderMarket *market, bool is_due, Mono *tried) {
    Mono now = provider_now(market->provider).now;
    bool begins = is_due && !market->memory.is_busy && mono_since(now, *tried) >= PAUSE_NS;

    if (begins) {
        market->memory.is_busy = true;
        *tried = now;
    }
    return begins;
}

static void take_data(ProviderMarket *market, const Value *object, Arena *arena) {
    MarketMemory *memory = &market->memory;
    const Value *data = value_get_text(object, "data");
    uint32_t ignored = 0;
    MemoryBook book = memory_book_read(arena, data, provider_now(market->provider).wall_ns, &ignored);

    copy_rows(memory, &book);
    for (uint32_t i = 0; data && data->kind == VALUE_MAP && i < data->map.count; i++)
        vec_push(&memory->keys_arena, &memory->keys, arena_slice(&memory->keys_arena, data->map.items[i].key));
    if (ignored)
        provider_log(market->provider, AWS_LOG_INFO, "passed over lines of learned memory that cannot be read", NAME,
                     "%u", ignored);
    if (book.rows.count)
        teach_all(market);
}

void market_memory_read(AwsProvider *provider) {
    ProviderMarket *market = provider->market;
    Arena arena = {0};
    KubeError error = {0};
    Value object;
    ErrCode code;
    bool begins;

    if (!is_kept(provider))
        return;
    pthread_mutex_lock(&market->making);
    begins = begin_call(market, !market->memory.is_read, &market->memory.read);
    pthread_mutex_unlock(&market->making);
    if (!begins)
        return;
    code = kube_get(provider->config.kube, &arena, reference(provider), &object, &error);
    if (code != OK && code != ERR_NOT_FOUND)
        log_failure(provider, "cannot read learned memory", &error);
    pthread_mutex_lock(&market->making);
    if (code == OK)
        take_data(market, &object, &arena);
    market->memory.is_read = code == OK || code == ERR_NOT_FOUND;
    market->memory.is_busy = false;
    pthread_mutex_unlock(&market->making);
    arena_free(&arena);
}

// --- writing

// The data as a patch: what the ConfigMap had before and is no longer known becomes null. With `making`.
static Value print_data(const ProviderMarket *market, Arena *arena) {
    const MarketMemory *memory = &market->memory;
    Value data = memory_book_data(arena, &memory->book, provider_now(market->provider).wall_ns);

    for (vec_each(const Slice, key, &memory->keys)) {
        if (!value_get(&data, *key))
            value_put(arena, &data, arena_slice(arena, *key), value_null());
    }
    return data;
}

// Remembers the members that the ConfigMap has now. With `making`.
static void keep_keys(MarketMemory *memory, const Value *data) {
    arena_free(&memory->keys_arena);
    memory->keys = (SliceVec){0};
    for (vec_each(const ValueMember, member, &data->map)) {
        if (member->value.kind != VALUE_NULL)
            vec_push(&memory->keys_arena, &memory->keys, arena_slice(&memory->keys_arena, member->key));
    }
}

static ErrCode create(AwsProvider *provider, Arena *arena, const Value *data, KubeError *error) {
    Value object = value_map(), *metadata, *copy;

    value_put(arena, &object, SLICE("apiVersion"), value_string(SLICE("v1")));
    value_put(arena, &object, SLICE("kind"), value_string(SLICE("ConfigMap")));
    metadata = value_put(arena, &object, SLICE("metadata"), value_map());
    value_put(arena, metadata, SLICE("name"), value_string(NAME));
    value_put(arena, metadata, SLICE("namespace"), value_string(provider->config.namespace));
    copy = value_put(arena, &object, SLICE("data"), value_map());
    for (vec_each(const ValueMember, member, &data->map)) {
        if (member->value.kind != VALUE_NULL)
            value_put(arena, copy, member->key, member->value);
    }
    return kube_create(provider->config.kube, NULL, MANAGER, KUBE_CONFIG_MAP, &object, NULL, error);
}

static ErrCode write_data(AwsProvider *provider, Arena *arena, const Value *data, KubeError *error) {
    Value body = value_map();
    const KubePatch patch = {KUBE_PATCH_MERGE, &body};
    ErrCode code;

    value_put(arena, &body, SLICE("data"), *data);
    code = kube_patch(provider->config.kube, NULL, MANAGER, reference(provider), KUBE_OBJECT, &patch, NULL, error);
    return code == ERR_NOT_FOUND ? create(provider, arena, data, error) : code;
}

void provider_learned_write(AwsProvider *provider) {
    ProviderMarket *market = provider->market;
    MarketMemory *memory = &market->memory;
    Arena arena = {0};
    KubeError error = {0};
    Value data = value_map();
    ErrCode code;
    bool begins;

    if (!is_kept(provider))
        return;
    pthread_mutex_lock(&market->making);
    begins = begin_call(market, memory->is_changed && memory->is_read, &memory->written);
    if (begins) {
        data = print_data(market, &arena);
        memory->is_changed = false;
    }
    pthread_mutex_unlock(&market->making);
    if (!begins)
        return;
    code = write_data(provider, &arena, &data, &error);
    if (code != OK)
        log_failure(provider, "cannot write learned memory", &error);
    pthread_mutex_lock(&market->making);
    if (code == OK)
        keep_keys(memory, &data);
    memory->is_changed |= code != OK;
    memory->is_busy = false;
    pthread_mutex_unlock(&market->making);
    arena_free(&arena);
}

// --- learning

ErrCode provider_learn(AwsProvider *provider, const NodeClaim *claim, int64_t memory, CloudError *error) {
    ProviderMarket *market = provider->market;
    Symbol type = labels_get(&claim->meta.labels, NAME_INSTANCE_TYPE);

    (void)error;
    market_memory_read(provider);
    pthread_mutex_lock(&market->making);
    if (type != INDEX_NONE &&
        memory_book_learn(&market->memory.arena, &market->memory.book, symbol_text(&provider->symbols, claim->image_id),
                          symbol_text(&provider->symbols, type), memory, provider_now(provider).wall_ns)) {
        market->memory.is_changed = true;
        compact(&market->memory);
        teach_all(market);
    }
    pthread_mutex_unlock(&market->making);
    provider_learned_write(provider);
    return OK;
}
