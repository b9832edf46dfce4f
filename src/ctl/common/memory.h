// The memory of a controller from make to free: a struct that lies in the Arena which is its first member.
#pragma once

#include "base/arena.h"

// Zeroed, of that size.
void *memory_new(size_t size);
// All of it; `self` is what memory_new gave. A Controller.free where nothing else is held.
void memory_free(void *self);
