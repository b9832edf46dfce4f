// What stands behind turn_enqueue, turn_again, turn_retry and turn_succeed (ctl.h): the engine's work queues, or a
// test's. Turn.engine points to one of these for as long as the Turn lives.
#pragma once

#include "ctl/ctl.h"

typedef struct {
    // The controller may be another one than the one that is being called.
    void (*enqueue)(void *self, const Controller *controller, Key key, int64_t after_ns);
    // Of the controller that is being called.
    void (*again)(void *self, Key key, int64_t after_ns);
    void (*retry)(void *self, Key key);
    void (*succeed)(void *self, Key key);
    void *self;
} TurnHost;
