// At least three families in a request for spot (issue 15, point 7).
#include "cloud/aws/launch/families.h"
#include "cloud/support/offers.h"
#include "harness/test.h"

typedef struct {
    const char *name;
    const char *types; // by price
    uint32_t most;
    const char *kept;
} FamilyRow;

static void list_rows(TestCases *cases) {
    static FamilyRow rows[] = {
        {"fewer than the most", "a1.l a1.x", 4, "a1.l a1.x"},
        {"three families among the first", "a1.l b1.l c1.l d1.l", 3, "a1.l b1.l c1.l"},
        {"one family", "a1.a a1.b a1.c a1.d a1.e", 3, "a1.a a1.b a1.c"},
        {"two join", "a1.a a1.b a1.c a1.d b1.l c1.l d1.l", 4, "a1.a a1.b b1.l c1.l"},
        {"one joins", "a1.a a1.b b1.l a1.c a1.d c1.l", 4, "a1.a a1.b b1.l c1.l"},
        {"who is alone in its family stays", "a1.a a1.b a1.c b1.l a1.d c1.l", 4, "a1.a a1.b b1.l c1.l"},
        {"only one other family", "a1.a a1.b a1.c b1.l", 3, "a1.a a1.b b1.l"},
        {"no room", "a1.a b1.a c1.a d1.a", 2, "a1.a b1.a"},
        {"none", "", 3, ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, &rows[i]);
}

TEST_EACH(FamilyRow, row, families_are_kept, list_rows) {
    Arena arena = {0};
    SliceVec names = test_parts(&arena, slice_of(row->types), ' ');
    InstanceTypeVec types = {0};
    Slice kept = {0};
    Symbols symbols;

    names_init(&symbols);
    for (vec_each(const Slice, name, &names))
        vec_push(&arena, &types, (InstanceType){.name = symbol_intern(&symbols, *name)});
    launch_keep_families(&symbols, &types, row->most);
    for (vec_each(const InstanceType, type, &types))
        kept = arena_printf(&arena, "%.*s%s%.*s", SLICE_ARG(kept), kept.len ? " " : "",
                            SLICE_ARG(symbol_text(&symbols, type->name)));
    assert_true(slice_eq_text(kept, row->kept));
    symbols_free(&symbols);
    arena_free(&arena);
}
