// Asker: a thread that does something now and then, such as to ask the API server, and rests in between.
#pragma once

#include "base/err.h"

typedef struct Asker Asker;

// Starts a thread of that name that calls `ask`, rests for as many seconds as it returns, and so on. The first call
// comes `first_s` seconds from now. ERR_IO: no thread could be started.
ErrCode asker_new(const char *name, int first_s, int (*ask)(void *context), void *context, Asker **ret_asker, Err *err);
// Ends it; waits for a running call, which should end within seconds. NULL is allowed.
void asker_free(Asker *asker);
