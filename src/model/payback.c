// Parsing of the annotations.
#include "model/payback.h"

#include "text/duration.h"
#include "text/number.h"

#include <stdlib.h>

enum { SAVING_MAX = 1000000, PERCENT_MAX = 100 };

static const int64_t PAYBACK_MIN_NS = NS_PER_MIN, PAYBACK_MAX_NS = 1000 * NS_PER_HOUR;

// --- min-saving

static bool read_number(Slice text, double most, double *ret_number) {
    char digits[32] = "";

    if (text.len >= sizeof digits || !number_is_json(text))
        return false;
    memcpy(digits, text.ptr, text.len);
    *ret_number = strtod(digits, NULL);
    return *ret_number >= 0 && *ret_number <= most;
}

static bool read_saving(Slice text, MinSaving *saving) {
    double percent = 0;

    if (!text.len || text.ptr[text.len - 1] != '%')
        return read_number(text, SAVING_MAX, &saving->per_hour);
    if (!read_number(slice_first(text, text.len - 1), PERCENT_MAX, &percent))
        return false;
    saving->share = percent / 100;
    return true;
}

MinSaving pool_min_saving(const Symbols *symbols, const NodePool *pool, bool *ret_valid) {
    Symbol value = labels_get(&pool->meta.annotations, NAME_MIN_SAVING);
    MinSaving saving = {0};
    bool valid = value == INDEX_NONE || read_saving(symbol_text(symbols, value), &saving);

    if (ret_valid)
        *ret_valid = valid;
    return valid ? saving : (MinSaving){0};
}

// --- payback

static bool read_payback(Slice text, int64_t *ret_ns) {
    Err err;

    return duration_parse(text, ret_ns, &err) == OK && *ret_ns >= PAYBACK_MIN_NS && *ret_ns <= PAYBACK_MAX_NS;
}

int64_t pool_payback_ns(const Symbols *symbols, const NodePool *pool, bool *ret_valid) {
    Symbol value = labels_get(&pool->meta.annotations, NAME_PAYBACK);
    int64_t ns = PAYBACK_DEFAULT_NS;
    bool valid = value == INDEX_NONE || read_payback(symbol_text(symbols, value), &ns);

    if (ret_valid)
        *ret_valid = valid;
    return valid ? ns : PAYBACK_DEFAULT_NS;
}
