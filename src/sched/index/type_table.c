// Turning instance types into columns and bitsets.
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

        if (dim != INDEX_NONE)
            ret_amounts[dim] = list->items[i].amount;
    }
}

static bool same_override(const Offering *a, const Offering *b) {
    if (!a->has_override || !b->has_override)
        return a->has_override == b->has_override;
    return resources_eq(&a->capacity_override, &b->capacity_override) &&
           resources_eq(&a->overhead_override, &b->overhead_override);
}

// Whether an earlier offering of the type has the same override.
static bool override_seen(const InstanceType *type, uint32_t offering) {
    for (uint32_t i = 0; i < offering; i++) {
        if (same_override(&type->offerings.items[i], &type->offerings.items[offering]))
            return true;
    }
    return false;
}

uint32_t offering_group(const InstanceType *type, const Offering *offering) {
    uint32_t group = 0;

    if (!offering->has_override)
        return 0;
    for (uint32_t i = 0; i < type->offerings.count; i++) {
        const Offering *other = &type->offerings.items[i];

        if (!other->has_override || override_seen(type, i))
            continue;
        group++;
        if (same_override(other, offering))
            return group;
    }
    return group;
}

static uint32_t group_count(const InstanceType *type) {
    uint32_t count = 1;

    for (uint32_t i = 0; i < type->offerings.count; i++)
        count += type->offerings.items[i].has_override && !override_seen(type, i);
    return count;
}

// The first offering of a group: what a row's amounts are computed with. NULL for the base group.
static const Offering *group_offering(const InstanceType *type, uint32_t group) {
    for (vec_each(Offering, offering, &type->offerings)) {
        if (group && offering_group(type, offering) == group)
            return offering;
    }
    return NULL;
}

static bool has_negative(const Resources *list) {
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i].amount < 0)
            return true;
    }
    return false;
}

// What a type says of the drivers that are counted; those it does not name are unlimited.
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

static void fill_rows(TypeTable *table, Universe *universe, const Dimensions *dimensions) {
    uint32_t at = 0;

    for (uint32_t i = 0; i < table->types->count; i++) {
        const InstanceType *type = &table->types->items[i];

        for (uint32_t group = 0, count = group_count(type); group < count; group++, at++) {
            const Offering *offering = group_offering(type, group);
            Resources allocatable = instance_type_allocatable(universe->arena, universe->symbols, type, offering);
            Resources capacity = instance_type_capacity(universe->arena, type, offering);

            table->rows[at] =
                (TypeRow){.type = type, .type_index = i, .group = group, .negative = has_negative(&allocatable)};
            dimensions_fill(dimensions, &allocatable, table->allocatable + (size_t)at * dimensions->count);
            fill_attachments(dimensions, type, table->allocatable + (size_t)at * dimensions->count);
            dimensions_fill(dimensions, &capacity, table->capacity + (size_t)at * dimensions->count);
        }
    }
}

// Adds a row to the group of rows with that mask.
static void key_rows_add(Universe *universe, KeyRows *rows, uint32_t key, const uint64_t *mask, uint32_t row,
                         uint32_t words) {
    uint32_t key_words = universe->keys.items[key].words, at = 0;

    while (at < rows->count && !bitset_eq(rows->masks[at], mask, key_words))
        at++;
    if (at == rows->count) { // few distinct masks per key: the values that constraints mention
        uint64_t **masks = arena_array(universe->arena, uint64_t *, at + 1);
        uint64_t **sets = arena_array(universe->arena, uint64_t *, at + 1);

        if (at) {
            memcpy(masks, rows->masks, at * sizeof *masks);
            memcpy(sets, rows->rows, at * sizeof *sets);
        }
        masks[at] = arena_copy(universe->arena, mask, key_words * sizeof *mask);
        sets[at] = arena_array(universe->arena, uint64_t, words);
        *rows = (KeyRows){at + 1, masks, sets};
    }
    bitset_set(rows->rows[at], row);
}

static void fill_key(TypeTable *table, Universe *universe, uint32_t key) {
    const LabelKey *label_key = &universe->keys.items[key];
    uint64_t *mask = arena_array_raw(universe->arena, uint64_t, label_key->words);
    bool any = false;

    for (uint32_t i = 0; i < table->types->count && !any; i++)
        any = requirements_get(&table->types->items[i].requirements, label_key->key) != NULL;
    if (!any)
        return;
    table->known_keys[key] = true;
    for (uint32_t row = 0; row < table->row_count; row++) {
        const Requirement *requirement = requirements_get(&table->rows[row].type->requirements, label_key->key);

        if (requirement)
            universe_requirement_mask(universe, key, requirement, mask);
        else
            bitset_fill(mask, label_key->atoms); // a key that the type lacks constrains nothing
        key_rows_add(universe, &table->keys[key], key, mask, row, table->words);
    }
}

static OfferingShape *shape_for(TypeTable *table, Universe *universe, const Offering *offering, LabelSetId set) {
    OfferingShape *shape;

    for (uint32_t i = 0; i < table->shape_count; i++) {
        shape = &table->shapes[i];
        if (shape->set == set && shape->zone == offering->zone && shape->capacity_type == offering->capacity_type &&
            shape->reservation_id == offering->reservation_id)
            return shape;
    }
    if ((table->shape_count & (table->shape_count - 1)) == 0) { // a power of two is full
        OfferingShape *larger =
            arena_array(universe->arena, OfferingShape, table->shape_count ? table->shape_count * 2 : 1);

        if (table->shape_count)
            memcpy(larger, table->shapes, table->shape_count * sizeof *larger);
        table->shapes = larger;
    }
    shape = &table->shapes[table->shape_count++];
    *shape = (OfferingShape){.set = set,
                             .zone = offering->zone,
                             .capacity_type = offering->capacity_type,
                             .reservation_id = offering->reservation_id,
                             .rows = arena_array(universe->arena, uint64_t, table->words),
                             .price_min = offering->price_per_hour};
    return shape;
}

static void mark_offering_keys(TypeTable *table, const Universe *universe) {
    for (vec_each(InstanceType, type, table->types)) {
        for (vec_each(Offering, offering, &type->offerings)) {
            for (uint32_t i = 0; i < offering->requirements.count; i++) {
                uint32_t key = universe_key(universe, offering->requirements.items[i].key);

                if (key != INDEX_NONE)
                    table->known_keys[key] = true;
            }
        }
    }
}

static void fill_shapes(TypeTable *table, Universe *universe) {
    Arena scratch = {0};

    for (uint32_t row = 0; row < table->row_count; row++) {
        TypeRow *type_row = &table->rows[row];

        for (vec_each(Offering, offering, &type_row->type->offerings)) {
            LabelSetBuilder builder;
            OfferingShape *shape;

            if (!offering->available || offering_group(type_row->type, offering) != type_row->group)
                continue;
            builder = label_set_start(&scratch, universe);
            label_set_and_requirements(&builder, &offering->requirements);
            shape = shape_for(table, universe, offering, label_set_finish(&builder));
            bitset_set(shape->rows, row);
            vec_push(universe->arena, &type_row->offerings, (RowOffering){offering, (uint32_t)(shape - table->shapes)});
            if (offering->price_per_hour < shape->price_min)
                shape->price_min = offering->price_per_hour;
            arena_rewind(&scratch, (ArenaMark){0});
        }
    }
    arena_free(&scratch);
}

void type_table_make(TypeTable *table, const InstanceTypeVec *types, Universe *universe, const Dimensions *dimensions) {
    *table = (TypeTable){.types = types};
    for (vec_each(InstanceType, type, types))
        table->row_count += group_count(type);
    table->words = bitset_words(table->row_count);
    table->rows = arena_array(universe->arena, TypeRow, table->row_count);
    table->allocatable = arena_array(universe->arena, int64_t, (size_t)table->row_count * dimensions->count);
    table->capacity = arena_array(universe->arena, int64_t, (size_t)table->row_count * dimensions->count);
    table->keys = arena_array(universe->arena, KeyRows, universe->keys.count);
    table->known_keys = arena_array(universe->arena, bool, universe->keys.count);
    fill_rows(table, universe, dimensions);
    for (uint32_t key = 0; key < universe->keys.count; key++)
        fill_key(table, universe, key);
    mark_offering_keys(table, universe);
    fill_shapes(table, universe);
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
    uint64_t *scratch = NEW_ARRAY(uint64_t, table->words);
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

void type_table_possible(const TypeTable *table, const Universe *universe, const uint64_t *rows, uint64_t *row) {
    for (uint32_t key = 0; key < universe->keys.count; key++) {
        const KeyRows *key_rows = &table->keys[key];
        uint32_t words = universe->keys.items[key].words;
        uint64_t *mask = row_key(universe, row, key);

        for (uint32_t word = 0; word < words && key_rows->count; word++) {
            uint64_t any = 0;

            for (uint32_t i = 0; i < key_rows->count; i++) {
                if (bitset_intersects(key_rows->rows[i], rows, table->words))
                    any |= key_rows->masks[i][word];
            }
            mask[word] &= any;
        }
    }
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

        index = column_find(column, needed); // also for 0: daemons alone may be too much
        if (index == 0)
            continue;
        if (index == column->count)
            return false;
        any = bitset_and(rows, column->at_least + (size_t)index * words, words);
    }
    return any;
}

// How often `added` fits in `free` above `used`.
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
