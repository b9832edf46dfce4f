// Karpenter's kinds: the defaults and rules of their CustomResourceDefinitions.
//
// The schema and CEL rules are those that manifests are read with (model/validate/validate.h); added here are rules
// that compare with the old object. Messages are Karpenter's, but the text around them differs from the API server's:
// one problem is reported, with its path. Reference scheduling.md 1.2 to 1.4, lifecycle.md 8.
#include "base/alloc.h"
#include "model/manifest/manifest.h"
#include "sim/api/meta.h"
#include "sim/api/request.h"

Slice rules_without_place(const char *text) {
    Slice message = slice_of(text);
    size_t at = message.len;

    while (at > 0 && message.ptr[at - 1] != '(')
        at--;
    return at > 1 ? slice_first(message, at - 2) : message;
}

ErrCode rules_check_schema(const Request *request, const Value *object) {
    Document document = {.file = SLICE("object"), .root = value_copy_tree(request->arena, object)};
    Cluster *cluster = NEW(Cluster);
    ErrCode code;
    Err err = {0};

    value_remove_text(&document.root, "status");
    cluster_init(cluster);
    code = manifest_read(cluster, &document, &err);
    cluster_free(cluster);
    free(cluster);
    if (code == OK)
        return OK;
    return fail_invalid(request, "", "%.*s", SLICE_ARG(rules_without_place(err.text)));
}

static void template_defaults(Arena *arena, Value *spec) {
    if (spec && spec->kind == VALUE_MAP)
        default_text(arena, spec, "expireAfter", "720h");
}

static void budget_defaults(Arena *arena, Value *disruption) {
    Value *budgets = value_find_text(disruption, "budgets"), budget = value_map();

    if (!budgets) {
        budgets = value_put(arena, disruption, SLICE("budgets"), value_list());
        value_append(arena, budgets, budget);
    }
    for (uint32_t i = 0; budgets->kind == VALUE_LIST && i < budgets->list.count; i++) {
        if (budgets->list.items[i].kind == VALUE_MAP)
            default_text(arena, &budgets->list.items[i], "nodes", "10%");
    }
}

void node_pool_defaults(const Request *request, Value *object) {
    Value *spec = value_find_text(object, "spec"), *disruption;

    if (!spec || spec->kind != VALUE_MAP)
        return;
    template_defaults(request->arena, value_find_text(value_find_text(spec, "template"), "spec"));
    disruption = value_find_text(spec, "disruption");
    if (disruption && disruption->kind != VALUE_MAP)
        return;
    disruption = value_make(request->arena, spec, "disruption", NULL);
    default_text(request->arena, disruption, "consolidateAfter", "0s");
    default_text(request->arena, disruption, "consolidationPolicy", "WhenEmptyOrUnderutilized");
    budget_defaults(request->arena, disruption);
}

static ErrCode check_class_reference(const Request *request, const Value *object, const Value *old) {
    static const char *const fixed[] = {"group", "kind"};
    const Value *now = value_at(object, "spec", "template", "spec", "nodeClassRef", NULL);
    const Value *before = value_at(old, "spec", "template", "spec", "nodeClassRef", NULL);

    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        if (!member_eq(now, before, fixed[i]))
            return fail_invalid(request, "spec.template.spec.nodeClassRef",
                                "Invalid value: \"object\": nodeClassRef.%s is immutable", fixed[i]);
    }
    return OK;
}

ErrCode node_pool_validate(const Request *request, const Value *object, const Value *old) {
    if (old && member_eq(object, old, "spec"))
        return OK; // what is stored was validated when it was created
    TRY(rules_check_schema(request, object));
    if (!old)
        return OK;
    if (!value_at(object, "spec", "replicas", NULL) != !value_at(old, "spec", "replicas", NULL))
        return fail_invalid(request, "spec",
                            "Invalid value: \"object\": Cannot transition NodePool between static (replicas set) and "
                            "dynamic (replicas unset) provisioning modes");
    return check_class_reference(request, object, old);
}

void node_claim_defaults(const Request *request, Value *object) {
    template_defaults(request->arena, value_find_text(object, "spec"));
}

ErrCode node_claim_validate(const Request *request, const Value *object, const Value *old) {
    if (!old)
        return rules_check_schema(request, object);
    if (!member_eq(object, old, "spec"))
        return fail_invalid(request, "spec", "Invalid value: \"object\": spec is immutable");
    return OK;
}

// Marks the class as ready: there is no controller; the CRD's default does it.
void kwok_class_defaults(const Request *request, Value *object) {
    static const char *const members[][2] = {{"lastTransitionTime", "2024-01-01T01:01:01Z"},
                                             {"message", ""},
                                             {"reason", "Ready"},
                                             {"status", "True"},
                                             {"type", "Ready"}};
    Value condition = value_map(), *status, *conditions;

    if (value_find_text(object, "status"))
        return;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        value_put(request->arena, &condition, slice_of(members[i][0]), value_string(slice_of(members[i][1])));
    status = value_put(request->arena, object, SLICE("status"), value_map());
    conditions = value_put(request->arena, status, SLICE("conditions"), value_list());
    value_append(request->arena, conditions, condition);
}

ErrCode node_class_validate(const Request *request, const Value *object, const Value *old) {
    if (old && member_eq(object, old, "spec"))
        return OK;
    return rules_check_schema(request, object);
}
