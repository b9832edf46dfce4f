// NodePool and EC2NodeClass of v1beta1 and v1 (R181). Whether they are valid, tenon plan says; here a member of a wrong
// type is one that is absent.
#include "doctor/gather_parts.h"

#include "text/duration.h"

#include "base/time.h"

static const Value *list_of(const Value *value) {
    return value && value->kind == VALUE_LIST ? value : NULL;
}

static SliceVec texts_of(Gathering *gathering, const Value *list) {
    SliceVec texts = {0};

    if (!list_of(list))
        return texts;
    for (vec_each(const Value, element, &list->list))
        vec_push(gathering->arena, &texts,
                 element->kind == VALUE_STRING || element->kind == VALUE_NUMBER ? element->text : SLICE(""));
    return texts;
}

// Pools.

static OldRequirementVec requirements_of(Gathering *gathering, const Value *list) {
    OldRequirementVec requirements = {0};

    if (!list_of(list))
        return requirements;
    for (vec_each(const Value, element, &list->list))
        vec_push(gathering->arena, &requirements,
                 (OldRequirement){.key = gather_text(element, "key"),
                                  .operator= gather_text(element, "operator"),
                                  .values = texts_of(gathering, value_get_text(element, "values"))});
    return requirements;
}

static OldTaintVec taints_of(Gathering *gathering, const Value *list) {
    OldTaintVec taints = {0};

    if (!list_of(list))
        return taints;
    for (vec_each(const Value, element, &list->list))
        vec_push(gathering->arena, &taints,
                 (OldTaint){.key = gather_text(element, "key"),
                            .value = gather_text(element, "value"),
                            .effect = gather_text(element, "effect")});
    return taints;
}

// In v1beta1 it belonged to the disruption. What neither says is 720h.
static void set_lifetime(FactPool *pool, const Value *spec) {
    Slice newer = gather_text(value_at(spec, "template", "spec", NULL), "expireAfter");
    Slice older = gather_text(value_get_text(spec, "disruption"), "expireAfter");
    int64_t ns;

    pool->lifetime_field = older.len ? "spec.disruption.expireAfter" : "spec.template.spec.expireAfter";
    pool->lifetime_s = -1;
    if (duration_parse(newer.len ? newer : older, &ns, NULL) == OK)
        pool->lifetime_s = ns / NS_PER_S;
}

void gather_pool(Gathering *gathering, const Value *object) {
    const Value *spec = value_get_text(object, "spec"), *node = value_at(spec, "template", "spec", NULL);
    FactPool pool = {.place = gather_place(gathering, object),
                     .kind = SLICE("NodePool"),
                     .name = gather_text(value_get_text(object, "metadata"), "name"),
                     .class_name = gather_text(value_get_text(node, "nodeClassRef"), "name"),
                     .requirements = requirements_of(gathering, value_get_text(node, "requirements")),
                     .taints = taints_of(gathering, value_get_text(node, "taints")),
                     .labels = gather_text_map(gathering, value_at(spec, "template", "metadata", "labels", NULL))};
    const Value *weight = value_get_text(spec, "weight");

    pool.written = pool.requirements.count;
    if (weight)
        value_to_int64(weight, &pool.weight);
    set_lifetime(&pool, spec);
    gathering->facts->objects++;
    vec_push(gathering->arena, &gathering->facts->pools, pool);
}

// Classes.

static FactSelector selector_of(Gathering *gathering, const char *field, const Value *list, FactPlace place) {
    FactSelector selector = {.field = field, .place = place};

    if (!list_of(list))
        return selector;
    for (vec_each(const Value, element, &list->list)) {
        FactTerm term = {.tags = gather_text_map(gathering, value_get_text(element, "tags"))};
        Slice id = gather_text(element, "id"), name = gather_text(element, "name");

        if (id.len)
            vec_push(gathering->arena, &term.ids, id);
        // The name of a security group is none of its tags, and lists of groups give it.
        if (name.len)
            vec_push(gathering->arena, &term.ids, name);
        selector.place = gather_place(gathering, element);
        vec_push(gathering->arena, &selector.terms, term);
    }
    return selector;
}

void gather_class(Gathering *gathering, const Value *object) {
    const Value *spec = value_get_text(object, "spec");
    FactPlace place = gather_place(gathering, object);

    gathering->facts->objects++;
    vec_push(gathering->arena, &gathering->facts->classes,
             (FactClass){.place = place,
                         .kind = SLICE("EC2NodeClass"),
                         .name = gather_text(value_get_text(object, "metadata"), "name"),
                         .subnets = selector_of(gathering, "spec.subnetSelectorTerms",
                                                value_get_text(spec, "subnetSelectorTerms"), place),
                         .groups = selector_of(gathering, "spec.securityGroupSelectorTerms",
                                               value_get_text(spec, "securityGroupSelectorTerms"), place),
                         .role = gather_text(spec, "role"),
                         .profile = gather_text(spec, "instanceProfile")});
}
