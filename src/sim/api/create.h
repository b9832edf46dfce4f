// Creating.
#pragma once

#include "sim/api/server.h"

// The calls of the table are do_… functions, one file each, without locking and scratch memory.
ErrCode do_create(Request *request, const Value *object, Entry **ret_entry);
