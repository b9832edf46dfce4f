// Which templates there are.
#include "cloud/aws/fleet/template_book.h"

#include "base/alloc.h"
#include "cloud/aws/filters.h"
#include "cloud/aws/launch/failure.h"
#include "cloud/aws/template/template_name.h"

enum { PAGE = 200 };

static const int64_t AGAIN_NS = 5 * NS_PER_MIN;

static Mono now_of(const AwsClient *client) {
    return aws_client_now(client).now;
}

void template_book_init(TemplateBook *book) {
    *book = (TemplateBook){0};
    CHECK(pthread_mutex_init(&book->lock, NULL) == 0, "no mutex");
}

void template_book_free(TemplateBook *book) {
    for (uint32_t i = 0; i < book->count; i++)
        free(book->items[i].name);
    free(book->items);
    template_flights_free(&book->flights);
    pthread_mutex_destroy(&book->lock);
}

// --- what is known, under the lock

static KnownTemplate *find(const TemplateBook *book, Slice name) {
    for (uint32_t i = 0; i < book->count; i++) {
        if (slice_eq_text(name, book->items[i].name))
            return &book->items[i];
    }
    return NULL;
}

static void put(TemplateBook *book, Slice name, Mono used) {
    KnownTemplate *known = find(book, name);

    if (!known) {
        char *text = alloc_raw(name.len + 1);

        GROW(book->items, book->capacity, book->count + 1);
        known = &book->items[book->count++];
        if (name.len)
            memcpy(text, name.ptr, name.len);
        text[name.len] = '\0';
        *known = (KnownTemplate){.name = text};
    }
    known->used = mono_last(known->used, used);
}

static void drop(TemplateBook *book, KnownTemplate *known) {
    free(known->name);
    *known = book->items[--book->count];
}

static void learn(TemplateBook *book, Slice name, Mono used) {
    pthread_mutex_lock(&book->lock);
    put(book, name, used);
    pthread_mutex_unlock(&book->lock);
}

static void forget(TemplateBook *book, Slice name) {
    KnownTemplate *known;

    pthread_mutex_lock(&book->lock);
    known = find(book, name);
    if (known)
        drop(book, known);
    pthread_mutex_unlock(&book->lock);
}

void templates_forget(TemplateBook *book, const SliceVec *names) {
    for (vec_each(const Slice, name, names))
        forget(book, *name);
}

// --- lists

typedef struct {
    Arena *arena;
    SliceVec names; // of templates that tenon or Karpenter made, never of others'
} Listing;

static bool take_page(void *context, const void *output) {
    const Ec2DescribeLaunchTemplatesOutput *page = output;
    Listing *listing = context;

    for (vec_each(const Ec2LaunchTemplate, template, &page->launch_templates)) {
        if (slice_starts_with(template->launch_template_name, SLICE(TEMPLATE_NAME_PREFIX)))
            vec_push(listing->arena, &listing->names, arena_slice(listing->arena, template->launch_template_name));
    }
    return true;
}

static ErrCode list(AwsClient *client, Arena *arena, const Ec2DescribeLaunchTemplatesInput *input, SliceVec *ret_names,
                    AwsOutcome *ret_outcome, Err *err) {
    Listing listing = {.arena = arena};
    const AwsPageVisitor visitor = {take_page, &listing};

    TRY(aws_pages(client, arena, &ec2_describe_launch_templates, input, NULL, &visitor, ret_outcome, err));
    *ret_names = listing.names;
    return OK;
}

static Ec2DescribeLaunchTemplatesInput of_cluster(Arena *arena, Slice cluster, Slice class_name) {
    Ec2DescribeLaunchTemplatesInput input = {.max_results = aws_integer(PAGE)};

    ec2_filter_add(arena, &input.filters, SLICE("tag:eks:eks-cluster-name"), cluster);
    if (class_name.len)
        ec2_filter_add(arena, &input.filters, SLICE("tag:karpenter.k8s.aws/ec2nodeclass"), class_name);
    return input;
}

// Whether it is this caller who asks.
static bool begin_load(TemplateBook *book, Mono now) {
    bool begins;

    pthread_mutex_lock(&book->lock);
    begins = !book->is_loaded && mono_reached(now, book->load_at);
    if (begins)
        book->load_at = mono_after(now, AGAIN_NS);
    pthread_mutex_unlock(&book->lock);
    return begins;
}

ErrCode templates_load(TemplateBook *book, AwsClient *client, Slice cluster, Err *err) {
    Mono now = now_of(client);
    Ec2DescribeLaunchTemplatesInput input;
    SliceVec names = {0};
    Arena arena = {0};
    ErrCode code;

    if (!begin_load(book, now))
        return OK;
    input = of_cluster(&arena, cluster, (Slice){0});
    code = list(client, &arena, &input, &names, NULL, err);
    for (vec_each(const Slice, name, &names))
        learn(book, *name, now);
    pthread_mutex_lock(&book->lock);
    book->is_loaded |= code == OK;
    pthread_mutex_unlock(&book->lock);
    arena_free(&arena);
    return code;
}

// --- made

typedef Vec(TemplateFlight *) FlightVec;

// Templates of a launch that are not known: those that it makes, each with its flight, and those that others make.
typedef struct {
    TemplateInputVec inputs;
    FlightVec own, others;
} Unknown;

static void add_unknown(TemplateBook *book, Arena *arena, const Ec2CreateLaunchTemplateInput *input, Unknown *unknown) {
    bool is_own;
    TemplateFlight *flight = template_flight_join(&book->flights, input->launch_template_name, &is_own);

    if (is_own)
        vec_push(arena, &unknown->inputs, *input);
    vec_push(arena, is_own ? &unknown->own : &unknown->others, flight);
}

// Those that are known are used from now.
static Unknown take_unknown(TemplateBook *book, Arena *arena, const TemplateInputVec *inputs, Mono now) {
    Unknown unknown = {0};

    pthread_mutex_lock(&book->lock);
    for (vec_each(const Ec2CreateLaunchTemplateInput, input, inputs)) {
        KnownTemplate *known = find(book, input->launch_template_name);

        if (known)
            known->used = mono_last(known->used, now);
        else
            add_unknown(book, arena, input, &unknown);
    }
    pthread_mutex_unlock(&book->lock);
    return unknown;
}

// Waits for all of them; the error of the last one that failed.
static ErrCode wait_for(TemplateBook *book, const AwsClient *client, const FlightVec *flights, Err *err) {
    pthread_mutex_lock(&book->lock);
    for (vec_each(TemplateFlight *const, flight, flights))
        (void)template_flight_wait(&book->flights, *flight, client, &book->lock, err);
    pthread_mutex_unlock(&book->lock);
    return err->code;
}

// A name that is unknown is a fault, so several are asked for by a filter, which passes it over.
static Ec2DescribeLaunchTemplatesInput by_names(Arena *arena, const TemplateInputVec *inputs) {
    Ec2DescribeLaunchTemplatesInput input = {0};
    Ec2Filter filter = {.name = SLICE("launch-template-name")};

    if (inputs->count == 1) {
        vec_push(arena, &input.launch_template_names, inputs->items[0].launch_template_name);
        return input;
    }
    for (vec_each(const Ec2CreateLaunchTemplateInput, template, inputs))
        vec_push(arena, &filter.values, template->launch_template_name);
    vec_push(arena, &input.filters, filter);
    input.max_results = aws_integer(PAGE);
    return input;
}

static ErrCode find_present(AwsClient *client, Arena *arena, const TemplateInputVec *inputs, SliceVec *ret_names,
                            Err *err) {
    Ec2DescribeLaunchTemplatesInput input = by_names(arena, inputs);
    AwsOutcome outcome = {0};
    ErrCode code = list(client, arena, &input, ret_names, &outcome, err);

    if (code == OK || outcome.kind != AWS_NOT_FOUND)
        return code;
    *ret_names = (SliceVec){0};
    return OK;
}

static bool has(const SliceVec *names, Slice name) {
    for (vec_each(const Slice, other, names)) {
        if (slice_eq(*other, name))
            return true;
    }
    return false;
}

// Without a client token: with one, EC2 would answer with a template that was deleted since.
static ErrCode make(AwsClient *client, const Ec2CreateLaunchTemplateInput *input, Err *err) {
    Ec2CreateLaunchTemplateOutput output = {0};
    AwsOutcome outcome = {0};
    Arena arena = {0};
    ErrCode code = aws_call(client, &arena, &ec2_create_launch_template, input, NULL, &output, &outcome, err);

    arena_free(&arena);
    return outcome.kind == AWS_ALREADY_EXISTS ? OK : code;
}

// Ends a flight of the caller; `err` NULL: the template is there.
static void land(TemplateBook *book, TemplateFlight *flight, Slice name, Mono used, const Err *err) {
    pthread_mutex_lock(&book->lock);
    if (!err)
        put(book, name, used);
    template_flight_end(&book->flights, flight, err);
    pthread_mutex_unlock(&book->lock);
}

// All flights end, those behind a failure with it.
static ErrCode make_own(TemplateBook *book, AwsClient *client, Arena *arena, const Unknown *unknown, SliceVec *ret_made,
                        Err *err) {
    Mono now = now_of(client);
    SliceVec present = {0};
    ErrCode code;

    if (!unknown->inputs.count)
        return OK;
    code = find_present(client, arena, &unknown->inputs, &present, err);
    for (uint32_t i = 0; i < unknown->inputs.count; i++) {
        const Ec2CreateLaunchTemplateInput *input = &unknown->inputs.items[i];

        if (code == OK && !has(&present, input->launch_template_name)) {
            code = make(client, input, err);
            if (code == OK)
                vec_push(arena, ret_made, input->launch_template_name);
        }
        land(book, unknown->own.items[i], input->launch_template_name, now, code == OK ? NULL : err);
    }
    return code;
}

static ErrCode ensure(TemplateBook *book, AwsClient *client, Arena *arena, const TemplateInputVec *inputs,
                      SliceVec *ret_made, Err *err) {
    Unknown unknown = take_unknown(book, arena, inputs, now_of(client));
    ErrCode own = make_own(book, client, arena, &unknown, ret_made, err);
    Err other = {0};

    if (wait_for(book, client, &unknown.others, &other) != OK && own == OK)
        *err = other;
    return own == OK ? other.code : own;
}

ErrCode templates_ensure(TemplateBook *book, AwsClient *client, const TemplateInputVec *inputs, Arena *arena,
                         SliceVec *ret_made, CloudError *error) {
    Err err = {0};
    ErrCode code = ensure(book, client, arena, inputs, ret_made, &err);

    return code == OK ? OK : launch_failure(error, code, slice_of(err.text));
}

// --- deleted

static ErrCode delete_one(AwsClient *client, Slice name, Err *err) {
    const Ec2DeleteLaunchTemplateInput input = {.launch_template_name = name};
    Ec2DeleteLaunchTemplateOutput output = {0};
    AwsOutcome outcome = {0};
    Arena arena = {0};
    ErrCode code = aws_call(client, &arena, &ec2_delete_launch_template, &input, NULL, &output, &outcome, err);

    arena_free(&arena);
    return outcome.kind == AWS_NOT_FOUND ? OK : code;
}

// Takes templates that are old out of the book.
static SliceVec take_old(TemplateBook *book, Arena *arena, Mono now, uint32_t most) {
    SliceVec old = {0};

    pthread_mutex_lock(&book->lock);
    for (uint32_t i = 0; i < book->count && old.count < most;) {
        KnownTemplate *known = &book->items[i];

        if (mono_since(now, known->used) < TEMPLATE_KEPT_NS) {
            i++;
            continue;
        }
        vec_push(arena, &old, arena_slice(arena, slice_of(known->name)));
        drop(book, known);
    }
    pthread_mutex_unlock(&book->lock);
    return old;
}

uint32_t templates_sweep(TemplateBook *book, AwsClient *client, uint32_t most) {
    Mono now = now_of(client), again = {now.ns - (TEMPLATE_KEPT_NS - AGAIN_NS)};
    Arena arena = {0};
    SliceVec old = take_old(book, &arena, now, most);
    uint32_t count = old.count;

    for (vec_each(const Slice, name, &old)) {
        if (delete_one(client, *name, NULL) != OK)
            learn(book, *name, again);
    }
    arena_free(&arena);
    return count;
}

ErrCode templates_delete_of(TemplateBook *book, AwsClient *client, Slice cluster, Slice class_name, CloudError *error) {
    Arena arena = {0};
    Ec2DescribeLaunchTemplatesInput input = of_cluster(&arena, cluster, class_name);
    SliceVec names = {0};
    Err err = {0}, first = {0};
    uint32_t left = 0;

    CHECK(class_name.len, "a class has a name");
    if (list(client, &arena, &input, &names, NULL, &first) != OK)
        left++;
    for (vec_each(const Slice, name, &names)) {
        if (delete_one(client, *name, &err) == OK) {
            forget(book, *name);
            continue;
        }
        if (!left++)
            first = err;
    }
    arena_free(&arena);
    if (!left)
        return OK;
    return cloud_fail(error, first.code == ERR_NOT_FOUND ? ERR_IO : first.code, "deleting launch templates: %s",
                      first.text);
}
