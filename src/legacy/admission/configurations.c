// Configurations made and renewed.
#include "legacy/admission/configurations.h"

#include "text/value_edit.h"

typedef struct {
    const char *group, *version;
    const char *resources[3]; // ends with NULL
} RuleRow;

static const RuleRow provisioners = {"karpenter.sh", "v1alpha5", {"provisioners", "provisioners/status", NULL}};
static const RuleRow templates = {"karpenter.k8s.aws", "v1alpha1", {"awsnodetemplates", "awsnodetemplates/status"}};
static const RuleRow core_provisioners = {"karpenter.sh", "v1alpha5", {"provisioners", NULL}};
static const RuleRow config_maps = {"", "v1", {"configmaps", NULL}};

static const struct {
    const RuleRow *rules[2];
    // By label, since ConfigMaps are everybody's; and lets them pass while nobody answers: one of them is of the
    // chart's release, and Helm could not roll back.
    bool selects;
} rows[ADMISSION_HOOKS] = {
    [ADMISSION_DEFAULT] = {{&provisioners, &templates}, false},
    [ADMISSION_VALIDATE_AWS] = {{&provisioners, &templates}, false},
    [ADMISSION_VALIDATE_CORE] = {{&core_provisioners, NULL}, false},
    [ADMISSION_VALIDATE_CONFIG] = {{&config_maps, NULL}, true},
};

bool admission_is_mutating(AdmissionHook hook) {
    return hook == ADMISSION_DEFAULT;
}

static void put_text(Arena *arena, Value *map, const char *key, const char *text) {
    value_put(arena, map, slice_of(key), value_string(slice_of(text)));
}

static Value texts(Arena *arena, const char *const *words, size_t count) {
    Value list = value_list();

    for (size_t i = 0; i < count && words[i]; i++)
        value_append(arena, &list, value_string(slice_of(words[i])));
    return list;
}

static Value rule_of(Arena *arena, const RuleRow *row) {
    static const char *const operations[] = {"CREATE", "UPDATE"};
    Value rule = value_map();

    value_put(arena, &rule, SLICE("apiGroups"), texts(arena, &row->group, 1));
    value_put(arena, &rule, SLICE("apiVersions"), texts(arena, &row->version, 1));
    value_put(arena, &rule, SLICE("operations"), texts(arena, operations, 2));
    value_put(arena, &rule, SLICE("resources"), texts(arena, row->resources, 3));
    return rule;
}

static Value rules_of(Arena *arena, AdmissionHook hook) {
    Value rules = value_list();

    for (size_t i = 0; i < 2 && rows[hook].rules[i]; i++)
        value_append(arena, &rules, rule_of(arena, rows[hook].rules[i]));
    return rules;
}

static Value client_of(Arena *arena, AdmissionHook hook, const AdmissionPlace *place) {
    Value client = value_map(), service = value_map();

    value_put(arena, &service, SLICE("namespace"), value_string(place->ns));
    value_put(arena, &service, SLICE("name"), value_string(place->service));
    put_text(arena, &service, "path", admission_path(hook));
    value_put(arena, &client, SLICE("service"), service);
    value_put(arena, &client, SLICE("caBundle"), value_string(place->bundle));
    return client;
}

static Value webhook_of(Arena *arena, AdmissionHook hook, const AdmissionPlace *place) {
    static const char *const versions[] = {"v1"};
    Value webhook = value_map();

    put_text(arena, &webhook, "name", admission_name(hook));
    value_put(arena, &webhook, SLICE("admissionReviewVersions"), texts(arena, versions, 1));
    value_put(arena, &webhook, SLICE("clientConfig"), client_of(arena, hook, place));
    put_text(arena, &webhook, "failurePolicy", rows[hook].selects ? "Ignore" : "Fail");
    put_text(arena, &webhook, "sideEffects", "None");
    value_put(arena, &webhook, SLICE("rules"), rules_of(arena, hook));
    if (rows[hook].selects)
        put_text(arena, value_make(arena, &webhook, "objectSelector", "matchLabels", NULL), "app.kubernetes.io/part-of",
                 "karpenter");
    return webhook;
}

Value admission_configuration(Arena *arena, AdmissionHook hook, const AdmissionPlace *place) {
    Value root = value_map(), webhooks = value_list();

    put_text(arena, &root, "apiVersion", "admissionregistration.k8s.io/v1");
    put_text(arena, &root, "kind",
             admission_is_mutating(hook) ? "MutatingWebhookConfiguration" : "ValidatingWebhookConfiguration");
    put_text(arena, value_make(arena, &root, "metadata", NULL), "name", admission_name(hook));
    value_append(arena, &webhooks, webhook_of(arena, hook, place));
    value_put(arena, &root, SLICE("webhooks"), webhooks);
    return root;
}

// --- renewal

// Sets a text; returns whether it was another one.
static bool set_text(Arena *arena, Value *map, Slice key, Slice text) {
    const Value *before = value_get(map, key);

    if (before && before->kind == VALUE_STRING && slice_eq(before->text, text))
        return false;
    value_put(arena, map, key, value_string(text));
    return true;
}

static bool is_named(const Value *webhook, const char *name) {
    const Value *value = value_get_text(webhook, "name");

    return value && value->kind == VALUE_STRING && slice_eq_text(value->text, name);
}

static bool renew_webhook(Arena *arena, AdmissionHook hook, Value *webhook, Slice bundle) {
    Value *client = value_make(arena, webhook, "clientConfig", NULL), *service;
    bool renewed = set_text(arena, client, SLICE("caBundle"), bundle);

    service = value_find_text(client, "service"); // after the change, which may move it
    if (service && service->kind == VALUE_MAP)
        renewed |= set_text(arena, service, SLICE("path"), slice_of(admission_path(hook)));
    return renewed;
}

bool admission_renew(Arena *arena, AdmissionHook hook, const Value *configuration, Slice bundle, Value *ret_renewed) {
    Value copy = value_copy_tree(arena, configuration), *webhooks = value_find_text(&copy, "webhooks");
    bool renewed = false;

    if (!webhooks || webhooks->kind != VALUE_LIST)
        return false;
    for (vec_each(Value, webhook, &webhooks->list)) {
        if (is_named(webhook, admission_name(hook)))
            renewed |= renew_webhook(arena, hook, webhook, bundle);
    }
    *ret_renewed = copy;
    return renewed;
}
