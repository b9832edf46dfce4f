// Makes columns and bitsets from digests of instance types.
#include "sched/index/type_table.h"

#include "base/alloc.h"
#include "base/numbers.h"

#include <math.h>
#include <stdlib.h>

uint32_t dimension_of(const Dimensions *dimensions, Symbol resource) {
    return u64_map_get(&dimensions->index, resource);
}

uint32_t dimension_of_driver(const Dimensions *dimensions, Symbol driver) {
    return u64_map_get(&dimensions->driver_index, driver);
}

void dimensions_fill(const Dimensions *dimensions, const Resources *list, int64_t *ret_amounts) {
    memset(ret_amounts, 0, dimensions->count * sizeof *ret_amounts);
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t dim = dimension_of(dimensions, list->items[i].resource);

        if (dim != INDEX_NONE && (list->items[i].amount < 0 || list->items[i].amount > ret_amounts[dim]))
            ret_amounts[dim] = amount_clamp(list->items[i].amount);
    }
}

// The attachment limits of a type; drivers without one are unlimited.
static void fill_attachments(const Dimensions *dimensions, const InstanceType *type, int64_t *amounts) {
    for (uint32_t dim = 0; dim < dimensions->count; dim++) {
        if (dimensions->drivers[dim] != NAME_EMPTY)
            amounts[dim] = ATTACHMENTS_UNLIMITED;
    }
    for (vec_each(VolumeLimit, limit, &type->volume_limits)) {
        uint32_t dim = dimension_of_driver(dimensions, limit->driver);

        if (dim != INDEX_NONE && limit->has_count)
            amounts[dim] = limit->count;
    }
}

static void fill_rows(TypeTable *table, const TypeDigest *digest, const Dimensions *dimensions) {
    for (uint32_t row = 0; row < table->row_count; row++) {
        int64_t *allocatable = table->allocatable + (size_t)row * dimensions->count;

        dimensions_fill(dimensions, &digest->allocatable[row], allocatable);
        fill_attachments(dimensions, digest->rows[row].type, allocatable);
        dimensions_fill(dimensions, &digest->capacity[row], table->capacity + (size_t)row * dimensions->count);
    }
}

// Adds the rows `more` to those with that mask.
static void key_rows_add(KeyRows *rows, Arena *arena, const uint64_t *mask, uint32_t key_words, const uint64_t *more,
                         uint32_t words) {
    uint32_t at = 0;

    while (at < rows->count && !bitset_eq(rows->masks[at], mask, key_words))
        at++;
    if (at == rows->count) { // linear search: a key has few distinct masks, by the values that constraints mention
        rows->masks[at] = arena_copy(arena, mask, key_words * sizeof *mask);
        rows->rows[at] = arena_array(arena, uint64_t, words);
        rows->count++;
    }
    bitset_or(rows->rows[at], more, words);
}

static void fill_key(TypeTable *table, const TypeDigest *digest, Universe *universe, uint32_t number) {
    const LabelKey *label_key = &universe->keys.items[number];
    uint32_t found = u64_map_get(&digest->key_index, label_key->key);
    KeyRows *rows = &table->keys[number];
    const DigestKey *key;
    uint64_t *mask;

    if (found == INDEX_NONE)
        return;
    key = &digest->keys.items[found];
    mask = arena_array_raw(universe->arena, uint64_t, label_key->words);
    rows->masks = arena_array(universe->arena, uint64_t *, key->rows.count);
    rows->rows = arena_array(universe->arena, uint64_t *, key->rows.count);
    table->known_keys[number] = true;
    for (vec_each(const DigestRows, alike, &key->rows)) {
        if (alike->requirement)
            universe_requirement_mask(universe, number, alike->requirement, mask);
        else
            bitset_fill(mask, label_key->atoms); // the type does not constrain the key
        key_rows_add(rows, universe->arena, mask, label_key->words, alike->rows, table->words);
    }
}

// The table's shape for a shape of the digest: shapes with equal sets in the universe are one. Made when new.
static uint32_t shape_for(TypeTable *table, const DigestShape *shape, LabelSetId set) {
    const Offering *like = shape->like;
    uint32_t at = 0;

    while (at < table->shape_count && !(table->shapes[at].set == set && table->shapes[at].zone == like->zone &&
                                        table->shapes[at].capacity_type == like->capacity_type &&
                                        table->shapes[at].reservation_id == like->reservation_id))
        at++;
    return at;
}

static void add_shape(TypeTable *table, Universe *universe, const DigestShape *shape, LabelSetId set) {
    const Offering *like = shape->like;

    table->shapes[table->shape_count++] =
        (OfferingShape){.set = set,
                        .zone = like->zone,
                        .capacity_type = like->capacity_type,
                        .reservation_id = like->reservation_id,
                        .rows = arena_copy(universe->arena, shape->rows, table->words * sizeof *shape->rows),
                        .price_min = shape->price_min};
}

// Copies the rows with the table's numbers of shapes: shapes that differ only in labels that are not mentioned are one.
static void renumber_offerings(TypeTable *table, Universe *universe, const uint32_t *numbers) {
    TypeRow *rows = arena_copy(universe->arena, table->rows, table->row_count * sizeof *rows);

    for (uint32_t row = 0; row < table->row_count; row++) {
        RowOfferingVec *offerings = &rows[row].offerings;

        if (!offerings->count)
            continue;
        offerings->items = arena_copy(universe->arena, offerings->items, offerings->count * sizeof *offerings->items);
        for (vec_each(RowOffering, offering, offerings))
            offering->shape = numbers[offering->shape];
    }
    table->rows = rows;
}

static void fill_shapes(TypeTable *table, const TypeDigest *digest, Universe *universe) {
    uint32_t *numbers = arena_array(universe->arena, uint32_t, digest->shapes.count);
    Arena scratch = {0};

    table->shapes = arena_array(universe->arena, OfferingShape, digest->shapes.count);
    for (uint32_t i = 0; i < digest->shapes.count; i++) {
        const DigestShape *shape = &digest->shapes.items[i];
        LabelSetBuilder builder = label_set_start(&scratch, universe);
        LabelSetId set;

        label_set_and_requirements(&builder, &shape->like->requirements);
        set = label_set_finish(&builder);
        numbers[i] = shape_for(table, shape, set);
        if (numbers[i] == table->shape_count) {
            add_shape(table, universe, shape, set);
        } else {
            OfferingShape *same = &table->shapes[numbers[i]];

            bitset_or(same->rows, shape->rows, table->words);
            same->price_min = fmin(same->price_min, shape->price_min);
        }
        arena_rewind(&scratch, (ArenaMark){0});
    }
    arena_free(&scratch);
    if (table->shape_count < digest->shapes.count)
        renumber_offerings(table, universe, numbers);
}

void type_table_make(TypeTable *table, const TypeDigest *digest, Universe *universe, const Dimensions *dimensions) {
    *table = (TypeTable){
        .types = digest->types, .row_count = digest->row_count, .words = digest->words, .rows = digest->rows};
    table->allocatable = arena_array(universe->arena, int64_t, (size_t)table->row_count * dimensions->count);
    table->capacity = arena_array(universe->arena, int64_t, (size_t)table->row_count * dimensions->count);
    table->keys = arena_array(universe->arena, KeyRows, universe->keys.count);
    table->known_keys = arena_array(universe->arena, bool, universe->keys.count);
    fill_rows(table, digest, dimensions);
    for (uint32_t key = 0; key < universe->keys.count; key++)
        fill_key(table, digest, universe, key);
    for (vec_each(const Symbol, symbol, &digest->offering_keys)) {
        uint32_t key = universe_key(universe, *symbol);

        if (key != INDEX_NONE)
            table->known_keys[key] = true;
    }
    fill_shapes(table, digest, universe);
}

static void and_key_rows(const TypeTable *table, const Universe *universe, const uint64_t *row, uint32_t key,
                         uint64_t *rows, uint64_t *scratch) {
    const KeyRows *key_rows = &table->keys[key];
    const LabelKey *label_key = &universe->keys.items[key];

    memset(scratch, 0, table->words * sizeof *scratch);
    for (uint32_t i = 0; i < key_rows->count; i++) {
        if (bitset_intersects(key_rows->masks[i], row + label_key->first_word, label_key->words))
            bitset_or(scratch, key_rows->rows[i], table->words);
    }
    bitset_and(rows, scratch, table->words);
}

static bool only_reserved(const Universe *universe, const uint64_t *row) {
    uint32_t key = universe_key(universe, NAME_CAPACITY_TYPE), atom, words = universe->keys.items[key].words;
    const uint64_t *mask = row + universe->keys.items[key].first_word;

    atom = universe_atom(universe, key, NAME_RESERVED);
    return atom < universe->keys.items[key].value_count && bitset_has(mask, atom) && bitset_count(mask, words) == 1;
}

void type_table_shapes(const TypeTable *table, const Universe *universe, const uint64_t *row, uint64_t *ret_shapes) {
    bool reserved = only_reserved(universe, row);

    memset(ret_shapes, 0, bitset_words(table->shape_count) * sizeof *ret_shapes);
    for (uint32_t i = 0; i < table->shape_count; i++) {
        if ((table->shapes[i].capacity_type == NAME_RESERVED) == reserved &&
            row_meets(universe, row, label_set(universe, table->shapes[i].set)))
            bitset_set(ret_shapes, i);
    }
}

void type_table_rows(const TypeTable *table, const Universe *universe, const uint64_t *row, uint64_t *ret_rows,
                     uint64_t *ret_labels, uint64_t *ret_offering) {
    uint64_t *scratch = NEW_ARRAY(uint64_t, table->words + 1);
    bool reserved = only_reserved(universe, row);

    bitset_fill(ret_rows, table->row_count);
    for (uint32_t key = 0; key < universe->keys.count; key++) {
        if (table->keys[key].count)
            and_key_rows(table, universe, row, key, ret_rows, scratch);
    }
    if (ret_labels)
        bitset_copy(ret_labels, ret_rows, table->words);
    memset(scratch, 0, table->words * sizeof *scratch);
    for (uint32_t i = 0; i < table->shape_count; i++) {
        const OfferingShape *shape = &table->shapes[i];

        if ((shape->capacity_type == NAME_RESERVED) == reserved &&
            row_meets(universe, row, label_set(universe, shape->set)))
            bitset_or(scratch, shape->rows, table->words);
    }
    if (ret_offering)
        bitset_copy(ret_offering, scratch, table->words);
    bitset_and(ret_rows, scratch, table->words);
    free(scratch);
}

void type_table_drop_split(const TypeTable *table, const uint64_t *possible, uint64_t *rows) {
    for (uint32_t first = 0, end; first < table->row_count; first = end) { // the rows of a type are adjacent
        bool split = false;

        for (end = first; end < table->row_count && table->rows[end].type_index == table->rows[first].type_index; end++)
            split |= bitset_has(possible, end) && !bitset_has(rows, end);
        for (uint32_t row = first; row < end && split; row++)
            bitset_clear(rows, row);
    }
}

void type_table_possible(const TypeTable *table, const Universe *universe, const uint64_t *rows, uint64_t *row) {
    uint64_t *any = NEW_ARRAY(uint64_t, universe->row_words + 1);

    for (uint32_t key = 0; key < universe->keys.count; key++) {
        const KeyRows *key_rows = &table->keys[key];
        uint32_t words = universe->keys.items[key].words;

        if (!key_rows->count)
            continue;
        memset(any, 0, words * sizeof *any);
        for (uint32_t i = 0; i < key_rows->count; i++) {
            if (bitset_intersects(key_rows->rows[i], rows, table->words))
                bitset_or(any, key_rows->masks[i], words);
        }
        bitset_and(row_key(universe, row, key), any, words);
    }
    free(any);
}

double type_table_price(const TypeTable *table, const Universe *universe, const uint64_t *row, const uint64_t *rows) {
    bool reserved = only_reserved(universe, row);
    double best = INFINITY;

    for (uint32_t i = 0; i < table->shape_count; i++) {
        const OfferingShape *shape = &table->shapes[i];

        if ((shape->capacity_type == NAME_RESERVED) == reserved && shape->price_min < best &&
            bitset_intersects(shape->rows, rows, table->words) &&
            row_meets(universe, row, label_set(universe, shape->set)))
            best = shape->price_min;
    }
    return best;
}

static void column_make(Arena *arena, const Room *room, uint32_t dim, RoomColumn *column) {
    const TypeTable *table = room->table;

    column->amounts = arena_array(arena, int64_t, table->row_count);
    for (uint32_t row = 0; row < table->row_count; row++)
        column->amounts[row] = room->free[(size_t)row * room->dims + dim];
    qsort(column->amounts, table->row_count, sizeof *column->amounts, i64_compare);
    for (uint32_t i = 0; i < table->row_count; i++) {
        if (column->count == 0 || column->amounts[i] != column->amounts[column->count - 1])
            column->amounts[column->count++] = column->amounts[i];
    }
    column->at_least = arena_array(arena, uint64_t, (size_t)column->count * table->words);
    for (uint32_t row = 0; row < table->row_count; row++) {
        for (uint32_t i = 0; i < column->count && column->amounts[i] <= room->free[(size_t)row * room->dims + dim]; i++)
            bitset_set(column->at_least + (size_t)i * table->words, row);
    }
}

void room_make(Arena *arena, Room *room, const TypeTable *table, const Dimensions *dimensions, int64_t *overhead) {
    *room = (Room){.table = table, .dims = dimensions->count, .overhead = overhead};
    room->free = arena_array(arena, int64_t, (size_t)table->row_count * room->dims);
    room->usable = arena_array(arena, uint64_t, table->words);
    room->columns = arena_array(arena, RoomColumn, room->dims);
    for (size_t i = 0; i < (size_t)table->row_count * room->dims; i++)
        room->free[i] = table->allocatable[i] - overhead[i];
    for (uint32_t row = 0; row < table->row_count; row++) {
        if (!table->rows[row].negative)
            bitset_set(room->usable, row);
    }
    for (uint32_t dim = 0; dim < room->dims; dim++)
        column_make(arena, room, dim, &room->columns[dim]);
}

// First index with amounts[index] >= needed.
static uint32_t column_find(const RoomColumn *column, int64_t needed) {
    uint32_t low = 0, high = column->count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (column->amounts[middle] >= needed)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

bool room_fit(const Room *room, const int64_t *used, const int64_t *added, int64_t times, uint64_t *rows) {
    uint32_t words = room->table->words;
    bool any = bitset_and(rows, room->usable, words);

    for (uint32_t dim = 0; dim < room->dims && any; dim++) {
        const RoomColumn *column = &room->columns[dim];
        int64_t more, needed;
        uint32_t index;

        if (__builtin_mul_overflow(added[dim], times, &more) || __builtin_add_overflow(used[dim], more, &needed))
            return false;

        index = column_find(column, needed); // for 0 too: daemons alone may need more than there is
        if (index == 0)
            continue;
        if (index == column->count)
            return false;
        any = bitset_and(rows, column->at_least + (size_t)index * words, words);
    }
    return any;
}

// How many times `added` fits into `free` on top of `used`.
static uint32_t fit_count(const int64_t *free, const int64_t *used, const int64_t *added, uint32_t dims,
                          uint32_t limit) {
    for (uint32_t dim = 0; dim < dims; dim++) {
        int64_t left = free[dim] - used[dim];

        if (left < 0)
            return 0;
        if (added[dim] > 0 && left / added[dim] < (int64_t)limit)
            limit = (uint32_t)(left / added[dim]);
    }
    return limit;
}

uint32_t room_fit_count(const Room *room, const int64_t *used, const int64_t *added, const uint64_t *rows,
                        uint32_t limit) {
    uint32_t best = 0;

    for (bitset_each(row, rows, room->table->words)) {
        uint32_t count = fit_count(room->free + (size_t)row * room->dims, used, added, room->dims, limit);

        if (count > best)
            best = count;
        if (best == limit)
            break;
    }
    return best;
}
