// The conformance suite against the embedded API server, with a clock of its own.
#include "suite.h"

#include "base/random.h"
#include "sim/api/api.h"

#include <stdlib.h>

typedef struct {
    Harness harness;
    ApiServer *server;
    int64_t now_ns;
    Random random;
} Embedded;

static int64_t now_ns(void *context) {
    return ((Embedded *)context)->now_ns;
}

static uint64_t next_random(void *context) {
    return random_u64(&((Embedded *)context)->random);
}

static Embedded *embedded(Harness *harness) {
    return (Embedded *)harness; // its first member
}

static void settle_embedded(Harness *harness) {
    while (api_step(embedded(harness)->server))
        ;
}

// Bookmarks come with the minutes.
static void pass(Harness *harness, int seconds) {
    embedded(harness)->now_ns += seconds * NS_PER_S;
    settle_embedded(harness);
    if (seconds >= 60)
        api_send_bookmarks(embedded(harness)->server);
}

static bool forget_history(Harness *harness) {
    api_forget_history(embedded(harness)->server);
    return true;
}

static bool drop_watches(Harness *harness) {
    api_drop_watches(embedded(harness)->server);
    return true;
}

int main(void) {
    Embedded embedded = {.harness = {.settle = settle_embedded,
                                     .pass = pass,
                                     .forget_history = forget_history,
                                     .drop_watches = drop_watches,
                                     .seed = 1},
                         .now_ns = 1767225600 * NS_PER_S};
    ApiConfig config = {.sources = {now_ns, next_random, &embedded}};
    int failed;

    random_seed(&embedded.random, 1);
    embedded.server = api_new(&config);
    embedded.harness.kube = api_kube(embedded.server);
    failed = suite_run(&embedded.harness, (SuitePart){0});
    api_free(embedded.server);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
