// Anti-affinity and affinity at the end state, as kube-scheduler's plugin InterPodAffinity judges them.
#include "checker/topology.h"

bool judge_term_matches(const World *world, const AffinityTerm *term, const PodClass *class) {
    return (term->every_namespace || judge_symbols_contain(&term->namespaces, class->ns)) &&
           judge_selector_matches(world, &term->selector, &class->labels);
}

bool judge_all_terms_match(const World *world, const AffinityTermVec *terms, const PodClass *class) {
    for (vec_each(AffinityTerm, term, terms)) {
        if (!judge_term_matches(world, term, class))
            return false;
    }
    return true;
}

// For spread kube-scheduler counts no pods for a selector without expressions; for affinity it matches all pods.
bool judge_spread_matches(const World *world, const Spread *spread, const PodClass *owner, const PodClass *class) {
    return spread->selector.expressions.count > 0 && owner->ns == class->ns &&
           judge_selector_matches(world, &spread->selector, &class->labels);
}

bool judge_spread_counts_bin(Scene *scene, uint32_t class_index, const Spread *spread, uint32_t bin) {
    const PodClass *class = &scene->world->classes.items[class_index];

    for (vec_each(Spread, other, &class->spreads)) {
        Domain domain = judge_scene_domain(scene, bin, other->key);

        if (domain.missing || (!domain.open && domain.values.count == 0))
            return false;
    }
    return judge_spread_policies_hold(scene, class_index, spread, bin);
}

bool judge_spread_policies_hold(Scene *scene, uint32_t class_index, const Spread *spread, uint32_t bin) {
    const PodClass *class = &scene->world->classes.items[class_index];

    if (spread->honor_affinity && !judge_scene_class_holds(scene, class_index, bin))
        return false;
    return !spread->honor_taints ||
           !judge_taint_in_the_way(scene->world, class, judge_bin_taints(&scene->bins.items[bin]));
}

static const char *text_of(const World *world, Symbol symbol, char *buffer, size_t size) {
    Slice text = judge_text(world, symbol);
    size_t length = text.len < size - 1 ? text.len : size - 1;

    memcpy(buffer, text.ptr, length);
    buffer[length] = '\0';
    return buffer;
}

// ---- anti-affinity

// Pods that a term of anti-affinity selects, by domain.
typedef struct {
    IndexMap all, planned;        // domain value to number of pods
    Vec(const Group *) undecided; // on bins whose domain is open
} Selected;

static uint32_t count_of(const IndexMap *map, Symbol value) {
    uint32_t count = u64_map_get(map, value);

    return count == INDEX_NONE ? 0 : count;
}

static void count_add(Arena *arena, IndexMap *map, Symbol value, uint32_t count) {
    u64_map_put(arena, map, value, count_of(map, value) + count);
}

static void select_groups(Scene *scene, const AffinityTerm *term, Selected *selected) {
    Arena *arena = scene->world->arena;

    for (vec_each(Group, group, &scene->groups)) {
        Domain domain;
        Symbol only;

        if (group->is_terminating ||
            !judge_term_matches(scene->world, term, &scene->world->classes.items[group->class_index]))
            continue;
        domain = judge_scene_domain(scene, group->bin, term->key);
        only = judge_domain_only(&domain);
        if (only == INDEX_NONE) {
            if (domain.open || domain.values.count)
                vec_push(arena, &selected->undecided, group);
            continue;
        }
        count_add(arena, &selected->all, only, group->count);
        if (group->is_new)
            count_add(arena, &selected->planned, only, group->count);
    }
}

static void report_apart(Scene *scene, const Group *owner, Symbol other, const AffinityTerm *term, bool certain) {
    World *world = scene->world;
    char key[256], name[256];

    judge_report(world, certain ? "anti-affinity" : "undecided-domain", owner->pod,
                 certain ? "its anti-affinity on %s is broken in %s"
                         : "its anti-affinity on %s may be broken: a label is left open, see %s",
                 text_of(world, term->key, key, sizeof key), text_of(world, other, name, sizeof name));
}

// An owner whose own domain is known.
static void judge_decided(Scene *scene, const Group *owner, const AffinityTerm *term, const Selected *selected,
                          Symbol value) {
    const PodClass *class = &scene->world->classes.items[owner->class_index];
    uint32_t self = judge_term_matches(scene->world, term, class) ? 1 : 0;
    uint32_t others = owner->is_new ? count_of(&selected->all, value) - self : count_of(&selected->planned, value);

    if (others > 0)
        return report_apart(scene, owner, value, term, true);
    for (uint32_t i = 0; i < selected->undecided.count; i++) {
        const Group *other = selected->undecided.items[i];
        Domain domain = judge_scene_domain(scene, other->bin, term->key);

        if ((owner->is_new || other->is_new) && judge_domain_has(&domain, value))
            return report_apart(scene, owner, scene->bins.items[other->bin].name, term, false);
    }
}

// An owner on a claim that may still go to several domains.
static void judge_undecided(Scene *scene, const Group *owner, const AffinityTerm *term, const Domain *domain,
                            const Selected *selected) {
    for (uint32_t i = 0; i < selected->undecided.count; i++) {
        const Group *other = selected->undecided.items[i];
        Domain own = judge_scene_domain(scene, other->bin, term->key);

        if (other->bin == owner->bin && (other != owner || owner->count > 1))
            return report_apart(scene, owner, scene->bins.items[owner->bin].name, term, !domain->missing);
        if (other->bin != owner->bin && judge_domains_may_meet(domain, &own))
            return report_apart(scene, owner, scene->bins.items[other->bin].name, term, false);
    }
    for (uint32_t i = 0; i < domain->values.count; i++) {
        if (count_of(&selected->all, domain->values.items[i]))
            return report_apart(scene, owner, domain->values.items[i], term, false);
    }
}

static void verify_anti_term(Scene *scene, uint32_t class_index, const AffinityTerm *term) {
    Selected selected = {0};

    select_groups(scene, term, &selected);
    for (vec_each(Group, group, &scene->groups)) {
        Domain domain;

        if (group->class_index != class_index || group->is_terminating)
            continue;
        domain = judge_scene_domain(scene, group->bin, term->key);
        if (judge_domain_only(&domain) != INDEX_NONE)
            judge_decided(scene, group, term, &selected, judge_domain_only(&domain));
        else if (domain.open || domain.values.count)
            judge_undecided(scene, group, term, &domain, &selected);
    }
}

void judge_verify_anti_affinity(Scene *scene) {
    for (uint32_t i = 0; i < scene->world->classes.count; i++) {
        for (uint32_t k = 0; k < scene->world->classes.items[i].anti_affinity.count; k++)
            verify_anti_term(scene, i, &scene->world->classes.items[i].anti_affinity.items[k]);
    }
}

// ---- affinity

typedef enum { MEETS_NO, MEETS_PERHAPS, MEETS } Meets;

// Pods are placed in an order that kube-scheduler could use: first bound ones and those without affinity, then pods
// whose affinity is met, then the first pod of a group with affinity to itself.
typedef struct {
    Scene *scene;
    bool *placed;       // by group
    bool *bootstrapped; // placed because no pod matched yet, or because of such a pod
} Order;

// The placed pods that match all terms of a group's class, seen through one term.
typedef struct {
    U32Vec values; // domains that have one for certain
    bool in_bin;   // one is in the group's own bin
    bool perhaps;  // one may be in the same domain, depending on what is launched
    bool bootstrapped;
} Company;

static Company company_of(const Order *order, const Group *group, const AffinityTerm *term) {
    Scene *scene = order->scene;
    const AffinityTermVec *terms = &scene->world->classes.items[group->class_index].affinity;
    Domain own = judge_scene_domain(scene, group->bin, term->key);
    Company company = {0};

    for (vec_each(Group, other, &scene->groups)) {
        uint32_t index = (uint32_t)(other - scene->groups.items);
        Domain domain;
        Symbol only;

        if (other == group || !order->placed[index] ||
            !judge_all_terms_match(scene->world, terms, &scene->world->classes.items[other->class_index]))
            continue;
        domain = judge_scene_domain(scene, other->bin, term->key);
        only = judge_domain_only(&domain);
        if (other->bin == group->bin)
            company.in_bin = true;
        else if (only != INDEX_NONE && !judge_symbols_contain(&company.values, only))
            vec_push(scene->world->arena, &company.values, only);
        company.perhaps |= judge_domains_may_meet(&own, &domain);
        company.bootstrapped |= order->bootstrapped[index] && judge_domains_may_meet(&own, &domain);
    }
    return company;
}

// Whether a term holds in every domain that the group's bin may come to be in.
static Meets term_served(const Order *order, const Group *group, const AffinityTerm *term, bool *ret_by_bootstrap) {
    Domain own = judge_scene_domain(order->scene, group->bin, term->key);
    Company company = company_of(order, group, term);
    bool covered = true;

    if (own.missing || (!own.open && own.values.count == 0))
        return MEETS_NO;
    for (uint32_t i = 0; i < own.values.count; i++)
        covered = covered && judge_symbols_contain(&company.values, own.values.items[i]);
    *ret_by_bootstrap |= company.bootstrapped;
    if (company.in_bin || (covered && !own.open))
        return MEETS;
    return company.perhaps ? MEETS_PERHAPS : MEETS_NO;
}

// Whether the affinity of a group is met by the groups placed so far.
static Meets served(const Order *order, const Group *group, bool *ret_by_bootstrap) {
    const PodClass *class = &order->scene->world->classes.items[group->class_index];
    Meets all = MEETS;

    for (vec_each(AffinityTerm, term, &class->affinity)) {
        Meets meets = term_served(order, group, term, ret_by_bootstrap);

        all = meets < all ? meets : all;
    }
    return all;
}

static bool settle(Order *order) {
    Scene *scene = order->scene;
    bool progress = false;

    for (vec_each(Group, group, &scene->groups)) {
        uint32_t index = (uint32_t)(group - scene->groups.items);
        bool by_bootstrap = false;

        if (order->placed[index] || served(order, group, &by_bootstrap) != MEETS)
            continue;
        order->placed[index] = progress = true;
        order->bootstrapped[index] = by_bootstrap;
    }
    return progress;
}

// Whether a bin has the label of some term: a pod on a node without them cannot be joined.
static bool has_any_key(Scene *scene, uint32_t bin, const AffinityTermVec *terms) {
    for (vec_each(const AffinityTerm, term, terms)) {
        Domain domain = judge_scene_domain(scene, bin, term->key);

        if (domain.open || domain.values.count)
            return true;
    }
    return false;
}

// kube-scheduler places the first pod of a group anywhere if no other pod matches all its terms and the node has all
// keys. Matching pods that do not depend on it may be placed later, but must not be bound already.
static bool can_bootstrap(const Order *order, const Group *group) {
    Scene *scene = order->scene;
    const PodClass *class = &scene->world->classes.items[group->class_index];

    if (!judge_all_terms_match(scene->world, &class->affinity, class))
        return false;
    for (vec_each(AffinityTerm, term, &class->affinity)) {
        Domain domain = judge_scene_domain(scene, group->bin, term->key);

        if (domain.missing || (!domain.open && domain.values.count == 0))
            return false;
    }
    for (vec_each(Group, other, &scene->groups)) {
        uint32_t index = (uint32_t)(other - scene->groups.items);
        bool is_before =
            (!other->is_new && !other->is_terminating) || (order->placed[index] && order->bootstrapped[index]);

        if (other != group && is_before && has_any_key(scene, other->bin, &class->affinity) &&
            judge_all_terms_match(scene->world, &class->affinity, &scene->world->classes.items[other->class_index]))
            return false;
    }
    return true;
}

static bool bootstrap_one(Order *order) {
    for (vec_each(Group, group, &order->scene->groups)) {
        uint32_t index = (uint32_t)(group - order->scene->groups.items);

        if (order->placed[index] || !can_bootstrap(order, group))
            continue;
        order->placed[index] = order->bootstrapped[index] = true;
        return true;
    }
    return false;
}

void judge_verify_affinity(Scene *scene) {
    World *world = scene->world;
    Order order = {scene, arena_array(world->arena, bool, scene->groups.count + 1),
                   arena_array(world->arena, bool, scene->groups.count + 1)};
    bool anybody = false;

    for (vec_each(Group, group, &scene->groups)) {
        bool wants = group->is_new && world->classes.items[group->class_index].affinity.count > 0;

        order.placed[group - scene->groups.items] = !wants;
        anybody |= wants;
    }
    if (!anybody)
        return;
    do {
        while (settle(&order))
            ;
    } while (bootstrap_one(&order));
    for (vec_each(Group, group, &scene->groups)) {
        bool ignore = false, perhaps;

        if (order.placed[group - scene->groups.items])
            continue;
        perhaps = served(&order, group, &ignore) == MEETS_PERHAPS;
        judge_report(world, perhaps ? "undecided-domain" : "affinity", group->pod,
                     perhaps ? "whether its pod affinity holds on %.*s depends on what is launched"
                             : "no pod that its affinity wants is beside it on %.*s",
                     SLICE_ARG(judge_text(world, scene->bins.items[group->bin].name)));
    }
}
