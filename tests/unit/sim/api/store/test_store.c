// The store against a naive model: random writes, order, history, owners.
#include "sim/support/server.h"

#include "sim/api/store/store.h"
#include "text/value_edit.h"

#include <stdio.h>
#include <stdlib.h>

enum { OBJECTS = 700, STEPS = 6000 };

// The expected content of the store: per number the value written last; 0: none.
typedef struct {
    Store store;
    Arena arena;
    uint32_t written[OBJECTS];
    KubeRevision revision;
} Model;

static Slice key_of(Model *model, uint32_t number) {
    return arena_printf(&model->arena, "ns-%u/name-%u", number % 7, number);
}

static Value object_of(Model *model, uint32_t number, uint32_t value) {
    Value object = value_map();
    Value *meta = value_make(&model->arena, &object, "metadata", NULL);

    value_put(&model->arena, meta, SLICE("uid"), value_string(arena_printf(&model->arena, "uid-%u", number)));
    value_put(&model->arena, &object, SLICE("value"), value_int(&model->arena, value));
    return object;
}

static uint32_t value_of(Model *model, const Packed *packed) {
    Value value;
    int64_t number;

    assert_true(packed_part(&model->arena, &model->store.names, packed, &value, "value", NULL));
    assert_true(value_to_int64(&value, &number));
    return (uint32_t)number;
}

static void check(Model *model) {
    const KindStore *kind = &model->store.kinds[KUBE_LEASE];
    Slice before = SLICE("");
    uint32_t found = 0;

    for (uint32_t i = 0; i < OBJECTS; i++) {
        const Entry *entry = store_find(&model->store, KUBE_LEASE, key_of(model, i));

        assert_true((entry != NULL) == (model->written[i] != 0));
        if (!entry)
            continue;
        assert_int_equal(value_of(model, entry->packed), model->written[i]);
        assert_ptr_equal(store_find_uid(&model->store, entry->uid_hash), entry);
        found++;
    }
    assert_int_equal(kind->count, found);
    for (OrderPlace place = {0}; order_get(&kind->order, place); place = order_next(&kind->order, place)) {
        Slice key = entry_key(order_get(&kind->order, place));

        assert_true(slice_cmp(before, key) < 0);
        before = key;
        found--;
    }
    assert_int_equal(found, 0);
}

TEST(random_writes_agree_with_a_model) {
    Model *model = calloc(1, sizeof *model);
    Random random;

    random_seed(&random, 11);
    store_init(&model->store, 5, 64);
    model->revision = 5;
    for (uint32_t i = 1; i <= STEPS; i++) {
        uint32_t number = random_below(&random, OBJECTS);
        Entry *entry = store_find(&model->store, KUBE_LEASE, key_of(model, number));

        if (entry && random_chance(&random, 45)) {
            store_remove(&model->store, entry);
            model->written[number] = 0;
        } else {
            Value object = object_of(model, number, i);

            assert_non_null(store_put(&model->store, KUBE_LEASE, entry, key_of(model, number), &object));
            model->written[number] = i;
        }
        assert_true(model->store.revision == ++model->revision);
        if (i % 500 == 0)
            check(model);
    }
    assert_int_equal(model->store.kinds[KUBE_LEASE].history.end - model->store.kinds[KUBE_LEASE].history.first, 64);
    assert_true(model->store.kinds[KUBE_LEASE].history.forgotten == model->store.revision - 64);
    store_free(&model->store);
    arena_free(&model->arena);
    free(model);
}

TEST(ascending_and_descending_keys_keep_their_order) {
    Model *model = calloc(1, sizeof *model);

    store_init(&model->store, 1, 16);
    for (uint32_t i = 0; i < OBJECTS; i++) {
        Value object = object_of(model, i, 1);
        Slice key = arena_printf(&model->arena, "%06u", i < OBJECTS / 2 ? 1000 + i : OBJECTS - i);

        store_put(&model->store, KUBE_LEASE, NULL, key, &object);
    }
    assert_int_equal(
        slice_cmp(entry_key(order_get(&model->store.kinds[KUBE_LEASE].order, (OrderPlace){0})), SLICE("000001")), 0);
    for (uint32_t i = 0; i < OBJECTS; i++) {
        const Order *order = &model->store.kinds[KUBE_LEASE].order;
        OrderPlace last = {order->count - 1, order->blocks[order->count - 1]->count - 1};

        store_remove(&model->store, order_get(order, i % 2 ? last : (OrderPlace){0}));
    }
    assert_int_equal(model->store.kinds[KUBE_LEASE].order.count, 0);
    store_free(&model->store);
    arena_free(&model->arena);
    free(model);
}

static uint32_t dependents_of(const Store *store, const char *uid) {
    uint32_t count = 0;

    for (const OwnerLink *link = store_dependents(store, slice_hash(slice_of(uid))); link;
         link = store_next_dependent(link))
        count++;
    return count;
}

static Value owned(Model *model, uint32_t number, const char *first, const char *second) {
    const char *const uids[] = {first, second};
    Value object = object_of(model, number, 1);
    Value *list =
        value_put(&model->arena, value_find_text(&object, "metadata"), SLICE("ownerReferences"), value_list());

    for (int i = 0; i < 2 && uids[i]; i++) {
        Value reference = value_map();

        value_put(&model->arena, &reference, SLICE("uid"), value_string(slice_of(uids[i])));
        value_append(&model->arena, list, reference);
    }
    return object;
}

TEST(owners_know_their_dependents) {
    Model *model = calloc(1, sizeof *model);
    Entry *entry;
    Value object;

    store_init(&model->store, 1, 16);
    for (uint32_t i = 0; i < 300; i++) {
        object = owned(model, i, i % 2 ? "odd" : "even", i % 3 ? NULL : "third");
        store_put(&model->store, KUBE_POD, NULL, key_of(model, i), &object);
    }
    assert_int_equal(dependents_of(&model->store, "odd"), 150);
    assert_int_equal(dependents_of(&model->store, "third"), 100);
    entry = store_find(&model->store, KUBE_POD, key_of(model, 3));
    object = owned(model, 3, "odd", NULL);
    store_put(&model->store, KUBE_POD, entry, key_of(model, 3), &object);
    assert_int_equal(dependents_of(&model->store, "third"), 99);
    store_remove(&model->store, entry);
    assert_int_equal(dependents_of(&model->store, "odd"), 149);
    assert_int_equal(dependents_of(&model->store, "none"), 0);
    store_free(&model->store);
    arena_free(&model->arena);
    free(model);
}
