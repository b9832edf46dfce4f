// A thread that accepts, a thread for each connection. What fails here fails the test by abort.
#include "net/support/front.h"

#include <arpa/inet.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct {
    Front *front;
    int fd;
    unsigned slot;
} FrontConnection;

static void check(bool ok) {
    if (!ok)
        abort();
}

static X509 *read_certificate(Slice pem) {
    BIO *memory = BIO_new_mem_buf(pem.ptr, (int)pem.len);
    X509 *certificate = PEM_read_bio_X509(memory, NULL, NULL, NULL);

    BIO_free(memory);
    check(certificate);
    return certificate;
}

static SSL_CTX *make_tls(const Front *front) {
    SSL_CTX *tls = SSL_CTX_new(TLS_server_method());
    X509 *certificate = read_certificate(front->certificate->certificate_pem);
    BIO *memory = BIO_new_mem_buf(front->certificate->key_pem.ptr, (int)front->certificate->key_pem.len);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(memory, NULL, NULL, NULL);

    check(SSL_CTX_use_certificate(tls, certificate) && SSL_CTX_use_PrivateKey(tls, key));
    X509_free(certificate);
    EVP_PKEY_free(key);
    BIO_free(memory);
    if (front->client_ca_pem.len) {
        X509 *authority = read_certificate(front->client_ca_pem);

        check(X509_STORE_add_cert(SSL_CTX_get_cert_store(tls), authority));
        X509_free(authority);
        SSL_CTX_set_verify(tls, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    }
    return tls;
}

static int dial(int port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (connect(fd, (struct sockaddr *)&address, sizeof address)) {
        close(fd);
        return -1;
    }
    return fd;
}

// One block from the client (through TLS, if it is `ssl`) to the server, or back. False: an end has hung up.
static bool pass_up(SSL *ssl, int client, int server) {
    char block[8192];
    ssize_t got = ssl ? SSL_read(ssl, block, sizeof block) : recv(client, block, sizeof block, 0);

    return got > 0 && send(server, block, (size_t)got, MSG_NOSIGNAL) == got;
}

static bool pass_down(SSL *ssl, int client, int server) {
    char block[8192];
    ssize_t got = recv(server, block, sizeof block, 0);

    if (got <= 0)
        return false;
    return (ssl ? SSL_write(ssl, block, (int)got) : send(client, block, (size_t)got, MSG_NOSIGNAL)) == got;
}

static void pump(SSL *ssl, int client, int server) {
    struct pollfd ready[2] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
    bool more = true;

    while (more) {
        if (!ssl || !SSL_pending(ssl))
            poll(ready, 2, -1);
        if (ready[0].revents || (ssl && SSL_pending(ssl)))
            more = pass_up(ssl, client, server);
        if (more && ready[1].revents)
            more = pass_down(ssl, client, server);
    }
}

// Closes after reading the client's data: unread data would cause a reset, and the client would not get the alert.
static void hang_up_gently(int fd) {
    char block[1024];

    shutdown(fd, SHUT_WR);
    while (recv(fd, block, sizeof block, 0) > 0)
        ;
}

static void serve_tls(FrontConnection *connection) {
    SSL *ssl = SSL_new(connection->front->tls);
    int server = -1;

    SSL_set_fd(ssl, connection->fd);
    if (SSL_accept(ssl) == 1)
        server = dial(connection->front->target_port);
    else
        hang_up_gently(connection->fd);
    if (server >= 0) {
        pump(ssl, connection->fd, server);
        close(server);
    }
    SSL_shutdown(ssl);
    SSL_free(ssl);
}

static void serve_proxy(FrontConnection *connection) {
    Front *front = connection->front;
    char head[4096] = "";
    const char *colon;
    size_t got = 0;
    int server;

    while (!strstr(head, "\r\n\r\n")) {
        ssize_t came = recv(connection->fd, head + got, sizeof head - 1 - got, 0);

        if (came <= 0)
            return;
        got += (size_t)came;
        head[got] = 0;
    }
    pthread_mutex_lock(&front->lock);
    snprintf(front->log + strlen(front->log), sizeof front->log - strlen(front->log), "%s", head);
    pthread_mutex_unlock(&front->lock);
    colon = strchr(head, ':');
    server = colon && !strncmp(head, "CONNECT ", 8) ? dial(atoi(colon + 1)) : -1;
    if (server < 0) {
        send(connection->fd, "HTTP/1.1 502 X\r\n\r\n", 18, MSG_NOSIGNAL);
        return;
    }
    send(connection->fd, "HTTP/1.1 200 X\r\n\r\n", 18, MSG_NOSIGNAL);
    pump(NULL, connection->fd, server);
    close(server);
}

static void *front_connection_main(void *context) {
    FrontConnection *connection = context;
    Front *front = connection->front;
    sigset_t pipe;

    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, NULL); // OpenSSL's writes to a client that hung up; not the client's own
    if (front->is_proxy)
        serve_proxy(connection);
    else
        serve_tls(connection);
    pthread_mutex_lock(&front->lock);
    front->fds[connection->slot] = -1;
    close(connection->fd);
    front->running--;
    pthread_mutex_unlock(&front->lock);
    free(connection);
    return NULL;
}

static void *front_acceptor_main(void *context) {
    Front *front = context;

    for (;;) {
        int fd = accept(front->listener, NULL, NULL);
        FrontConnection *connection = calloc(1, sizeof *connection);
        pthread_t thread;

        if (fd < 0) {
            free(connection);
            return NULL;
        }
        *connection = (FrontConnection){front, fd, 0};
        pthread_mutex_lock(&front->lock);
        while (front->fds[connection->slot] >= 0)
            connection->slot++;
        front->fds[connection->slot] = fd;
        front->running++;
        pthread_mutex_unlock(&front->lock);
        pthread_create(&thread, NULL, front_connection_main, connection);
        pthread_detach(thread);
    }
}

void front_start(Front *front) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof address;

    if (!front->is_proxy)
        front->tls = make_tls(front);
    pthread_mutex_init(&front->lock, NULL);
    memset(front->fds, -1, sizeof front->fds);
    front->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    check(!bind(front->listener, (struct sockaddr *)&address, len) && !listen(front->listener, 64));
    getsockname(front->listener, (struct sockaddr *)&address, &len);
    front->port = ntohs(address.sin_port);
    pthread_create(&front->acceptor, NULL, front_acceptor_main, front);
}

void front_stop(Front *front) {
    unsigned running;

    shutdown(front->listener, SHUT_RDWR);
    pthread_join(front->acceptor, NULL);
    close(front->listener);
    do {
        pthread_mutex_lock(&front->lock);
        for (size_t i = 0; i < sizeof front->fds / sizeof *front->fds; i++) {
            if (front->fds[i] >= 0)
                shutdown(front->fds[i], SHUT_RDWR);
        }
        running = front->running;
        pthread_mutex_unlock(&front->lock);
        usleep(1000);
    } while (running);
    SSL_CTX_free(front->tls);
    pthread_mutex_destroy(&front->lock);
}
