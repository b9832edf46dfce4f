// ConfigMaps of Karpenter and EKS, Karpenter's Deployment, Nodes.
#include "doctor/gather_parts.h"

#include "text/yaml.h"

// aws-auth: a YAML list in a text.

static void add_mapping(Gathering *gathering, const Value *role) {
    FactMapping mapping = {.place = gathering->facts->auth,
                           .role = gather_text(role, "rolearn"),
                           .username = gather_text(role, "username")};
    const Value *groups = value_get_text(role, "groups");

    if (groups && groups->kind == VALUE_LIST) {
        for (vec_each(const Value, group, &groups->list))
            vec_push(gathering->arena, &mapping.groups, group->kind == VALUE_STRING ? group->text : SLICE(""));
    }
    vec_push(gathering->arena, &gathering->facts->mappings, mapping);
}

static void refuse_roles(Gathering *gathering, const Value *object, Slice text) {
    vec_push(gathering->arena, &gathering->facts->refusals,
             (FactRemark){.place = gather_place(gathering, object),
                          .object = SLICE("ConfigMap aws-auth"),
                          .text = text,
                          .fix = SLICE("kubectl -n kube-system edit configmap aws-auth")});
    gathering->facts->has_open_auth = true;
}

static void take_auth(Gathering *gathering, const Value *object) {
    Slice text = gather_text(value_get_text(object, "data"), "mapRoles");
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Err err;

    gathering->facts->has_auth = true;
    gathering->facts->auth = gather_place(gathering, object);
    if (yaml_parse(gathering->arena, SLICE("data.mapRoles"), text, &(ParseOptions){0}, &documents, &warnings, &err) !=
        OK) {
        refuse_roles(gathering, object, arena_slice(gathering->arena, slice_of(err.text)));
        return;
    }
    if (!documents.count || documents.items[0].root.kind != VALUE_LIST)
        return;
    for (vec_each(const Value, role, &documents.items[0].root.list))
        add_mapping(gathering, role);
}

// Settings.

static FactSetting setting_of(Gathering *gathering, const Value *map, const char *key) {
    const Value *value = value_get(map, slice_of(key));

    return (FactSetting){gather_place(gathering, value), value != NULL, gather_text(map, key)};
}

static void take_settings(Gathering *gathering, const Value *object) {
    const Value *data = value_get_text(object, "data");

    gathering->facts->has_settings = true;
    gathering->facts->settings = gather_place(gathering, object);
    gathering->facts->profile = setting_of(gathering, data, "aws.defaultInstanceProfile");
    gathering->facts->queue = setting_of(gathering, data, "aws.interruptionQueueName");
}

static void take_config_map(Gathering *gathering, const Value *object) {
    Slice name = gather_text(value_get_text(object, "metadata"), "name");

    if (slice_eq(name, SLICE("aws-auth")))
        take_auth(gathering, object);
    if (slice_eq(name, SLICE("karpenter-global-settings")))
        take_settings(gathering, object);
}

// The controller.

static bool is_controller(const Value *object) {
    const Value *metadata = value_get_text(object, "metadata");

    return slice_eq(gather_text(metadata, "name"), SLICE("karpenter")) ||
           slice_eq(gather_text(value_get_text(metadata, "labels"), "app.kubernetes.io/name"), SLICE("karpenter"));
}

// `value` or `valueFrom`, which cannot be told.
static void take_variable(Gathering *gathering, const Value *variable) {
    const Value *value = value_get_text(variable, "value");

    if (!slice_eq(gather_text(variable, "name"), SLICE("INTERRUPTION_QUEUE")))
        return;
    gathering->facts->queue = (FactSetting){gather_place(gathering, variable), true, (Slice){0}};
    if (value && value->kind == VALUE_STRING)
        gathering->facts->queue.value = value->text.len ? value->text : SLICE("");
}

static void take_variables(Gathering *gathering, const Value *object) {
    const Value *containers = value_at(object, "spec", "template", "spec", "containers", NULL), *list;

    if (!containers || containers->kind != VALUE_LIST)
        return;
    for (vec_each(const Value, container, &containers->list)) {
        list = value_get_text(container, "env");
        for (uint32_t i = 0; list && list->kind == VALUE_LIST && i < list->list.count; i++)
            take_variable(gathering, &list->list.items[i]);
    }
}

static void take_deployment(Gathering *gathering, const Value *object) {
    const Value *replicas = value_at(object, "spec", "replicas", NULL);
    Facts *facts = gathering->facts;

    if (!is_controller(object))
        return;
    facts->has_controller = true;
    facts->controller = gather_place(gathering, object);
    facts->replicas = 1;
    if (replicas)
        value_to_int64(replicas, &facts->replicas);
    if (!facts->has_settings)
        facts->settings = facts->controller;
    facts->has_settings = true;
    take_variables(gathering, object);
}

static void take_node(Gathering *gathering, const Value *object) {
    const Value *labels = value_at(object, "metadata", "labels", NULL);

    gathering->facts->nodes++;
    gathering->facts->foreign_nodes +=
        !value_get_text(labels, "karpenter.sh/nodepool") && !value_get_text(labels, "karpenter.sh/provisioner-name");
    gather_worker(gathering, object);
}

void gather_cluster(Gathering *gathering, Slice kind, const Value *object) {
    static const struct {
        const char *kind;
        void (*take)(Gathering *gathering, const Value *object);
    } kinds[] = {{"ConfigMap", take_config_map},
                 {"Deployment", take_deployment},
                 {"Node", take_node},
                 {"Service", gather_service},
                 {"EndpointSlice", gather_endpoints}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (slice_eq_text(kind, kinds[i].kind))
            kinds[i].take(gathering, object);
    }
}
