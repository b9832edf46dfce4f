// The pool of lanes: connections that are kept for the next call.
#pragma once

#include "net/http_parts.h"

// Waits for the call's turn and takes a lane out of the pool, or makes one. ERR_TIMEOUT: its turn never came. ERR_IO:
// the client was ended, or no file descriptor is left.
ErrCode lane_take(HttpClient *client, const HttpRequest *request, HttpLane **ret_lane, Err *err);
void lane_give_back(HttpClient *client, const HttpRequest *request, HttpLane *lane);
void lanes_free(HttpLane *lane); // the lane, and those behind it in its list

int64_t http_now_ns(void); // CLOCK_MONOTONIC

// Error message for a lack of file descriptors.
Slice http_no_descriptor(Arena *arena);
