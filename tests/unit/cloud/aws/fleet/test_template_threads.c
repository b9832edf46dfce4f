// Launches that need the same templates at the same time. Upstream's area: the suite of launch templates (its provider
// makes them one after the other). For the thread sanitizer.
#include "cloud/aws/fleet/template_book.h"
#include "cloud/aws/provider/support/ec2_world.h"

#include <sched.h>

enum { LAUNCHES = 8 };

typedef struct {
    World *world; // for its client
    TemplateBook book;
    pthread_mutex_t lock; // guards the rest
    uint32_t asked, made;
    bool is_refused; // CreateLaunchTemplate
} Crowd;

typedef struct {
    Crowd *crowd;
    TemplateInputVec inputs;
    ErrCode code;
    CloudError error;
    uint32_t made; // templates, by this launch
} Launch;

static uint32_t waiting(Crowd *crowd) {
    uint32_t count;

    pthread_mutex_lock(&crowd->book.lock);
    count = crowd->book.flights.waiting;
    pthread_mutex_unlock(&crowd->book.lock);
    return count;
}

// EC2 makes nothing before all others wait for it.
static MemoryReply create(Crowd *crowd) {
    static const MemoryReply refusal = {.status = 400,
                                        .body = "<Response><Errors><Error><Code>InvalidAMIID.NotFound</Code><Message>"
                                                "no image</Message></Error></Errors></Response>"};

    while (waiting(crowd) < LAUNCHES - 1)
        sched_yield();
    pthread_mutex_lock(&crowd->lock);
    crowd->made++;
    pthread_mutex_unlock(&crowd->lock);
    return crowd->is_refused ? refusal
                             : (MemoryReply){.body = "<CreateLaunchTemplateResponse></CreateLaunchTemplateResponse>"};
}

static MemoryReply answer(void *context, const MemorySent *sent) {
    Crowd *crowd = context;

    if (strstr(sent->body, "Action=CreateLaunchTemplate"))
        return create(crowd);
    pthread_mutex_lock(&crowd->lock);
    crowd->asked++;
    pthread_mutex_unlock(&crowd->lock);
    return (MemoryReply){.body = "<DescribeLaunchTemplatesResponse></DescribeLaunchTemplatesResponse>"};
}

static void *launch(void *context) {
    Launch *launch = context;
    SliceVec made = {0};
    Arena arena = {0};

    launch->code = templates_ensure(&launch->crowd->book, launch->crowd->world->provider->client, &launch->inputs,
                                    &arena, &made, &launch->error);
    launch->made = made.count;
    arena_free(&arena);
    return NULL;
}

static void launch_all(Launch *launches) {
    pthread_t threads[LAUNCHES];

    for (uint32_t i = 0; i < LAUNCHES; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, launch, &launches[i]), 0);
    for (uint32_t i = 0; i < LAUNCHES; i++)
        pthread_join(threads[i], NULL);
}

static Crowd *crowd_new(void) {
    World *w = world_new();
    Crowd *crowd = arena_new(&w->arena, Crowd);

    crowd->world = w;
    template_book_init(&crowd->book);
    pthread_mutex_init(&crowd->lock, NULL);
    w->memory->answer = answer;
    w->memory->context = crowd;
    return crowd;
}

static void crowd_free(Crowd *crowd) {
    template_book_free(&crowd->book);
    pthread_mutex_destroy(&crowd->lock);
    world_free(crowd->world);
}

FIXTURE(Crowd, crowd_new, crowd_free);

// Launches that need template "a", or "a" and "b", half of them the other way round.
static Launch *launches_of(Crowd *crowd, uint32_t templates) {
    static const Ec2CreateLaunchTemplateInput a = {.launch_template_name = SLICE_INIT("a")},
                                              b = {.launch_template_name = SLICE_INIT("b")};
    Arena *arena = &crowd->world->arena;
    Launch *launches = arena_array(arena, Launch, LAUNCHES);

    for (uint32_t i = 0; i < LAUNCHES; i++) {
        launches[i].crowd = crowd;
        vec_push(arena, &launches[i].inputs, i % 2 ? a : b);
        if (templates > 1)
            vec_push(arena, &launches[i].inputs, i % 2 ? b : a);
        else
            launches[i].inputs.items[0] = a;
    }
    return launches;
}

TEST_F(Crowd, crowd, launches_that_need_one_template_make_it_once) {
    Launch *launches = launches_of(crowd, 1);
    uint32_t made = 0;

    launch_all(launches);
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        assert_int_equal(launches[i].code, OK);
        made += launches[i].made;
    }
    assert_int_equal(crowd->asked, 1);
    assert_int_equal(crowd->made, 1);
    assert_int_equal(made, 1);
    launch(&launches[0]); // it is known now
    assert_int_equal(crowd->asked, 1);
}

TEST_F(Crowd, crowd, launches_that_need_two_templates_make_each_once) {
    Launch *launches = launches_of(crowd, 2);

    launch_all(launches);
    for (uint32_t i = 0; i < LAUNCHES; i++)
        assert_int_equal(launches[i].code, OK);
    assert_int_equal(crowd->made, 2);
}

TEST_F(Crowd, crowd, a_failure_is_told_to_all_and_tried_again_by_the_next) {
    Launch *launches = launches_of(crowd, 1);

    crowd->is_refused = true;
    launch_all(launches);
    assert_int_equal(crowd->made, 1);
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        assert_int_equal(launches[i].code, launches[0].code);
        assert_int_not_equal(launches[i].code, OK);
        assert_string_equal(launches[i].error.reason, "AMINotFound");
    }
    crowd->is_refused = false;
    launch_all(launches);
    assert_int_equal(crowd->made, 2);
    for (uint32_t i = 0; i < LAUNCHES; i++)
        assert_int_equal(launches[i].code, OK);
}
