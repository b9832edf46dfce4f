// The thread that starts and ends watches in real life, one after the other, in the order in which it is asked.
#pragma once

#include "engine/feed.h"

typedef struct Feeder Feeder;

// ERR_IO: the system gives no thread.
ErrCode feeder_new(Feeder **ret_feeder, Err *err);
// Waits for the call that is being made; what else was asked for is forgotten.
void feeder_free(Feeder *feeder);
// Gives the feed's watch back and starts it again from `revision` (0: from the beginning). Blocks nothing.
void feeder_restart(Feeder *feeder, Feed *feed, KubeRevision revision);
