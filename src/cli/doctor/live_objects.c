// What the API server serves, and the objects that checks are about.
#include "cli/doctor/live_objects.h"

#include "doctor/gather.h"
#include "kube/crds/crds.h"

#define CRDS "customresourcedefinitions"

// --- definitions

static bool serves(const LiveReading *reading, const KubeKindInfo *kind, Slice version) {
    const char *path = arena_text(
        reading->arena, arena_printf(reading->arena, "/apis/%.*s/%.*s", SLICE_ARG(kind->group), SLICE_ARG(version)));
    const Value *resources;
    KubeError error = {0};
    Value answer;

    if (live_get(reading, path, &answer, &error) != OK)
        return false;
    resources = value_get_text(&answer, "resources");
    for (uint32_t i = 0; resources && resources->kind == VALUE_LIST && i < resources->list.count; i++) {
        if (slice_eq(kube_text(&resources->list.items[i], "name", NULL), kind->plural))
            return true;
    }
    return false;
}

// The versions that a kind is served in, but today's.
static SliceVec other_versions(const LiveReading *reading, const KubeKindInfo *kind) {
    const char *path = arena_text(reading->arena, arena_printf(reading->arena, "/apis/%.*s", SLICE_ARG(kind->group)));
    SliceVec others = {0};
    const Value *versions;
    KubeError error = {0};
    Value answer;

    if (live_get(reading, path, &answer, &error) != OK)
        return others;
    versions = value_get_text(&answer, "versions");
    for (uint32_t i = 0; versions && versions->kind == VALUE_LIST && i < versions->list.count; i++) {
        Slice version = kube_text(&versions->list.items[i], "version", NULL);

        if (!slice_eq(version, kind->version) && serves(reading, kind, version))
            vec_push(reading->arena, &others, version);
    }
    return others;
}

static void take_storage(const LiveReading *reading, const Value *crd, FactDefinition *definition) {
    const Value *versions = value_at(crd, "spec", "versions", NULL), *stored;

    for (uint32_t i = 0; versions && versions->kind == VALUE_LIST && i < versions->list.count; i++) {
        const Value *storage = value_get_text(&versions->list.items[i], "storage");

        if (storage && storage->kind == VALUE_BOOL && storage->boolean)
            definition->storage = kube_text(&versions->list.items[i], "name", NULL);
    }
    stored = value_at(crd, "status", "storedVersions", NULL);
    for (uint32_t i = 0; stored && stored->kind == VALUE_LIST && i < stored->list.count; i++) {
        if (stored->list.items[i].kind == VALUE_STRING)
            vec_push(reading->arena, &definition->stored, stored->list.items[i].text);
    }
}

// Discovery does not tell in which versions objects are stored. The kinds of v1 had another version before.
static void read_storage(const LiveReading *reading, FactDefinition *definition) {
    FactRead read = {.verb = SLICE("get"), .resource = SLICE(CRDS ".apiextensions.k8s.io"), .name = definition->name};
    const char *path =
        arena_text(reading->arena,
                   arena_printf(reading->arena, "/apis/apiextensions.k8s.io/v1/" CRDS "/%.*s", SLICE_ARG(read.name)));
    KubeError error = {0};
    Value crd;

    if (!slice_eq_text(definition->version, "v1") || (!definition->is_served && !definition->others.count))
        return;
    read.code = live_get(reading, path, &crd, &error);
    if (read.code == OK)
        take_storage(reading, &crd, definition);
    live_note_read(reading, read, &error);
}

void live_read_definitions(const LiveReading *reading) {
    for (size_t i = 0; i < crds_count(); i++) {
        const KubeKindInfo *kind = crds_at(i).kind;
        FactDefinition definition = {.name = kind->resource, .version = kind->version};

        definition.is_served = serves(reading, kind, kind->version);
        if (!definition.is_served)
            definition.others = other_versions(reading, kind);
        read_storage(reading, &definition);
        vec_push(reading->arena, &reading->facts->live.definitions, definition);
    }
}

static const FactDefinition *find_definition(const LiveReading *reading, const char *name) {
    for (vec_each(const FactDefinition, definition, &reading->facts->live.definitions)) {
        if (slice_eq_text(definition->name, name))
            return definition;
    }
    return NULL;
}

bool live_serves(const LiveReading *reading, const char *name) {
    const FactDefinition *definition = find_definition(reading, name);

    return definition && definition->is_served;
}

// --- objects

static void read_list(const LiveReading *reading, FactRead read, const char *path) {
    KubeError error = {0};
    DocumentVec documents = {0};
    Document document = {.file = read.resource};

    read.verb = SLICE("list");
    read.code = live_get(reading, path, &document.root, &error);
    if (read.code == ERR_NOT_FOUND)
        return;
    if (read.code == OK) {
        vec_push(reading->arena, &documents, document);
        gather_documents(reading->arena, &documents, reading->facts);
    }
    live_note_read(reading, read, &error);
}

// Today's version, else an older one. What is not served is not asked for: who may not list a kind that is not there
// is told of the right first.
static void read_kind(const LiveReading *reading, const char *name) {
    const FactDefinition *definition = find_definition(reading, name);
    Slice version;
    Crd crd;

    if (!crds_find(slice_of(name), &crd) || !definition || (!definition->is_served && !definition->others.count))
        return;
    version = definition->is_served ? definition->version : definition->others.items[0];
    read_list(
        reading, (FactRead){.resource = definition->name},
        arena_text(reading->arena, arena_printf(reading->arena, "/apis/%.*s/%.*s/%.*s", SLICE_ARG(crd.kind->group),
                                                SLICE_ARG(version), SLICE_ARG(crd.kind->plural))));
}

// Those of Services that ask for hints alone: a cluster has many.
static void read_endpoints(const LiveReading *reading) {
    for (vec_each(const FactService, service, &reading->facts->hinted))
        read_list(reading, (FactRead){.resource = SLICE("endpointslices.discovery.k8s.io")},
                  arena_text(reading->arena,
                             arena_printf(reading->arena,
                                          "/apis/discovery.k8s.io/v1/namespaces/%.*s/"
                                          "endpointslices?labelSelector=kubernetes.io%%2Fservice-name%%3D%.*s",
                                          SLICE_ARG(service->ns), SLICE_ARG(service->name))));
}

void live_read_objects(const LiveReading *reading) {
    static const char *const kinds[] = {"nodepools.karpenter.sh", "ec2nodeclasses.karpenter.k8s.aws",
                                        "provisioners.karpenter.sh", "awsnodetemplates.karpenter.k8s.aws"};
    static const struct {
        const char *resource, *name, *path;
    } lists[] = {
        {"nodes", "", "/api/v1/nodes"},
        {"deployments.apps", "", "/apis/apps/v1/deployments?labelSelector=app.kubernetes.io%2Fname%3Dkarpenter"},
        {"services", "", "/api/v1/services"},
        {"configmaps", "karpenter-global-settings",
         "/api/v1/configmaps?fieldSelector=metadata.name%3Dkarpenter-global-settings"},
        {"configmaps", "aws-auth", "/api/v1/configmaps?fieldSelector=metadata.name%3Daws-auth"},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        read_kind(reading, kinds[i]);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        read_list(reading, (FactRead){.resource = slice_of(lists[i].resource), .name = slice_of(lists[i].name)},
                  lists[i].path);
    read_endpoints(reading);
}
