#include "net/server.h"

#include "base/alloc.h"
#include "base/check.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUEST_BYTES_MAX = 32 * 1024, BACKLOG = 64 };

struct Server {
    struct MHD_Daemon *daemon;
    uint16_t port;
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

// Called when the head has come, then for each piece of a body, then once more at the end.
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
        return MHD_YES;
    }
    if (*body_size)
        return MHD_NO; // nobody here reads one: the connection ends
    if (!route)
        refuse(&reply, MHD_HTTP_NOT_FOUND, "404 page not found");
    else if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        refuse(&reply, MHD_HTTP_METHOD_NOT_ALLOWED, "405 method not allowed");
    else
        route->answer(route->self, &request, &reply);
    return send_reply(connection, &reply);
}

// --- listening

static ErrCode bind_to(int fd, const struct sockaddr *address, socklen_t size, uint16_t port, Err *err) {
    int on = 1;

    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, address, size) != 0 || listen(fd, BACKLOG) != 0)
        return err_set(err, ERR_IO, "cannot listen on port %u: %s", port, strerror(errno));
    return OK;
}

// All addresses of both families where the machine has IPv6, else of IPv4.
static ErrCode listen_on(uint16_t port, bool loopback, int *ret_fd, Err *err) {
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = in6addr_any};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(port)};
    int fd = loopback ? -1 : socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int off = 0;
    ErrCode code;

    four.sin_addr.s_addr = htonl(loopback ? INADDR_LOOPBACK : INADDR_ANY);
    if (fd >= 0) {
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
        code = bind_to(fd, (struct sockaddr *)&six, sizeof six, port, err);
    } else {
        fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0)
            return err_set(err, ERR_IO, "cannot make a socket: %s", strerror(errno));
        code = bind_to(fd, (struct sockaddr *)&four, sizeof four, port, err);
    }
    if (code != OK)
        close(fd);
    else
        *ret_fd = fd;
    return code;
}

static uint16_t port_of(int fd) {
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } address = {0};
    socklen_t size = sizeof address;

    if (getsockname(fd, &address.any, &size) != 0)
        return 0;
    return ntohs(address.any.sa_family == AF_INET6 ? address.six.sin6_port : address.four.sin_port);
}

ErrCode server_start(const ServerRoute *routes, uint32_t count, uint16_t port, bool loopback, Server **ret_server,
                     Err *err) {
    Server *server;
    int fd = -1;

    TRY(listen_on(port, loopback, &fd, err));
    server = alloc_zeroed(1, sizeof *server + count * sizeof *routes);
    memcpy(server->routes, routes, count * sizeof *routes);
    server->count = count;
    server->port = port_of(fd);
    server->daemon = MHD_start_daemon(
        MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, handle, server, MHD_OPTION_LISTEN_SOCKET, fd,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)SERVER_CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)SERVER_TIMEOUT_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES_MAX, MHD_OPTION_END);
    if (!server->daemon) {
        free(server);
        close(fd);
        return err_set(err, ERR_IO, "cannot serve HTTP on port %u", port);
    }
    *ret_server = server;
    return OK;
}

uint16_t server_port(const Server *server) {
    return server->port;
}

void server_stop(Server *server) {
    if (!server)
        return;
    MHD_stop_daemon(server->daemon); // closes the socket
    free(server);
}
