// Parsing of the annotation.
#include "model/node_loss.h"

#include "text/number.h"

#include <stdlib.h>

enum { COST_MAX = 1000000 };

double node_loss_cost(const Symbols *symbols, const NodePool *pool, bool *ret_valid) {
    Symbol value = labels_get(&pool->meta.annotations, NAME_NODE_LOSS_COST);
    char digits[32] = "";
    double cost = 0;
    bool valid = value == INDEX_NONE;

    if (!valid) {
        Slice text = symbol_text(symbols, value);

        if (text.len < sizeof digits && number_is_json(text)) {
            memcpy(digits, text.ptr, text.len);
            cost = strtod(digits, NULL);
            valid = cost >= 0 && cost <= COST_MAX;
        }
    }
    if (ret_valid)
        *ret_valid = valid;
    return valid ? cost : 0;
}
