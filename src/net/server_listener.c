// The accepting thread, and its table of connections.
#include "net/server_listener.h"

#include "base/alloc.h"
#include "base/check.h"
#include "base/thread.h"
#include "base/time.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

static const int64_t STARVED_REST_NS = 100 * NS_PER_MS;
static const int64_t SPARE_LOOK_NS = 20 * NS_PER_MS; // until the spare descriptor is looked for again
// PEERS is the size of the table, which includes connections told to close: these are gone within microseconds unless
// the server is busy with an answer. OPENING_MAX bounds the connections handed over and not yet taken, so that others
// remain to choose from when there is no room.
enum { BACKLOG = 128, PEERS = SERVER_CONNECTIONS_MAX + 32, OPENING_MAX = 8, STACK_BYTES = 256 << 10 };
static const int64_t OPENING_NS = 60000000000; // by then the server has taken or dropped it

typedef enum {
    PEER_NONE,
    PEER_OPENING,   // handed over; the server has not reported it yet
    PEER_OWES_HEAD, // the headers of its first request are incomplete
    PEER_OWES_BODY, // its headers are complete, the body is not
    PEER_ANSWERED,  // a request is complete, its answer is made or sent
    PEER_IDLE,      // kept alive for another request
    PEER_LEAVING,   // told to close
} PeerPhase;

struct ServerPeer {
    PeerPhase phase;
    int fd;
    struct in6_addr address;
    int64_t since_ns; // since when it is in the phase; for the first headers since it was accepted
};

struct Listener {
    int fd, wake_fd, spare_fd; // -1: none
    uint16_t port;
    bool (*admit)(void *server, int fd, const struct sockaddr *address, socklen_t size);
    void *server;
    pthread_t thread;
    bool has_thread;
    int64_t rests_until_ns; // of the thread: it rests because no descriptor is left
    pthread_mutex_t lock;   // guards the following members
    bool over;
    ServerPeer peers[PEERS];
};

typedef union {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
} Address;

static int64_t now_ns(void) {
    return clock_system_mono().ns;
}

static void wake(const Listener *listener) {
    uint64_t one = 1;

    while (write(listener->wake_fd, &one, sizeof one) < 0 && errno == EINTR) {
    }
}

// --- binding

static ErrCode read_address(const ServerPlace *place, Address *ret_address, Err *err) {
    char text[INET6_ADDRSTRLEN];
    bool fits = place->address.len < sizeof text;

    if (!place->address.len) {
        ret_address->six = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(place->port)};
        return OK;
    }
    memcpy(text, place->address.ptr, fits ? place->address.len : 0);
    text[fits ? place->address.len : 0] = '\0';
    ret_address->four = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(place->port)};
    if (inet_pton(AF_INET, text, &ret_address->four.sin_addr) == 1)
        return OK;
    ret_address->six = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(place->port)};
    if (inet_pton(AF_INET6, text, &ret_address->six.sin6_addr) == 1)
        return OK;
    return err_set(err, ERR_INVALID, "expected an address as 127.0.0.1 or ::1, got \"%.*s\"",
                   SLICE_ARG(place->address));
}

static int open_socket(int family) {
    return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

// Listens on all addresses: of both families where the machine has IPv6, else of IPv4.
static ErrCode listen_on(const ServerPlace *place, int *ret_fd, Err *err) {
    int on = 1, off = 0, fd;
    Address address = {0};

    TRY(read_address(place, &address, err));
    fd = open_socket(address.any.sa_family);
    if (fd < 0 && !place->address.len) {
        address.four = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(place->port)};
        fd = open_socket(AF_INET);
    }
    if (fd < 0)
        return err_set(err, ERR_IO, "cannot make a socket: %s", strerror(errno));
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (!place->address.len && address.any.sa_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (bind(fd, &address.any, address.any.sa_family == AF_INET6 ? sizeof address.six : sizeof address.four) != 0 ||
        listen(fd, BACKLOG) != 0) {
        err_set(err, ERR_IO, "cannot listen on port %u%s%.*s: %s", place->port, place->address.len ? " of " : "",
                SLICE_ARG(place->address), strerror(errno));
        close(fd);
        return ERR_IO;
    }
    *ret_fd = fd;
    return OK;
}

static uint16_t port_of(int fd) {
    Address address = {0};
    socklen_t size = sizeof address;

    if (getsockname(fd, &address.any, &size) != 0)
        return 0;
    return ntohs(address.any.sa_family == AF_INET6 ? address.six.sin6_port : address.four.sin_port);
}

ErrCode listener_open(const ServerPlace *place, Listener **ret_listener, Err *err) {
    Listener *listener;
    int fd = -1;

    TRY(listen_on(place, &fd, err));
    listener = NEW(Listener);
    listener->fd = fd;
    listener->port = port_of(fd);
    listener->spare_fd = -1;
    listener->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&listener->lock, NULL);
    if (listener->wake_fd < 0) {
        err_set(err, ERR_IO, "cannot make an eventfd: %s", strerror(errno));
        listener_free(listener);
        return ERR_IO;
    }
    *ret_listener = listener;
    return OK;
}

uint16_t listener_port(const Listener *listener) {
    return listener->port;
}

// --- admission; all functions are called under the lock

// Shuts a connection down. The server closes it when it reads the end; until then the descriptor number stays in use.
static void send_away(ServerPeer *peer) {
    shutdown(peer->fd, SHUT_RDWR);
    peer->phase = PEER_LEAVING;
}

static int64_t patience_ns(PeerPhase phase) {
    switch (phase) {
    case PEER_OWES_HEAD:
        return SERVER_HEAD_S * NS_PER_S;
    case PEER_OWES_BODY:
        return SERVER_BODY_S * NS_PER_S;
    case PEER_IDLE:
        return SERVER_IDLE_S * NS_PER_S;
    case PEER_ANSWERED:
        return SERVER_ANSWER_S * NS_PER_S;
    case PEER_OPENING:
        return OPENING_NS;
    default:
        return INT64_MAX;
    }
}

static bool owes_request(const ServerPeer *peer) {
    return peer->phase == PEER_OWES_HEAD || peer->phase == PEER_OWES_BODY || peer->phase == PEER_IDLE;
}

static bool is_of(const ServerPeer *peer, const struct in6_addr *address) {
    return !address || memcmp(&peer->address, address, sizeof *address) == 0;
}

// The connection to close for a new one, among those of the address (NULL: all); NULL: all of them are at work.
static ServerPeer *find_victim(Listener *listener, const struct in6_addr *address, int64_t at_ns) {
    ServerPeer *found = NULL;

    for (ServerPeer *peer = listener->peers; peer < listener->peers + PEERS; peer++) {
        bool owes = owes_request(peer);
        bool dawdles = peer->phase == PEER_ANSWERED && at_ns - peer->since_ns >= SERVER_PATIENCE_S * NS_PER_S;

        if ((!owes && !dawdles) || !is_of(peer, address))
            continue;
        if (!found || owes > owes_request(found) || (owes == owes_request(found) && peer->since_ns < found->since_ns))
            found = peer;
    }
    return found;
}

static uint32_t count(const Listener *listener, const struct in6_addr *address) {
    uint32_t found = 0;

    for (const ServerPeer *peer = listener->peers; peer < listener->peers + PEERS; peer++)
        found += peer->phase != PEER_NONE && peer->phase != PEER_LEAVING && is_of(peer, address);
    return found;
}

// Whether there is room for one more connection of that address (NULL: any), if necessary by closing another one.
static bool make_room(Listener *listener, const struct in6_addr *address, uint32_t most, int64_t at_ns) {
    ServerPeer *victim;

    if (count(listener, address) < most)
        return true;
    victim = find_victim(listener, address, at_ns);
    if (victim)
        send_away(victim);
    return victim;
}

static ServerPeer *find_opening(Listener *listener, int fd) {
    for (ServerPeer *peer = listener->peers; peer < listener->peers + PEERS; peer++) {
        if (peer->phase == PEER_OPENING && peer->fd == fd)
            return peer;
    }
    return NULL;
}

static ServerPeer *find_free(Listener *listener) {
    for (ServerPeer *peer = listener->peers; peer < listener->peers + PEERS; peer++) {
        if (peer->phase == PEER_NONE)
            return peer;
    }
    return NULL;
}

// Removes a connection that the server did not take.
static void forget(Listener *listener, int fd) {
    ServerPeer *peer;

    pthread_mutex_lock(&listener->lock);
    peer = find_opening(listener, fd);
    if (peer)
        peer->phase = PEER_NONE;
    pthread_mutex_unlock(&listener->lock);
}

// Adds a connection to the table. False: it has to be closed.
static bool enter(Listener *listener, int fd, const Address *address) {
    int64_t at_ns = now_ns();
    ServerPeer *peer;
    ServerPeer entry = {.phase = PEER_OPENING, .fd = fd, .since_ns = at_ns};
    bool fits;

    forget(listener, fd); // the entry of an earlier connection that the server dropped without a report
    if (address->any.sa_family == AF_INET6)
        entry.address = address->six.sin6_addr;
    else
        memcpy(&entry.address, &address->four.sin_addr, sizeof address->four.sin_addr);
    pthread_mutex_lock(&listener->lock);
    fits = make_room(listener, &entry.address, SERVER_ADDRESS_MAX, at_ns) &&
           make_room(listener, NULL, SERVER_CONNECTIONS_MAX, at_ns);
    peer = fits ? find_free(listener) : NULL;
    if (peer)
        *peer = entry;
    pthread_mutex_unlock(&listener->lock);
    return peer;
}

// Closes connections that exceed their time; returns when to check again.
static int64_t enforce(Listener *listener, int64_t at_ns) {
    int64_t next_ns = INT64_MAX;

    pthread_mutex_lock(&listener->lock);
    for (ServerPeer *peer = listener->peers; peer < listener->peers + PEERS; peer++) {
        int64_t most_ns = patience_ns(peer->phase),
                ends_ns = most_ns == INT64_MAX ? INT64_MAX : peer->since_ns + most_ns;

        if (ends_ns <= at_ns && peer->phase == PEER_OPENING)
            peer->phase = PEER_NONE;
        else if (ends_ns <= at_ns)
            send_away(peer);
        else if (ends_ns < next_ns)
            next_ns = ends_ns;
    }
    pthread_mutex_unlock(&listener->lock);
    return next_ns;
}

// Whether the table has room, and the server has taken what was handed over.
static bool may_accept(Listener *listener) {
    uint32_t opening = 0, free_places = 0;

    pthread_mutex_lock(&listener->lock);
    for (const ServerPeer *peer = listener->peers; peer < listener->peers + PEERS; peer++) {
        opening += peer->phase == PEER_OPENING;
        free_places += peer->phase == PEER_NONE;
    }
    pthread_mutex_unlock(&listener->lock);
    return free_places && opening < OPENING_MAX;
}

// --- reports of the server

static void set_phase(Listener *listener, ServerPeer *peer, PeerPhase phase) {
    if (!peer)
        return;
    pthread_mutex_lock(&listener->lock);
    if (peer->phase != PEER_LEAVING) {
        peer->phase = phase;
        peer->since_ns = now_ns();
    }
    pthread_mutex_unlock(&listener->lock);
}

// The time for the first headers runs since accept. Wakes the thread, which does not know that time yet.
ServerPeer *listener_joined(Listener *listener, int fd) {
    ServerPeer *found;

    pthread_mutex_lock(&listener->lock);
    found = find_opening(listener, fd);
    if (found)
        found->phase = PEER_OWES_HEAD;
    pthread_mutex_unlock(&listener->lock);
    wake(listener);
    return found;
}

void listener_body_begins(Listener *listener, ServerPeer *peer) {
    set_phase(listener, peer, PEER_OWES_BODY);
    wake(listener);
}

void listener_request_begins(Listener *listener, ServerPeer *peer) {
    set_phase(listener, peer, PEER_ANSWERED);
}

void listener_request_ends(Listener *listener, ServerPeer *peer) {
    set_phase(listener, peer, PEER_IDLE);
}

void listener_left(Listener *listener, ServerPeer *peer) {
    if (!peer)
        return;
    pthread_mutex_lock(&listener->lock);
    peer->phase = PEER_NONE;
    pthread_mutex_unlock(&listener->lock);
    wake(listener); // the thread may wait for room, or for a descriptor
}

// --- the thread

static void take_spare(Listener *listener) {
    if (listener->spare_fd < 0)
        listener->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int accept_with_spare(Listener *listener, Address *address) {
    socklen_t size = sizeof *address;
    int fd = accept4(listener->fd, &address->any, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd >= 0 || (errno != EMFILE && errno != ENFILE) || listener->spare_fd < 0)
        return fd;
    close(listener->spare_fd);
    listener->spare_fd = -1;
    return accept4(listener->fd, &address->any, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

// Accepts one connection and hands it to the server; one that cannot be served is closed at once.
static void accept_one(Listener *listener) {
    Address address = {0};
    int fd = accept_with_spare(listener, &address);

    if (fd >= 0 && !enter(listener, fd, &address))
        close(fd);
    else if (fd >= 0 && !listener->admit(listener->server, fd, &address.any, sizeof address))
        forget(listener, fd);
    else if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM))
        listener->rests_until_ns = now_ns() + STARVED_REST_NS;
}

static int rest_ms(int64_t until_ns, int64_t at_ns) {
    int64_t rest_ms;

    if (until_ns == INT64_MAX)
        return -1;
    rest_ms = (until_ns - at_ns) / NS_PER_MS + 1;
    return rest_ms < 0 ? 0 : rest_ms > 60000 ? 60000 : (int)rest_ms;
}

static int64_t earlier(int64_t one_ns, int64_t other_ns) {
    return one_ns < other_ns ? one_ns : other_ns;
}

static bool is_over(Listener *listener) {
    bool over;

    pthread_mutex_lock(&listener->lock);
    over = listener->over;
    pthread_mutex_unlock(&listener->lock);
    return over;
}

static void *run(void *context) {
    Listener *listener = context;

    while (!is_over(listener)) {
        int64_t at_ns = now_ns(), next_ns = enforce(listener, at_ns);
        bool rests = listener->rests_until_ns > at_ns, accepts = !rests && may_accept(listener);
        struct pollfd fds[] = {{.fd = listener->wake_fd, .events = POLLIN},
                               {.fd = accepts ? listener->fd : -1, .events = POLLIN}};
        uint64_t count;

        take_spare(listener);
        if (listener->spare_fd < 0) // the connection that has it ends soon, and others wait for descriptors, too
            next_ns = earlier(next_ns, at_ns + SPARE_LOOK_NS);
        if (rests)
            next_ns = earlier(next_ns, listener->rests_until_ns);
        poll(fds, 2, rest_ms(next_ns, at_ns));
        if (fds[0].revents && read(listener->wake_fd, &count, sizeof count) < 0)
            CHECK(errno == EAGAIN, "an eventfd that cannot be read");
        if (fds[1].revents)
            accept_one(listener);
    }
    return NULL;
}

ErrCode listener_accept(Listener *listener,
                        bool (*admit)(void *server, int fd, const struct sockaddr *address, socklen_t size),
                        void *server, Err *err) {
    listener->admit = admit;
    listener->server = server;
    TRY(thread_start(&listener->thread, "listener", STACK_BYTES, run, listener, err));
    listener->has_thread = true;
    return OK;
}

void listener_stop(Listener *listener) {
    pthread_mutex_lock(&listener->lock);
    listener->over = true;
    pthread_mutex_unlock(&listener->lock);
    wake(listener);
    if (listener->has_thread)
        pthread_join(listener->thread, NULL);
    listener->has_thread = false;
}

static void close_if(int fd) {
    if (fd >= 0)
        close(fd);
}

void listener_free(Listener *listener) {
    if (!listener)
        return;
    close_if(listener->fd);
    close_if(listener->wake_fd);
    close_if(listener->spare_fd);
    pthread_mutex_destroy(&listener->lock);
    free(listener);
}
