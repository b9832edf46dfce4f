// Items (equal pods) and contents (how many of each are on one host).
#include "exact/problem.h"

uint32_t content_items(const Problem *problem, uint32_t content) {
    uint32_t items = 0;

    for (uint32_t i = 0; i < problem->items.count; i++)
        items |= content_of(problem, content, i) ? UINT32_C(1) << i : 0;
    return items;
}

Amounts content_requests(const Problem *problem, uint32_t content) {
    Amounts sum = {0};

    for (uint32_t i = 0; i < problem->items.count; i++) {
        const Amounts *requests = &item_class(problem, i)->requests;

        for (uint32_t k = 0; k < RESOURCE_MAX; k++)
            sum.of[k] += requests->of[k] * content_of(problem, content, i);
        sum.present |= requests->present;
    }
    return sum;
}

static bool are_volumes_equal(const PodVolumeVec *a, const PodVolumeVec *b) {
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->items[i].claim != b->items[i].claim)
            return false;
    }
    return true;
}

static Item *find_item(Problem *problem, const Pod *pod) {
    for (vec_each(Item, item, &problem->items)) {
        if (item->class_index == pod->class_index && are_volumes_equal(&item->pod->volumes, &pod->volumes))
            return item;
    }
    if (problem->items.count == ITEMS_MAX) {
        problem->too_large = "too many different pods";
        return NULL;
    }
    vec_push(problem->world.arena, &problem->items,
             (Item){.class_index = pod->class_index,
                    .pod = pod,
                    .heaviest = judge_heaviest_home(&problem->scene, pod, true)});
    return vec_last(&problem->items);
}

// Whether the known plan has a place for a pod.
static bool is_placed(World *world, const Value *plan, Symbol name) {
    static const char *const lists[] = {"nodeClaims", "existingNodes"};

    for (size_t k = 0; k < 2; k++) {
        const Value *list = judge_read_list(plan, lists[k]);

        for (uint32_t i = 0; i < judge_read_count(list); i++) {
            U32Vec pods = judge_read_symbols(world, judge_read_list(&list->list.items[i], "pods"));

            if (judge_symbols_contain(&pods, name))
                return true;
        }
    }
    return false;
}

void exact_make_items(Problem *problem) {
    World *world = &problem->world;
    uint64_t stride = 1;

    for (vec_each(Pod, pod, &world->pods)) {
        bool counts = (pod->is_moved && !judge_class(world, pod)->has_resource_claims) ||
                      (pod->is_pending && pod->ignored == IGNORED_NO);
        Item *item;

        if (!counts && !(pod->is_pending && pod->ignored == IGNORED_MAYBE && problem->question->known &&
                         is_placed(world, problem->question->known, pod->name)))
            continue;
        item = find_item(problem, pod);
        if (!item)
            return;
        vec_push(world->arena, &item->pods, (uint32_t)(pod - world->pods.items));
        item->count++;
        problem->pod_count++;
    }
    for (vec_each(Item, item, &problem->items)) {
        item->stride = (uint32_t)stride;
        stride *= item->count + 1;
        if (stride > CONTENTS_MAX) {
            problem->too_large = "too many different contents of a node";
            return;
        }
    }
    problem->content_count = (uint32_t)stride;
    problem->all = (uint32_t)stride - 1;
}

// ---- on one host

static bool keeps_away(const Problem *problem, uint32_t owner, uint32_t other) {
    for (vec_each(AffinityTerm, term, &item_class(problem, owner)->anti_affinity)) {
        if (term->key == problem->scene.hostname_key &&
            judge_term_matches(&problem->world, term, item_class(problem, other)))
            return true;
    }
    return false;
}

static void find_apart(Problem *problem) {
    for (uint32_t i = 0; i < problem->items.count; i++) {
        for (uint32_t k = 0; k < problem->items.count; k++) {
            if (keeps_away(problem, i, k) || keeps_away(problem, k, i) ||
                judge_ports_conflict(&problem->world, &item_class(problem, i)->ports, &item_class(problem, k)->ports))
                problem->apart[i] |= UINT32_C(1) << k;
        }
    }
}

// At most maxSkew pods with a hostname spread are on one host: the minimum is 0, as a node can always be added.
static void find_host_rules(Problem *problem) {
    World *world = &problem->world;

    for (uint32_t i = 0; i < problem->items.count; i++) {
        const PodClass *class = item_class(problem, i);

        for (vec_each(const Spread, spread, &class->spreads)) {
            HostRule rule = {0, spread->max_skew, spread, problem->items.items[i].class_index};

            if (spread->key != problem->scene.hostname_key)
                continue;
            for (uint32_t k = 0; k < problem->items.count; k++) {
                bool owns = false;

                for (vec_each(Spread, other, &item_class(problem, k)->spreads))
                    owns |= other->identity == spread->identity;
                if (owns && judge_spread_matches(world, spread, class, item_class(problem, k)))
                    rule.items |= UINT32_C(1) << k;
            }
            vec_push(world->arena, &problem->host_rules, rule);
        }
    }
}

static bool is_fine(const Problem *problem, uint32_t content) {
    uint32_t items = content_items(problem, content);

    for (uint32_t i = 0; i < problem->items.count; i++) {
        uint32_t count = content_of(problem, content, i), others = items;

        if (count == 1)
            others &= ~(UINT32_C(1) << i);
        if (count && (problem->apart[i] & others))
            return false;
    }
    for (vec_each(const HostRule, rule, &problem->host_rules)) {
        int64_t count = 0;

        for (uint32_t i = 0; i < problem->items.count; i++)
            count += rule->items >> i & 1 ? content_of(problem, content, i) : 0;
        if (count > rule->most)
            return false;
    }
    return true;
}

void exact_judge_contents(Problem *problem) {
    find_apart(problem);
    find_host_rules(problem);
    problem->content_is_fine = arena_array(problem->world.arena, bool, problem->content_count);
    for (uint32_t content = 0; content < problem->content_count; content++)
        problem->content_is_fine[content] = is_fine(problem, content);
}

static void add_volumes(World *world, const Pod *pod, Symbol driver, U32Vec *claims) {
    for (vec_each(const PodVolume, volume, &pod->volumes)) {
        if (volume->driver == driver && !judge_symbols_contain(claims, volume->claim))
            vec_push(world->arena, claims, volume->claim);
    }
}

bool exact_volumes_exceed(Problem *problem, uint32_t content, const VolumeLimitVec *limits, const Node *node) {
    World *world = &problem->world;

    for (vec_each(const VolumeLimit, limit, limits)) {
        U32Vec claims = {0};
        uint32_t bound;

        for (uint32_t i = 0; node && i < node->pods.count; i++) {
            if (!world->pods.items[node->pods.items[i]].is_moved)
                add_volumes(world, &world->pods.items[node->pods.items[i]], limit->driver, &claims);
        }
        bound = claims.count;
        for (uint32_t i = 0; i < problem->items.count; i++) {
            if (content_of(problem, content, i))
                add_volumes(world, problem->items.items[i].pod, limit->driver, &claims);
        }
        if ((int64_t)claims.count > limit->count && claims.count > bound)
            return true;
    }
    return false;
}
