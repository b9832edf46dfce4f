// A plan as `tenon plan -o json` would write it, for the checker to judge.
#include "exact/problem.h"

#include "text/json.h"

typedef struct {
    Problem *problem;
    Buffer text;
    uint32_t used[ITEMS_MAX]; // pods of each item that have a place
    uint32_t claims;
    double price;
} PlanMaking;

static void write_name(PlanMaking *making, Symbol name) {
    json_print_string(&making->text, judge_text(&making->problem->world, name));
}

static void write_pods(PlanMaking *making, uint32_t content) {
    Problem *problem = making->problem;
    const char *comma = "";

    buffer_append(&making->text, SLICE(",\"pods\":["));
    for (uint32_t i = 0; i < problem->items.count; i++) {
        for (uint32_t k = 0; k < content_of(problem, content, i); k++, comma = ",") {
            buffer_append(&making->text, slice_of(comma));
            write_name(making, problem->world.pods.items[problem->items.items[i].pods.items[making->used[i]++]].name);
        }
    }
    buffer_append(&making->text, SLICE("]}"));
}

static double cheapest_offering(const Family *family, const Type *type) {
    double price = 1e18;

    for (vec_each(const Way, way, &family->ways)) {
        if (way->type == type && way->offering->price_per_hour < price)
            price = way->offering->price_per_hour;
    }
    return price;
}

// Cheapest first.
static void write_types(PlanMaking *making, const Family *family, Launchable *launchable) {
    for (uint32_t i = 1; i < launchable->types.count; i++) {
        for (uint32_t k = i; k > 0 && cheapest_offering(family, launchable->types.items[k]) <
                                          cheapest_offering(family, launchable->types.items[k - 1]);
             k--) {
            const Type *held = launchable->types.items[k];

            launchable->types.items[k] = launchable->types.items[k - 1];
            launchable->types.items[k - 1] = held;
        }
    }
    buffer_append(&making->text, SLICE(",\"instanceTypes\":["));
    for (uint32_t i = 0; i < launchable->types.count; i++) {
        if (i)
            buffer_append_char(&making->text, ',');
        write_name(making, launchable->types.items[i]->name);
    }
    buffer_append(&making->text, SLICE("]"));
}

// Pods, and the least daemons of the types that the claim lists.
static void write_requests(PlanMaking *making, const Family *family, const Launchable *launchable, uint32_t content) {
    World *world = &making->problem->world;
    Amounts requests = content_requests(making->problem, content);
    const char *comma = "";

    for (uint32_t i = 0; i < world->resources.count; i++) {
        int64_t least = INT64_MAX;

        for (vec_each(const Way, way, &family->ways)) {
            for (uint32_t k = 0; k < launchable->types.count; k++) {
                if (launchable->types.items[k] == way->type && way->daemons.of[i] < least)
                    least = way->daemons.of[i];
            }
        }
        requests.of[i] += least;
    }
    buffer_append(&making->text, SLICE(",\"requests\":{"));
    for (uint32_t i = 0; i < world->resources.count; i++) {
        if (requests.of[i] == 0)
            continue;
        buffer_append(&making->text, slice_of(comma));
        write_name(making, world->resources.items[i]);
        buffer_printf(&making->text, ":\"%lld%s\"", (long long)requests.of[i], i == RESOURCE_CPU ? "m" : "");
        comma = ",";
    }
    buffer_append(&making->text, SLICE("}"));
}

static void find_launchable(Problem *problem, const Column *column, Launchable *ret_launchable) {
    const Family *family = &problem->families.items[column->family];
    const Pool *pool = family->claim->pool;
    Amounts box = column->charge;

    box.present = pool->limits.present;
    *ret_launchable = (Launchable){0};
    if (column->way) {
        vec_push(problem->world.arena, &ret_launchable->types, column->way->type);
        ret_launchable->choice = column->way;
        return;
    }
    CHECK(exact_launchable(problem, family, column->content, pool->limits.present ? &box : NULL, ret_launchable),
          "a column without types");
}

static void write_claim(PlanMaking *making, const Column *column) {
    Problem *problem = making->problem;
    const Family *family = &problem->families.items[column->family];
    Launchable launchable;
    const Offering *offering;

    find_launchable(problem, column, &launchable);
    offering = launchable.choice->offering;
    buffer_printf(&making->text, "%s\n{\"name\":\"exact-%u\",\"nodePool\":", making->claims ? "," : "", making->claims);
    making->claims++;
    making->price += offering->price_per_hour;
    write_name(making, family->claim->pool->name);
    write_types(making, family, &launchable);
    buffer_append(&making->text, SLICE(",\"requirements\":"));
    json_print(&making->text, family->requirements, false);
    write_requests(making, family, &launchable, column->content);
    buffer_append(&making->text, SLICE(",\"choice\":{\"instanceType\":"));
    write_name(making, launchable.choice->type->name);
    buffer_append(&making->text, SLICE(",\"zone\":"));
    write_name(making, offering->zone);
    buffer_append(&making->text, SLICE(",\"capacityType\":"));
    write_name(making, offering->capacity_type);
    buffer_printf(&making->text, ",\"pricePerHour\":%.17g}", offering->price_per_hour);
    write_pods(making, column->content);
}

static void write_unplaced(PlanMaking *making) {
    Problem *problem = making->problem;
    World *world = &problem->world;
    const char *comma = "";

    buffer_append(&making->text, SLICE("],\n\"unschedulable\":["));
    for (vec_each(Pod, pod, &world->pods)) {
        uint32_t index = (uint32_t)(pod - world->pods.items);
        bool placed = false;

        for (uint32_t i = 0; i < problem->items.count; i++) {
            for (uint32_t k = 0; k < making->used[i]; k++)
                placed |= problem->items.items[i].pods.items[k] == index;
        }
        if (placed || (!pod->is_pending && !pod->is_moved))
            continue;
        buffer_printf(&making->text, "%s{\"pod\":", comma);
        write_name(making, pod->name);
        buffer_append_char(&making->text, '}');
        comma = ",";
    }
}

Slice exact_write_plan(Problem *problem, const UseVec *uses) {
    PlanMaking making = {.problem = problem};
    const char *comma = "";
    Slice text;

    buffer_append(&making.text, SLICE("{\"nodeClaims\":["));
    for (vec_each(const Use, use, uses)) {
        const Column *column = &problem->columns.items[use->column];

        for (uint32_t i = 0; i < use->times && column->node == INDEX_NONE; i++)
            write_claim(&making, column);
    }
    buffer_append(&making.text, SLICE("],\n\"existingNodes\":["));
    for (vec_each(const Use, use, uses)) {
        const Column *column = &problem->columns.items[use->column];

        if (column->node == INDEX_NONE)
            continue;
        buffer_printf(&making.text, "%s{\"name\":", comma);
        write_name(&making, problem->world.nodes.items[column->node].name);
        write_pods(&making, column->content);
        comma = ",";
    }
    write_unplaced(&making);
    buffer_printf(&making.text, "],\n\"price\":{\"perHour\":%.17g}}\n", making.price);
    text = arena_slice(problem->world.arena, buffer_slice(&making.text));
    buffer_free(&making.text);
    return text;
}
