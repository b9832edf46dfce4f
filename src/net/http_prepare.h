// Requests as libcurl has them.
#pragma once

#include "net/http_parts.h"

// Sets the handle up for the call. `ret_headers` and `ret_connect_to` are freed by the caller after it.
ErrCode http_prepare(HttpCall *call, struct curl_slist **ret_headers, struct curl_slist **ret_connect_to, Err *err);

// "GET https://host:port/path", without user names and query, in `arena`.
Slice http_describe(Arena *arena, const HttpRequest *request);
