// The log of `tenon run`: one JSON object a line, with the keys that Karpenter's has, so that what reads its log reads
// this one. Reference lifecycle.md 7.3.
//
// Lines of the same level and message are sampled: of each second the first hundred, then every hundredth, as there.
// A line is written with one call and never torn; a place that cannot be written to is told of once in the error
// output and loses its lines: a full disk stops no controller.
#pragma once

#include "base/buffer.h"
#include "ctl/intent.h"

typedef struct JsonLog JsonLog;

// `level`: "debug", "info" (also ""), "error". Paths are lists with commas of "stdout", "stderr" and files, which are
// appended to. The time of a line is UTC. ERR_INVALID: no such level. ERR_IO: a file that cannot be opened.
ErrCode json_log_open(Slice level, Slice output_paths, Slice error_output_paths, JsonLog **ret_log, Err *err);
void json_log_close(JsonLog *log);

// A line; any thread. With this type it may be EngineConfig.log. Blocks while the reader of a pipe does.
void json_log_write(void *log, int64_t now_ns, const LogIntent *line);
// For the process itself: pairs of const char * key and Slice value, ended by NULL.
__attribute__((sentinel)) void json_log_say(JsonLog *log, int64_t now_ns, LogLevel level, const char *message, ...);

// Appends the line without a newline, whatever its level. `commit`: what the program was built from, or "". O(length).
void json_log_print(Buffer *buffer, int64_t now_ns, Slice commit, const LogIntent *line);
