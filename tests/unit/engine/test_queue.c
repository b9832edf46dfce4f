// The work queue alone: deduplication, order, holding, backoff; and random steps against a naive model.
#include "base/random.h"
#include "engine/queue.h"
#include "harness/test.h"

#include <stdlib.h>

static Key key_of(Symbol name) {
    return (Key){0, name};
}

// The name of the next key, 0: none.
static Symbol next(Queue *queue, int64_t now_ns) {
    uint32_t controller;
    Key key;

    return queue_take(queue, now_ns, UINT64_MAX, &controller, &key) ? key.name : 0;
}

TEST(a_key_is_in_it_once_at_the_earliest_time) {
    Queue *queue = queue_new(NULL);

    queue_ask(queue, 0, key_of(1), 50);
    queue_ask(queue, 0, key_of(1), 20);
    queue_ask(queue, 0, key_of(1), 90);
    assert_int_equal(queue_waiting(queue), 1);
    assert_int_equal(queue_next_ns(queue), 20);
    assert_int_equal(next(queue, 19), 0);
    assert_int_equal(next(queue, 20), 1);
    assert_int_equal(next(queue, 1000), 0);
    assert_int_equal(queue_next_ns(queue), INT64_MAX);
    assert_int_equal(queue_known(queue), 0);
    queue_free(queue);
}

TEST(equal_times_go_by_the_order_of_asking) {
    Queue *queue = queue_new(NULL);

    for (Symbol i = 500; i > 0; i--)
        queue_ask(queue, i % 3, key_of(i), i == 7 ? 5 : 10);
    assert_int_equal(next(queue, 10), 7);
    for (Symbol i = 500; i > 0; i--)
        assert_int_equal(i == 7 ? 7 : next(queue, 10), i);
    queue_free(queue);
}

TEST(controllers_do_not_share_keys) {
    Queue *queue = queue_new(NULL);
    uint32_t controller;
    Key key;

    queue_ask(queue, 1, key_of(4), 1);
    queue_ask(queue, 0, key_of(4), 2);
    queue_hold(queue, 0, key_of(4));
    assert_true(queue_take(queue, 9, UINT64_MAX, &controller, &key));
    assert_int_equal(controller, 1);
    assert_false(queue_take(queue, 9, UINT64_MAX, &controller, &key));
    queue_release(queue, 0, key_of(4));
    assert_true(queue_take(queue, 9, UINT64_MAX, &controller, &key));
    assert_int_equal(controller, 0);
    queue_free(queue);
}

TEST(a_busy_key_is_kept_until_it_is_free) {
    Queue *queue = queue_new(NULL);

    queue_ask(queue, 0, key_of(1), 10);
    assert_int_equal(next(queue, 10), 1);
    queue_hold(queue, 0, key_of(1));
    queue_ask(queue, 0, key_of(1), 12); // enqueued while its batch is running
    queue_ask(queue, 0, key_of(2), 15);
    assert_int_equal(next(queue, 20), 2);
    assert_int_equal(next(queue, 20), 0);
    assert_int_equal(queue_next_ns(queue), INT64_MAX); // nothing to wake up for
    assert_int_equal(queue_waiting(queue), 1);
    queue_hold(queue, 0, key_of(1));
    queue_release(queue, 0, key_of(1));
    assert_int_equal(next(queue, 20), 0); // held twice
    queue_release(queue, 0, key_of(1));
    assert_int_equal(queue_next_ns(queue), 12);
    assert_int_equal(next(queue, 20), 1);
    assert_int_equal(queue_known(queue), 0);
    queue_free(queue);
}

TEST(a_key_asked_again_in_a_round_waits_for_the_next) {
    Queue *queue = queue_new(NULL);
    uint64_t moment;
    uint32_t controller;
    Key key;

    queue_ask(queue, 0, key_of(1), 10);
    queue_ask(queue, 0, key_of(2), 10);
    moment = queue_moment(queue);
    for (int i = 0; i < 2; i++) {
        assert_true(queue_take(queue, 10, moment, &controller, &key));
        queue_ask(queue, 0, key, 10);
    }
    assert_false(queue_take(queue, 10, moment, &controller, &key));
    assert_true(queue_take(queue, 10, queue_moment(queue), &controller, &key));
    queue_free(queue);
}

// 5 ms, doubled up to 1000 s: lifecycle.md 0.4.
TEST(backoff_doubles_up_to_its_limit) {
    Queue *queue = queue_new(NULL);
    int64_t expected = 5 * NS_PER_MS;

    for (int i = 0; i < 100; i++) {
        assert_int_equal(queue_fail(queue, 0, key_of(1), 5 * NS_PER_MS, 1000000 * NS_PER_MS), expected);
        expected = expected * 2 > 1000000 * NS_PER_MS ? 1000000 * NS_PER_MS : expected * 2;
    }
    assert_int_equal(queue_fail(queue, 0, key_of(2), 5 * NS_PER_MS, 1000000 * NS_PER_MS), 5 * NS_PER_MS);
    assert_int_equal(queue_known(queue), 2);
    queue_succeed(queue, 0, key_of(1));
    queue_succeed(queue, 0, key_of(2));
    queue_succeed(queue, 0, key_of(3));
    assert_int_equal(queue_known(queue), 0);
    assert_int_equal(queue_fail(queue, 0, key_of(1), 5 * NS_PER_MS, 1000000 * NS_PER_MS), 5 * NS_PER_MS);
    queue_free(queue);
}

// The same, without any structure.
enum { MODEL_KEYS = 60 };
typedef struct {
    struct {
        bool asked;
        int64_t at_ns;
        uint64_t order;
        uint32_t held;
    } keys[MODEL_KEYS];
    uint64_t orders;
} Model;

static void model_ask(Model *model, uint32_t key, int64_t at_ns) {
    if (model->keys[key].asked && model->keys[key].at_ns <= at_ns)
        return;
    model->keys[key].asked = true;
    model->keys[key].at_ns = at_ns;
    model->keys[key].order = model->orders++;
}

static uint32_t model_take(Model *model, int64_t now_ns) {
    uint32_t best = MODEL_KEYS;

    for (uint32_t i = 0; i < MODEL_KEYS; i++) {
        if (!model->keys[i].asked || model->keys[i].held || model->keys[i].at_ns > now_ns)
            continue;
        if (best == MODEL_KEYS || model->keys[i].at_ns < model->keys[best].at_ns ||
            (model->keys[i].at_ns == model->keys[best].at_ns && model->keys[i].order < model->keys[best].order))
            best = i;
    }
    if (best < MODEL_KEYS)
        model->keys[best].asked = false;
    return best;
}

TEST(random_steps_are_those_of_a_plain_model) {
    enum { STEPS = 200000 };
    Queue *queue = queue_new(NULL);
    Model model = {0};
    Random random;
    int64_t now_ns = 0;
    uint32_t taken_in_all = 0;

    random_seed(&random, 7);
    for (int step = 0; step < STEPS; step++) {
        uint32_t number = random_below(&random, MODEL_KEYS), controller = number % 3, taken;
        Key key = {number % 7, number / 3};
        int64_t at_ns = now_ns + random_below(&random, 200);

        switch (random_below(&random, 5)) {
        case 0:
        case 1:
            queue_ask(queue, controller, key, at_ns);
            model_ask(&model, number, at_ns);
            break;
        case 2:
            if (model.keys[number].held && random_chance(&random, 60)) {
                queue_release(queue, controller, key);
                model.keys[number].held--;
            } else if (random_chance(&random, 30)) {
                queue_hold(queue, controller, key);
                model.keys[number].held++;
            }
            break;
        case 3:
            now_ns += random_below(&random, 30);
            queue_next_ns(queue);
            break;
        default:
            taken = model_take(&model, now_ns);
            if (!queue_take(queue, now_ns, UINT64_MAX, &controller, &key)) {
                assert_int_equal(taken, MODEL_KEYS);
                break;
            }
            assert_int_equal(controller, taken % 3);
            assert_int_equal(key.ns, taken % 7);
            assert_int_equal(key.name, taken / 3);
            taken_in_all++;
        }
    }
    assert_true(taken_in_all > STEPS / 20);
    assert_true(queue_known(queue) <= MODEL_KEYS);
    queue_free(queue);
}
