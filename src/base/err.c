// Filling Err values.
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Replaces control characters: texts quote user input, in which a line break or an escape sequence must not get
// through.
static void one_line(char *text) {
    for (; *text; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
    }
}

ErrCode(err_set)(Err *err, ErrCode code, const char *format, ...) {
    va_list args;

    if (!err)
        return code;
    err->code = code;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    one_line(err->text);
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
    one_line(err->text);
}

const char *err_code_text(ErrCode code) {
    static const char *const texts[] = {
#define X(name, text) text,
        ERR_CODES(X)
#undef X
    };

    return code < sizeof texts / sizeof *texts ? texts[code] : "unknown";
}
