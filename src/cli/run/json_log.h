// JsonLog: the log of `tenon run`, one JSON object per line with Karpenter's keys, so that tools for its log read this
// one. Reference lifecycle.md 7.3.
//
// Lines of the same level and message are sampled as in Karpenter: in each second the first hundred, then every
// hundredth. A line is written with one call and never torn. An output that cannot be written to is reported once to
// the error output and loses its lines: a full disk stops no controller.
#pragma once

#include "base/buffer.h"
#include "ctl/intent.h"

typedef struct JsonLog JsonLog;

// Opens the log. `level`: "debug", "info" (also ""), "error". Paths are comma-separated lists of "stdout", "stderr" and
// files, which are appended to. Times are UTC. ERR_INVALID: no such level. ERR_IO: a file cannot be opened.
ErrCode json_log_open(Slice level, Slice output_paths, Slice error_output_paths, JsonLog **ret_log, Err *err);
void json_log_close(JsonLog *log);

// Writes a line; any thread. Has the type of EngineConfig.log. Blocks while the reader of a pipe does.
void json_log_write(void *log, int64_t now_ns, const LogIntent *line);
// Writes a line of the process itself: pairs of const char * key and Slice value, ended by NULL.
__attribute__((sentinel)) void json_log_say(JsonLog *log, int64_t now_ns, LogLevel level, const char *message, ...);

// Formats a line without newline, whatever its level. `commit`: the commit of this build, or "". O(length).
void json_log_print(Buffer *buffer, int64_t now_ns, Slice commit, const LogIntent *line);
