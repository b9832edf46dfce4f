// ReflectorThread: starts and ends watches in real mode, one after the other, in the order of the requests.
#pragma once

#include "engine/watch/reflector.h"

typedef struct ReflectorThread ReflectorThread;

// ERR_IO: no thread could be started.
ErrCode reflector_thread_new(ReflectorThread **ret_thread, Err *err);
// Waits for the call that is under way; drops the other requests.
void reflector_thread_free(ReflectorThread *reflector_thread);
// Requests that the reflector's watch is ended and started again from `revision` (0: from the beginning). Does not
// block.
void reflector_thread_restart(ReflectorThread *reflector_thread, Reflector *reflector, KubeRevision revision);
