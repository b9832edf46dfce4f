// The driver's signatures and endpoints.
#pragma once

#include "base/arena.h"
#include "text/value.h"

// {"do": "sign", "method", "host", "path", "query", "headers": [[name, value]…], "body", "region", "service", "wall_s",
// "access_key", "secret", "session_token"}: the headers to add.
Value do_sign(Arena *arena, const Value *line);

// {"do": "endpoint", "service": id, "region", "url", "use_fips", "use_dual_stack"}: url, host, path, signing_region; or
// error.
Value do_endpoint(Arena *arena, const Value *line);
