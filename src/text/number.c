// Syntax check of JSON numbers.
#include "text/number.h"

static size_t skip_digits(Slice text, size_t at) {
    while (at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9')
        at++;
    return at;
}

static bool has(Slice text, size_t at, char a, char b) {
    return at < text.len && (text.ptr[at] == a || text.ptr[at] == b);
}

bool number_is_json(Slice text) {
    size_t start = has(text, 0, '-', '-'), at = skip_digits(text, start);

    if (at == start || (text.ptr[start] == '0' && at > start + 1))
        return false;
    if (has(text, at, '.', '.')) {
        start = at + 1;
        at = skip_digits(text, start);
        if (at == start)
            return false;
    }
    if (has(text, at, 'e', 'E')) {
        start = at + 1;
        if (has(text, start, '+', '-'))
            start++;
        at = skip_digits(text, start);
        if (at == start)
            return false;
    }
    return at == text.len;
}
