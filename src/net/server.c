// Routes and answers of the HTTP server, on libmicrohttpd.
#include "net/server.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/check.h"
#include "net/server_listener.h"
#include "net/server_workers.h"

#include <pthread.h>

struct Server {
    Listener *listener;
    size_t body_max;
    atomic_size_t body_bytes; // of all requests under way
    pthread_mutex_t lock;     // guards the following members
    ServerWorkers *workers, *retired;
    uint32_t next; // of the workers that gets a connection
    uint32_t count;
    ServerRoute routes[];
};

// A request while it comes in.
typedef struct {
    Buffer body;
    int refusal; // HTTP status; 0: none
} Incoming;

struct ServerRequest {
    struct MHD_Connection *connection;
    Slice path, body;
};

Slice server_path(const ServerRequest *request) {
    return request->path;
}

Slice server_body(const ServerRequest *request) {
    return request->body;
}

Slice server_query(const ServerRequest *request, const char *key) {
    const char *value = NULL;
    size_t len = 0;

    if (!MHD_lookup_connection_value_n(request->connection, MHD_GET_ARGUMENT_KIND, key, strlen(key), &value, &len))
        return (Slice){0};
    return value ? (Slice){value, len} : SLICE("");
}

// --- answering

static ServerPeer *peer_of(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info ? info->socket_context : NULL;
}

static const ServerRoute *route_of(const Server *server, Slice path) {
    for (uint32_t i = 0; i < server->count; i++) {
        Slice route = slice_of(server->routes[i].path);

        if (slice_eq(route, path) || (slice_ends_with(route, SLICE("/")) && slice_starts_with(path, route)))
            return &server->routes[i];
    }
    return NULL;
}

static enum MHD_Result send_reply(const ServerWorker *worker, struct MHD_Connection *connection, ServerReply *reply,
                                  const char *allowed) {
    struct MHD_Response *response;
    enum MHD_Result result;

    // Frees the body, also when it is NULL.
    response = MHD_create_response_from_buffer(reply->body.len, reply->body.bytes, MHD_RESPMEM_MUST_FREE);
    if (!response) {
        buffer_free(&reply->body);
        return MHD_NO;
    }
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply->content_type);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    if (reply->status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, allowed);
    if (atomic_load(&worker->old))
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    result = MHD_queue_response(connection, (unsigned)reply->status, response);
    MHD_destroy_response(response);
    return result;
}

static void refuse(ServerReply *reply, int status, const char *text) {
    reply->status = status;
    buffer_printf(&reply->body, "%s\n", text);
}

static bool has_method(const Server *server, const char *method) {
    if (server->body_max)
        return strcmp(method, MHD_HTTP_METHOD_POST) == 0;
    return strcmp(method, MHD_HTTP_METHOD_GET) == 0 || strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
}

// --- bodies

static bool comes_with_body(const Server *server, const char *method) {
    return server->body_max && has_method(server, method);
}

static void drop_body(Server *server, Incoming *incoming) {
    atomic_fetch_sub(&server->body_bytes, incoming->body.len);
    buffer_free(&incoming->body);
}

// What is beyond the bounds is read all the same, so that the client gets the answer, but not kept.
static void take_piece(Server *server, Incoming *incoming, Slice piece) {
    if (incoming->refusal)
        return;
    if (piece.len > server->body_max - incoming->body.len)
        incoming->refusal = MHD_HTTP_CONTENT_TOO_LARGE;
    else if (atomic_load(&server->body_bytes) + piece.len > SERVER_BODIES * server->body_max)
        incoming->refusal = MHD_HTTP_SERVICE_UNAVAILABLE;
    if (incoming->refusal) {
        drop_body(server, incoming);
        return;
    }
    buffer_append(&incoming->body, piece);
    atomic_fetch_add(&server->body_bytes, piece.len);
}

static void refuse_body(ServerReply *reply, int status) {
    refuse(reply, status,
           status == MHD_HTTP_CONTENT_TOO_LARGE ? "413 the body is too large" : "503 too many bodies at once");
}

// --- requests

static enum MHD_Result begin(Server *server, struct MHD_Connection *connection, bool has_body, void **state) {
    *state = NEW(Incoming);
    if (has_body)
        listener_body_begins(server->listener, peer_of(connection));
    else
        listener_request_begins(server->listener, peer_of(connection));
    return MHD_YES;
}

static enum MHD_Result answer(const ServerWorker *worker, const ServerRoute *route, const char *method,
                              const ServerRequest *request, const Incoming *incoming) {
    ServerReply reply = {.status = MHD_HTTP_OK, .content_type = "text/plain; charset=utf-8"};

    if (!route)
        refuse(&reply, MHD_HTTP_NOT_FOUND, "404 page not found");
    else if (!has_method(worker->server, method))
        refuse(&reply, MHD_HTTP_METHOD_NOT_ALLOWED, "405 method not allowed");
    else if (incoming->refusal)
        refuse_body(&reply, incoming->refusal);
    else
        route->answer(route->self, request, &reply);
    return send_reply(worker, request->connection, &reply, worker->server->body_max ? "POST" : "GET, HEAD");
}

// Called by libmicrohttpd after the headers, then for each piece of a body, then once more at the end.
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *body, size_t *body_size, void **state) {
    const ServerWorker *worker = context;
    Server *server = worker->server;
    Incoming *incoming = *state;
    ServerRequest request = {connection, slice_of(url), SLICE("")};
    const ServerRoute *route = route_of(server, request.path);
    bool has_body = comes_with_body(server, method);

    (void)version;
    if (!incoming)
        return begin(server, connection, has_body, state);
    if (*body_size && !has_body)
        return MHD_NO; // it has no body to be read: the connection ends
    if (*body_size) {
        take_piece(server, incoming, (Slice){body, *body_size});
        *body_size = 0;
        return MHD_YES;
    }
    if (has_body)
        listener_request_begins(server->listener, peer_of(connection));
    request.body = buffer_slice(&incoming->body);
    return answer(worker, route, method, &request, incoming);
}

// --- connections

static void follow_connection(void *context, struct MHD_Connection *connection, void **socket_context,
                              enum MHD_ConnectionNotificationCode code) {
    const Server *server = ((const ServerWorker *)context)->server;
    const union MHD_ConnectionInfo *info;

    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        *socket_context = info ? listener_joined(server->listener, info->connect_fd) : NULL;
    } else {
        listener_left(server->listener, *socket_context);
    }
}

static void follow_request(void *context, struct MHD_Connection *connection, void **state,
                           enum MHD_RequestTerminationCode code) {
    Server *server = ((const ServerWorker *)context)->server;

    (void)code;
    if (*state)
        drop_body(server, *state);
    free(*state);
    *state = NULL;
    listener_request_ends(server->listener, peer_of(connection));
}

static bool admit(void *context, int fd, const struct sockaddr *address, socklen_t size) {
    Server *server = context;
    bool taken;

    pthread_mutex_lock(&server->lock);
    taken = MHD_add_connection(server->workers->workers[server->next++ % server->workers->count].daemon, fd, address,
                               size) == MHD_YES;
    pthread_mutex_unlock(&server->lock);
    return taken;
}

// --- life

static const ServerCallbacks callbacks = {handle, follow_connection, follow_request};

// Zero-terminated copies, as libmicrohttpd wants them; it reads them while it starts.
static ErrCode start_workers(Server *server, uint32_t count, const ServerIdentity *identity,
                             ServerWorkers **ret_workers, Err *err) {
    Arena arena = {0};
    ServerIdentity copy;
    ErrCode code;

    if (!identity)
        return workers_start(server, &callbacks, count, NULL, ret_workers, err);
    copy = (ServerIdentity){slice_of(arena_text(&arena, identity->certificate_pem)),
                            slice_of(arena_text(&arena, identity->key_pem))};
    code = workers_start(server, &callbacks, count, &copy, ret_workers, err);
    arena_free(&arena);
    return code;
}

static Server *new_server(const ServerRoute *routes, uint32_t count, Listener *listener, size_t body_max) {
    Server *server = alloc_zeroed(1, sizeof *server + count * sizeof *routes);

    memcpy(server->routes, routes, count * sizeof *routes);
    server->count = count;
    server->listener = listener;
    server->body_max = body_max;
    pthread_mutex_init(&server->lock, NULL);
    return server;
}

ErrCode server_start_with(const ServerRoute *routes, uint32_t count, const ServerPlace *place,
                          const ServerOptions *options, Server **ret_server, Err *err) {
    uint32_t threads = options->threads ? options->threads : 1;
    Listener *listener = NULL;
    Server *server;
    ErrCode code;

    CHECK(threads <= SERVER_THREADS_MAX);
    TRY(listener_open(place, &listener, err));
    server = new_server(routes, count, listener, options->body_max);
    code = start_workers(server, threads, options->identity, &server->workers, err);
    if (code == OK)
        code = listener_accept(listener, admit, server, err);
    if (code == OK) {
        *ret_server = server;
        return OK;
    }
    err_prefix(err, "cannot serve on port %u", listener_port(listener));
    server_stop(server);
    return code;
}

ErrCode server_start(const ServerRoute *routes, uint32_t count, const ServerPlace *place, Server **ret_server,
                     Err *err) {
    return server_start_with(routes, count, place, &(ServerOptions){0}, ret_server, err);
}

// The generation before the last one has had its time.
ErrCode server_renew(Server *server, const ServerIdentity *identity, Err *err) {
    ServerWorkers *workers = NULL, *former;

    TRY(start_workers(server, server->workers->count, identity, &workers, err));
    pthread_mutex_lock(&server->lock);
    former = server->retired;
    server->retired = server->workers;
    server->workers = workers;
    pthread_mutex_unlock(&server->lock);
    workers_retire(server->retired);
    workers_stop(former);
    return OK;
}

uint16_t server_port(const Server *server) {
    return listener_port(server->listener);
}

void server_stop(Server *server) {
    if (!server)
        return;
    listener_stop(server->listener);
    workers_stop(server->workers);
    workers_stop(server->retired);
    listener_free(server->listener);
    pthread_mutex_destroy(&server->lock);
    free(server);
}
