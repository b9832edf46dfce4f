// The heap: order, removal from the middle, changing ranks; random operations against a sorted list.
#include "base/heap.h"
#include "base/random.h"
#include "harness/test.h"

enum { ELEMENTS = 300 };

typedef struct {
    int rank;
    uint32_t order; // of insertion
    uint32_t place;
} Element;

typedef struct {
    Element elements[ELEMENTS];
    uint32_t came;
    Heap heap;
} Owner;

static bool is_before(const void *owner, uint32_t a, uint32_t b) {
    const Element *x = &((const Owner *)owner)->elements[a], *y = &((const Owner *)owner)->elements[b];

    return x->rank != y->rank ? x->rank < y->rank : x->order < y->order;
}

static uint32_t *place_of(void *owner, uint32_t element) {
    return &((Owner *)owner)->elements[element].place;
}

static const HeapOrder order = {is_before, place_of};

static void reset(Owner *owner) {
    *owner = (Owner){0};
    for (uint32_t i = 0; i < ELEMENTS; i++)
        owner->elements[i].place = HEAP_NONE;
}

static void add(Owner *owner, uint32_t element, int rank) {
    owner->elements[element].rank = rank;
    owner->elements[element].order = owner->came++;
    heap_add(&owner->heap, &order, owner, element);
}

static uint32_t take(Owner *owner) {
    return heap_take(&owner->heap, &order, owner);
}

TEST(equal_ranks_come_out_in_the_order_of_coming) {
    static const uint32_t coming[] = {3, 0, 2, 1, 7, 5};
    Owner owner;

    reset(&owner);
    for (size_t i = 0; i < sizeof coming / sizeof *coming; i++)
        add(&owner, coming[i], 1);
    add(&owner, 9, 0);
    assert_int_equal(take(&owner), 9);
    for (size_t i = 0; i < sizeof coming / sizeof *coming; i++)
        assert_int_equal(take(&owner), coming[i]);
    assert_int_equal(owner.heap.count, 0);
    heap_free(&owner.heap);
}

TEST(the_first_is_at_hand_and_places_are_kept) {
    Owner owner;

    reset(&owner);
    for (uint32_t i = 0; i < 20; i++)
        add(&owner, i, 20 - (int)i);
    assert_int_equal(owner.heap.items[0], 19);
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(owner.heap.items[owner.elements[i].place], i);
    take(&owner);
    assert_int_equal(owner.elements[19].place, HEAP_NONE);
    heap_free(&owner.heap);
}

// The last item moves into a gap of another branch, where it may have a lower rank than its parent.
TEST(the_item_that_fills_a_gap_may_move_up) {
    static const int ranks[] = {0, 10, 1, 11, 12, 2, 3, 13, 14, 15, 16, 4};
    Owner owner;
    int last = -1;

    reset(&owner);
    for (uint32_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        add(&owner, i, ranks[i]);
    heap_remove(&owner.heap, &order, &owner, 7);
    assert_int_equal(owner.elements[7].place, HEAP_NONE);
    while (owner.heap.count) {
        int rank = owner.elements[take(&owner)].rank;

        assert_true(rank > last && rank != 13);
        last = rank;
    }
    heap_free(&owner.heap);
}

TEST(another_rank_moves_both_ways) {
    Owner owner;

    reset(&owner);
    for (uint32_t i = 0; i < 10; i++)
        add(&owner, i, (int)i * 10);
    owner.elements[9].rank = -1;
    heap_update(&owner.heap, &order, &owner, 9);
    owner.elements[0].rank = 45;
    heap_update(&owner.heap, &order, &owner, 0);
    assert_int_equal(take(&owner), 9);
    assert_int_equal(take(&owner), 1);
    assert_int_equal(take(&owner), 2);
    assert_int_equal(take(&owner), 3);
    assert_int_equal(take(&owner), 4);
    assert_int_equal(take(&owner), 0);
    assert_int_equal(take(&owner), 5);
    heap_free(&owner.heap);
}

static uint32_t first_by_looking_at_all(const Owner *owner) {
    uint32_t first = HEAP_NONE;

    for (uint32_t i = 0; i < ELEMENTS; i++) {
        if (owner->elements[i].place != HEAP_NONE && (first == HEAP_NONE || is_before(owner, i, first)))
            first = i;
    }
    return first;
}

TEST(the_first_element_is_that_of_a_linear_search) {
    Random random;
    Owner owner;

    random_seed(&random, 1);
    reset(&owner);
    for (int step = 0; step < 20000; step++) {
        uint32_t element = (uint32_t)random_below(&random, ELEMENTS);
        bool there = owner.elements[element].place != HEAP_NONE;

        if (!there) {
            add(&owner, element, (int)random_below(&random, 50));
        } else if (random_below(&random, 2)) {
            heap_remove(&owner.heap, &order, &owner, element);
        } else {
            owner.elements[element].rank = (int)random_below(&random, 50);
            heap_update(&owner.heap, &order, &owner, element);
        }
        if (owner.heap.count)
            assert_int_equal(owner.heap.items[0], first_by_looking_at_all(&owner));
    }
    while (owner.heap.count) {
        uint32_t expected = first_by_looking_at_all(&owner);

        assert_int_equal(take(&owner), expected);
    }
    assert_int_equal(first_by_looking_at_all(&owner), HEAP_NONE);
    heap_free(&owner.heap);
}
