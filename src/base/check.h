// CHECK: assertions that are on in production. A failed CHECK is a bug in tenon: it prints its position and aborts.
#pragma once

// `...` is a printf format with its arguments, which gives the context that a reader needs.
#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (__builtin_expect(!(condition), 0))                                                                         \
            check_failed(__FILE__, __LINE__, #condition, " " __VA_ARGS__);                                             \
    } while (0)

__attribute__((noreturn, format(printf, 4, 5))) void check_failed(const char *file, int line, const char *condition,
                                                                  const char *format, ...);
