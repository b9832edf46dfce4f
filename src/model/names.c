// Filling a symbol table with the fixed names.
#include "model/names.h"

#include "base/check.h"

void names_init(Symbols *symbols) {
    static const Slice texts[] = {
#define X(name, text) SLICE_INIT(text),
        NAMES(X)
#undef X
    };

    symbols_init(symbols);
    for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Symbol symbol = symbol_intern(symbols, texts[i]);

        CHECK(symbol == i + 1, "name %.*s is in the table twice", SLICE_ARG(texts[i]));
    }
}

Symbol label_key_normalize(Symbols *symbols, Symbol key) {
    static const struct {
        Slice old;
        Symbol stable;
    } aliases[] = {
        {SLICE_INIT("failure-domain.beta.kubernetes.io/zone"), NAME_ZONE},
        {SLICE_INIT("failure-domain.beta.kubernetes.io/region"), NAME_REGION},
        {SLICE_INIT("beta.kubernetes.io/arch"), NAME_ARCH},
        {SLICE_INIT("beta.kubernetes.io/os"), NAME_OS},
        {SLICE_INIT("beta.kubernetes.io/instance-type"), NAME_INSTANCE_TYPE},
        {SLICE_INIT("topology.ebs.csi.aws.com/zone"), NAME_ZONE},
    };
    Slice text;

    if (key < NAMES_END)
        return key;
    text = symbol_text(symbols, key);
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        if (slice_eq(text, aliases[i].old))
            return aliases[i].stable;
    }
    return key;
}
