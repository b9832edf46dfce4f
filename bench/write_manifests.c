// A scene as the manifests and the catalogue that give this scene when they are read.
#include "write_manifests.h"

#include "write_parts.h"

#include <errno.h>
#include <sys/stat.h>

static void write_pool(SceneWriter *writer, const NodePool *pool) {
    write_object(writer, SLICE("karpenter.sh/v1"), SLICE("NodePool"), &pool->meta);
    json_begin(&writer->json, SLICE("spec"), '{');
    if (pool->weight)
        json_int(&writer->json, SLICE("weight"), pool->weight);
    if (pool->has_limits)
        write_amounts(writer, SLICE("limits"), &pool->limits, true);
    json_begin(&writer->json, SLICE("template"), '{');
    json_begin(&writer->json, SLICE("metadata"), '{');
    write_labels(writer, SLICE("labels"), &pool->template_labels);
    json_end(&writer->json, '}');
    json_begin(&writer->json, SLICE("spec"), '{');
    write_node_class(writer, &pool->template_spec.node_class);
    json_text(&writer->json, SLICE("expireAfter"), pool->template_spec.expire_after_text);
    write_taints(writer, SLICE("taints"), &pool->template_spec.taints);
    write_expressions(writer, SLICE("requirements"), &pool->template_spec.requirements);
    json_end(&writer->json, '}');
    json_end(&writer->json, '}');
    json_end(&writer->json, '}');
    json_end(&writer->json, '}');
}

static void write_daemon_set(SceneWriter *writer, const DaemonSet *daemon_set) {
    PodSpec spec = *daemon_set->pod_spec;

    spec.tolerations = (TolerationVec){0}; // its controller adds them
    write_object(writer, SLICE("apps/v1"), SLICE("DaemonSet"), &daemon_set->meta);
    json_begin(&writer->json, SLICE("spec"), '{');
    json_begin(&writer->json, SLICE("selector"), '{');
    write_labels(writer, SLICE("matchLabels"), &daemon_set->pod_labels);
    json_end(&writer->json, '}');
    json_begin(&writer->json, SLICE("template"), '{');
    json_begin(&writer->json, SLICE("metadata"), '{');
    write_labels(writer, SLICE("labels"), &daemon_set->pod_labels);
    json_end(&writer->json, '}');
    write_pod_spec(writer, &spec, NAME_EMPTY);
    json_end(&writer->json, '}');
    json_end(&writer->json, '}');
    json_end(&writer->json, '}');
}

static void write_node(SceneWriter *writer, const Node *node) {
    write_object(writer, SLICE("v1"), SLICE("Node"), &node->meta);
    json_begin(&writer->json, SLICE("spec"), '{');
    write_symbol(writer, SLICE("providerID"), node->provider_id);
    write_taints(writer, SLICE("taints"), &node->taints);
    json_end(&writer->json, '}');
    json_begin(&writer->json, SLICE("status"), '{');
    write_amounts(writer, SLICE("capacity"), &node->capacity, true);
    write_amounts(writer, SLICE("allocatable"), &node->allocatable, true);
    write_conditions(writer, &node->conditions);
    json_end(&writer->json, '}');
    json_end(&writer->json, '}');
}

static void write_claim(SceneWriter *writer, const NodeClaim *claim) {
    write_object(writer, SLICE("karpenter.sh/v1"), SLICE("NodeClaim"), &claim->meta);
    json_begin(&writer->json, SLICE("spec"), '{');
    write_node_class(writer, &claim->spec.node_class);
    json_text(&writer->json, SLICE("expireAfter"), claim->spec.expire_after_text);
    write_expressions(writer, SLICE("requirements"), &claim->spec.requirements);
    json_end(&writer->json, '}');
    json_begin(&writer->json, SLICE("status"), '{');
    write_symbol(writer, SLICE("providerID"), claim->provider_id);
    write_symbol(writer, SLICE("nodeName"), claim->node_name);
    write_amounts(writer, SLICE("capacity"), &claim->capacity, true);
    write_amounts(writer, SLICE("allocatable"), &claim->allocatable, true);
    write_conditions(writer, &claim->conditions);
    json_end(&writer->json, '}');
    json_end(&writer->json, '}');
}

static void write_manifests(SceneWriter *writer) {
    const Cluster *cluster = &writer->scene->cluster;

    json_begin(&writer->json, NO_NAME, '{');
    json_text(&writer->json, SLICE("apiVersion"), SLICE("v1"));
    json_text(&writer->json, SLICE("kind"), SLICE("List"));
    json_begin(&writer->json, SLICE("items"), '[');
    for (vec_each(const KWOKNodeClass, class, &cluster->kwok_node_classes)) {
        write_object(writer, SLICE("karpenter.kwok.sh/v1alpha1"), SLICE("KWOKNodeClass"), &class->meta);
        json_end(&writer->json, '}');
    }
    for (vec_each(const NodePool, pool, &cluster->node_pools))
        write_pool(writer, pool);
    for (vec_each(const DaemonSet, daemon_set, &cluster->daemon_sets))
        write_daemon_set(writer, daemon_set);
    for (vec_each(const NodeClaim, claim, &cluster->node_claims))
        write_claim(writer, claim);
    for (vec_each(const Node, node, &cluster->nodes))
        write_node(writer, node);
    for (vec_each(const Pod, pod, &cluster->pods))
        write_pod(writer, pod);
    json_end(&writer->json, ']');
    json_end(&writer->json, '}');
}

static void write_options(SceneWriter *writer) {
    json_begin(&writer->json, NO_NAME, '{');
    json_text(&writer->json, SLICE("preferencePolicy"),
              writer->scene->preferences == PREFERENCES_IGNORE ? SLICE("Ignore") : SLICE("Respect"));
    json_end(&writer->json, '}');
}

// --- files ----------------------------------------------------------------------------------------------------------

static ErrCode write_file(Scene *scene, const char *folder, const char *name, void (*write)(SceneWriter *), Err *err) {
    SceneWriter writer = {.scene = scene};
    const char *path = arena_text(scene_arena(scene), arena_printf(scene_arena(scene), "%s/%s", folder, name));

    TRY(json_writer_open(&writer.json, path, err));
    write(&writer);
    arena_free(&writer.scratch);
    return json_writer_close(&writer.json, path, err);
}

static ErrCode make_folder(const char *path, Err *err) {
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return OK;
    return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
}

static ErrCode write_files(Scene *scene, const char *folder, Err *err) {
    TRY(make_folder(folder, err));
    TRY(write_file(scene, folder, "manifests.json", write_manifests, err));
    TRY(write_file(scene, folder, "catalog.json", write_catalogue, err));
    return write_file(scene, folder, "options.json", write_options, err);
}

ErrCode write_scene(const char *folder, const char *name, uint32_t pods, Scene *scene, Err *err) {
    Arena scratch = {0};
    const char *path = arena_text(&scratch, arena_printf(&scratch, "%s/%s-%u", folder, name, pods));
    ErrCode code = make_folder(folder, err);

    if (code == OK)
        code = write_files(scene, path, err);
    arena_free(&scratch);
    return code;
}

ErrCode write_case(const char *folder, const BenchCase *bench_case, const CaseOptions *of_case, Err *err) {
    Scene scene;
    ErrCode code;

    scene_init(&scene);
    code = bench_case->make(&scene, of_case, err);
    if (code == OK)
        code = write_scene(folder, bench_case->name, of_case->pods, &scene, err);
    scene_free(&scene);
    return code;
}
