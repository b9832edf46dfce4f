// Compares topology groups with label classes, namespace by namespace.
#include "sched/input/group_index.h"

// Steps charged to the budget: for a group that is compared with labels, and for a namespace that it names.
enum { COMPARE_STEPS = BUDGET_STEPS_PER_US / 20, NAMESPACE_STEPS = 10 };

// Groups in the order of their numbers.
typedef struct {
    U32Vec forward, inverse;
} GroupsByKind;

// The groups that may select pods of a namespace.
typedef struct {
    IndexMap index;          // namespace to index into `of`
    Vec(GroupsByKind) of;    // of the namespaces that label classes are in
    GroupsByKind everywhere; // those that reach all namespaces
} GroupsByNamespace;

// NULL: no label class is in the namespace.
static GroupsByKind *groups_of(const GroupsByNamespace *sorted, Symbol ns) {
    uint32_t found = u64_map_get(&sorted->index, ns);

    return found == INDEX_NONE ? NULL : &sorted->of.items[found];
}

static void add_group(Arena *arena, GroupsByKind *groups, GroupKind kind, uint32_t number) {
    if (groups)
        vec_push(arena, kind == GROUP_INVERSE ? &groups->inverse : &groups->forward, number);
}

// By its first term: a group selects what all of its terms match. O(groups × namespaces that they name).
static GroupsByNamespace sort_groups(ClassTable *table, Arena *scratch) {
    GroupsByNamespace sorted = {0};

    for (vec_each(const LabelClass, labels, &table->label_classes)) {
        if (groups_of(&sorted, labels->ns))
            continue;
        u64_map_put(scratch, &sorted.index, labels->ns, sorted.of.count);
        vec_push(scratch, &sorted.of, (GroupsByKind){0});
    }
    for (uint32_t g = 0; g < table->topology->groups.count; g++) {
        const TopologyGroup *group = &table->topology->groups.items[g];
        const PodMatch *match = &group->matches.items[0];

        if (match->all_namespaces) {
            add_group(scratch, &sorted.everywhere, group->kind, g);
            continue;
        }
        class_table_spend(table, NAMESPACE_STEPS * (uint64_t)match->namespaces.count);
        for (vec_each(const Symbol, ns, &match->namespaces))
            add_group(scratch, groups_of(&sorted, *ns), group->kind, g);
    }
    return sorted;
}

static void compare(ClassTable *table, const GroupIndex *index, uint32_t label_class, uint32_t number) {
    const LabelClass *labels = &table->label_classes.items[label_class];
    const TopologyGroup *group = &table->topology->groups.items[number];

    if (!topology_group_selects(group, labels->ns, &labels->labels))
        return;
    vec_push(table->arena, group->kind == GROUP_INVERSE ? &index->avoided[label_class] : &index->counted[label_class],
             number);
    if (group->kind == GROUP_AFFINITY)
        vec_push(table->arena, &index->wanted[label_class], number);
}

// Compares the groups of two lists that share none, in the order of their numbers. False: the budget is used up.
static bool compare_all(ClassTable *table, const GroupIndex *index, uint32_t label_class, const U32Vec *own,
                        const U32Vec *everywhere) {
    uint32_t count = own->count + everywhere->count;

    table->rules_tested += count;
    if (!class_table_spend(table, COMPARE_STEPS * (uint64_t)count))
        return false;
    for (uint32_t i = 0, j = 0; i + j < count;) {
        bool from_own = j == everywhere->count || (i < own->count && own->items[i] < everywhere->items[j]);

        compare(table, index, label_class, from_own ? own->items[i++] : everywhere->items[j++]);
    }
    return true;
}

void group_index_make(ClassTable *table, GroupIndex *ret_index) {
    uint32_t count = table->label_classes.count;
    GroupIndex index = {arena_array(table->arena, U32Vec, count), arena_array(table->arena, U32Vec, count),
                        arena_array(table->arena, U32Vec, count)};
    Arena scratch = {0};
    GroupsByNamespace sorted = sort_groups(table, &scratch);
    bool going = true;

    for (uint32_t i = 0; i < count && going; i++) {
        const GroupsByKind *own = groups_of(&sorted, table->label_classes.items[i].ns);

        CHECK(own, "a label class whose namespace is not listed");
        going = compare_all(table, &index, i, &own->forward, &sorted.everywhere.forward) &&
                (i >= table->pending_label_classes ||
                 compare_all(table, &index, i, &own->inverse, &sorted.everywhere.inverse));
    }
    arena_free(&scratch);
    *ret_index = index;
}
