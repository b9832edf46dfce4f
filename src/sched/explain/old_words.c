// The sentences around causes, which are the same in both.
#include "sched/explain/old_words.h"

#include "sched/explain/types.h"

#include "model/pool_name.h"

static const Slice asked = SLICE_INIT(", requirements="),
                   typo = SLICE_INIT(" (CPU request >= 1 Million, m vs M typo?)");

// Keys that v0.31 did not know, and the translation has added.
static bool is_of_today(Slice key) {
    static const char *const keys[] = {"karpenter.sh/nodepool", "karpenter.sh/registered", "karpenter.sh/initialized",
                                       "karpenter.k8s.aws/ec2nodeclass"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (slice_eq_text(key, keys[i]))
            return true;
    }
    return false;
}

static Slice old_requirements(const Explanation *e) {
    Arena *arena = e->solver->arena;
    const Symbols *symbols = e->solver->universe.symbols;
    Requirements all = requirements_copy(arena, &e->pool->requirements), kept = {0};

    requirements_add_all(arena, symbols, &all, &e->pod);
    for (vec_each(const Requirement, requirement, &all)) {
        if (!is_of_today(symbol_text(symbols, requirement->key)))
            vec_push(arena, &kept, *requirement);
    }
    return requirements_print(arena, symbols, &kept);
}

// "no instance type satisfied resources … and requirements … (<cause>)"
static Slice unsatisfied(const Explanation *e, Slice cause, const Resources *daemons) {
    Arena *arena = e->solver->arena;
    Resources wanted = resources_copy(arena, &e->class->request_list);
    bool is_typo = slice_ends_with(e->reason->text, typo);

    resources_add(arena, &wanted, daemons);
    return arena_printf(arena, "no instance type satisfied resources %.*s and requirements %.*s (%.*s%.*s)",
                        SLICE_ARG(resources_print_json(arena, e->solver->universe.symbols, &wanted)),
                        SLICE_ARG(old_requirements(e)), SLICE_ARG(cause), is_typo ? (int)typo.len : 0, typo.ptr);
}

// A cause of types is followed by what was asked of them.
static Slice complaint_of(const Explanation *e, const Resources *daemons) {
    Slice text = e->reason->text;
    const char *at = memmem(text.ptr, text.len, asked.ptr, asked.len);

    return at ? unsatisfied(e, slice_first(text, (size_t)(at - text.ptr)), daemons) : text;
}

void explain_in_old_words(Explanation *e) {
    Slice provisioner = pool_provisioner(explain_pool_name(e));
    Resources daemons;

    if (!provisioner.len || e->reason->check == CHECK_POOL || e->reason->check == CHECK_LIMIT_NODES)
        return;
    if (slice_starts_with(e->reason->text, SLICE("all available instance types exceed limits"))) {
        e->reason->text =
            arena_printf(e->solver->result, "all available instance types exceed limits for provisioner: \"%.*s\"",
                         SLICE_ARG(provisioner));
        return;
    }
    daemons = explain_daemons(e);
    e->reason->text =
        arena_printf(e->solver->result, "incompatible with provisioner \"%.*s\", daemonset overhead=%.*s, %.*s",
                     SLICE_ARG(provisioner),
                     SLICE_ARG(resources_print_json(e->solver->arena, e->solver->universe.symbols, &daemons)),
                     SLICE_ARG(complaint_of(e, &daemons)));
}
