// The thread that starts and ends watches in real life, one after the other, in the order in which it is asked.
#pragma once

#include "engine/reflector.h"

typedef struct ReflectorThread ReflectorThread;

// ERR_IO: the system gives no thread.
ErrCode reflector_thread_new(ReflectorThread **ret_thread, Err *err);
// Waits for the call that is being made; what else was asked for is forgotten.
void reflector_thread_free(ReflectorThread *reflector_thread);
// Gives the reflector's watch back and starts it again from `revision` (0: from the beginning). Blocks nothing.
void reflector_thread_restart(ReflectorThread *reflector_thread, Reflector *reflector, KubeRevision revision);
