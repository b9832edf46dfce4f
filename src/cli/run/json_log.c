// The log: level, sampling, outputs.
#include "cli/run/json_log.h"

#include "base/alloc.h"
#include "base/check.h"
#include "cli/version.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum { OUTPUTS_MAX = 8, SAMPLE_SLOTS = 1024, SAMPLE_FIRST = 100, SAMPLE_EACH = 100, PAIRS_MAX = 16 };

typedef struct {
    int fd;
    bool owned, failed;
    char name[256];
} Output;

typedef struct {
    Output items[OUTPUTS_MAX];
    uint32_t count;
} Outputs;

// Lines of a second that share a sampling slot. Two messages in one slot share their hundred, as in zap.
typedef struct {
    int64_t second;
    uint32_t count;
} Sample;

struct JsonLog {
    LogLevel level;
    pthread_mutex_t lock; // guards the following members
    Outputs lines, errors;
    Sample samples[SAMPLE_SLOTS];
    Buffer buffer;
};

// --- opening

static ErrCode read_level(Slice text, LogLevel *ret_level, Err *err) {
    if (slice_eq_text(text, "debug"))
        *ret_level = LOG_DEBUG;
    else if (slice_eq_text(text, "info") || !text.len)
        *ret_level = LOG_INFO;
    else if (slice_eq_text(text, "warn")) // Karpenter up to 0.31 had it
        *ret_level = LOG_WARN;
    else if (slice_eq_text(text, "error"))
        *ret_level = LOG_ERROR;
    else
        return err_set(err, ERR_INVALID, "--log-level: expected debug, info, warn or error, got \"%.*s\"",
                       SLICE_ARG(text));
    return OK;
}

static ErrCode open_output(Slice path, Output *ret_output, Err *err) {
    Output output = {.fd = STDOUT_FILENO};

    if (path.len >= sizeof output.name)
        return err_set(err, ERR_INVALID, "a path longer than %zu bytes", sizeof output.name - 1);
    if (path.len)
        memcpy(output.name, path.ptr, path.len);
    if (slice_eq_text(path, "stderr")) {
        output.fd = STDERR_FILENO;
    } else if (!slice_eq_text(path, "stdout")) {
        output.fd = open(output.name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
        output.owned = true;
    }
    if (output.fd < 0)
        return err_set(err, ERR_IO, "%s: %s", output.name, strerror(errno));
    *ret_output = output;
    return OK;
}

static ErrCode open_outputs(Slice paths, Outputs *outputs, Err *err) {
    while (paths.len) {
        ptrdiff_t comma = slice_find(paths, ',');
        Slice path = slice_trim(comma < 0 ? paths : slice_first(paths, (size_t)comma));

        paths = comma < 0 ? SLICE("") : slice_from(paths, (size_t)comma + 1);
        if (!path.len)
            continue;
        if (outputs->count == OUTPUTS_MAX)
            return err_set(err, ERR_INVALID, "more than %d paths", OUTPUTS_MAX);
        TRY(open_output(path, &outputs->items[outputs->count], err));
        outputs->count++;
    }
    return OK;
}

static ErrCode open_flag(const char *flag, Slice paths, Outputs *outputs, Err *err) {
    ErrCode code = open_outputs(paths, outputs, err);

    if (code != OK)
        err_prefix(err, "%s", flag);
    return code;
}

static ErrCode open_all(JsonLog *log, Slice level, Slice output_paths, Slice error_output_paths, Err *err) {
    TRY(read_level(level, &log->level, err));
    TRY(open_flag("--log-output-paths", output_paths, &log->lines, err));
    return open_flag("--log-error-output-paths", error_output_paths, &log->errors, err);
}

ErrCode json_log_open(Slice level, Slice output_paths, Slice error_output_paths, JsonLog **ret_log, Err *err) {
    JsonLog *log = NEW(JsonLog);
    ErrCode code;

    pthread_mutex_init(&log->lock, NULL);
    code = open_all(log, level, output_paths, error_output_paths, err);
    if (code != OK)
        json_log_close(log);
    else
        *ret_log = log;
    return code;
}

static void close_outputs(Outputs *outputs) {
    for (uint32_t i = 0; i < outputs->count; i++) {
        if (outputs->items[i].owned)
            close(outputs->items[i].fd);
    }
}

void json_log_close(JsonLog *log) {
    if (!log)
        return;
    close_outputs(&log->lines);
    close_outputs(&log->errors);
    buffer_free(&log->buffer);
    pthread_mutex_destroy(&log->lock);
    free(log);
}

// --- writing

static bool write_all(int fd, Slice text) {
    while (text.len) {
        ssize_t written = write(fd, text.ptr, text.len);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        text = slice_from(text, (size_t)written);
    }
    return true;
}

static void complain(JsonLog *log, const Output *output, int error) {
    char text[512];
    int len = snprintf(text, sizeof text, "error: log path %s: %s; its lines are lost until it can be written again\n",
                       output->name, strerror(error));

    for (uint32_t i = 0; i < log->errors.count; i++)
        write_all(log->errors.items[i].fd, (Slice){text, (size_t)len});
}

static void write_line(JsonLog *log) {
    for (uint32_t i = 0; i < log->lines.count; i++) {
        Output *output = &log->lines.items[i];
        bool written = write_all(output->fd, buffer_slice(&log->buffer));

        if (!written && !output->failed)
            complain(log, output, errno);
        output->failed = !written;
    }
}

static bool is_sampled(JsonLog *log, int64_t now_ns, const LogIntent *line) {
    Sample *sample = &log->samples[(slice_hash(slice_of(line->message)) + line->level) % SAMPLE_SLOTS];

    if (sample->second != now_ns / NS_PER_S)
        *sample = (Sample){.second = now_ns / NS_PER_S};
    sample->count++;
    return sample->count <= SAMPLE_FIRST || (sample->count - SAMPLE_FIRST) % SAMPLE_EACH == 0;
}

void json_log_write(void *context, int64_t now_ns, const LogIntent *line) {
    JsonLog *log = context;

    if (line->level < log->level)
        return;
    pthread_mutex_lock(&log->lock);
    if (is_sampled(log, now_ns, line)) {
        log->buffer.len = 0;
        json_log_print(&log->buffer, now_ns, slice_of(tenon_commit()), line);
        buffer_append_char(&log->buffer, '\n');
        write_line(log);
    }
    pthread_mutex_unlock(&log->lock);
}

void json_log_say(JsonLog *log, int64_t now_ns, LogLevel level, const char *message, ...) {
    Slice pairs[2 * PAIRS_MAX];
    uint32_t count = 0;
    const char *key;
    va_list args;

    va_start(args, message);
    while ((key = va_arg(args, const char *))) {
        CHECK(count + 2 <= 2 * PAIRS_MAX, "a line of the log with more than %d pairs", PAIRS_MAX);
        pairs[count++] = slice_of(key);
        pairs[count++] = va_arg(args, Slice);
    }
    va_end(args);
    json_log_write(log, now_ns, &(LogIntent){level, message, pairs, count});
}
