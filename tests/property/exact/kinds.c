// Which kinds of constraints an input has.
#include "exact/problem.h"

const char *exact_kind_text(ExactKind kind) {
    static const char *const texts[] = {
#define X(name, text) [EXACT_##name] = text,
        EXACT_KINDS(X)
#undef X
    };

    return texts[kind];
}

static uint32_t bit(ExactKind kind) {
    return UINT32_C(1) << kind;
}

static uint32_t kinds_of_item(const Problem *problem, uint32_t item) {
    const PodClass *class = item_class(problem, item);
    Symbol hostname = problem->scene.hostname_key;
    uint32_t kinds = 0;

    for (vec_each(const Spread, spread, &class->spreads)) {
        bool is_zone = slice_eq_text(judge_text(&problem->world, spread->key), "topology.kubernetes.io/zone");

        kinds |= bit(spread->key == hostname ? EXACT_HOST_SPREAD : is_zone ? EXACT_ZONE_SPREAD : EXACT_OTHER_SPREAD);
    }
    for (vec_each(const AffinityTerm, term, &class->affinity))
        kinds |= bit(term->key == hostname ? EXACT_HOST_AFFINITY : EXACT_OTHER_AFFINITY);
    for (vec_each(const AffinityTerm, term, &class->anti_affinity))
        kinds |= bit(term->key == hostname ? EXACT_HOST_ANTI_AFFINITY : EXACT_OTHER_ANTI_AFFINITY);
    kinds |= class->terms.count > 1 ? bit(EXACT_OR_TERMS) : 0;
    kinds |= problem->items.items[item].pod->volumes.count ? bit(EXACT_VOLUMES) : 0;
    kinds |= class->ports.count ? bit(EXACT_PORTS) : 0;
    return kinds;
}

uint32_t exact_kinds(const Problem *problem) {
    const World *world = &problem->world;
    uint32_t kinds = (world->nodes.count ? bit(EXACT_NODES) : 0) | (world->has_overrides ? bit(EXACT_OVERRIDES) : 0);

    for (uint32_t i = 0; i < problem->items.count; i++)
        kinds |= kinds_of_item(problem, i);
    for (vec_each(const Pool, pool, &world->pools)) {
        kinds |= pool->limits.present ? bit(EXACT_LIMITS) : 0;
        kinds |= pool->weight != world->pools.items[0].weight ? bit(EXACT_WEIGHTS) : 0;
        for (vec_each(const Pool, other, &world->pools))
            kinds |= pool->limits.present && other->weight < pool->weight ? bit(EXACT_HEAVIER_LIMITED) : 0;
    }
    for (vec_each(const Family, family, &problem->families)) {
        kinds |= family->wants_values ? bit(EXACT_MIN_VALUES) : 0;
        for (vec_each(const Way, way, &family->ways))
            kinds |= (way->offering->reservation_capacity >= 0 ? bit(EXACT_RESERVATIONS) : 0) |
                     (way->soft ? bit(EXACT_SOFT_TAINTS) : 0);
    }
    return kinds;
}
