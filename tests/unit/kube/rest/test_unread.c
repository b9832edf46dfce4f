// What the REST client drops, tenon does not read: every object decodes to the same without it.
//
//     kube_tests --suite rest/test_unread               objects of tests/, examples/ and of this file
//     kube_tests --suite rest/test_unread -- FILE...    those of the files: kubectl get … -o json --show-managed-fields
//
// Decoded twice at the same place of memory, whole and through the json_filter, an object must give the same bytes.
// Pods are compared by what the store makes of them.
#include "harness/test.h"
#include "kube/rest/rest_parts.h"
#include "kube/rest/unread.h"
#include "model/decode/pod.h"
#include "model/manifest/object.h"
#include "state/state.h"
#include "text/json.h"
#include "text/value_edit.h"
#include "text/yaml.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

enum { DECODED_BYTES_MAX = 1 << 20, ROOM_BYTES = 4096, OBJECTS_MIN = 500, SIEVED_BYTES_MAX = 64 << 20 };

static unsigned checked[KUBE_KIND_COUNT], unreadable;
static size_t whole_bytes, sieved_bytes;
static Err last; // of an object that cannot be read

static Value parse(Arena *arena, Slice json) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};

    assert_int_equal(json_parse(arena, SLICE("object"), json, NULL, &documents, &warnings, NULL), OK);
    assert_int_equal(documents.count, 1);
    return documents.items[0].root;
}

static Value print_and_parse(Arena *arena, const Value *value) {
    Buffer text = {0};
    Value result;

    json_print(&text, value, false);
    result = parse(arena, buffer_slice(&text));
    buffer_free(&text);
    return result;
}

// Through the json_filter.

typedef struct {
    Arena *arena;
    Value root;
} JsonFilterd;

static bool take(void *context, Slice text) {
    JsonFilterd *filtered = context;

    filtered->root = parse(filtered->arena, text);
    return true;
}

static Value json_filter(Arena *arena, KubeKind kind, const char *prefix, const char *drop, const Value *root) {
    JsonFilterd filtered = {.arena = arena};
    JsonFilter *own = calloc(1, sizeof *own);
    Buffer text = {0};

    own->bytes_max = SIEVED_BYTES_MAX;
    own->take = take;
    own->context = &filtered;
    rest_drop_unread(own, kind, prefix);
    if (drop)
        json_filter_drop(own, prefix, drop);
    json_print(&text, root, true);
    assert_true(json_filter_feed(own, buffer_slice(&text)));
    buffer_free(&text);
    json_filter_free(own);
    free(own);
    return filtered.root;
}

// As an event of a watch, and as an item of a list: the same.
static Value json_filter_object(Arena *arena, KubeKind kind, const char *drop, const Value *object) {
    Value event = value_map(), list = value_map(), items = value_list(), as_event, as_item;

    value_put(arena, &event, SLICE("object"), *object);
    value_append(arena, &items, *object);
    value_put(arena, &list, SLICE("items"), items);
    as_event = json_filter(arena, kind, "object", drop, &event);
    as_item = json_filter(arena, kind, "items *", drop, &list);
    as_event = *value_get_text(&as_event, "object");
    as_item = value_get_text(&as_item, "items")->list.items[0];
    assert_true(value_eq(&as_event, &as_item));
    return print_and_parse(arena, &as_event);
}

// Comparing what is decoded.

// No code reads it by name; objects that are read whole keep it beside other annotations.
static void remove_last_applied(Value *object) {
    Value *metadata = value_find(object, SLICE("metadata"));
    Value *annotations = metadata ? value_find(metadata, SLICE("annotations")) : NULL;

    if (annotations)
        value_remove(annotations, SLICE("kubectl.kubernetes.io/last-applied-configuration"));
}

static void set_revision(Arena *arena, Value *object, const char *revision) {
    Value *metadata = value_find(object, SLICE("metadata"));

    if (metadata)
        value_put(arena, metadata, SLICE("resourceVersion"), value_string(slice_of(revision)));
}

static bool labels_are_equal(const Labels *a, const Labels *b) {
    return a->count == b->count && (!a->count || !memcmp(a->items, b->items, a->count * sizeof(Label)));
}

static bool pods_are_equal(const Pod *a, const Pod *b) {
    Pod one = *a, other = *b;

    if (one.owners.count != other.owners.count || !labels_are_equal(&one.labels, &other.labels) ||
        !labels_are_equal(&one.annotations, &other.annotations))
        return false;
    for (uint32_t i = 0; i < one.owners.count; i++) {
        const OwnerReference *mine = &one.owners.items[i], *its = &other.owners.items[i];

        if (mine->uid != its->uid || mine->controller != its->controller)
            return false;
    }
    memset(&one.labels, 0, sizeof one.labels);
    memset(&other.labels, 0, sizeof other.labels);
    memset(&one.annotations, 0, sizeof one.annotations);
    memset(&other.annotations, 0, sizeof other.annotations);
    memset(&one.owners, 0, sizeof one.owners);
    memset(&other.owners, 0, sizeof other.owners);
    one.revision = other.revision = 0;
    return !memcmp(&one, &other, sizeof one); // `spec`, too: the store has equal ones once
}

// 1: equal, 0: not, -1: the whole one cannot be read.
static int compare_pods(Arena *arena, Value *whole, Value *filtered) {
    State *state = state_new();
    StateUpdate *update;
    StateChange change;
    int result = -1;

    set_revision(arena, whole, "1");
    set_revision(arena, filtered, "2");
    if (state_decode(state_symbols(state), KUBE_POD, whole, &update, &last) == OK) {
        assert_true(state_apply(state, update, false, &change));
        result = state_decode(state_symbols(state), KUBE_POD, filtered, &update, NULL) == OK;
        if (result) {
            assert_true(state_apply(state, update, false, &change));
            result = pods_are_equal(change.before, change.after);
        }
    }
    state_free(state);
    return result;
}

// A piece of memory in which things are made again and again at the same place.
typedef struct {
    Arena arena;
    ArenaMark start;
} Place;

static void place_begin(Place *place) {
    *place = (Place){0};
    arena_reserve(&place->arena, DECODED_BYTES_MAX + ROOM_BYTES);
    place->start = arena_mark(&place->arena);
}

static void place_zero(Place *place) {
    memset(arena_alloc_raw(&place->arena, DECODED_BYTES_MAX), 0, DECODED_BYTES_MAX);
    arena_rewind(&place->arena, place->start);
}

// Copies what was made there. Returns its length.
static size_t place_copy(Place *place, char *copy) {
    size_t len = (size_t)(place->arena.at - place->start.at);

    assert_true(place->arena.chunk == place->start.chunk);
    arena_rewind(&place->arena, place->start);
    memcpy(copy, arena_alloc_raw(&place->arena, len), len);
    arena_rewind(&place->arena, place->start);
    return len;
}

static char copies[2][DECODED_BYTES_MAX];

static void *decode(Arena *arena, Symbols *symbols, KubeKind kind, const Value *object) {
    const KubeKindInfo *info = kube_kind(kind);
    void *decoded = arena_alloc(arena, object_decoded_size(info->group, info->kind));

    return object_decode(arena, symbols, info->group, info->kind, object, decoded, &last) == OK ? decoded : NULL;
}

static int compare_plain(KubeKind kind, const Value *whole, const Value *filtered) {
    const Value *const objects[] = {whole, filtered};
    size_t lens[2] = {0, 0};
    Symbols symbols;
    Place place;

    symbols_init(&symbols);
    place_begin(&place);
    for (size_t i = 0; i < 2; i++) {
        place_zero(&place);
        if (decode(&place.arena, &symbols, kind, objects[i]))
            lens[i] = place_copy(&place, copies[i]);
        arena_rewind(&place.arena, place.start);
    }
    arena_free(&place.arena);
    symbols_free(&symbols);
    return !lens[0] ? -1 : lens[0] == lens[1] && !memcmp(copies[0], copies[1], lens[0]);
}

// Decoding one leaves more behind than what comes of it: its template is copied out and compared.
static int compare_daemon_sets(const Value *whole, const Value *filtered) {
    PodSpec specs[2];
    DaemonSet *sets[2];
    size_t lens[2];
    Symbols symbols;
    Arena arena = {0};
    Place place;
    int result = -1;

    symbols_init(&symbols);
    place_begin(&place);
    sets[0] = decode(&arena, &symbols, KUBE_DAEMON_SET, whole);
    sets[1] = decode(&arena, &symbols, KUBE_DAEMON_SET, filtered);
    if (sets[0] && sets[1]) {
        for (size_t i = 0; i < 2; i++) {
            place_zero(&place);
            specs[i] = pod_spec_copy(&place.arena, sets[i]->pod_spec);
            lens[i] = place_copy(&place, copies[i]);
        }
        result = labels_are_equal(&sets[0]->pod_labels, &sets[1]->pod_labels) && lens[0] == lens[1] &&
                 !memcmp(copies[0], copies[1], lens[0]) && !memcmp(&specs[0], &specs[1], sizeof specs[0]) &&
                 compare_plain(KUBE_REPLICA_SET, whole, filtered) == 1; // metadata and selector
    } else if (sets[0]) {
        result = 0;
    }
    arena_free(&arena);
    arena_free(&place.arena);
    symbols_free(&symbols);
    return result;
}

// spec.kubelet is kept as a tree, whose unused bytes are any: it is compared as one, and taken out.
static bool take_out_kubelets(Value *whole, Value *filtered) {
    Value *objects[] = {whole, filtered}, kubelets[2] = {value_null(), value_null()};

    for (size_t i = 0; i < 2; i++) {
        Value *spec = value_find(objects[i], SLICE("spec")),
              *kubelet = spec ? value_find(spec, SLICE("kubelet")) : NULL;

        if (!kubelet)
            continue;
        kubelets[i] = *kubelet;
        value_remove(spec, SLICE("kubelet"));
    }
    return value_eq(&kubelets[0], &kubelets[1]);
}

static int compare_as(KubeKind kind, Arena *arena, Value *whole, Value *filtered) {
    if (kind == KUBE_POD)
        return compare_pods(arena, whole, filtered);
    if (kind == KUBE_EC2_NODE_CLASS && !take_out_kubelets(whole, filtered))
        return 0;
    return kind == KUBE_DAEMON_SET ? compare_daemon_sets(whole, filtered) : compare_plain(kind, whole, filtered);
}

static int compare(KubeKind kind, const char *drop, const Value *object) {
    Arena arena = {0};
    Value whole = print_and_parse(&arena, object), filtered = json_filter_object(&arena, kind, drop, &whole);
    Buffer text = {0};
    int result;

    json_print(&text, &whole, false);
    whole_bytes += text.len;
    text.len = 0;
    json_print(&text, &filtered, false);
    sieved_bytes += text.len;
    buffer_free(&text);
    remove_last_applied(&whole);
    result = compare_as(kind, &arena, &whole, &filtered);
    arena_free(&arena);
    return result;
}

// Looking for objects.

static void check_object(const char *path, KubeKind kind, const Value *object) {
    int result = compare(kind, NULL, object);

    checked[kind] += result == 1;
    unreadable += result < 0;
    if (result < 0)
        printf("%s:%u: %s\n", path, object->line, last.text);
    if (!result)
        fail_msg("%s:%u: %.*s %.*s is not the same through the json_filter", path, object->line,
                 SLICE_ARG(kube_kind(kind)->kind), SLICE_ARG(kube_name(object)));
}

// Objects stand anywhere in a document: in lists, scenes, scenarios.
static void check_all(const char *path, const Value *value) {
    KubeKind kind = kube_kind_find(kube_text(value, "apiVersion", NULL), kube_text(value, "kind", NULL));

    if (kind != KUBE_KIND_COUNT && state_keeps(kind)) {
        check_object(path, kind, value);
        return;
    }
    for (uint32_t i = 0; value->kind == VALUE_MAP && i < value->map.count; i++)
        check_all(path, &value->map.items[i].value);
    for (uint32_t i = 0; value->kind == VALUE_LIST && i < value->list.count; i++)
        check_all(path, &value->list.items[i]);
}

static void check_file(const char *path) {
    FILE *in = fopen(path, "r");
    Arena arena = {0};
    Buffer text = {0};
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    char block[65536];
    size_t got;

    assert_non_null(in);
    while ((got = fread(block, 1, sizeof block, in)) > 0)
        buffer_append(&text, (Slice){block, got});
    fclose(in);
    if (slice_ends_with(slice_of(path), SLICE(".json")))
        json_parse(&arena, slice_of(path), buffer_slice(&text), NULL, &documents, &warnings, NULL);
    else
        yaml_parse(&arena, slice_of(path), buffer_slice(&text), NULL, &documents, &warnings, NULL);
    for (vec_each(const Document, document, &documents))
        check_all(path, &document->root);
    buffer_free(&text);
    arena_free(&arena);
}

static int visit(const char *path, const struct stat *status, int type, struct FTW *place) {
    Slice name = slice_of(path);

    (void)status, (void)place;
    if (type == FTW_F && (slice_ends_with(name, SLICE(".yaml")) || slice_ends_with(name, SLICE(".json"))))
        check_file(path);
    return 0;
}

static unsigned total(void) {
    unsigned sum = 0;

    for (unsigned kind = 0; kind < KUBE_KIND_COUNT; kind++)
        sum += checked[kind];
    return sum;
}

TEST(every_object_is_the_same_to_tenon) {
    if (*test_arguments) {
        for (char **file = test_arguments; *file; file++)
            check_file(*file);
        assert_true(total() > 0);
    } else {
        assert_int_equal(nftw(TENON_SOURCE_DIR "/tests", visit, 16, FTW_PHYS), 0);
        assert_int_equal(nftw(TENON_SOURCE_DIR "/examples", visit, 16, FTW_PHYS), 0);
        assert_true(total() > OBJECTS_MIN);
    }
    for (unsigned kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        if (checked[kind])
            printf("%6u %.*s\n", checked[kind], SLICE_ARG(kube_kind((KubeKind)kind)->kind));
    }
    printf("%u objects, %u unreadable even when whole, %zu bytes of which %zu are kept\n", total(), unreadable,
           whole_bytes, sieved_bytes);
}

// As API servers give them: with everything that is dropped, and what is read right beside it.
#define CONTAINER                                                                                                      \
    "{name: c, image: i, command: [a], args: [b], workingDir: /, env: [{name: A, value: b}], envFrom: "                \
    "[{configMapRef: {name: c}}], ports: [{containerPort: 80, hostPort: 8080, hostIP: 10.0.0.1}], resources: "         \
    "{requests: {cpu: 100m, memory: 1Gi}, limits: {cpu: 1}}, volumeMounts: [{name: v, mountPath: /v}], "               \
    "volumeDevices: [{name: w, devicePath: /w}], livenessProbe: {exec: {command: [x]}}, readinessProbe: {exec: "       \
    "{command: [x]}}, startupProbe: {exec: {command: [x]}}, lifecycle: {preStop: {exec: {command: [x]}}}, "            \
    "securityContext: {privileged: true}, imagePullPolicy: Always, terminationMessagePath: /t, "                       \
    "terminationMessagePolicy: File, restartPolicy: Always}"
#define METADATA                                                                                                       \
    "metadata: {name: one, namespace: default, uid: u, generation: 3, managedFields: [{manager: m, operation: "        \
    "Update, "                                                                                                         \
    "fieldsV1: {'f:spec': {}}}], labels: {app: web}, annotations: {karpenter.sh/do-not-disrupt: 'true', "              \
    "kubectl.kubernetes.io/last-applied-configuration: '{}'}, ownerReferences: [{apiVersion: apps/v1, kind: "          \
    "ReplicaSet, name: r, uid: q, controller: true}]}"
#define POD_SPEC                                                                                                       \
    "containers: [" CONTAINER "], initContainers: [" CONTAINER "], ephemeralContainers: [{name: e, image: i}], "       \
    "volumes: [{name: v, persistentVolumeClaim: {claimName: pvc}}, {name: w, projected: {sources: []}}, {name: x, "    \
    "ephemeral: {volumeClaimTemplate: {spec: {storageClassName: s}}}}], hostAliases: [{ip: 1.2.3.4}], "                \
    "imagePullSecrets: [{name: s}], securityContext: {runAsUser: 1}, tolerations: [{operator: Exists}], "              \
    "nodeSelector: {a: b}, topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "            \
    "DoNotSchedule, labelSelector: {matchLabels: {app: web}}}], affinity: {podAntiAffinity: "                          \
    "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: "          \
    "{matchLabels: {app: web}}}]}}, priorityClassName: p, priority: 7, runtimeClassName: r, overhead: {cpu: 1m}, "     \
    "terminationGracePeriodSeconds: 5"

static const struct {
    const char *yaml;
    const char *read; // a path of it that tenon does read
} full[] = {
    {"{apiVersion: v1, kind: Pod, " METADATA ", spec: {nodeName: node, " POD_SPEC "}, status: {phase: Running, "
     "conditions: [{type: Ready, status: 'True'}], startTime: '2026-01-01T00:00:00Z', containerStatuses: [{name: c, "
     "resources: {requests: {cpu: 2}}}]}}",
     "spec nodeName"},
    {"{apiVersion: v1, kind: Node, " METADATA ", spec: {providerID: kwok://x, taints: [{key: a, effect: NoSchedule}]}, "
     "status: {images: [{names: [i], sizeBytes: 5}], nodeInfo: {architecture: amd64}, capacity: {cpu: 4}, "
     "allocatable: {cpu: 3}, conditions: [{type: Ready, status: 'True'}]}}",
     "status allocatable"},
    {"{apiVersion: apps/v1, kind: DaemonSet, " METADATA ", spec: {selector: {matchLabels: {app: web}}, template: "
     "{metadata: {labels: {app: web}}, spec: {" POD_SPEC "}}}, status: {desiredNumberScheduled: 1}}",
     "spec template spec tolerations"},
    {"{apiVersion: apps/v1, kind: StatefulSet, " METADATA ", spec: {selector: {matchLabels: {app: web}}, template: "
     "{metadata: {labels: {app: web}}, spec: {" POD_SPEC "}}}}",
     "metadata uid"},
};

TEST(full_objects_are_the_same_and_what_is_read_would_be_missed) {
    for (size_t i = 0; i < sizeof full / sizeof *full; i++) {
        Arena arena = {0};
        DocumentVec documents = {0};
        WarningVec warnings = {0};
        const Value *root;
        KubeKind kind;

        assert_int_equal(yaml_parse(&arena, SLICE("full"), slice_of(full[i].yaml), NULL, &documents, &warnings, NULL),
                         OK);
        root = &documents.items[0].root;
        kind = kube_kind_find(kube_text(root, "apiVersion", NULL), kube_text(root, "kind", NULL));
        last.text[0] = 0;
        if (compare(kind, NULL, root) != 1)
            fail_msg("%zu is not the same through the json_filter: %s", i, last.text);
        assert_int_equal(compare(kind, full[i].read, root), 0);
        arena_free(&arena);
    }
}
