// One star is remembered: a later one makes the earlier ones settled.
#include "base/glob.h"

bool glob_matches(Slice pattern, Slice text) {
    size_t p = 0, t = 0, star = SIZE_MAX, resume = 0;

    if (pattern.len == 0)
        return true;
    while (t < text.len) {
        if (p < pattern.len && pattern.ptr[p] == '*') {
            star = p++;
            resume = t;
        } else if (p < pattern.len && (pattern.ptr[p] == '?' || pattern.ptr[p] == text.ptr[t])) {
            p++;
            t++;
        } else if (star != SIZE_MAX) { // the last star matches one character more
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.len && pattern.ptr[p] == '*')
        p++;
    return p == pattern.len;
}
