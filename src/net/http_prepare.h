// Translation of requests into libcurl's options.
#pragma once

#include "net/http_parts.h"

// Sets up the easy handle for the call. The caller frees `ret_headers` and `ret_connect_to` after the call.
ErrCode http_prepare(HttpCall *call, struct curl_slist **ret_headers, struct curl_slist **ret_connect_to, Err *err);

// Describes the request for error messages: "GET https://host:port/path", without user info and query, in `arena`.
Slice http_describe(Arena *arena, const HttpRequest *request);
