// What the API server serves, and the objects that checks are about.
#include "cli/doctor/live_objects.h"

#include "doctor/gather.h"
#include "kube/crds/crds.h"

// --- definitions

// "v1beta1, v1alpha5": the versions of a group but one.
static Slice other_versions(const LiveReading *reading, Slice group, Slice version) {
    const char *path = arena_text(reading->arena, arena_printf(reading->arena, "/apis/%.*s", SLICE_ARG(group)));
    const Value *versions;
    KubeError error = {0};
    Slice text = SLICE("");
    Value answer;

    if (live_get(reading, path, &answer, &error) != OK)
        return text;
    versions = value_get_text(&answer, "versions");
    for (uint32_t i = 0; versions && versions->kind == VALUE_LIST && i < versions->list.count; i++) {
        Slice one = kube_text(&versions->list.items[i], "version", NULL);

        if (!slice_eq(one, version))
            text = text.len ? arena_printf(reading->arena, "%.*s, %.*s", SLICE_ARG(text), SLICE_ARG(one)) : one;
    }
    return text;
}

static bool serves(const LiveReading *reading, const KubeKindInfo *kind) {
    const char *path = arena_text(reading->arena, arena_printf(reading->arena, "/apis/%.*s/%.*s",
                                                               SLICE_ARG(kind->group), SLICE_ARG(kind->version)));
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

void live_read_definitions(const LiveReading *reading) {
    for (size_t i = 0; i < crds_count(); i++) {
        const KubeKindInfo *kind = crds_at(i).kind;
        FactDefinition definition = {
            .name = kind->resource, .version = kind->version, .is_served = serves(reading, kind)};

        if (!definition.is_served)
            definition.others = other_versions(reading, kind->group, kind->version);
        vec_push(reading->arena, &reading->facts->live.definitions, definition);
    }
}

bool live_serves(const LiveReading *reading, const char *name) {
    for (vec_each(const FactDefinition, definition, &reading->facts->live.definitions)) {
        if (slice_eq_text(definition->name, name))
            return definition->is_served;
    }
    return false;
}

// --- objects

// One version of each kind: today's, else the older. A path that is not there is no failure.
static const struct {
    const char *what, *path, *older;
} lists[] = {
    {"nodepools.karpenter.sh", "/apis/karpenter.sh/v1/nodepools", "/apis/karpenter.sh/v1beta1/nodepools"},
    {"ec2nodeclasses.karpenter.k8s.aws", "/apis/karpenter.k8s.aws/v1/ec2nodeclasses",
     "/apis/karpenter.k8s.aws/v1beta1/ec2nodeclasses"},
    {"provisioners.karpenter.sh", "/apis/karpenter.sh/v1alpha5/provisioners", NULL},
    {"awsnodetemplates.karpenter.k8s.aws", "/apis/karpenter.k8s.aws/v1alpha1/awsnodetemplates", NULL},
    {"nodes", "/api/v1/nodes", NULL},
    {"deployments.apps", "/apis/apps/v1/deployments?labelSelector=app.kubernetes.io%2Fname%3Dkarpenter", NULL},
    {"services", "/api/v1/services", NULL},
    {"configmaps", "/api/v1/configmaps?fieldSelector=metadata.name%3Dkarpenter-global-settings", NULL},
    {"configmaps", "/api/v1/configmaps?fieldSelector=metadata.name%3Daws-auth", NULL},
};

static void read_list(const LiveReading *reading, const char *what, const char *path, const char *older) {
    FactCall call = {.what = slice_of(what)};
    KubeError error = {0};
    DocumentVec documents = {0};
    Document document = {.file = slice_of(what)};

    call.code = live_get(reading, path, &document.root, &error);
    if (call.code == ERR_NOT_FOUND && older)
        call.code = live_get(reading, older, &document.root, &error);
    if (call.code == OK) {
        vec_push(reading->arena, &documents, document);
        gather_documents(reading->arena, &documents, reading->facts);
    }
    if (call.code == ERR_NOT_FOUND)
        return;
    if (call.code != OK)
        call.text = arena_slice(reading->arena, slice_of(error.err.text));
    vec_push(reading->arena, &reading->facts->live.reads, call);
}

// Those of Services that ask for hints alone: a cluster has many.
static void read_endpoints(const LiveReading *reading) {
    for (vec_each(const FactService, service, &reading->facts->hinted))
        read_list(reading, "endpointslices.discovery.k8s.io",
                  arena_text(reading->arena,
                             arena_printf(reading->arena,
                                          "/apis/discovery.k8s.io/v1/namespaces/%.*s/"
                                          "endpointslices?labelSelector=kubernetes.io%%2Fservice-name%%3D%.*s",
                                          SLICE_ARG(service->ns), SLICE_ARG(service->name))),
                  NULL);
}

void live_read_objects(const LiveReading *reading) {
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        read_list(reading, lists[i].what, lists[i].path, lists[i].older);
    read_endpoints(reading);
}
