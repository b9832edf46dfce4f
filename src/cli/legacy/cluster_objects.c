// Lists of old kinds, which are none of kube/kind.h, read by their paths.
#include "cli/legacy/cluster_objects.h"

#include "kube/rest/rest.h"
#include "text/json.h"

// Machines and NodeClaims are not among them: they stand for nodes, and whoever applied them would make others.
static const struct {
    const char *file, *path;
} lists[] = {
    {"provisioners.karpenter.sh", "/apis/karpenter.sh/v1alpha5/provisioners"},
    {"awsnodetemplates.karpenter.k8s.aws", "/apis/karpenter.k8s.aws/v1alpha1/awsnodetemplates"},
    {"nodepools.karpenter.sh", "/apis/karpenter.sh/v1beta1/nodepools"},
    {"ec2nodeclasses.karpenter.k8s.aws", "/apis/karpenter.k8s.aws/v1beta1/ec2nodeclasses"},
};

#define SETTINGS_PATH "/api/v1/configmaps?fieldSelector=metadata.name%3Dkarpenter-global-settings"

// How many items a list has. ERR_INVALID: the answer is no list.
static ErrCode count_items(const InputText *answer, uint32_t *ret_count, Err *err) {
    Arena scratch = {0};
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    ErrCode code = json_parse(&scratch, answer->file, answer->text, &(ParseOptions){0}, &documents, &warnings, err);
    const Value *items = documents.count == 1 ? value_get_text(&documents.items[0].root, "items") : NULL;

    if (code == OK && (!items || items->kind != VALUE_LIST))
        code = err_set(err, ERR_INVALID, "%.*s: the API server's answer is no list", SLICE_ARG(answer->file));
    else if (code == OK)
        *ret_count = items->list.count;
    arena_free(&scratch);
    return code;
}

static ErrCode read_list(KubeRest *rest, Arena *arena, const char *file, const char *path, InputTextVec *texts,
                         Err *err) {
    InputText answer = {.file = slice_of(file)};
    KubeError error = {0};
    uint32_t count = 0;
    ErrCode code = kube_rest_read(rest, arena, slice_of(path), &answer.text, &error);

    if (code == ERR_NOT_FOUND)
        return OK;
    if (code != OK)
        return err_set(err, code, "%s: %s", file, error.err.text);
    TRY(count_items(&answer, &count, err));
    if (count)
        vec_push(arena, texts, answer);
    return OK;
}

static ErrCode read_settings(KubeRest *rest, Arena *arena, InputTextVec *settings, Err *err) {
    if (read_list(rest, arena, "configmaps", SETTINGS_PATH, settings, err) == OK)
        return OK;
    err_prefix(err, "karpenter-global-settings (or name it with --settings)");
    return err->code;
}

static ErrCode read_lists(KubeRest *rest, Arena *arena, InputTextVec *objects, InputTextVec *settings, Err *err) {
    uint32_t before = objects->count;

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        TRY(read_list(rest, arena, lists[i].file, lists[i].path, objects, err));
    if (objects->count == before)
        return err_set(err, ERR_NOT_FOUND, "the cluster has no objects of older Karpenters");
    return settings ? read_settings(rest, arena, settings, err) : OK;
}

ErrCode cluster_objects_read(Arena *arena, Slice kubeconfig, Slice context, InputTextVec *objects,
                             InputTextVec *settings, Err *err) {
    KubeConfig config = {0};
    KubeRest *rest = NULL;
    ErrCode code;

    TRY(kube_config_load(arena, kubeconfig, context, &config, err));
    TRY(kube_rest_open(&config, NULL, &rest, err));
    code = read_lists(rest, arena, objects, settings, err);
    kube_rest_close(rest);
    return code;
}
