// Columns of the integer program: every content that a place can have, without dominated ones.
#include "exact/problem.h"

// Columns that differ only in their price and their charge of the pool's limits.
typedef struct {
    uint32_t cell;
    const Pool *pool;   // NULL: of any pool without limits, and without excuses
    Symbol reservation; // INDEX_NONE: none
    uint32_t *first;    // column by content, INDEX_NONE: none
} ColumnGroup;

typedef struct {
    Problem *problem;
    Vec(ColumnGroup) groups;
} ColumnMaking;

static ColumnGroup *find_group(ColumnMaking *making, uint32_t cell, const Pool *pool, Symbol reservation) {
    Arena *arena = making->problem->world.arena;
    ColumnGroup *group;

    for (vec_each(ColumnGroup, known, &making->groups)) {
        if (known->cell == cell && known->pool == pool && known->reservation == reservation)
            return known;
    }
    vec_push(arena, &making->groups, (ColumnGroup){cell, pool, reservation, NULL});
    group = vec_last(&making->groups);
    group->first = arena_array(arena, uint32_t, making->problem->content_count);
    memset(group->first, 0xff, making->problem->content_count * sizeof *group->first);
    return group;
}

static bool charges_no_more(const Amounts *a, const Amounts *b, const Pool *limited) {
    for (uint32_t i = 0; limited && i < RESOURCE_MAX; i++) {
        if (amounts_has(&limited->limits, i) && a->of[i] > b->of[i])
            return false;
    }
    return true;
}

static const Pool *limited_pool(const Problem *problem, uint32_t family) {
    const Pool *pool = problem->families.items[family].claim->pool;

    return pool->limits.present ? pool : NULL;
}

static void add_column(ColumnMaking *making, Column column) {
    Problem *problem = making->problem;
    const Pool *pool = problem->families.items[column.family].claim->pool;
    const Pool *limited = limited_pool(problem, column.family);
    ColumnGroup *group;

    if (!exact_find_excuses(problem, pool, problem->families.items[column.family].soft, column.content, column.cell,
                            &column.excuses))
        return;
    group = find_group(making, column.cell, column.excuses.some.count + column.excuses.all.count ? pool : limited,
                       column.reservation);
    for (uint32_t at = group->first[column.content]; at != INDEX_NONE; at = problem->columns.items[at].next) {
        Column *known = &problem->columns.items[at];

        if (known->price <= column.price && charges_no_more(&known->charge, &column.charge, limited))
            return;
        if (known->price >= column.price && charges_no_more(&column.charge, &known->charge, limited)) {
            column.next = known->next;
            *known = column;
            return;
        }
    }
    column.next = group->first[column.content];
    group->first[column.content] = problem->columns.count;
    vec_push(problem->world.arena, &problem->columns, column);
}

// ---- claims that are one way

typedef struct {
    const Way *way;
    uint32_t family;
} Choice;
typedef Vec(Choice) ChoiceVec;

static bool has_more_room(const Choice *one, const Choice *other) {
    for (uint32_t i = 0; i < RESOURCE_MAX; i++) {
        if (one->way->offering->allocatable.of[i] - one->way->daemons.of[i] <
            other->way->offering->allocatable.of[i] - other->way->daemons.of[i])
            return false;
    }
    return one->way->type->volume_limits.count == 0;
}

static Symbol reservation_of(const Offering *offering) {
    return offering->reservation_capacity >= 0 ? offering->reservation : INDEX_NONE;
}

// Whether a claim of one way can replace any of the other.
static bool is_better(const Problem *problem, const Choice *one, const Choice *other) {
    const Pool *limited = limited_pool(problem, one->family);

    return one->way->cell == other->way->cell && limited == limited_pool(problem, other->family) &&
           reservation_of(one->way->offering) == reservation_of(other->way->offering) &&
           one->way->offering->price_per_hour <= other->way->offering->price_per_hour &&
           (other->way->accepts & ~one->way->accepts) == 0 &&
           (one->way->soft & ~other->way->soft & other->way->accepts) == 0 &&
           problem->families.items[one->family].claim->pool->weight >=
               problem->families.items[other->family].claim->pool->weight &&
           charges_no_more(&one->way->offering->capacity, &other->way->offering->capacity, limited) &&
           has_more_room(one, other);
}

static void add_choice(const Problem *problem, ChoiceVec *choices, Choice choice) {
    uint32_t kept = 0;

    for (uint32_t i = 0; i < choices->count; i++) {
        if (is_better(problem, &choices->items[i], &choice))
            return;
    }
    for (uint32_t i = 0; i < choices->count; i++) {
        if (!is_better(problem, &choice, &choices->items[i]))
            choices->items[kept++] = choices->items[i];
    }
    choices->count = kept;
    vec_push(problem->world.arena, choices, choice);
}

static void add_way_column(ColumnMaking *making, const Choice *choice, uint32_t content) {
    Problem *problem = making->problem;
    Column column = {.content = content,
                     .cell = choice->way->cell,
                     .node = INDEX_NONE,
                     .family = choice->family,
                     .way = choice->way,
                     .price = choice->way->offering->price_per_hour,
                     .charge = choice->way->offering->capacity,
                     .reservation = reservation_of(choice->way->offering)};

    column.charge.of[RESOURCE_NODES] = 1;
    if (problem->content_is_fine[content] &&
        !exact_volumes_exceed(problem, content, &choice->way->type->volume_limits, NULL))
        add_column(making, column);
}

// Adds every content that fits, deciding items from `item` on.
static void fill_way(ColumnMaking *making, const Choice *choice, uint32_t item, uint32_t content, Amounts requests) {
    Problem *problem = making->problem;

    if (item == problem->items.count) {
        if (content)
            add_way_column(making, choice, content);
        return;
    }
    fill_way(making, choice, item + 1, content, requests);
    for (uint32_t i = 0; i < problem->items.items[item].count && choice->way->accepts >> item & 1; i++) {
        judge_amounts_add(&requests, &item_class(problem, item)->requests);
        if (judge_resource_short(&requests, &choice->way->offering->allocatable) < RESOURCE_MAX)
            return;
        content += problem->items.items[item].stride;
        fill_way(making, choice, item + 1, content, requests);
    }
}

// ---- claims that list many types

static void add_launchable_column(ColumnMaking *making, uint32_t family, uint32_t content, const Amounts *box) {
    Problem *problem = making->problem;
    Launchable launchable;

    if (exact_launchable(problem, &problem->families.items[family], content, box, &launchable) &&
        (content_items(problem, content) & exact_kept_out(problem, launchable.cell, INDEX_NONE)) == 0)
        add_column(making, (Column){.content = content,
                                    .cell = launchable.cell,
                                    .node = INDEX_NONE,
                                    .family = family,
                                    .price = launchable.price,
                                    .charge = launchable.charge,
                                    .reservation = reservation_of(launchable.choice->offering)});
}

// Under a limit a claim may list fewer types: every size is tried as the largest of each resource.
static void fill_boxes(ColumnMaking *making, uint32_t family, uint32_t content, Amounts box, uint32_t resource) {
    Problem *problem = making->problem;
    const Family *at = &problem->families.items[family];
    const Pool *limited = limited_pool(problem, family);
    Vec(int64_t) sizes = {0};

    while (resource < RESOURCE_MAX && (!amounts_has(&limited->limits, resource) || resource == RESOURCE_NODES))
        resource++;
    if (resource == RESOURCE_MAX)
        return add_launchable_column(making, family, content, &box);
    box.present |= UINT32_C(1) << resource;
    for (vec_each(const Way, way, &at->ways)) {
        bool known = false;

        for (vec_each(int64_t, size, &sizes))
            known |= *size == way->offering->capacity.of[resource];
        if (!known)
            vec_push(problem->world.arena, &sizes, way->offering->capacity.of[resource]);
    }
    for (vec_each(int64_t, size, &sizes)) {
        box.of[resource] = *size;
        fill_boxes(making, family, content, box, resource + 1);
    }
}

static void fill_family(ColumnMaking *making, uint32_t family) {
    Problem *problem = making->problem;

    for (uint32_t content = 1; content < problem->content_count; content++) {
        if (!problem->content_is_fine[content])
            continue;
        if (limited_pool(problem, family))
            fill_boxes(making, family, content, (Amounts){0}, 0);
        else
            add_launchable_column(making, family, content, NULL);
    }
}

// ---- nodes

static uint32_t find_node_accepts(Problem *problem, uint32_t node_index, uint32_t *ret_soft) {
    World *world = &problem->world;
    const Node *node = &world->nodes.items[node_index];
    Shape shape = {&node->states, NULL, NULL};
    uint32_t accepts = 0;

    for (uint32_t i = 0; i < problem->items.count; i++) {
        const PodClass *class = item_class(problem, i);

        if (node->is_deleting || node->is_unlaunched || judge_taint_in_the_way(world, class, &node->taints) ||
            !judge_class_holds_on(world, class, &shape) ||
            !judge_volumes_hold_on(world, &problem->items.items[i].pod->volumes, &shape) ||
            judge_ports_taken(&problem->scene, node_index, class, INDEX_NONE))
            continue;
        accepts |= UINT32_C(1) << i;
        for (vec_each(const Taint, taint, &node->taints)) {
            if (taint->effect == EFFECT_PREFER_NO_SCHEDULE && !judge_taint_is_tolerated(world, class, taint))
                *ret_soft |= UINT32_C(1) << i;
        }
    }
    return accepts & ~exact_kept_out(problem, exact_node_cell(problem, node_index), node_index);
}

// Bound pods count for the hostname spreads of new pods.
static bool host_rules_hold(Problem *problem, uint32_t node, uint32_t content) {
    for (vec_each(const HostRule, rule, &problem->host_rules)) {
        const PodClass *class = &problem->world.classes.items[rule->class_index];
        int64_t count = 0, bound = 0;

        for (uint32_t i = 0; i < problem->items.count; i++)
            count += rule->items >> i & 1 ? content_of(problem, content, i) : 0;
        for (vec_each(const Group, group, &problem->scene.groups)) {
            if (group->bin == node && !group->is_terminating &&
                judge_spread_matches(&problem->world, rule->spread, class,
                                     &problem->world.classes.items[group->class_index]))
                bound += group->count;
        }
        if (count && count + bound > rule->most)
            return false;
    }
    return true;
}

static void fill_node(Problem *problem, uint32_t node_index) {
    const Node *node = &problem->world.nodes.items[node_index];
    VolumeLimitVec limits = problem->question->plans == EXACT_ALL_VALID ? node->volume_limits
                                                                        : judge_expected_limits(&problem->world, node);
    Amounts room = judge_node_room(&problem->scene, node, false);
    uint32_t cell = exact_node_cell(problem, node_index);

    for (uint32_t content = 1; content < problem->content_count && problem->node_accepts[node_index]; content++) {
        Amounts requests;

        if (!problem->content_is_fine[content] ||
            (content_items(problem, content) & ~problem->node_accepts[node_index]))
            continue;
        requests = content_requests(problem, content);
        if (judge_resource_short(&requests, &room) < RESOURCE_MAX || !host_rules_hold(problem, node_index, content) ||
            exact_volumes_exceed(problem, content, &limits, node))
            continue;
        vec_push(problem->world.arena, &problem->columns,
                 (Column){.content = content, .cell = cell, .node = node_index, .reservation = INDEX_NONE});
        if (problem->question->plans != EXACT_ALL_VALID)
            exact_excuse_soft(problem, problem->node_soft[node_index] & content_items(problem, content), cell,
                              &vec_last(&problem->columns)->excuses);
    }
}

// ---- all of them

// Drops places with a taint that a pod minds where it has another one for certain.
static void drop_soft(Problem *problem) {
    for (uint32_t i = 0; i < problem->world.nodes.count; i++)
        problem->node_accepts[i] &= ~exact_hard_items(problem, problem->node_soft[i], exact_node_cell(problem, i));
    for (vec_each(const Family, family, &problem->families)) {
        for (vec_each(Way, way, &family->ways))
            way->accepts &= ~exact_hard_items(problem, way->soft, way->cell);
    }
}

static void find_accepts(Problem *problem) {
    uint32_t nodes = problem->world.nodes.count;

    problem->node_accepts = arena_array(problem->world.arena, uint32_t, nodes + 1);
    problem->node_soft = arena_array(problem->world.arena, uint32_t, nodes + 1);
    for (uint32_t i = 0; i < nodes; i++)
        problem->node_accepts[i] = find_node_accepts(problem, i, &problem->node_soft[i]);
    if (problem->question->plans == EXACT_ALL_VALID)
        return;
    exact_find_served(problem);
    drop_soft(problem);
}

void exact_make_columns(Problem *problem) {
    ColumnMaking making = {.problem = problem};
    ChoiceVec choices = {0};

    find_accepts(problem);
    for (uint32_t i = 0; i < problem->world.nodes.count; i++)
        fill_node(problem, i);
    for (uint32_t i = 0; i < problem->families.count; i++) {
        const Family *family = &problem->families.items[i];

        if (family->wants_values)
            fill_family(&making, i);
        for (uint32_t k = 0; k < family->ways.count && !family->wants_values; k++)
            add_choice(problem, &choices, (Choice){&family->ways.items[k], i});
    }
    for (vec_each(const Choice, choice, &choices))
        fill_way(&making, choice, 0, 0, choice->way->daemons);
}
