// Daemons started, retired, stopped.
#include "net/server_workers.h"

#include "base/alloc.h"

enum { REQUEST_BYTES_MAX = 32 * 1024 };

#define TLS_VERSIONS "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

// Starts libmicrohttpd. Its connection limit also counts connections that are being closed, so the listener's limits
// are the effective ones.
static struct MHD_Daemon *start_daemon(ServerWorker *worker, const ServerCallbacks *callbacks,
                                       const ServerIdentity *identity) {
    unsigned flags = MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ITC;
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, identity ? (void *)(uintptr_t)identity->certificate_pem.ptr : NULL},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, identity ? (void *)(uintptr_t)identity->key_pem.ptr : NULL},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t)TLS_VERSIONS},
        {MHD_OPTION_END, 0, NULL},
    };

    return MHD_start_daemon(identity ? flags | MHD_USE_TLS : flags, 0, NULL, NULL, callbacks->handle, worker,
                            MHD_OPTION_NOTIFY_CONNECTION, callbacks->follow_connection, worker,
                            MHD_OPTION_NOTIFY_COMPLETED, callbacks->follow_request, worker, MHD_OPTION_CONNECTION_LIMIT,
                            4U * SERVER_CONNECTIONS_MAX, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES_MAX,
                            MHD_OPTION_ARRAY, identity ? tls : &tls[3], MHD_OPTION_END);
}

ErrCode workers_start(Server *server, const ServerCallbacks *callbacks, uint32_t count, const ServerIdentity *identity,
                      ServerWorkers **ret_workers, Err *err) {
    ServerWorkers *workers = NEW(ServerWorkers);

    for (; workers->count < count; workers->count++) {
        ServerWorker *worker = &workers->workers[workers->count];

        worker->server = server;
        worker->daemon = start_daemon(worker, callbacks, identity);
        if (!worker->daemon)
            break;
    }
    if (workers->count == count) {
        *ret_workers = workers;
        return OK;
    }
    workers_stop(workers);
    return err_set(err, ERR_IO, "the system gives no thread or no file descriptor%s",
                   identity ? ", or the certificate and the key do not fit" : "");
}

void workers_retire(ServerWorkers *workers) {
    for (uint32_t i = 0; i < workers->count; i++)
        atomic_store(&workers->workers[i].old, true);
}

void workers_stop(ServerWorkers *workers) {
    if (!workers)
        return;
    for (uint32_t i = 0; i < workers->count; i++)
        MHD_stop_daemon(workers->workers[i].daemon);
    free(workers);
}
