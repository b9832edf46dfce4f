// Creating.
#pragma once

#include "sim/api/server.h"

// The calls of the table, one file each, without lock and scratch.
ErrCode do_create(Request *request, const Value *object, Entry **ret_entry);
