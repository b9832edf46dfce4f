// History: recent events of a kind, for watches and pages.
#pragma once

#include "sim/api/store/store_parts.h"

// Adds an event; takes references on both versions.
void history_add(History *history, uint32_t events_max, HistoryEvent event);
void history_forget(History *history, KubeRevision revision);
void history_free(History *history);
size_t history_bytes(const History *history);
