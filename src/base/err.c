// Filling Err values.
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

ErrCode(err_set)(Err *err, ErrCode code, const char *format, ...) {
    va_list args;

    if (!err)
        return code;
    err->code = code;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return code;
}

void err_prefix(Err *err, const char *format, ...) {
    char prefix[ERR_TEXT_MAX];
    va_list args;
    size_t len, keep;

    if (!err)
        return;
    va_start(args, format);
    vsnprintf(prefix, sizeof prefix - sizeof ": ", format, args);
    va_end(args);
    strcat(prefix, ": ");
    len = strlen(prefix);
    keep = strnlen(err->text, sizeof err->text - 1 - len);
    memmove(err->text + len, err->text, keep);
    memcpy(err->text, prefix, len);
    err->text[len + keep] = 0;
}

const char *err_code_text(ErrCode code) {
    static const char *const texts[] = {
#define X(name, text) text,
        ERR_CODES(X)
#undef X
    };

    return code < sizeof texts / sizeof *texts ? texts[code] : "unknown";
}
