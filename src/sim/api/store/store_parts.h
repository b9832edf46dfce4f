// Internals of the store, shared by its files: history, and the tables by key, uid and owner. Private to
// src/sim/api/store*.c.
#pragma once

#include "sim/api/store/store.h"
