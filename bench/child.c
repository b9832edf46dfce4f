#include "child.h"

#include "base/alloc.h"
#include "base/time.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

uint64_t rss_now(void) {
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long long pages = 0;

    if (!file)
        return 0;
    if (fscanf(file, "%*s %llu", &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t rss_peak(void) {
    struct rusage usage;

    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

int64_t cpu_now_ns(void) {
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * NS_PER_S + now.tv_nsec;
}

// What the child sends through the pipe, before its result.
typedef struct {
    ErrCode code;
    Err err;
} Outcome;

static bool write_whole(int to, const void *bytes, size_t size) {
    return write(to, bytes, size) == (ssize_t)size;
}

static bool read_whole(int from, void *bytes, size_t size) {
    for (size_t at = 0; at < size;) {
        ssize_t got = read(from, (char *)bytes + at, size - at);

        if (got <= 0)
            return false;
        at += (size_t)got;
    }
    return true;
}

static ErrCode explain_end(int status, unsigned seconds, Err *err) {
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        return err_set(err, ERR_TIMEOUT, "not done after %u s", seconds);
    if (WIFSIGNALED(status))
        return err_set(err, ERR_IO, "ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return err_set(err, ERR_IO, "ended with status %d", WEXITSTATUS(status));
}

static int run_and_tell(ErrCode (*run)(const void *context, void *ret_result, Err *err), const void *context,
                        size_t size, int to) {
    void *result = alloc_raw(size);
    Outcome outcome = {0};

    memset(result, 0, size);
    outcome.code = run(context, result, &outcome.err);
    return write_whole(to, &outcome, sizeof outcome) && write_whole(to, result, size) ? 0 : 1;
}

ErrCode child_run(ErrCode (*run)(const void *context, void *ret_result, Err *err), const void *context,
                  void *ret_result, size_t size, unsigned seconds, Err *err) {
    Outcome outcome;
    int ends[2], status = 0;
    bool complete;
    pid_t child;

    if (pipe(ends) != 0)
        return err_set(err, ERR_IO, "pipe: %m");
    fflush(NULL);
    child = fork();
    if (child < 0)
        return err_set(err, ERR_IO, "fork: %m");
    if (child == 0) {
        alarm(seconds);
        _exit(run_and_tell(run, context, size, ends[1]));
    }
    close(ends[1]);
    complete = read_whole(ends[0], &outcome, sizeof outcome) && read_whole(ends[0], ret_result, size);
    close(ends[0]);
    if (waitpid(child, &status, 0) != child || !complete)
        return explain_end(status, seconds, err);
    if (outcome.code != OK)
        *err = outcome.err;
    return outcome.code;
}
