// Connections that are kept for the next request.
#pragma once

#include "net/http_parts.h"

// Takes a lane out of the pool, or makes one, once it is the call's turn. ERR_TIMEOUT: it never was. ERR_IO: the client
// was ended, or no file descriptor is left.
ErrCode lane_take(HttpClient *client, const HttpRequest *request, HttpLane **ret_lane, Err *err);
void lane_give_back(HttpClient *client, const HttpRequest *request, HttpLane *lane);
void lanes_free(HttpLane *lane); // and all behind it

int64_t http_now_ns(void); // CLOCK_MONOTONIC

// What to say when no descriptor is left.
Slice http_no_descriptor(Arena *arena);
