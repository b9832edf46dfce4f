// Edit distance: Damerau-Levenshtein in its restricted form (optimal string alignment).
#include "text/nearest.h"

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

// Both are at most NEAREST_BYTES_MAX long.
static size_t distance(Slice a, Slice b) {
    size_t rows[3][NEAREST_BYTES_MAX + 1]; // of the last three letters of `a`

    for (size_t j = 0; j <= b.len; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];

        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            char x = lower(a.ptr[i - 1]), y = lower(b.ptr[j - 1]);

            row[j] = least(above[j - 1] + (x != y), least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && x == lower(b.ptr[j - 2]) && lower(a.ptr[i - 2]) == y)
                row[j] = least(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[a.len % 3][b.len];
}

void nearest_offer(Nearest *nearest, Slice word) {
    size_t far = nearest->word.len ? nearest->distance : word.len / 3 + 1, edits;

    if (nearest->text.len > NEAREST_BYTES_MAX || word.len > NEAREST_BYTES_MAX)
        return;
    edits = distance(nearest->text, word);
    if (edits >= far)
        return;
    nearest->word = word;
    nearest->distance = edits;
}
