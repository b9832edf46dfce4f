// Routes and answers of the HTTP server, on libmicrohttpd.
#include "net/server.h"

#include "base/alloc.h"
#include "base/check.h"
#include "net/server_listener.h"

#include <microhttpd.h>

enum { REQUEST_BYTES_MAX = 32 * 1024 };

struct Server {
    struct MHD_Daemon *daemon;
    Listener *listener;
    uint32_t count;
    ServerRoute routes[];
};

struct ServerRequest {
    struct MHD_Connection *connection;
    Slice path;
};

Slice server_path(const ServerRequest *request) {
    return request->path;
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

static enum MHD_Result send_reply(struct MHD_Connection *connection, ServerReply *reply) {
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
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    result = MHD_queue_response(connection, (unsigned)reply->status, response);
    MHD_destroy_response(response);
    return result;
}

static void refuse(ServerReply *reply, int status, const char *text) {
    reply->status = status;
    buffer_printf(&reply->body, "%s\n", text);
}

// Called by libmicrohttpd after the headers, then for each piece of a body, then once more at the end.
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *body, size_t *body_size, void **state) {
    static char seen;
    const Server *server = context;
    ServerReply reply = {.status = MHD_HTTP_OK, .content_type = "text/plain; charset=utf-8"};
    ServerRequest request = {connection, slice_of(url)};
    const ServerRoute *route = route_of(server, request.path);

    (void)version, (void)body;
    if (*state != &seen) {
        *state = &seen;
        listener_request_begins(server->listener, peer_of(connection));
        return MHD_YES;
    }
    if (*body_size)
        return MHD_NO; // no route reads a body: the connection ends
    if (!route)
        refuse(&reply, MHD_HTTP_NOT_FOUND, "404 page not found");
    else if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        refuse(&reply, MHD_HTTP_METHOD_NOT_ALLOWED, "405 method not allowed");
    else
        route->answer(route->self, &request, &reply);
    return send_reply(connection, &reply);
}

// --- connections

static void follow_connection(void *context, struct MHD_Connection *connection, void **socket_context,
                              enum MHD_ConnectionNotificationCode code) {
    const Server *server = context;
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
    (void)state, (void)code;
    listener_request_ends(((const Server *)context)->listener, peer_of(connection));
}

static bool admit(void *context, int fd, const struct sockaddr *address, socklen_t size) {
    return MHD_add_connection(((const Server *)context)->daemon, fd, address, size) == MHD_YES;
}

// Starts libmicrohttpd. Its connection limit also counts connections that are being closed, so the listener's limits
// are the effective ones.
static struct MHD_Daemon *start_daemon(Server *server) {
    return MHD_start_daemon(MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ITC, 0,
                            NULL, NULL, handle, server, MHD_OPTION_NOTIFY_CONNECTION, follow_connection, server,
                            MHD_OPTION_NOTIFY_COMPLETED, follow_request, server, MHD_OPTION_CONNECTION_LIMIT,
                            4U * SERVER_CONNECTIONS_MAX, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES_MAX,
                            MHD_OPTION_END);
}

ErrCode server_start(const ServerRoute *routes, uint32_t count, const ServerPlace *place, Server **ret_server,
                     Err *err) {
    Listener *listener = NULL;
    Server *server;
    ErrCode code;

    TRY(listener_open(place, &listener, err));
    server = alloc_zeroed(1, sizeof *server + count * sizeof *routes);
    memcpy(server->routes, routes, count * sizeof *routes);
    server->count = count;
    server->listener = listener;
    server->daemon = start_daemon(server);
    if (server->daemon)
        code = listener_accept(listener, admit, server, err);
    else
        code = err_set(err, ERR_IO, "cannot serve HTTP on port %u: the system gives no thread or no file descriptor",
                       listener_port(listener));
    if (code == OK)
        *ret_server = server;
    else
        server_stop(server);
    return code;
}

uint16_t server_port(const Server *server) {
    return listener_port(server->listener);
}

void server_stop(Server *server) {
    if (!server)
        return;
    listener_stop(server->listener);
    if (server->daemon)
        MHD_stop_daemon(server->daemon);
    listener_free(server->listener);
    free(server);
}
