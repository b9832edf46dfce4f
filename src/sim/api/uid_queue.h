// UidQueue: objects that wait for the garbage collector.
#pragma once

#include "sim/api/server.h"

void uid_queue_add(UidQueue *queue, uint64_t uid_hash);
// Takes the first uid. False: the queue is empty.
bool uid_queue_take(UidQueue *queue, uint64_t *ret_uid_hash);
