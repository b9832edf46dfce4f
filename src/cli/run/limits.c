// Computing the required resources, and trying them out.
#include "cli/run/limits.h"

#include "base/alloc.h"
#include "base/check.h"
#include "base/descriptors.h"
#include "base/thread.h"
#include "net/server.h"
#include "state/state.h"

#include <sys/mman.h>
#include <sys/resource.h>

#define ONE(...) +1
enum {
    WATCHES = 0 STATE_KINDS(ONE),
    // A connection, the pair of descriptors that wakes its call, and a second socket while several addresses are tried.
    DESCRIPTORS_PER_CALL = 4,
    // Besides calls of workers and watches: Lease, CRDs, the provider's own, one to spare.
    OTHER_CALLS = 4,
    // Connections of a second client, to AWS, that wait for their next call beside those that are in use.
    IDLE_CONNECTIONS = 32,
    OTHER_DESCRIPTORS = 32, // log, signals, libraries, ports, a credential plugin
    OTHER_THREADS = 13,     // engine, reflectors, solver, lease, definitions, memory, provider, ports, name lookups
    WATCH_STACK_BYTES = 1 << 20,
    ROOM_MB = 256, // of address space besides stacks: answers under way, the cluster, a plan
};
#undef ONE

uint32_t limits_descriptors(uint32_t workers, bool calls_aws) {
    uint32_t idle = calls_aws ? IDLE_CONNECTIONS : 0;

    return DESCRIPTORS_PER_CALL * (workers + WATCHES + OTHER_CALLS + idle) + 2 * SERVER_CONNECTIONS_MAX +
           OTHER_DESCRIPTORS;
}

uint32_t limits_threads(uint32_t workers) {
    return workers + WATCHES + OTHER_THREADS;
}

static ErrCode check_descriptors(uint32_t workers, bool calls_aws, Err *err) {
    uint64_t needed = limits_descriptors(workers, calls_aws), allowed = descriptors_raise(needed);

    if (allowed >= needed)
        return OK;
    return err_set(err, ERR_IO,
                   "%llu file descriptors are allowed and %llu needed for %u calls at once: raise the hard limit "
                   "(ulimit -Hn, LimitNOFILE=), or lower --cpu-requests",
                   (unsigned long long)allowed, (unsigned long long)needed, workers);
}

// --- threads

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t wakeup;
    bool over;
} Rehearsal;

static void *stay(void *context) {
    Rehearsal *rehearsal = context;

    pthread_mutex_lock(&rehearsal->lock);
    while (!rehearsal->over)
        pthread_cond_wait(&rehearsal->wakeup, &rehearsal->lock);
    pthread_mutex_unlock(&rehearsal->lock);
    return NULL;
}

static uint64_t space_allowed_mb(void) {
    struct rlimit limit;

    return getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur >> 20;
}

// Checks the address space besides the threads' stacks.
static ErrCode check_room(Err *err) {
    const size_t bytes = (size_t)ROOM_MB << 20;
    // cppcheck-suppress invalidFunctionArg; no file
    void *room = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (room == MAP_FAILED)
        return err_set(err, ERR_IO,
                       "%llu MB of address space are allowed, which leave less than %d MB beside the stacks of the "
                       "threads: raise the limit (ulimit -v)",
                       (unsigned long long)space_allowed_mb(), ROOM_MB);
    munmap(room, bytes);
    return OK;
}

static ErrCode explain(uint32_t made, uint32_t needed, Err *err) {
    uint64_t space_mb = space_allowed_mb();

    if (space_mb != UINT64_MAX)
        return err_set(err, ERR_IO,
                       "%u threads are needed and the system gives %u of them: raise the limit of address space "
                       "(ulimit -v, now %llu MB) or of processes (ulimit -u, pids.max), or lower --cpu-requests",
                       needed, made, (unsigned long long)space_mb);
    return err_set(err, ERR_IO,
                   "%u threads are needed and the system gives %u of them: raise the limit of processes (ulimit -u, "
                   "pids.max), or lower --cpu-requests",
                   needed, made);
}

static ErrCode check_threads(uint32_t workers, Err *err) {
    Rehearsal rehearsal = {.lock = PTHREAD_MUTEX_INITIALIZER, .wakeup = PTHREAD_COND_INITIALIZER};
    uint32_t needed = limits_threads(workers), made = 0;
    pthread_t *threads = NEW_ARRAY(pthread_t, needed);
    ErrCode code;

    while (made < needed && thread_start(&threads[made], "rehearsal", made < WATCHES ? WATCH_STACK_BYTES : 0, stay,
                                         &rehearsal, NULL) == OK)
        made++;
    code = made == needed ? check_room(err) : explain(made, needed, err);
    pthread_mutex_lock(&rehearsal.lock);
    rehearsal.over = true;
    pthread_cond_broadcast(&rehearsal.wakeup);
    pthread_mutex_unlock(&rehearsal.lock);
    for (uint32_t i = 0; i < made; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    return code;
}

ErrCode limits_check(uint32_t workers, bool calls_aws, Err *err) {
    TRY(check_descriptors(workers, calls_aws, err));
    return check_threads(workers, err);
}
