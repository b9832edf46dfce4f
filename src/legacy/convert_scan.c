// What objects of other kinds say about the old ones: they pass as they are, with a warning.
#include "legacy/convert_parts.h"

typedef struct {
    const char *text, *code, *advice;
} Mention;

static const Mention mentions[] = {
    {"karpenter.sh/provisioner-name", "W17",
     "no node has karpenter.sh/provisioner-name any more; rename it to karpenter.sh/nodepool, which nodes that may be "
     "avoided by its absence have"},
    {"karpenter.sh/do-not-evict", "W16",
     "karpenter.sh/do-not-evict is not read any more; karpenter.sh/do-not-disrupt is, and holds off drift, too"},
    {"karpenter.sh/do-not-consolidate", "W16",
     "karpenter.sh/do-not-consolidate is not read any more; karpenter.sh/do-not-disrupt is, and holds off drift, too"},
};

static void scan_text(const Conversion *conversion, const Item *item, Slice text, uint32_t line) {
    for (size_t i = 0; i < sizeof mentions / sizeof *mentions; i++) {
        if (slice_eq_text(text, mentions[i].text))
            convert_note(conversion, item, mentions[i].code, line, "%s", mentions[i].advice);
    }
}

// As deep as the parser allows a document to be.
static void scan(const Conversion *conversion, const Item *item, const Value *value) {
    if (value->kind == VALUE_STRING)
        scan_text(conversion, item, value->text, value->line);
    if (value->kind == VALUE_LIST) {
        for (vec_each(const Value, element, &value->list))
            scan(conversion, item, element);
    }
    if (value->kind == VALUE_MAP) {
        for (vec_each(const ValueMember, member, &value->map)) {
            scan_text(conversion, item, member->key, member->line);
            scan(conversion, item, &member->value);
        }
    }
}

void convert_scan(const Conversion *conversion, const Item *item) {
    scan(conversion, item, &item->value);
}
