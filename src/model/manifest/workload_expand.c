// Expansion of workloads: the pods, claims and owners that their controllers would make besides the existing ones.
#include "model/manifest/workload_expand.h"

#include "model/manifest/kinds.h"
#include "model/manifest/workload_decode.h"
#include "model/manifest/workload_live.h"

#include <inttypes.h>
#include <stdio.h>

// A pod-template-hash: ten letters of Kubernetes' safe alphabet, from the content of the template.
static Symbol template_hash(Expander *expander, const Workload *deployment) {
    static const char alphabet[] = "bcdfghjklmnpqrstvwxz2456789";
    uint64_t hash = deployment->template_print.low;
    char text[10];

    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = alphabet[hash % (sizeof alphabet - 1)];
        hash /= sizeof alphabet - 1;
    }
    return symbol_intern(expander->symbols, (Slice){text, sizeof text});
}

static Symbol intern_joined(Expander *expander, Slice a, Slice b) {
    Buffer *scratch = &expander->state->scratch;

    scratch->len = 0;
    buffer_printf(scratch, "%.*s-%.*s", SLICE_ARG(a), SLICE_ARG(b));
    return symbol_intern(expander->symbols, buffer_slice(scratch));
}

static Symbol intern_numbered(Expander *expander, Symbol name, int64_t number) {
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%" PRId64, number);

    return intern_joined(expander, expander_text(expander, name), (Slice){digits, (size_t)len});
}

static Labels copy_labels(Expander *expander, const Labels *labels) {
    Labels copy = {.count = labels->count, .capacity = labels->count};

    if (labels->count)
        copy.items = arena_copy(expander->arena, labels->items, labels->count * sizeof *labels->items);
    return copy;
}

// The ReplicaSet that a Deployment's new pods belong to; made unless it is in the input.
static void make_replica_set(Expander *expander, const Workload *deployment, Expansion *expansion) {
    LabelSelector *selector = arena_new(expander->arena, LabelSelector);
    Expression *expression;
    PodOwner *owner;

    if (expansion->set_name == NAME_EMPTY) {
        expansion->set_hash = template_hash(expander, deployment);
        expansion->set_name = intern_joined(expander, expander_text(expander, deployment->meta.name),
                                            expander_text(expander, expansion->set_hash));
    }
    if (expander_find(expander, WORKLOAD_REPLICA_SET, deployment->meta.ns, expansion->set_name) != INDEX_NONE)
        return;
    for (uint32_t i = 0; deployment->selector && i < deployment->selector->expressions.count; i++)
        vec_push(expander->arena, &selector->expressions, deployment->selector->expressions.items[i]);
    expression = vec_add(expander->arena, &selector->expressions);
    expression->key = NAME_POD_TEMPLATE_HASH;
    expression->op = OP_IN;
    vec_push(expander->arena, &expression->values, expansion->set_hash);

    owner = vec_add(expander->arena, &expander->cluster->owners);
    owner->meta = (ObjectMeta){.ns = deployment->meta.ns,
                               .name = expansion->set_name,
                               .file = deployment->meta.file,
                               .line = deployment->meta.line};
    owner->kind = symbol_intern(expander->symbols, SLICE("ReplicaSet"));
    owner->selector = selector;
}

// The pod that all new pods of the workload are copies of, but for their names.
static Pod make_model_pod(Expander *expander, const Workload *workload, Expansion *expansion) {
    const ObjectKind *kind = expander->kinds[workload->kind];
    OwnerReference owner = {.name = workload->meta.name, .uid = workload->meta.uid, .controller = true};
    const char *kind_text = kind->kind;
    Pod pod = {.ns = workload->meta.ns,
               .labels = copy_labels(expander, &workload->pod_labels),
               .annotations = workload->pod_annotations,
               .spec = workload->pod_spec,
               .gated = workload->pod_spec->has_scheduling_gates,
               .file = symbol_intern(expander->symbols, workload->meta.file),
               .line = workload->meta.line,
               .grace_s = 30};

    if (workload->kind == WORKLOAD_DEPLOYMENT) {
        make_replica_set(expander, workload, expansion);
        labels_set(expander->arena, &pod.labels, NAME_POD_TEMPLATE_HASH, expansion->set_hash);
        owner = (OwnerReference){.name = expansion->set_name, .controller = true};
        kind_text = workload_kind_text(WORKLOAD_REPLICA_SET);
    }
    if (workload->kind == WORKLOAD_JOB) {
        labels_set(expander->arena, &pod.labels, symbol_intern(expander->symbols, SLICE("job-name")),
                   workload->meta.name);
        labels_set(expander->arena, &pod.labels,
                   symbol_intern(expander->symbols, SLICE("batch.kubernetes.io/job-name")), workload->meta.name);
    }
    owner.kind = symbol_intern(expander->symbols, slice_of(kind_text));
    owner.api_version = symbol_intern(expander->symbols, workload->kind == WORKLOAD_JOB ? SLICE("batch/v1")
                                                         : kind->group[0]               ? SLICE("apps/v1")
                                                                                        : SLICE("v1"));
    vec_push(expander->arena, &pod.owners, owner);
    return pod;
}

// Adds the claim that a controller makes for a pod, unless one of that name exists.
static void make_claim(Expander *expander, Symbol ns, Symbol name, const ClaimTemplate *template,
                       const ObjectMeta *cause) {
    PersistentVolumeClaimVec *claims = &expander->cluster->volume_claims;

    if (!object_make(expander->cluster, expander->claim_kind, ns, name, claims->count, cause))
        return;
    vec_push(expander->arena, claims,
             (PersistentVolumeClaim){
                 .meta = {.ns = ns,
                          .name = name,
                          .labels = template->meta.labels,
                          .annotations = template->meta.annotations,
                          .file = cause->file,
                          .line = cause->line},
                 .has_storage_class = template->has_storage_class,
                 .storage_class = template->storage_class,
                 .phase = symbol_intern(expander->symbols, SLICE("Pending")),
             });
}

// Gives a StatefulSet's pod its own claims and labels.
static void make_stateful(Expander *expander, const Workload *set, int64_t ordinal, Pod *pod) {
    PodSpec *spec;

    pod->labels = copy_labels(expander, &pod->labels);
    labels_set(expander->arena, &pod->labels,
               symbol_intern(expander->symbols, SLICE("statefulset.kubernetes.io/pod-name")), pod->name);
    expander->state->scratch.len = 0;
    buffer_printf(&expander->state->scratch, "%" PRId64, ordinal);
    labels_set(expander->arena, &pod->labels, symbol_intern(expander->symbols, SLICE("apps.kubernetes.io/pod-index")),
               symbol_intern(expander->symbols, buffer_slice(&expander->state->scratch)));
    if (set->claims.count == 0)
        return;

    spec = arena_copy(expander->arena, pod->spec, sizeof *spec);
    spec->volumes = (PodVolumeVec){0};
    for (vec_each(const PodVolume, volume, &pod->spec->volumes))
        vec_push(expander->arena, &spec->volumes, *volume);
    for (vec_each(const ClaimTemplate, template, &set->claims)) {
        Symbol name =
            intern_joined(expander, expander_text(expander, template->meta.name), expander_text(expander, pod->name));

        make_claim(expander, pod->ns, name, template, &set->meta);
        vec_push(expander->arena, &spec->volumes, (PodVolume){.claim_name = name});
    }
    pod->spec = spec;
}

static void make_pods(Expander *expander, uint32_t at, uint32_t missing) {
    const Workload *workload = &expander->state->workloads.items[at];
    PodVec *pods = &expander->cluster->pods;
    Pod model = make_model_pod(expander, workload, &expander->expansions[at]);

    for (int64_t number = workload->first_ordinal; missing; number++) {
        Pod pod = model;

        pod.name = intern_numbered(expander, workload->meta.name, number);
        if (!object_make(expander->cluster, expander->pod_kind, pod.ns, pod.name, pods->count, &workload->meta))
            continue;
        if (workload->kind == WORKLOAD_STATEFUL_SET)
            make_stateful(expander, workload, number, &pod);
        vec_push(expander->arena, pods, pod);
        missing--;
    }
}

static void list_owners(Expander *expander) {
    for (vec_each(const Workload, workload, &expander->state->workloads)) {
        if (workload->kind == WORKLOAD_REPLICA_SET || workload->kind == WORKLOAD_STATEFUL_SET ||
            workload->kind == WORKLOAD_REPLICATION_CONTROLLER)
            vec_push(expander->arena, &expander->cluster->owners,
                     (PodOwner){.meta = workload->meta,
                                .kind = symbol_intern(expander->symbols, slice_of(workload_kind_text(workload->kind))),
                                .selector = workload->selector});
    }
}

// Allocates all new pods at once: doubling would leave as much memory unused.
static void reserve(Expander *expander, uint64_t more) {
    PodVec *pods = &expander->cluster->pods;
    uint64_t capacity = pods->count + more;
    Pod *items;

    if (capacity <= pods->capacity)
        return;
    items = arena_array(expander->arena, Pod, capacity);
    if (pods->count)
        memcpy(items, pods->items, pods->count * sizeof *items);
    pods->items = items;
    pods->capacity = (uint32_t)capacity;
}

// Adds the claim "<pod>-<volume>" of every ephemeral volume.
static void make_ephemeral_claims(Expander *expander) {
    for (vec_each(const Pod, pod, &expander->cluster->pods)) {
        ObjectMeta cause = {.file = expander_text(expander, pod->file), .line = pod->line};

        if (pod_is_terminal(pod))
            continue;
        for (vec_each(const PodVolume, volume, &pod->spec->volumes)) {
            ClaimTemplate template = {.has_storage_class = volume->has_storage_class,
                                      .storage_class = volume->storage_class};

            if (volume->ephemeral)
                make_claim(expander, pod->ns,
                           intern_joined(expander, expander_text(expander, pod->name),
                                         expander_text(expander, volume->claim_name)),
                           &template, &cause);
        }
    }
}

ErrCode workloads_expand(Cluster *cluster, Err *err) {
    ManifestState *state = manifest_state(cluster);
    Expander expander = {
        .cluster = cluster,
        .state = state,
        .arena = &cluster->arena,
        .symbols = &cluster->symbols,
        .expansions = arena_array(&cluster->arena, Expansion, state->workloads.count),
        .pod_kind = object_kind_find(SLICE(""), SLICE("Pod")),
        .claim_kind = object_kind_find(SLICE(""), SLICE("PersistentVolumeClaim")),
        .kinds = {[WORKLOAD_DEPLOYMENT] = object_kind_find(SLICE("apps"), SLICE("Deployment")),
                  [WORKLOAD_REPLICA_SET] = object_kind_find(SLICE("apps"), SLICE("ReplicaSet")),
                  [WORKLOAD_REPLICATION_CONTROLLER] = object_kind_find(SLICE(""), SLICE("ReplicationController")),
                  [WORKLOAD_STATEFUL_SET] = object_kind_find(SLICE("apps"), SLICE("StatefulSet")),
                  [WORKLOAD_JOB] = object_kind_find(SLICE("batch"), SLICE("Job"))},
        .revision = symbol_intern(&cluster->symbols, SLICE("deployment.kubernetes.io/revision")),
    };
    uint64_t more = 0;

    expander_count_live(&expander);
    list_owners(&expander);
    for (uint32_t i = 0; i < state->workloads.count; i++)
        more += expander_missing(&expander, i);
    if (cluster->pods.count + more > CLUSTER_PODS_MAX)
        return err_set(err, ERR_TOO_LARGE, "the workloads make %" PRIu64 " pods; tenon plans at most %d at once",
                       cluster->pods.count + more, CLUSTER_PODS_MAX);
    reserve(&expander, more);
    for (uint32_t i = 0; i < state->workloads.count; i++) {
        uint32_t missing = expander_missing(&expander, i);

        if (missing)
            make_pods(&expander, i, missing);
    }
    make_ephemeral_claims(&expander);
    return OK;
}
