// Workloads to the pods that their controllers would make.
//
// Live pods are counted first: those whose chain of controllers leads to a workload of the input. A Deployment's pods
// belong to a ReplicaSet, which may be in the input or not; without it the pod's name for it, "<deployment>-<hash>",
// tells. Only what is missing is made.
#include <inttypes.h>
#include <stdio.h>

#include "model/manifest_state.h"

// What is known of a workload's pods before new ones are made. Parallel to the workloads.
typedef struct {
    uint32_t live;        // pods that count against what is wanted
    uint32_t succeeded;   // of a Job
    uint32_t parent;      // ReplicaSet: the Deployment that owns it, else INDEX_NONE
    Symbol set_name;      // Deployment: its newest ReplicaSet, NAME_EMPTY: none known
    Symbol set_hash;      // pod-template-hash of that
    int64_t set_created;  // its age
    bool set_is_revision; // it has the Deployment's revision
} Expansion;

typedef struct {
    Cluster *cluster;
    ManifestState *state;
    Arena *arena;
    Symbols *symbols;
    Expansion *expansions;
    const ObjectKind *pod_kind, *claim_kind;
    const ObjectKind *kinds[WORKLOAD_DAEMON_SET];
    Symbol revision; // annotation deployment.kubernetes.io/revision
} Expander;

static Slice text_of(const Expander *expander, Symbol symbol) {
    return symbol_text(expander->symbols, symbol);
}

static uint32_t find_workload(const Expander *expander, WorkloadKind kind, Symbol ns, Symbol name) {
    const ObjectPlace *place = object_find(expander->state, expander->kinds[kind], ns, name);

    return place ? place->slot : INDEX_NONE;
}

static const OwnerReference *controller_of(const OwnerReferenceVec *owners) {
    for (vec_each(const OwnerReference, owner, owners)) {
        if (owner->controller)
            return owner;
    }
    return NULL;
}

// ReplicaSets of Deployments.

// The ReplicaSet that new pods join: the one of the Deployment's revision, else the newest.
static void note_replica_set(Expander *expander, uint32_t parent, const Workload *set) {
    Expansion *expansion = &expander->expansions[parent];
    const Workload *deployment = &expander->state->workloads.items[parent];
    Symbol revision = labels_get(&deployment->meta.annotations, expander->revision);
    Symbol hash = labels_get(&set->meta.labels, NAME_POD_TEMPLATE_HASH);
    bool is_revision = revision != INDEX_NONE && labels_get(&set->meta.annotations, expander->revision) == revision;

    if (hash == INDEX_NONE)
        hash = labels_get(&set->pod_labels, NAME_POD_TEMPLATE_HASH);
    if (hash == INDEX_NONE || expansion->set_is_revision ||
        (!is_revision && expansion->set_name != NAME_EMPTY && set->meta.created_ns < expansion->set_created))
        return;
    expansion->set_name = set->meta.name;
    expansion->set_hash = hash;
    expansion->set_created = set->meta.created_ns;
    expansion->set_is_revision = is_revision;
}

static void find_parents(Expander *expander) {
    WorkloadVec *workloads = &expander->state->workloads;

    for (uint32_t i = 0; i < workloads->count; i++) {
        const Workload *set = &workloads->items[i];
        const OwnerReference *owner = controller_of(&set->meta.owners);

        expander->expansions[i].parent = INDEX_NONE;
        if (set->kind != WORKLOAD_REPLICA_SET || !owner ||
            !slice_eq_text(text_of(expander, owner->kind), workload_kind_text(WORKLOAD_DEPLOYMENT)))
            continue;
        expander->expansions[i].parent = find_workload(expander, WORKLOAD_DEPLOYMENT, set->meta.ns, owner->name);
        if (expander->expansions[i].parent != INDEX_NONE)
            note_replica_set(expander, expander->expansions[i].parent, set);
    }
}

// Live pods.

// The Deployment behind "<deployment>-<hash>", the ReplicaSet's name when that is not in the input.
static uint32_t deployment_by_set_name(Expander *expander, const Pod *pod, Symbol set_name) {
    Symbol hash = labels_get(&pod->labels, NAME_POD_TEMPLATE_HASH), name;
    Slice set = text_of(expander, set_name), suffix;
    uint32_t at;

    if (hash == INDEX_NONE)
        return INDEX_NONE;
    suffix = text_of(expander, hash);
    if (set.len <= suffix.len + 1 || !slice_ends_with(set, suffix) || set.ptr[set.len - suffix.len - 1] != '-')
        return INDEX_NONE;
    name = symbol_find(expander->symbols, slice_first(set, set.len - suffix.len - 1));
    if (name == INDEX_NONE)
        return INDEX_NONE;
    at = find_workload(expander, WORKLOAD_DEPLOYMENT, pod->ns, name);
    if (at != INDEX_NONE &&
        (expander->expansions[at].set_name == NAME_EMPTY ||
         (!expander->expansions[at].set_is_revision && pod->created_ns > expander->expansions[at].set_created))) {
        expander->expansions[at].set_name = set_name;
        expander->expansions[at].set_hash = hash;
        expander->expansions[at].set_created = pod->created_ns;
    }
    return at;
}

static uint32_t workload_of(Expander *expander, const Pod *pod) {
    const OwnerReference *owner = pod_controller(pod);
    uint32_t at = INDEX_NONE;
    bool is_set;

    if (!owner)
        return INDEX_NONE;
    for (WorkloadKind kind = 0; kind < WORKLOAD_DAEMON_SET; kind++) {
        if (slice_eq_text(text_of(expander, owner->kind), workload_kind_text(kind)))
            at = find_workload(expander, kind, pod->ns, owner->name);
    }
    is_set = slice_eq_text(text_of(expander, owner->kind), workload_kind_text(WORKLOAD_REPLICA_SET));
    if (at == INDEX_NONE && is_set)
        return deployment_by_set_name(expander, pod, owner->name);
    if (at != INDEX_NONE && expander->expansions[at].parent != INDEX_NONE)
        return expander->expansions[at].parent;
    return at;
}

// A StatefulSet waits for a terminating pod before it makes the next of that name; the others replace it at once.
static void count_live_pods(Expander *expander) {
    for (vec_each(const Pod, pod, &expander->cluster->pods)) {
        uint32_t at = workload_of(expander, pod);
        bool keeps_place;

        if (at == INDEX_NONE)
            continue;
        keeps_place = !pod->deleting || expander->state->workloads.items[at].kind == WORKLOAD_STATEFUL_SET;
        expander->expansions[at].live += keeps_place && !pod_is_terminal(pod);
        expander->expansions[at].succeeded += pod->phase == POD_SUCCEEDED;
    }
}

static uint32_t missing_pods(const Expander *expander, uint32_t at) {
    const Workload *workload = &expander->state->workloads.items[at];
    const Expansion *expansion = &expander->expansions[at];
    int64_t wanted = workload->pods_wanted;

    if (expansion->parent != INDEX_NONE)
        return 0;
    if (workload->completions >= 0 && workload->kind == WORKLOAD_JOB) {
        int64_t left = workload->completions - expansion->succeeded;

        wanted = left < wanted ? left : wanted;
    }
    return wanted > expansion->live ? (uint32_t)(wanted - expansion->live) : 0;
}

// New pods.

// Ten letters of Kubernetes' safe alphabet, from the content of the template.
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

    return intern_joined(expander, text_of(expander, name), (Slice){digits, (size_t)len});
}

static Labels copy_labels(Expander *expander, const Labels *labels) {
    Labels copy = {.count = labels->count, .capacity = labels->count};

    if (labels->count)
        copy.items = arena_copy(expander->arena, labels->items, labels->count * sizeof *labels->items);
    return copy;
}

// The ReplicaSet that a Deployment's new pods belong to, made unless it is in the input.
static void make_replica_set(Expander *expander, const Workload *deployment, Expansion *expansion) {
    LabelSelector *selector = arena_new(expander->arena, LabelSelector);
    Expression *expression;
    PodOwner *owner;

    if (expansion->set_name == NAME_EMPTY) {
        expansion->set_hash = template_hash(expander, deployment);
        expansion->set_name =
            intern_joined(expander, text_of(expander, deployment->meta.name), text_of(expander, expansion->set_hash));
    }
    if (find_workload(expander, WORKLOAD_REPLICA_SET, deployment->meta.ns, expansion->set_name) != INDEX_NONE)
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

// The pod that all new pods of the workload are copies of, up to their names.
static Pod make_model_pod(Expander *expander, const Workload *workload, Expansion *expansion) {
    const ObjectKind *kind = expander->kinds[workload->kind];
    OwnerReference owner = {.name = workload->meta.name, .uid = workload->meta.uid, .controller = true};
    const char *kind_text = kind->kind;
    Pod pod = {.ns = workload->meta.ns,
               .labels = copy_labels(expander, &workload->pod_labels),
               .annotations = workload->pod_annotations,
               .spec = workload->pod_spec,
               .gated = workload->pod_spec->has_scheduling_gates,
               .file = workload->meta.file,
               .line = workload->meta.line};

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

// A claim that a controller makes for a pod; nothing happens when there is one of that name.
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

// A StatefulSet's pod has claims and labels of its own.
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
        Symbol name = intern_joined(expander, text_of(expander, template->meta.name), text_of(expander, pod->name));

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

// One block of memory for all new pods: doubling would leave as much again behind.
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

// Every volume from an ephemeral template gets its claim "<pod>-<volume>".
static void make_ephemeral_claims(Expander *expander) {
    for (vec_each(const Pod, pod, &expander->cluster->pods)) {
        ObjectMeta cause = {.file = pod->file, .line = pod->line};

        if (pod_is_terminal(pod))
            continue;
        for (vec_each(const PodVolume, volume, &pod->spec->volumes)) {
            ClaimTemplate template = {.has_storage_class = volume->has_storage_class,
                                      .storage_class = volume->storage_class};

            if (volume->ephemeral)
                make_claim(expander, pod->ns,
                           intern_joined(expander, text_of(expander, pod->name), text_of(expander, volume->claim_name)),
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

    find_parents(&expander);
    count_live_pods(&expander);
    list_owners(&expander);
    for (uint32_t i = 0; i < state->workloads.count; i++)
        more += missing_pods(&expander, i);
    if (cluster->pods.count + more > CLUSTER_PODS_MAX)
        return err_set(err, ERR_TOO_LARGE, "the workloads make %" PRIu64 " pods; tenon plans at most %d at once",
                       cluster->pods.count + more, CLUSTER_PODS_MAX);
    reserve(&expander, more);
    for (uint32_t i = 0; i < state->workloads.count; i++) {
        uint32_t missing = missing_pods(&expander, i);

        if (missing)
            make_pods(&expander, i, missing);
    }
    make_ephemeral_claims(&expander);
    return OK;
}
