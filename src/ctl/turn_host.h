// TurnHost: the implementation of turn_enqueue, turn_again, turn_retry and turn_succeed (ctl.h): the engine's work
// queues, or a test's. Turn.engine points to one for as long as the Turn lives.
#pragma once

#include "ctl/ctl.h"

typedef struct {
    // Enqueues a key of any controller.
    void (*enqueue)(void *self, const Controller *controller, Key key, int64_t after_ns);
    // Of the controller that is being called.
    void (*again)(void *self, Key key, int64_t after_ns);
    void (*retry)(void *self, Key key);
    void (*succeed)(void *self, Key key);
    void *self;
} TurnHost;
