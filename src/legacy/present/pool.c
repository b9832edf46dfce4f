// Provisioners and AWSNodeTemplates as pools and classes, by way of the converter. Reference legacy.md 2, 3 and 6.1.
#include "legacy/convert_parts.h"
#include "legacy/present/parts.h"
#include "legacy/present/present.h"

#include "text/value_edit.h"

#include <inttypes.h>

// --- metadata and status

static const Value *metadata_of(const Value *object) {
    return value_get_text(object, "metadata");
}

// An object's own metadata under its presented name.
static Value presented_metadata(Arena *arena, const Value *object, Slice name) {
    Value metadata = value_copy_tree(arena, metadata_of(object));

    put_old_text(arena, &metadata, "name", name);
    owners_present(arena, &metadata);
    return metadata;
}

static void put_status(Arena *arena, Value *presented, const Value *object) {
    const Value *old = value_get_text(object, "status");
    Value status = old && old->kind == VALUE_MAP ? value_copy_tree(arena, old) : value_map();
    Value rest = annotation_json(arena, object, SLICE(STATUS_ANNOTATION));

    value_merge_patch(arena, &status, &rest);
    conditions_observe(arena, &status, kube_generation(object));
    value_put(arena, presented, SLICE("status"), status);
}

// --- Provisioners

bool provisioner_owns_class(const Value *object) {
    const Value *spec = value_get_text(object, "spec"), *kubelet = value_get_text(spec, "kubeletConfiguration");

    return value_get_text(spec, "provider") || (kubelet && kubelet->kind == VALUE_MAP && kubelet->map.count);
}

Slice provisioner_template(const Value *object) {
    return text_in(object, "spec", "providerRef", "name");
}

static Slice class_name(Arena *arena, const Value *object) {
    return provisioner_owns_class(object) ? presented_name(arena, KUBE_PROVISIONER, kube_name(object))
                                          : presented_name(arena, KUBE_AWS_NODE_TEMPLATE, provisioner_template(object));
}

static void add_budget(Arena *arena, Value *budgets, const char *nodes, const char *reason) {
    Value budget = value_map(), reasons = value_list();

    put_old_text(arena, &budget, "nodes", slice_of(nodes));
    if (reason) {
        value_append(arena, &reasons, value_string(slice_of(reason)));
        value_put(arena, &budget, SLICE("reasons"), reasons);
    }
    value_append(arena, budgets, budget);
}

// There were no budgets; of drifted nodes one went at a time. Reference legacy.md 5.1.
static Value old_budgets(Arena *arena) {
    Value budgets = value_list();

    add_budget(arena, &budgets, "100%", NULL);
    add_budget(arena, &budgets, "1", "Drifted");
    return budgets;
}

static void complete_pool(Arena *arena, const PresentSettings *settings, Value *pool, const Value *object) {
    Value *spec = value_find_text(pool, "spec");
    Value *reference = value_make(arena, spec, "template", "spec", "nodeClassRef", NULL);

    put_old_text(arena, reference, "group", SLICE("karpenter.k8s.aws"));
    put_old_text(arena, reference, "kind", SLICE("EC2NodeClass"));
    put_old_text(arena, reference, "name", class_name(arena, object));
    value_put(arena, value_make(arena, spec, "disruption", NULL), SLICE("budgets"), old_budgets(arena));
    value_put(arena, pool, SLICE("metadata"),
              presented_metadata(arena, object, presented_name(arena, KUBE_PROVISIONER, kube_name(object))));
    if (settings->global.drifts)
        put_old_text(arena, value_make(arena, pool, "metadata", "annotations", NULL), "tenon.sh/drift", SLICE("true"));
    put_status(arena, pool, object);
    pool->line = object->line;
}

// A pool that says why it gets no nodes, and nothing else.
static Value refused_pool(Arena *arena, const PresentSettings *settings, const Value *object, Slice why) {
    Value pool = value_map();

    put_old_text(arena, &pool, "apiVersion", SLICE("karpenter.sh/v1"));
    put_old_text(arena, &pool, "kind", SLICE("NodePool"));
    value_put(arena, value_make(arena, &pool, "spec", "template", "spec", NULL), SLICE("requirements"), value_list());
    complete_pool(arena, settings, &pool, object);
    put_old_text(arena, value_make(arena, &pool, "metadata", "annotations", NULL), "tenon.sh/refused", why);
    return pool;
}

// --- a Provisioner's own class

static Slice later_revision(Arena *arena, const Value *a, const Value *b) {
    KubeRevision first = kube_revision(a), second = kube_revision(b);

    return arena_printf(arena, "%" PRIu64, first > second ? first : second);
}

static void copy_member(Arena *arena, Value *to, const Value *from, const char *key) {
    const Value *member = value_get(from, slice_of(key));

    if (member)
        value_put(arena, to, slice_of(key), value_copy_tree(arena, member));
}

// Another object than the Provisioner and its template, so its uid is made of theirs.
static Value class_metadata(Arena *arena, const Value *object, const Value *template, const Value *kept) {
    const Value *own = metadata_of(object);
    Value metadata = value_map();

    put_old_text(arena, &metadata, "name", presented_name(arena, KUBE_PROVISIONER, kube_name(object)));
    put_old_text(arena, &metadata, "uid",
                 arena_printf(arena, "%.*s/%.*s", SLICE_ARG(kube_uid(object)),
                              SLICE_ARG(template ? kube_uid(template) : SLICE("class"))));
    put_old_text(arena, &metadata, "resourceVersion", later_revision(arena, object, template));
    value_put(arena, &metadata, SLICE("generation"),
              value_int(arena, kube_generation(object) + kube_generation(template)));
    copy_member(arena, &metadata, own, "creationTimestamp");
    copy_member(arena, &metadata, own, "deletionTimestamp");
    copy_member(arena, &metadata, kept, "annotations");
    copy_member(arena, &metadata, kept, "finalizers");
    return metadata;
}

static void put_kubelet(Arena *arena, Value *class, const Value *kubelet) {
    if (kubelet)
        value_put(arena, value_make(arena, class, "spec", NULL), SLICE("kubelet"), value_copy_tree(arena, kubelet));
}

static void complete_class(Arena *arena, Value *class, const Value *object, const Value *template) {
    Value kept = annotation_json(arena, object, SLICE(CLASS_ANNOTATION));

    value_put(arena, class, SLICE("metadata"), class_metadata(arena, object, template, &kept));
    value_remove_text(class, "status");
    copy_member(arena, class, &kept, "status");
    class->line = object->line;
}

// --- conversion

typedef struct {
    Conversion conversion;
    WarningVec warnings;
    ItemVec items;
} Step;

static Item open_step(Arena *arena, Step *step, const PresentSettings *settings, Slice file, OldKind kind,
                      const Value *object) {
    static const ConvertRequest to_v1 = {.target = CONVERT_TO_V1};
    OldStrangerVec strangers = {0};
    Item item = {.file = file, .value = *object, .kind = kind};

    *step = (Step){.conversion = {.arena = arena, .request = &to_v1, .settings = settings->global}};
    step->conversion.warnings = &step->warnings;
    names_init(&step->conversion.symbols);
    item.value = old_prune(arena, kind, object, &strangers);
    for (vec_each(const OldStranger, stranger, &strangers))
        convert_note(&step->conversion, &item, "W02", stranger->line, "%.*s is no field of it and is ignored%s%.*s%s",
                     SLICE_ARG(stranger->path), stranger->meant.len ? "; did you mean " : "",
                     SLICE_ARG(stranger->meant), stranger->meant.len ? "?" : "");
    return item;
}

static ErrCode upgrade_items(Step *step, Err *err) {
    for (vec_each(Item, item, &step->items))
        TRY(item->kind == OLD_BETA_POOL ? upgrade_pool(&step->conversion, item, err)
                                        : upgrade_class(&step->conversion, item, err));
    return OK;
}

static ErrCode convert_step(Step *step, const Item *item, Err *err) {
    TRY(item->kind == OLD_PROVISIONER ? convert_provisioner(&step->conversion, item, &step->items, err)
                                      : convert_node_template(&step->conversion, item, &step->items, err));
    return upgrade_items(step, err);
}

// Of the converter's warnings those that matter to who runs the object: W02 and W03.
static void keep_warnings(Arena *arena, const WarningVec *from, WarningVec *to) {
    for (vec_each(const Warning, warning, from)) {
        if (to && (slice_contains(warning->text, SLICE(": W02 ")) || slice_contains(warning->text, SLICE(": W03 "))))
            vec_push(arena, to, *warning);
    }
}

static Slice missing_profile(const PresentSettings *settings, const Value *class) {
    if (!settings->needs_profile || text_in(class, "spec", "instanceProfile").len)
        return SLICE("");
    return SLICE("neither spec.provider.instanceProfile nor --aws-default-instance-profile is specified");
}

// What the definition of EC2NodeClass would fill in, which these classes never pass: without it EC2 decides, and gives
// tokens away that nobody asked for. Reference legacy.md 3, metadataOptions; those that users wrote are complete by
// now.
static void put_metadata_defaults(Arena *arena, Value *class) {
    static const char *const defaults[][2] = {
        {"httpEndpoint", "enabled"}, {"httpProtocolIPv6", "disabled"}, {"httpTokens", "required"}};
    Value *options = value_make(arena, class, "spec", "metadataOptions", NULL);

    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        if (!value_get(options, slice_of(defaults[i][0])))
            put_old_text(arena, options, defaults[i][0], slice_of(defaults[i][1]));
    }
}

// The class that a Provisioner has of its own, of its inline provider or of its template and its kubelet.
static ErrCode own_class(Arena *arena, const PresentSettings *settings, Slice file, const Value *object,
                         const Value *template, const Step *step, PresentedProvisioner *presented, Err *err) {
    if (step->items.count > 1)
        presented->class = step->items.items[1].value;
    else if (template)
        TRY(present_template(arena, settings, file, template, &presented->class, err));
    else
        return OK; // its template does not exist yet
    put_kubelet(arena, &presented->class, step->items.items[0].kubelet);
    put_metadata_defaults(arena, &presented->class);
    complete_class(arena, &presented->class, object, step->items.count > 1 ? NULL : template);
    presented->has_class = true;
    return OK;
}

enum { LABEL_VALUE_MAX = 63 };

static Slice obstacle_of(Arena *arena, const PresentSettings *settings, const Value *object, const Step *step) {
    if (class_name(arena, object).len > LABEL_VALUE_MAX)
        return SLICE("its nodes carry its name, and that of its AWSNodeTemplate, in labels: one of them is too long");
    if (settings->lacks_machines)
        return SLICE("the cluster has no definition of Machine (karpenter.sh/v1alpha5), in which the nodes of a "
                     "Provisioner live; tenon crds --legacy prints it");
    return step->items.count > 1 ? missing_profile(settings, &step->items.items[1].value) : SLICE("");
}

static ErrCode present(Arena *arena, const PresentSettings *settings, const Item *item, const Value *object,
                       const Value *template, Step *step, PresentedProvisioner *ret_presented, Err *err) {
    PresentedProvisioner presented = {0};
    Slice obstacle;

    TRY(convert_step(step, item, err));
    obstacle = obstacle_of(arena, settings, object, step);
    if (obstacle.len)
        return err_set(err, ERR_INVALID, "%.*s", SLICE_ARG(obstacle));
    if (provisioner_owns_class(object))
        TRY(own_class(arena, settings, item->file, object, template, step, &presented, err));
    presented.pool = step->items.items[0].value;
    complete_pool(arena, settings, &presented.pool, object);
    *ret_presented = presented;
    return OK;
}

ErrCode present_provisioner(Arena *arena, const PresentSettings *settings, Slice file, const Value *object,
                            const Value *template, PresentedProvisioner *ret_presented, WarningVec *warnings,
                            Err *err) {
    Step step;
    Item item;
    Err why = {0};

    if (!kube_name(object).len)
        return err_set(err, ERR_INVALID, "%.*s:%" PRIu32 ": metadata.name: required", SLICE_ARG(file), object->line);
    item = open_step(arena, &step, settings, file, OLD_PROVISIONER, object);
    if (present(arena, settings, &item, object, template, &step, ret_presented, &why) != OK)
        *ret_presented = (PresentedProvisioner){
            .pool = refused_pool(arena, settings, object, arena_slice(arena, slice_of(why.text)))};
    keep_warnings(arena, &step.warnings, warnings);
    symbols_free(&step.conversion.symbols);
    return OK;
}

// Its Provisioners with a kubelet of their own have it there, in a class of their own.
static void put_density(Arena *arena, const PresentSettings *settings, Value *class) {
    if (settings->global.unlimited_pods)
        value_put(arena, value_make(arena, class, "spec", "kubelet", NULL), SLICE("maxPods"),
                  value_int(arena, PODS_WITHOUT_LIMIT));
}

ErrCode present_template(Arena *arena, const PresentSettings *settings, Slice file, const Value *object,
                         Value *ret_class, Err *err) {
    Step step;
    Item item = open_step(arena, &step, settings, file, OLD_NODE_TEMPLATE, object);
    ErrCode code = convert_step(&step, &item, err);

    symbols_free(&step.conversion.symbols);
    TRY(code);
    *ret_class = step.items.items[0].value;
    put_density(arena, settings, ret_class);
    value_put(arena, ret_class, SLICE("metadata"),
              presented_metadata(arena, object, presented_name(arena, KUBE_AWS_NODE_TEMPLATE, kube_name(object))));
    put_status(arena, ret_class, object);
    put_metadata_defaults(arena, ret_class);
    ret_class->line = object->line;
    return OK;
}

// A class that says why nothing is launched with it, and nothing else.
static Value refused_class(Arena *arena, const Value *object, Slice why) {
    Value class = value_map();

    put_old_text(arena, &class, "apiVersion", SLICE("karpenter.k8s.aws/v1"));
    put_old_text(arena, &class, "kind", SLICE("EC2NodeClass"));
    value_put(arena, &class, SLICE("metadata"),
              presented_metadata(arena, object, presented_name(arena, KUBE_AWS_NODE_TEMPLATE, kube_name(object))));
    put_old_text(arena, value_make(arena, &class, "metadata", "annotations", NULL), "tenon.sh/refused", why);
    value_put(arena, &class, SLICE("spec"), value_map());
    put_status(arena, &class, object);
    class.line = object->line;
    return class;
}

Value present_any_template(Arena *arena, const PresentSettings *settings, Slice file, const Value *object) {
    Value class;
    Err why = {0};

    if (present_template(arena, settings, file, object, &class, &why) == OK)
        return class;
    return refused_class(arena, object, arena_slice(arena, slice_of(why.text)));
}
