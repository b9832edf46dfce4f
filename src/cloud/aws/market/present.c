// What changes from minute to minute, laid over a list.
#include "cloud/aws/market/present.h"

#include <stdlib.h>

// --- memory that nodes taught

static int compare_texts(const void *a, const void *b) {
    return slice_cmp(*(const Slice *)a, *(const Slice *)b);
}

// The names of types in the book, sorted.
static SliceVec taught_names(Arena *arena, const MemoryBook *book) {
    SliceVec names = {0};

    for (vec_each(const LearnedMemory, row, &book->rows))
        vec_push(arena, &names, row->type);
    if (names.count)
        qsort(names.items, names.count, sizeof *names.items, compare_texts);
    return names;
}

TaughtTypeVec present_taught(Arena *arena, const MemoryBook *book, const Symbols *symbols, const AmiStatusVec *amis,
                             const AmiRequirementsVec *requirements, int64_t wall_ns, const InstanceTypeVec *types) {
    Arena scratch = {0};
    SliceVec names = taught_names(&scratch, book);
    TaughtTypeVec taught = {0};

    for (uint32_t i = 0; i < types->count && names.count; i++) {
        Slice name = symbol_text(symbols, types->items[i].name);
        InstanceType copy = types->items[i];
        InstanceTypeVec one = {&copy, 1, 1};

        if (!bsearch(&name, names.items, names.count, sizeof name, compare_texts))
            continue;
        copy.capacity = resources_copy(arena, &types->items[i].capacity);
        memory_book_apply(book, arena, symbols, amis, requirements, wall_ns, &one);
        if (!resources_eq(&copy.capacity, &types->items[i].capacity))
            vec_push(arena, &taught, (TaughtType){i, copy.capacity});
    }
    arena_free(&scratch);
    return taught;
}

// --- reservations

static const CapacityReservation *find_reservation(const PresentFacts *facts, Symbol id) {
    for (vec_each(const CapacityReservation, reservation, facts->reservations)) {
        if (reservation->id == id)
            return reservation;
    }
    return NULL;
}

// Sets what a reserved offering has now; one whose reservation is not there any more has nothing.
static void set_room(const PresentFacts *facts, Offering *offering) {
    const CapacityReservation *reservation = find_reservation(facts, offering->reservation_id);

    offering->reservation_capacity =
        reservation ? reservation_room(facts->counts, reservation->id, reservation->available_count, facts->now) : 0;
    if (!reservation || reservation->state == facts->expiring)
        offering->available = false;
}

static bool is_reserved(const InstanceType *type) {
    for (vec_each(const Offering, offering, &type->offerings)) {
        if (offering->reservation_id != NAME_EMPTY)
            return true;
    }
    return false;
}

// Gives the type offerings of its own, unless `masked` has them already.
static void set_rooms(const PresentFacts *facts, Arena *arena, InstanceType *masked, const InstanceType *lasting) {
    if (masked->offerings.items == lasting->offerings.items)
        masked->offerings.items =
            arena_copy(arena, lasting->offerings.items, sizeof(Offering) * lasting->offerings.count);
    for (vec_each(Offering, offering, &masked->offerings)) {
        if (offering->reservation_id != NAME_EMPTY)
            set_room(facts, offering);
    }
}

// --- the list

static bool has_marks(const LaunchMask *mask) {
    return mask->book->entries.count > 0 || (mask->zones_left && mask->zones_left->count > 0);
}

static bool offerings_eq(const OfferingVec *a, const OfferingVec *b) {
    if (a->items == b->items)
        return true;
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->items[i].available != b->items[i].available ||
            a->items[i].reservation_capacity != b->items[i].reservation_capacity)
            return false;
    }
    return true;
}

bool present_eq(const TypeList *a, const TypeList *b) {
    if (a == b)
        return true;
    for (uint32_t i = 0; i < a->types.count; i++) {
        const InstanceType *x = &a->types.items[i], *y = &b->types.items[i];

        if (!offerings_eq(&x->offerings, &y->offerings) ||
            (x->capacity.items != y->capacity.items && !resources_eq(&x->capacity, &y->capacity)))
            return false;
    }
    return true;
}

InstanceTypeVec present_types(Arena *arena, const InstanceTypeVec *lasting, const PresentFacts *facts) {
    InstanceTypeVec types = launch_mask_types(arena, &facts->mask, lasting);

    for (uint32_t i = 0; i < types.count && facts->reservations->count; i++) {
        if (is_reserved(&lasting->items[i]))
            set_rooms(facts, arena, &types.items[i], &lasting->items[i]);
    }
    for (vec_each(const TaughtType, taught, facts->taught))
        types.items[taught->place].capacity = resources_copy(arena, &taught->capacity);
    return types;
}

TypeList *present_list(TypeList *lasting, const PresentFacts *facts) {
    TypeList *list;

    if (!has_marks(&facts->mask) && !facts->taught->count && !facts->reservations->count)
        return type_list_hold(lasting);
    list = type_list_new(lasting);
    list->types = present_types(&list->arena, &lasting->types, facts);
    if (!present_eq(list, lasting))
        return list;
    type_list_release(list);
    return type_list_hold(lasting);
}
