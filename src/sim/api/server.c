// Making and freeing the server.
#include "sim/api/server.h"

#include "base/alloc.h"
#include "sim/api/create.h"
#include "sim/api/meta.h"
#include "sim/api/request.h"

#include <stdlib.h>

enum { HISTORY_MAX_DEFAULT = 16384, FIRST_REVISION = 100 };

static void make_namespaces(ApiServer *server) {
    static const char *const names[] = {"default", "kube-node-lease", "kube-public", "kube-system"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Request request = request_start(server, KUBE_NAMESPACE, NULL);
        Value object = value_map();
        Entry *entry;

        value_put(request.arena, meta_of(request.arena, &object), SLICE("name"), value_string(slice_of(names[i])));
        CHECK(do_create(&request, &object, &entry) == OK);
        request_end(&request);
    }
}

ApiServer *api_new(const ApiConfig *config) {
    uint32_t history_max = config->history_max ? config->history_max : HISTORY_MAX_DEFAULT;
    ApiServer *server = NEW(ApiServer);

    CHECK(config->sources.now_ns && config->sources.random);
    CHECK(pthread_mutex_init(&server->lock, NULL) == 0);
    server->config = *config;
    if (history_max < HISTORY_MIN)
        history_max = HISTORY_MIN;
    store_init(&server->store, FIRST_REVISION, history_max);
    make_namespaces(server);
    return server;
}

void api_free(ApiServer *server) {
    if (!server)
        return;
    for (KubeWatch *watch = server->watches, *next; watch; watch = next) {
        next = watch->next;
        arena_free(&watch->arena);
        free(watch);
    }
    free(server->collect.items);
    free(server->orphans.items);
    store_free(&server->store);
    arena_free(&server->scratch);
    pthread_mutex_destroy(&server->lock);
    free(server);
}

ApiUsage api_usage(ApiServer *server) {
    Request request = request_start(server, KUBE_POD, NULL);
    ApiUsage usage = {
        .revision = server->store.revision, .objects = server->store.count, .bytes = store_bytes(&server->store)};

    for (const KubeWatch *watch = server->watches; watch; watch = watch->next)
        usage.watches++;
    request_end(&request);
    return usage;
}

void api_visit(ApiServer *server, KubeKind kind, bool (*visit)(void *context, const Value *object), void *context) {
    Request request = request_start(server, kind, NULL);
    const Order *order = &server->store.kinds[kind].order;
    bool more = true;

    for (OrderPlace place = {0}; more && order_get(order, place); place = order_next(order, place)) {
        ArenaMark mark = arena_mark(request.arena);
        Value object = request_open(&request, order_get(order, place));

        more = visit(context, &object);
        arena_rewind(request.arena, mark);
    }
    request_end(&request);
}
