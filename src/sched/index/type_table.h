// The instance types of a pool as columns and bitsets.
//
// Most types are one row. Each distinct capacity override of a type's offerings is a further row with those offerings
// (scheduling.md 3.4 "groups"). Bitsets of types are over rows. Pools with the same list of types share a TypeTable; a
// Room is a table with the daemons of a pool subtracted.
#pragma once

#include "sched/index/type_digest.h"
#include "sched/index/universe.h"

// Dense numbers of the resources that a solve counts: those with a non-zero request or a limit.
//
// Requested resources that nothing has share one dimension: a pod that requests any of them fits nowhere.
//
// Volume attachments are counted like a resource, with one dimension per CSI driver (a claim that several pods share is
// added once per bin: sched/bin/bin.h).
typedef struct {
    Symbol *resources; // NAME_EMPTY for a driver's dimension
    Symbol *drivers;   // NAME_EMPTY for a resource's dimension
    uint32_t count;
    IndexMap index;        // resource to dimension
    IndexMap driver_index; // driver to dimension
} Dimensions;

// The number of attachments where no limit is declared.
#define ATTACHMENTS_UNLIMITED (INT64_MAX / 4)

uint32_t dimension_of(const Dimensions *dimensions, Symbol resource); // INDEX_NONE: not counted
uint32_t dimension_of_driver(const Dimensions *dimensions, Symbol driver);
// Amounts of a plan lie within ±AMOUNT_MAX, whatever objects say: what sums and differences of two of them need is
// there.
#define AMOUNT_MAX (INT64_MAX / 8)

static inline int64_t amount_clamp(int64_t amount) {
    return amount > AMOUNT_MAX ? AMOUNT_MAX : amount < -AMOUNT_MAX ? -AMOUNT_MAX : amount;
}

// The amounts of a list as a dense vector; 0 in the dimensions of drivers, the maximum in a shared dimension.
void dimensions_fill(const Dimensions *dimensions, const Resources *list, int64_t *ret_amounts);

// Rows grouped by the values that they allow for one key.
typedef struct {
    uint32_t count;
    uint64_t **masks; // distinct masks of the key
    uint64_t **rows;  // per mask: bitset of rows
} KeyRows;

// A shape: distinct requirements of offerings, with the rows that have an available offering of that shape.
typedef struct {
    LabelSetId set;
    Symbol zone, capacity_type, reservation_id;
    uint64_t *rows;
    double price_min; // lowest price of its offerings
} OfferingShape;

typedef struct {
    const InstanceTypeVec *types;
    uint32_t row_count, words;
    const TypeRow *rows;
    int64_t *allocatable; // [row * dims + dim]
    int64_t *capacity;
    KeyRows *keys; // per key of the universe; count 0: no row has the label
    OfferingShape *shapes;
    uint32_t shape_count;
    bool *known_keys; // per key of the universe: a type or offering has it, so pools may leave it undefined
} TypeTable;

// `digest` must outlive the table. O(rows × dims + keys × distinct requirements + shapes).
void type_table_make(TypeTable *table, const TypeDigest *digest, Universe *universe, const Dimensions *dimensions);

// The shapes as which a node with labels `row` could be launched. `ret_shapes` has bitset_words(shape_count) words. If
// `row` allows capacity type reserved alone, only reserved shapes, else only the others. O(shapes).
void type_table_shapes(const TypeTable *table, const Universe *universe, const uint64_t *row, uint64_t *ret_shapes);

// The rows whose labels are compatible with `row` and which have an available offering that is (type_table_shapes).
// `ret_labels` and `ret_offering` (both may be NULL) get the results of the two tests, for explanations.
// O(keys × distinct masks + shapes) bitset operations.
void type_table_rows(const TypeTable *table, const Universe *universe, const uint64_t *row, uint64_t *ret_rows,
                     uint64_t *ret_labels, uint64_t *ret_offering);

// Whether some type has several rows, because of capacity overrides.
static inline bool type_table_is_split(const TypeTable *table) {
    return table->row_count > table->types->count;
}

// Removes from `rows` all rows of types that have a row in `possible` that is not in `rows`. O(rows).
void type_table_drop_split(const TypeTable *table, const uint64_t *possible, uint64_t *rows);

// Removes from `row` the values that none of `rows` can have. O(keys × distinct masks).
void type_table_possible(const TypeTable *table, const Universe *universe, const uint64_t *rows, uint64_t *row);

// The lowest price of a shape that `row` allows and one of `rows` has; INFINITY: none. O(shapes).
double type_table_price(const TypeTable *table, const Universe *universe, const uint64_t *row, const uint64_t *rows);

// A sorted column with a bitset of rows per distinct amount: rows with at least that amount.
typedef struct {
    uint32_t count;
    int64_t *amounts;   // ascending
    uint64_t *at_least; // [index * words]
} RoomColumn;

// The free amounts of a table's rows in one pool.
typedef struct {
    const TypeTable *table;
    uint32_t dims;
    int64_t *overhead;   // requests of daemons, [row * dims + dim]
    int64_t *free;       // allocatable − overhead
    RoomColumn *columns; // per dimension
    uint64_t *usable;    // rows that can hold anything at all
} Room;

// `overhead` is [row * dims + dim]; it is not copied and must outlive the room. O(dims × rows × log rows).
void room_make(Arena *arena, Room *room, const TypeTable *table, const Dimensions *dimensions, int64_t *overhead);

// Keeps the rows with free >= used + added × times in every dimension, and returns whether any is left.
// O(dims × (log rows + words)).
bool room_fit(const Room *room, const int64_t *used, const int64_t *added, int64_t times, uint64_t *rows);

// How many times `added` fits on top of `used` on the one of `rows` that takes it most often, at most `limit`.
// O(rows set × dims).
uint32_t room_fit_count(const Room *room, const int64_t *used, const int64_t *added, const uint64_t *rows,
                        uint32_t limit);
