// Facts of a live cluster and of AWS behind it. Reads alone: GETs, reviews of rights, of which the API server keeps
// nothing, and calls of AWS that describe.
#pragma once

#include "cli/doctor/live_options.h"
#include "doctor/facts.h"

// Adds what they say. Whatever does not answer, or may not be asked, is a fact. ERR_NOT_FOUND, ERR_INVALID, ERR_IO: of
// kube_config_load alone.
ErrCode live_gather(Arena *arena, const LiveOptions *options, Facts *facts, Err *err);
