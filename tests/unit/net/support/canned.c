// The server for tests: a thread that accepts, a thread for each connection.
#include "net/support/canned.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct {
    Canned *server;
    int fd;
    unsigned number, slot;
} Connection;

void canned_say(int fd, const char *text) {
    size_t left = strlen(text);

    while (left) {
        ssize_t sent = send(fd, text, left, MSG_NOSIGNAL);

        if (sent <= 0)
            return;
        text += sent;
        left -= (size_t)sent;
    }
}

void canned_json(int fd, int status, const char *body) {
    char head[160];

    snprintf(head, sizeof head, "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
             status, strlen(body));
    canned_say(fd, head);
    canned_say(fd, body);
}

Slice canned_header(const CannedRequest *request, const char *name) {
    Slice rest = request->head;
    size_t len = strlen(name);

    while (rest.len) {
        ptrdiff_t end = slice_find(rest, '\n');
        Slice line = slice_first(rest, end < 0 ? rest.len : (size_t)end);

        if (line.len > len && line.ptr[len] == ':' && !strncasecmp(line.ptr, name, len))
            return slice_trim(slice_from(line, len + 1));
        rest = end < 0 ? SLICE("") : slice_from(rest, (size_t)end + 1);
    }
    return SLICE("");
}

static void note(Canned *server, CannedRequest *request) {
    pthread_mutex_lock(&server->lock);
    request->number = server->requests++;
    server->answering++;
    if (strlen(server->log) + request->line.len + 2 < sizeof server->log) {
        strncat(server->log, request->line.ptr, request->line.len - strlen(" HTTP/1.1"));
        strcat(server->log, "\n");
    }
    pthread_mutex_unlock(&server->lock);
}

unsigned canned_requests(Canned *server) {
    unsigned requests;

    pthread_mutex_lock(&server->lock);
    requests = server->requests;
    pthread_mutex_unlock(&server->lock);
    return requests;
}

// Reads one request into the buffer and answers it. False: the connection is over.
static bool serve(Connection *connection, char *buffer, size_t size) {
    size_t got = 0, wanted = SIZE_MAX;
    CannedRequest request = {.connection = connection->number};
    int64_t length = 0;
    char *end = NULL;
    bool more;

    while (got < wanted) {
        ssize_t came = recv(connection->fd, buffer + got, size - 1 - got, 0);

        if (came <= 0)
            return false;
        got += (size_t)came;
        buffer[got] = 0;
        if (!end && (end = strstr(buffer, "\r\n\r\n"))) {
            request.head = (Slice){buffer, (size_t)(end + 4 - buffer)};
            slice_to_int64(canned_header(&request, "Content-Length"), &length);
            wanted = request.head.len + (size_t)length;
        }
    }
    request.line = slice_first(request.head, (size_t)slice_find(request.head, '\r'));
    request.body = slice_from((Slice){buffer, got}, request.head.len);
    note(connection->server, &request);
    more = connection->server->answer(connection->server, &request, connection->fd);
    pthread_mutex_lock(&connection->server->lock);
    connection->server->answering--;
    pthread_mutex_unlock(&connection->server->lock);
    return more;
}

void canned_settle(Canned *server) {
    unsigned answering;

    do {
        pthread_mutex_lock(&server->lock);
        answering = server->answering;
        pthread_mutex_unlock(&server->lock);
    } while (answering && !usleep(500));
}

static void *connection_main(void *context) {
    Connection *connection = context;
    Canned *server = connection->server;
    char *buffer = malloc(1 << 20);

    while (serve(connection, buffer, 1 << 20))
        ;
    pthread_mutex_lock(&server->lock);
    server->fds[connection->slot] = -1;
    close(connection->fd);
    server->running--;
    pthread_mutex_unlock(&server->lock);
    free(buffer);
    free(connection);
    return NULL;
}

static void start_connection(Canned *server, int fd) {
    Connection *connection = calloc(1, sizeof *connection);
    pthread_t thread;
    int on = 1;

    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); // heads and bodies are sent one after the other
    pthread_mutex_lock(&server->lock);
    *connection = (Connection){server, fd, server->connections++, 0};
    while (server->fds[connection->slot] >= 0)
        connection->slot++;
    server->fds[connection->slot] = fd;
    server->running++;
    pthread_mutex_unlock(&server->lock);
    pthread_create(&thread, NULL, connection_main, connection);
    pthread_detach(thread);
}

static void *acceptor_main(void *context) {
    Canned *server = context;

    for (;;) {
        int fd = accept(server->listener, NULL, NULL);

        if (fd < 0)
            return NULL;
        start_connection(server, fd);
    }
}

void canned_start(Canned *server) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof address;

    pthread_mutex_init(&server->lock, NULL);
    memset(server->fds, -1, sizeof server->fds);
    server->listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(server->listener, (struct sockaddr *)&address, len) || listen(server->listener, 64))
        abort();
    getsockname(server->listener, (struct sockaddr *)&address, &len);
    server->port = ntohs(address.sin_port);
    snprintf(server->url, sizeof server->url, "http://127.0.0.1:%d", server->port);
    pthread_create(&server->acceptor, NULL, acceptor_main, server);
}

void canned_stop(Canned *server) {
    unsigned running;

    shutdown(server->listener, SHUT_RDWR);
    pthread_join(server->acceptor, NULL);
    close(server->listener);
    do {
        pthread_mutex_lock(&server->lock);
        server->stopping = true;
        for (size_t i = 0; i < sizeof server->fds / sizeof *server->fds; i++) {
            if (server->fds[i] >= 0)
                shutdown(server->fds[i], SHUT_RDWR);
        }
        running = server->running;
        pthread_mutex_unlock(&server->lock);
        usleep(1000);
    } while (running); // the lock stays: canned_settle and canned_requests may be called afterwards
}
