// The thread that waits for a request to stop.
#include "cli/run/stop_guard.h"

#include "base/check.h"
#include "base/thread.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

bool stop_is_asked(int stop_fd) {
    struct pollfd fd = {.fd = stop_fd, .events = POLLIN};

    return poll(&fd, 1, 0) > 0 && (fd.revents & POLLIN);
}

static void *wait_for_end(void *context) {
    const StopGuard *guard = context;
    struct pollfd fds[] = {{.fd = guard->over_fd, .events = POLLIN}, {.fd = guard->stop_fd, .events = POLLIN}};

    while (poll(fds, 2, -1) < 0 && errno == EINTR) {
    }
    if (!(fds[0].revents & POLLIN))
        guard->stop(guard->context);
    return NULL;
}

ErrCode stop_guard_begin(StopGuard *guard, Err *err) {
    ErrCode code;

    guard->over_fd = eventfd(0, EFD_CLOEXEC);
    if (guard->over_fd < 0)
        return err_set(err, ERR_IO, "eventfd: %s", strerror(errno));
    code = thread_start(&guard->thread, "stop", 0, wait_for_end, guard, err);
    if (code != OK)
        close(guard->over_fd);
    return code;
}

void stop_guard_end(StopGuard *guard) {
    uint64_t one = 1;

    while (write(guard->over_fd, &one, sizeof one) < 0 && errno == EINTR) {
    }
    pthread_join(guard->thread, NULL);
    close(guard->over_fd);
}
