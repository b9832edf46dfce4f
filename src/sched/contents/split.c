// Dynamic programming over contents on three levels: claims (the next claim has the first pod that is left), existing
// nodes, and domains.
#include "sched/contents/split.h"

#include <math.h>

// --- domains

// The number of rules on a key.
static uint32_t count_rules(const SmallProblem *problem, uint32_t key) {
    uint32_t rules = 0;

    for (vec_each(const SmallCount, count, &problem->counts))
        rules += count->key == key;
    for (vec_each(const SmallTogether, together, &problem->togethers))
        rules += together->key == key;
    for (vec_each(const SmallApart, apart, &problem->aparts))
        rules += apart->key == key;
    return rules;
}

static uint32_t choose_key(const SmallProblem *problem) {
    uint32_t best = INDEX_NONE, most = 0;

    for (uint32_t key = 0; key < problem->keys.count; key++) {
        uint32_t rules = count_rules(problem, key);

        if (rules > most) {
            most = rules;
            best = key;
        }
    }
    return best;
}

static bool keeps_count(const SmallProblem *problem, const SmallCount *count, uint32_t content) {
    double pods = (double)small_pods(problem, content, count->items);

    return count->at_least ? pods >= count->bound : pods <= count->bound;
}

// A content has all owners or none.
static bool keeps_together(const SmallProblem *problem, const SmallTogether *together, uint32_t content) {
    return !(problem->items_of[content] & together->owners) ||
           small_pods(problem, content, together->owners) ==
               small_pods(problem, problem->content_count - 1, together->owners);
}

static bool keeps_apart(const SmallProblem *problem, const SmallApart *apart, uint32_t content) {
    uint32_t items = problem->items_of[content];

    return !(items & apart->owners) || !(items & apart->minded) ||
           small_pods(problem, content, apart->owners | apart->minded) == 1;
}

// Whether a domain of the key may have these pods. `is_none`: nodes without the label, where anti-affinity has no
// effect.
static bool may_have(const SmallProblem *problem, uint32_t key, const SmallDomain *domain, bool is_none,
                     uint32_t content) {
    for (vec_each(const SmallCount, count, &problem->counts)) {
        if (count->key == key && (count->cells & domain->cells) && !keeps_count(problem, count, content))
            return false;
    }
    for (vec_each(const SmallTogether, together, &problem->togethers)) {
        if (together->key == key && !keeps_together(problem, together, content))
            return false;
    }
    for (vec_each(const SmallApart, apart, &problem->aparts)) {
        if (apart->key == key && !is_none && !keeps_apart(problem, apart, content))
            return false;
    }
    return true;
}

static void add_domain(SmallSplit *split, uint32_t atom) {
    const SmallProblem *problem = split->problem;
    bool *deals = arena_array(problem->arena, bool, problem->content_count);
    SmallDomain domain = {.deals = deals};

    for (uint32_t i = 0; i < problem->cells.count; i++)
        domain.cells |= (uint64_t)(problem->cells.items[i].atoms[split->key] == atom) << i;
    for (uint32_t content = 0; content < problem->content_count; content++)
        deals[content] = may_have(problem, split->key, &domain, atom == INDEX_NONE, content);
    vec_push(problem->arena, &split->domains, domain);
}

uint32_t small_split_domain(const SmallSplit *split, uint32_t cell) {
    uint32_t domain = 0;

    while (!(split->domains.items[domain].cells >> cell & 1))
        domain++;
    return domain;
}

static void make_domains(SmallSplit *split) {
    const SmallProblem *problem = split->problem;
    uint64_t seen = 0;

    if (split->key == INDEX_NONE)
        vec_push(problem->arena, &split->domains, (SmallDomain){.cells = ~UINT64_C(0)});
    for (uint32_t cell = 0; split->key != INDEX_NONE && cell < problem->cells.count; cell++) {
        if (seen >> cell & 1)
            continue;
        add_domain(split, problem->cells.items[cell].atoms[split->key]);
        seen |= vec_last(&split->domains)->cells;
    }
}

// --- sizes

uint64_t small_split_pairs(const SmallProblem *problem) {
    double pairs = 1;

    for (uint32_t item = 0; item < problem->item_count; item++)
        pairs *= (problem->items[item].count + 1) * (problem->items[item].count + 2) / 2.0;
    return pairs < 1e15 ? (uint64_t)pairs : UINT64_C(1000000000000000);
}

static void add_stages(SmallSplit *split, uint32_t number, uint64_t steps, uint32_t *ret_left) {
    const SmallProblem *problem = split->problem;
    SmallDomain *domain = &split->domains.items[number];

    domain->first = split->stages.count;
    for (uint32_t i = 0; i < problem->nodes.count; i++) {
        const SmallPlace *node = &problem->nodes.items[i];
        uint64_t cost = (uint64_t)node->contents.count * problem->content_count;

        if (!(domain->cells >> node->cell & 1))
            continue;
        for (; ret_left[i] && split->work + cost <= steps; split->work += cost, ret_left[i]--)
            vec_push(problem->arena, &split->stages, i);
    }
    domain->count = split->stages.count - domain->first;
}

bool small_split_init(SmallSplit *split, const SmallProblem *problem, uint64_t steps, uint32_t *ret_left) {
    uint64_t pairs = small_split_pairs(problem);
    int64_t pods = small_pods(problem, problem->content_count - 1, SMALL_ALL);
    uint32_t layers = 0;

    *split = (SmallSplit){.problem = problem, .key = choose_key(problem)};
    make_domains(split);
    if (split->domains.count > 1 && pairs * split->domains.count * 2 > steps) {
        split->key = INDEX_NONE;
        split->domains.count = 0;
        make_domains(split);
    }
    split->work = pairs * (split->domains.count * 2 - 1);
    if (split->work > steps)
        return false;
    for (uint32_t i = 0; i < problem->nodes.count; i++)
        ret_left[i] = problem->nodes.items[i].bins.count < pods ? problem->nodes.items[i].bins.count : (uint32_t)pods;
    for (uint32_t i = 0; i < split->domains.count; i++) {
        add_stages(split, i, steps, ret_left);
        split->domains.items[i].layer = layers;
        layers += split->domains.items[i].count + 1;
    }
    split->rest = arena_array(problem->arena, double, (size_t)layers * problem->content_count);
    split->taken = arena_array(problem->arena, uint32_t, (size_t)layers * problem->content_count);
    split->dealt = arena_array(problem->arena, double, (size_t)split->domains.count * problem->content_count);
    split->given = arena_array(problem->arena, uint32_t, (size_t)split->domains.count * problem->content_count);
    return true;
}

// --- two parts of a content

typedef struct {
    const SmallProblem *problem;
    const double *prices, *rest; // prices of the part, and of what is left
    const bool *may;             // per content: whether it is allowed as the part; NULL: any
    uint32_t whole;
    uint32_t parts[SMALL_ITEMS_MAX]; // counts of items in `whole`
    double best;
    uint32_t best_content;
} Search;

// Tries all parts of `whole` that extend `content`, in which the items before `item` are decided.
static void try_parts(Search *search, uint32_t item, uint32_t content) {
    const SmallProblem *problem = search->problem;

    if (item == problem->item_count) {
        double price = search->prices[content] + search->rest[search->whole - content];

        if (price < search->best && (!search->may || search->may[content])) {
            search->best = price;
            search->best_content = content;
        }
        return;
    }
    for (uint32_t part = 0; part <= search->parts[item]; part++)
        try_parts(search, item + 1, content + part * problem->items[item].stride);
}

static void start(Search *search, uint32_t whole) {
    search->whole = whole;
    search->best = INFINITY;
    search->best_content = 0;
    for (uint32_t item = 0; item < search->problem->item_count; item++)
        search->parts[item] = small_part(search->problem, whole, item);
}

// --- claims, and nodes of a domain

static void deal_to_claims(SmallSplit *split, const SmallDomain *domain, const double *prices) {
    const SmallProblem *problem = split->problem;
    double *rest = split->rest + (size_t)domain->layer * problem->content_count;
    uint32_t *taken = split->taken + (size_t)domain->layer * problem->content_count;
    Search search = {.problem = problem, .prices = prices, .rest = rest};

    rest[0] = 0;
    for (uint32_t whole = 1; whole < problem->content_count; whole++) {
        uint32_t first = (uint32_t)__builtin_ctz(problem->items_of[whole]);

        start(&search, whole);
        for (uint32_t part = 1; part <= search.parts[first]; part++)
            try_parts(&search, first + 1, part * problem->items[first].stride);
        rest[whole] = search.best;
        taken[whole] = search.best_content;
    }
}

static bool is_part(const SmallProblem *problem, uint32_t part, uint32_t whole) {
    for (uint32_t item = 0; item < problem->item_count; item++) {
        if (small_part(problem, part, item) > small_part(problem, whole, item))
            return false;
    }
    return true;
}

// `layer`: the layer before that of the node.
static void deal_to_node(SmallSplit *split, uint32_t layer, const SmallPlace *node, uint32_t whole,
                         const double *prices) {
    const SmallProblem *problem = split->problem;
    const double *before = split->rest + (size_t)layer * problem->content_count;
    double best = before[whole];
    uint32_t best_content = 0;

    for (vec_each(const uint32_t, content, &node->contents)) {
        double price;

        if (*content > whole)
            break;
        price = prices[*content] + before[whole - *content];
        if (price < best && is_part(problem, *content, whole)) {
            best = price;
            best_content = *content;
        }
    }
    split->rest[(size_t)(layer + 1) * problem->content_count + whole] = best;
    split->taken[(size_t)(layer + 1) * problem->content_count + whole] = best_content;
}

// The least prices of contents in the domain; `whole_only`: only the content with all pods is needed.
static const double *deal_in_domain(SmallSplit *split, const SmallDomain *domain, const double *claims,
                                    const double *nodes, bool whole_only) {
    const SmallProblem *problem = split->problem;
    uint32_t last = problem->content_count - 1;

    deal_to_claims(split, domain, claims);
    for (uint32_t stage = 0; stage < domain->count; stage++) {
        const SmallPlace *node = &problem->nodes.items[split->stages.items[domain->first + stage]];
        bool is_last = whole_only && stage + 1 == domain->count;

        for (uint32_t whole = is_last ? last : 0; whole <= last; whole++)
            deal_to_node(split, domain->layer + stage, node, whole,
                         nodes + (size_t)node->cell * problem->content_count);
    }
    return split->rest + (size_t)(domain->layer + domain->count) * problem->content_count;
}

// --- domains

// The first domain has the contents that are left by the others.
static void deal_to_first(SmallSplit *split, const double *prices) {
    const bool *deals = split->domains.items[0].deals;

    for (uint32_t content = 0; content < split->problem->content_count; content++) {
        split->dealt[content] = !deals || deals[content] ? prices[content] : INFINITY;
        split->given[content] = content;
    }
}

static void deal_to_domain(SmallSplit *split, uint32_t number, const double *prices) {
    const SmallProblem *problem = split->problem;
    uint32_t last = problem->content_count - 1;
    double *dealt = split->dealt + (size_t)number * problem->content_count;
    Search search = {.problem = problem,
                     .prices = prices,
                     .rest = dealt - problem->content_count,
                     .may = split->domains.items[number].deals};

    for (uint32_t whole = number + 1 == split->domains.count ? last : 0; whole <= last; whole++) {
        start(&search, whole);
        try_parts(&search, 0, 0);
        dealt[whole] = search.best;
        split->given[(size_t)number * problem->content_count + whole] = search.best_content;
    }
}

double small_split_solve(SmallSplit *split, const double *claims, const double *nodes) {
    uint32_t contents = split->problem->content_count;

    for (uint32_t i = 0; i < split->domains.count; i++) {
        const double *prices = deal_in_domain(split, &split->domains.items[i], claims + (size_t)i * contents, nodes,
                                              split->domains.count == 1);

        if (i == 0)
            deal_to_first(split, prices);
        else
            deal_to_domain(split, i, prices);
    }
    return split->dealt[(size_t)split->domains.count * contents - 1];
}

static void use_in_domain(const SmallSplit *split, uint32_t number, uint32_t left, SmallUse *use, void *context) {
    const SmallDomain *domain = &split->domains.items[number];
    const uint32_t *taken = split->taken + (size_t)domain->layer * split->problem->content_count;

    for (uint32_t stage = domain->count; stage-- > 0;) {
        uint32_t content = taken[(size_t)(stage + 1) * split->problem->content_count + left];

        if (content)
            use(context, number, split->stages.items[domain->first + stage], content);
        left -= content;
    }
    for (; left; left -= taken[left])
        use(context, number, INDEX_NONE, taken[left]);
}

void small_split_each(const SmallSplit *split, SmallUse *use, void *context) {
    uint32_t left = split->problem->content_count - 1;

    for (uint32_t i = split->domains.count; i-- > 0;) {
        uint32_t part = split->given[(size_t)i * split->problem->content_count + left];

        use_in_domain(split, i, part, use, context);
        left -= part;
    }
}
