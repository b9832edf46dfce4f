// Connections that are kept for the next request.
#pragma once

#include "net/http_parts.h"

// Takes a lane out of the pool, or makes one, once it is the call's turn. ERR_TIMEOUT: it never was.
ErrCode lane_take(HttpClient *client, const HttpRequest *request, HttpLane **ret_lane, Err *err);
void lane_give_back(HttpClient *client, const HttpRequest *request, HttpLane *lane);
void lanes_free(HttpLane *lane); // and all behind it
