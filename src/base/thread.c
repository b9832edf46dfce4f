// pthread_create with a name, a stack size and an error text.
#include "base/thread.h"

#include <stdio.h>
#include <string.h>

ErrCode thread_start(pthread_t *ret_thread, const char *name, size_t stack_bytes, void *(*run)(void *context),
                     void *context, Err *err) {
    pthread_attr_t attributes;
    char shown[16];
    int failed;

    pthread_attr_init(&attributes);
    if (stack_bytes)
        pthread_attr_setstacksize(&attributes, stack_bytes);
    failed = pthread_create(ret_thread, &attributes, run, context);
    pthread_attr_destroy(&attributes);
    if (failed)
        return err_set(
            err, ERR_IO,
            "the system refuses the thread \"%s\" (%s): look at the limits of processes (ulimit -u, pids.max) "
            "and of address space (ulimit -v)",
            name, strerror(failed));
    snprintf(shown, sizeof shown, "%s", name);
    pthread_setname_np(*ret_thread, shown);
    return OK;
}
