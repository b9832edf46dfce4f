// Errors of the environment: a code that callers branch on and a text that a person reads.
//
// A function that can fail returns an ErrCode, takes `Err *err` last and leaves its `ret_` outputs untouched on
// failure. `err` may be NULL. Bugs are CHECKs, answers are data; neither is an Err.
#pragma once

#define ERR_CODES(X)                                                                                                   \
    X(OK, "ok")                                                                                                        \
    X(ERR_INVALID, "invalid")                                                                                          \
    X(ERR_RANGE, "out of range")                                                                                       \
    X(ERR_TOO_LARGE, "too large")                                                                                      \
    X(ERR_NOT_FOUND, "not found")                                                                                      \
    X(ERR_CONFLICT, "conflict")                                                                                        \
    X(ERR_GONE, "gone")                                                                                                \
    X(ERR_DENIED, "denied")                                                                                            \
    X(ERR_THROTTLED, "throttled")                                                                                      \
    X(ERR_CAPACITY, "no capacity")                                                                                     \
    X(ERR_TIMEOUT, "timed out")                                                                                        \
    X(ERR_IO, "input/output failed")

typedef enum {
#define X(code, text) code,
    ERR_CODES(X)
#undef X
} ErrCode;

enum { ERR_TEXT_MAX = 1024 };

typedef struct {
    ErrCode code;
    char text[ERR_TEXT_MAX]; // one line: control characters are replaced by '?'; truncated when longer
} Err;

// Fills `err` (unless NULL) and returns `code`.
__attribute__((format(printf, 3, 4))) ErrCode err_set(Err *err, ErrCode code, const char *format, ...);

// For the static analyzer, which cannot see err.c: err_set returns its code, so a failed TRY returns.
#ifdef __clang_analyzer__
#define err_set(err, code, ...) ((void)err_set((err), (code), __VA_ARGS__), (code))
#endif

// Puts "text: " before the text of `err`. No-op on NULL.
__attribute__((format(printf, 2, 3))) void err_prefix(Err *err, const char *format, ...);

// Lower-case word for a code ("not found").
const char *err_code_text(ErrCode code);

// Returns from the calling function when the expression fails.
#define TRY(expression)                                                                                                \
    do {                                                                                                               \
        ErrCode try_code_ = (expression);                                                                              \
        if (__builtin_expect(try_code_ != OK, 0))                                                                      \
            return try_code_;                                                                                          \
    } while (0)
