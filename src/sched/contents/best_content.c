// Surrogates are found by rounds of multiplicative weights. Where only some items open a claim, or a content may be
// worth less than nothing, each item is tried as the one that is surely there.
#include "sched/contents/best_content.h"

#include "sched/contents/min_values.h"

#include <math.h>
#include <stdlib.h>

enum { MIXTURES = 6 };             // rounds of weights
static const double SLACK = 1e-12; // of the surrogate's room, for rounding
static const double HEAVIER = 1.5; // exponent of weights

// An item that may be in the content.
typedef struct {
    uint32_t item, most;
    double worth, size, density; // size: of the surrogate, whose room is 1
} Candidate;

struct ContentSearch {
    SmallProblem *problem;
    const SmallPlace *place; // that is asked
    uint32_t dims;           // resources, caps, counts
    int64_t *sizes;          // [item * dims + dim]
    double *mixtures;        // [place * dims + dim]: weights of the surrogate, 1 in all; 0 for a place not asked yet
    double *weights;         // per dimension: of the present surrogate, over the room
    double *mixture;         // per dimension: the present one
    double *usage;           // per dimension: share of the room that the fractional content takes
    int64_t *rooms;          // [depth * dims]
    Candidate candidates[SMALL_ITEMS_MAX];
    uint32_t count;
    uint32_t counts[SMALL_ITEMS_MAX], best_counts[SMALL_ITEMS_MAX]; // per item
    double best, target, open; // open: the highest bound of a branch that was not searched
    uint32_t steps;
    uint64_t work;
};

static uint32_t resources(const SmallProblem *problem) {
    return problem->solver->classes.dimensions.count;
}

static void fill_sizes(ContentSearch *search, uint32_t item) {
    const SmallProblem *problem = search->problem;
    int64_t *size = search->sizes + (size_t)item * search->dims;
    const int64_t *requests = small_class(problem, item)->requests;
    uint32_t dim = resources(problem);

    for (uint32_t i = 0; i < dim; i++)
        size[i] = requests[i] > 0 ? requests[i] : 0;
    for (vec_each(const SmallCap, cap, &problem->caps))
        size[dim++] = cap->items >> item & 1;
    for (vec_each(const SmallCount, count, &problem->counts))
        size[dim++] = !count->at_least && (count->items >> item & 1);
}

ContentSearch *content_search_new(SmallProblem *problem, uint32_t places) {
    ContentSearch *search = arena_new(problem->arena, ContentSearch);

    search->problem = problem;
    search->dims = resources(problem) + problem->caps.count + problem->counts.count;
    search->sizes = arena_array(problem->arena, int64_t, (size_t)SMALL_ITEMS_MAX * search->dims);
    search->mixtures = arena_array(problem->arena, double, (size_t)places * search->dims);
    search->weights = arena_array(problem->arena, double, search->dims);
    search->mixture = arena_array(problem->arena, double, search->dims);
    search->usage = arena_array(problem->arena, double, search->dims);
    search->rooms = arena_array(problem->arena, int64_t, (size_t)(SMALL_ITEMS_MAX + 2) * search->dims);
    for (uint32_t item = 0; item < problem->item_count; item++)
        fill_sizes(search, item);
    return search;
}

// --- room

static int64_t on_node(const SmallProblem *problem, const SmallPlace *place, uint32_t group) {
    return place->pool ? 0 : topology_on_bin(&problem->solver->topology.groups.items[group], place->bins.items[0]);
}

// The room of the place; a place has no more pods than its whole domain.
static void fill_room(const ContentSearch *search, const SmallPlace *place, int64_t *ret_room) {
    const SmallProblem *problem = search->problem;
    uint32_t dim = resources(problem);

    memcpy(ret_room, place->room, dim * sizeof *ret_room);
    for (vec_each(const SmallCap, cap, &problem->caps)) {
        int64_t left = cap->most - on_node(problem, place, cap->group);

        ret_room[dim++] = left > 0 ? left : 0;
    }
    for (vec_each(const SmallCount, count, &problem->counts))
        ret_room[dim++] = count->cells >> place->cell & 1 ? (int64_t)count->bound : INT32_MAX;
}

static uint32_t how_many_fit(const ContentSearch *search, uint32_t item, const int64_t *room, uint32_t most) {
    const int64_t *size = search->sizes + (size_t)item * search->dims;

    for (uint32_t dim = 0; dim < search->dims && most; dim++) {
        if (size[dim] > 0 && room[dim] / size[dim] < most)
            most = (uint32_t)(room[dim] / size[dim]);
    }
    return most;
}

static void take(const ContentSearch *search, uint32_t item, const int64_t *room, uint32_t count, int64_t *ret_room) {
    const int64_t *size = search->sizes + (size_t)item * search->dims;

    for (uint32_t dim = 0; dim < search->dims; dim++)
        ret_room[dim] = room[dim] - size[dim] * count;
}

// --- the surrogate

static int by_density(const void *a, const void *b) {
    const Candidate *x = a, *y = b;

    if (x->density != y->density)
        return x->density > y->density ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

static void size_candidates(ContentSearch *search) {
    for (uint32_t i = 0; i < search->count; i++) {
        Candidate *candidate = &search->candidates[i];
        const int64_t *size = search->sizes + (size_t)candidate->item * search->dims;

        candidate->size = 0;
        for (uint32_t dim = 0; dim < search->dims; dim++)
            candidate->size += search->weights[dim] * (double)size[dim];
        candidate->density = candidate->size > 0 ? candidate->worth / candidate->size : INFINITY;
    }
    if (search->count)
        qsort(search->candidates, search->count, sizeof *search->candidates, by_density);
}

// What the candidates from `at` on are worth at most in so much of the surrogate's room.
static double fractional(const ContentSearch *search, uint32_t at, double left) {
    double worth = 0;

    for (left += SLACK; at < search->count; at++) {
        const Candidate *candidate = &search->candidates[at];

        if (candidate->size * candidate->most >= left)
            return worth + left * candidate->density;
        worth += candidate->worth * candidate->most;
        left -= candidate->size * candidate->most;
    }
    return worth;
}

// The room that the fractional content takes of each dimension.
static void sum_usage(ContentSearch *search) {
    double left = 1;

    memset(search->usage, 0, search->dims * sizeof *search->usage);
    for (uint32_t i = 0; i < search->count && left > 0; i++) {
        const Candidate *candidate = &search->candidates[i];
        const int64_t *size = search->sizes + (size_t)candidate->item * search->dims;
        double count = candidate->size * candidate->most > left ? left / candidate->size : candidate->most;

        for (uint32_t dim = 0; dim < search->dims; dim++)
            search->usage[dim] += count * (double)size[dim];
        left -= candidate->size * count;
    }
}

static void use_mixture(ContentSearch *search, const int64_t *room, const double *mixture) {
    for (uint32_t dim = 0; dim < search->dims; dim++)
        search->weights[dim] = room[dim] > 0 ? mixture[dim] / (double)room[dim] : 0;
    size_candidates(search);
    search->work += (uint64_t)search->count * (search->dims + 8);
}

// Shifts the mixture to dimensions of which the fractional content takes more than there is.
static void shift(ContentSearch *search, const int64_t *room, double *mixture) {
    double sum = 0;

    sum_usage(search);
    for (uint32_t dim = 0; dim < search->dims; dim++) {
        double over = room[dim] > 0 ? search->usage[dim] / (double)room[dim] - 1 : -1;

        mixture[dim] = fmax(mixture[dim], 1e-4) * exp(HEAVIER * fmin(over, 1));
        sum += mixture[dim];
    }
    for (uint32_t dim = 0; dim < search->dims; dim++)
        mixture[dim] /= sum;
}

// Finds a surrogate with a low bound, starting from the one that the place had before, and returns the bound.
static double mix(ContentSearch *search, const int64_t *room, double *kept) {
    double *mixture = search->mixture, best = INFINITY, sum = 0;

    for (uint32_t dim = 0; dim < search->dims; dim++)
        sum += mixture[dim] = kept[dim];
    for (uint32_t dim = 0; dim < search->dims && sum == 0; dim++)
        mixture[dim] = kept[dim] = 1.0 / search->dims;
    for (uint32_t round = 0; round < MIXTURES && best > search->target; round++) {
        double bound;

        use_mixture(search, room, mixture);
        bound = fractional(search, 0, 1);
        if (bound < best) {
            best = bound;
            memcpy(kept, mixture, search->dims * sizeof *kept);
        }
        shift(search, room, mixture);
    }
    use_mixture(search, room, kept);
    return best;
}

// --- branching

static void keep(ContentSearch *search, double value) {
    if (value <= search->best)
        return;
    if (small_wants_values(search->problem, search->place->pool)) {
        search->work += 200;
        if (!small_min_values_met(search->problem, search->place, search->counts))
            return;
    }
    search->best = value;
    memcpy(search->best_counts, search->counts, sizeof search->counts);
}

// Decides the candidates from `at` on. `apart`: items that may not join those that are there.
static void branch(ContentSearch *search, uint32_t at, double value, double left, uint32_t apart, int64_t *room) {
    double bound = value + fractional(search, at, left > 0 ? left : 0);
    const Candidate *candidate = &search->candidates[at];
    const SmallItem *items = search->problem->items;
    uint32_t most;

    search->work += 4;
    if (bound <= fmax(search->best, search->target))
        return;
    if (at == search->count) {
        keep(search, value);
        return;
    }
    if (!search->steps) {
        search->open = fmax(search->open, bound);
        return;
    }
    search->steps--;
    search->work += 2 * search->dims;
    most = apart >> candidate->item & 1 ? 0 : how_many_fit(search, candidate->item, room, candidate->most);
    for (uint32_t count = most + 1; count-- > 0;) {
        take(search, candidate->item, room, count, room + search->dims);
        search->counts[candidate->item] += count;
        branch(search, at + 1, value + count * candidate->worth, left - count * candidate->size,
               count ? apart | items[candidate->item].apart : apart, room + search->dims);
        search->counts[candidate->item] -= count;
    }
}

// --- one place

static void list_candidates(ContentSearch *search, const ContentQuestion *question, uint32_t forced,
                            const int64_t *room) {
    const SmallProblem *problem = search->problem;
    uint32_t items = question->place->items & ~question->banned;

    search->count = 0;
    for (uint32_t item = 0; item < problem->item_count; item++) {
        const SmallItem *known = &problem->items[item];
        uint32_t left = known->count - (item == forced), most;

        if (!(items >> item & 1) || question->worth[item] <= 0 ||
            (forced != INDEX_NONE && (problem->items[forced].apart >> item & 1)))
            continue;
        most = how_many_fit(search, item, room, known->apart >> item & 1 && left > 1 ? 1 : left);
        if (most)
            search->candidates[search->count++] =
                (Candidate){.item = item, .most = most, .worth = question->worth[item]};
    }
}

// Searches contents, with `forced` those that have one of the item. Returns a bound of their worth.
static double search_from(ContentSearch *search, const ContentQuestion *question, uint32_t forced) {
    double *mixture = search->mixtures + (size_t)question->number * search->dims;
    double value = forced == INDEX_NONE ? 0 : question->worth[forced], bound;
    double target = question->target;

    fill_room(search, question->place, search->rooms);
    if (forced != INDEX_NONE) {
        if (!how_many_fit(search, forced, search->rooms, 1))
            return -INFINITY;
        take(search, forced, search->rooms, 1, search->rooms);
    }
    list_candidates(search, question, forced, search->rooms);
    search->target = target - value;
    bound = mix(search, search->rooms, mixture);
    search->target = target;
    if (value + bound <= target)
        return value + bound;
    memset(search->counts, 0, sizeof search->counts);
    if (forced != INDEX_NONE)
        search->counts[forced] = 1;
    search->open = -INFINITY;
    search->steps = question->steps;
    branch(search, 0, value, 1, forced == INDEX_NONE ? 0 : search->problem->items[forced].apart, search->rooms);
    return fmin(value + bound, fmax(fmax(search->best, target), search->open));
}

ContentAnswer content_search(ContentSearch *search, const ContentQuestion *question) {
    uint32_t items = question->place->items & ~question->banned, openers = question->place->openers & items;
    double bound = -INFINITY;

    search->place = question->place;
    search->best = -INFINITY;
    search->work = 10;
    if (openers == items && question->target >= 0) {
        bound = search_from(search, question, INDEX_NONE);
    } else {
        for (uint32_t item = 0; item < search->problem->item_count; item++) {
            if (openers >> item & 1)
                bound = fmax(bound, search_from(search, question, item));
        }
    }
    return (ContentAnswer){bound, search->best, search->best_counts, search->work};
}
