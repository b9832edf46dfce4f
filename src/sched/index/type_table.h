// The instance types of a pool as columns and bitsets.
//
// A row is one way of launching a type: most types are one row; each distinct capacity override of a type's offerings
// is a further row with those offerings (scheduling.md 3.4 "groups"). Bitsets of types are over rows. A TypeTable is
// shared by pools with the same list of types; a Room adds what the daemons of a pool take away.
#pragma once

#include "sched/index/type_digest.h"
#include "sched/index/universe.h"

// Resources that this solve counts: those with a non-zero request or a limit. Dense numbers.
//
// Resources that are asked for and that nothing has share one dimension: who asks for any of them fits nowhere.
//
// Volume attachments are counted like a resource, one dimension per CSI driver whose claims are used by one pod only
// or shared (sched/bin/bin.h adds a shared claim once per bin).
typedef struct {
    Symbol *resources; // NAME_EMPTY for a driver's dimension
    Symbol *drivers;   // NAME_EMPTY for a resource's dimension
    uint32_t count;
    IndexMap index;        // resource to dimension
    IndexMap driver_index; // driver to dimension
} Dimensions;

// Room for attachments where no limit is declared.
#define ATTACHMENTS_UNLIMITED (INT64_MAX / 4)

uint32_t dimension_of(const Dimensions *dimensions, Symbol resource); // INDEX_NONE: not counted
uint32_t dimension_of_driver(const Dimensions *dimensions, Symbol driver);
// Amounts of a list as a dense vector of `count`; 0 in the dimensions of drivers, the largest in a shared one.
void dimensions_fill(const Dimensions *dimensions, const Resources *list, int64_t *ret_amounts);

// Rows grouped by what they allow on one key.
typedef struct {
    uint32_t count;
    uint64_t **masks; // of the key
    uint64_t **rows;  // bitset of rows
} KeyRows;

// A distinct requirement of offerings, with the rows that have an available offering of that shape.
typedef struct {
    LabelSetId set;
    Symbol zone, capacity_type, reservation_id;
    uint64_t *rows;
    double price_min; // of its offerings
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
    bool *known_keys; // per key of the universe: a type or an offering speaks of it, so pools may leave it undefined
} TypeTable;

// `digest` must outlive the table. O(rows × dims + keys × distinct requirements + shapes).
void type_table_make(TypeTable *table, const TypeDigest *digest, Universe *universe, const Dimensions *dimensions);

// The shapes that a node with labels `row` could be launched as: `ret_shapes` has bitset_words(shape_count) words.
// Reserved ones only when `row` allows no other capacity type: such a node is tied to a reservation. O(shapes).
void type_table_shapes(const TypeTable *table, const Universe *universe, const uint64_t *row, uint64_t *ret_shapes);

// Rows whose labels allow something of `row`, and which have an available offering that does. (type_table_shapes).
// O(keys × distinct masks + shapes) bitset operations. `ret_labels` and `ret_offering` (both may be NULL) get the two
// halves of the test for explanations.
void type_table_rows(const TypeTable *table, const Universe *universe, const uint64_t *row, uint64_t *ret_rows,
                     uint64_t *ret_labels, uint64_t *ret_offering);

// Whether some type has several rows: capacity overrides.
static inline bool type_table_is_split(const TypeTable *table) {
    return table->row_count > table->types->count;
}

// Takes out of `rows` every row of a type that has another row in `possible`, but not in `rows`. O(rows).
void type_table_drop_split(const TypeTable *table, const uint64_t *possible, uint64_t *rows);

// Takes out of `row` what none of `rows` can have. O(keys × distinct masks).
void type_table_possible(const TypeTable *table, const Universe *universe, const uint64_t *rows, uint64_t *row);

// The lowest price of an offering shape that `row` allows and one of `rows` has; INFINITY: none. O(shapes).
double type_table_price(const TypeTable *table, const Universe *universe, const uint64_t *row, const uint64_t *rows);

// A sorted column with a bitset of rows per distinct amount: rows with at least that amount.
typedef struct {
    uint32_t count;
    int64_t *amounts;   // ascending
    uint64_t *at_least; // [index * words]
} RoomColumn;

// Free amounts of a table's rows for one pool.
typedef struct {
    const TypeTable *table;
    uint32_t dims;
    int64_t *overhead;   // daemons, [row * dims + dim]
    int64_t *free;       // allocatable − overhead
    RoomColumn *columns; // per dimension
    uint64_t *usable;    // rows that can hold anything at all
} Room;

// `overhead` is [row * dims + dim] and stays the caller's.
void room_make(Arena *arena, Room *room, const TypeTable *table, const Dimensions *dimensions, int64_t *overhead);

// rows &= those with free >= used + added × times in every dimension; whether any is left.
// O(dims × (log rows + words)).
bool room_fit(const Room *room, const int64_t *used, const int64_t *added, int64_t times, uint64_t *rows);

// How often `added` fits on top of `used` on the roomiest of `rows`, at most `limit`. O(rows set × dims).
uint32_t room_fit_count(const Room *room, const int64_t *used, const int64_t *added, const uint64_t *rows,
                        uint32_t limit);
