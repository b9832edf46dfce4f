// libcurl's callbacks for the answer.
#pragma once

#include "net/http_parts.h"

// Receive headers and body (http_receive.c).
size_t http_take_header(char *bytes, size_t size, size_t count, void *context);
size_t http_take_body(char *bytes, size_t size, size_t count, void *context);
