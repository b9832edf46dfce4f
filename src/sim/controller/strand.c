// One lock, and one who has the turn: a strand, or the world's thread. Threads stay for the next strand.
#include "sim/controller/strand.h"

#include "base/alloc.h"
#include "base/thread.h"

#include <pthread.h>

typedef struct Strand {
    Strands *strands;
    struct Strand *next; // of all
    pthread_t thread;
    pthread_cond_t go;
    void (*work)(void *context); // NULL: idle
    void (*ended)(void *context);
    void *context;
    Alarm alarm; // of its wait
} Strand;

struct Strands {
    World *world;
    pthread_mutex_t lock;
    pthread_cond_t back;
    Strand *first, **last; // in the order of their first use
    Strand *running;       // has the turn; NULL: the world's thread
    bool is_hurried, is_ending;
};

// --- turns

static void await_turn(Strand *strand) {
    while (strand->strands->running != strand)
        pthread_cond_wait(&strand->go, &strand->strands->lock);
}

static void give_back(Strands *strands) {
    strands->running = NULL;
    pthread_cond_signal(&strands->back);
}

static void *live(void *context) {
    Strand *strand = context;
    Strands *strands = strand->strands;

    pthread_mutex_lock(&strands->lock);
    for (;;) {
        await_turn(strand);
        if (strands->is_ending)
            break;
        pthread_mutex_unlock(&strands->lock);
        strand->work(strand->context);
        pthread_mutex_lock(&strands->lock);
        strand->work = NULL;
        give_back(strands);
    }
    give_back(strands);
    pthread_mutex_unlock(&strands->lock);
    return NULL;
}

// Gives a strand its turn, and waits until it gives it back.
static void take_turn(Strand *strand) {
    Strands *strands = strand->strands;

    CHECK(!strands->running, "a strand within a strand");
    pthread_mutex_lock(&strands->lock);
    strands->running = strand;
    pthread_cond_signal(&strand->go);
    while (strands->running)
        pthread_cond_wait(&strands->back, &strands->lock);
    pthread_mutex_unlock(&strands->lock);
}

static void go_on(Strand *strand) {
    take_turn(strand);
    if (!strand->work && strand->ended)
        strand->ended(strand->context);
}

// --- making

Strands *strands_new(World *world) {
    Strands *strands = NEW(Strands);

    strands->world = world;
    strands->last = &strands->first;
    CHECK(pthread_mutex_init(&strands->lock, NULL) == 0 && pthread_cond_init(&strands->back, NULL) == 0, "no lock");
    return strands;
}

static Strand *new_strand(Strands *strands) {
    Strand *strand = NEW(Strand);
    Err err = {0};

    strand->strands = strands;
    CHECK(pthread_cond_init(&strand->go, NULL) == 0, "no condition");
    CHECK(thread_start(&strand->thread, "strand", 0, live, strand, &err) == OK, "%s", err.text);
    *strands->last = strand;
    strands->last = &strand->next;
    return strand;
}

void strands_free(Strands *strands) {
    Strand *next;

    if (!strands)
        return;
    strands->is_ending = true;
    for (Strand *strand = strands->first; strand; strand = next) {
        next = strand->next;
        CHECK(!strand->work, "a strand is under way");
        take_turn(strand);
        pthread_join(strand->thread, NULL);
        pthread_cond_destroy(&strand->go);
        free(strand);
    }
    pthread_cond_destroy(&strands->back);
    pthread_mutex_destroy(&strands->lock);
    free(strands);
}

// --- using

void strands_begin(Strands *strands, void (*work)(void *context), void (*ended)(void *context), void *context) {
    Strand *strand = strands->first;

    while (strand && strand->work)
        strand = strand->next;
    if (!strand)
        strand = new_strand(strands);
    strand->work = work;
    strand->ended = ended;
    strand->context = context;
    go_on(strand);
}

static void ring(void *context) {
    Strand *strand = context;

    strand->alarm = 0;
    go_on(strand);
}

static void pause_strand(Strand *strand) {
    Strands *strands = strand->strands;

    pthread_mutex_lock(&strands->lock);
    give_back(strands);
    await_turn(strand);
    pthread_mutex_unlock(&strands->lock);
}

bool strands_rest(Strands *strands, int64_t ns) {
    Strand *strand = strands->running;

    CHECK(strand, "no strand has its turn");
    if (ns > 0 && !strands->is_hurried) {
        strand->alarm = world_alarm(strands->world, world_now_ns(strands->world) + ns, ring, strand);
        pause_strand(strand);
    }
    return !strands->is_hurried;
}

void strands_rest_forever(Strands *strands) {
    CHECK(strands->running, "no strand has its turn");
    if (!strands->is_hurried)
        pause_strand(strands->running);
}

void strands_hurry(Strands *strands) {
    strands->is_hurried = true;
    for (Strand *strand = strands->first; strand; strand = strand->next) {
        if (!strand->work)
            continue;
        world_cancel(strands->world, strand->alarm);
        strand->alarm = 0;
        strand->ended = NULL;
        take_turn(strand);
        CHECK(!strand->work, "a hurried strand waits");
    }
    strands->is_hurried = false;
}
