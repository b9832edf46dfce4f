// Writes.
//
// A status may become two writes, because the old kind has no place for all of it: first the annotation, with the
// preconditions of the patch, then the status. A process that dies in between has the next one write the rest: what it
// sees of the object still lacks it.
#include "legacy/bridge/parts.h"
#include "legacy/present/carry.h"
#include "legacy/present/names.h"

#include "text/value_edit.h"

// The result of a write as the caller knows the object. `arena` may be NULL with `ret_object`.
static ErrCode show(const Bridge *bridge, Arena *arena, KubeKind kind, KubeKind from, ErrCode code,
                    const Value *written, const Value *template, Value *ret_object) {
    if (code == OK && ret_object)
        bridge_present(bridge, arena, kind, from, written, template, ret_object);
    return code;
}

// --- creation

static Slice provisioner_of_claim(const Value *claim) {
    const Value *pool = value_at(claim, "metadata", "labels", "karpenter.sh/nodepool", NULL);
    KubeKind old;
    Slice name = SLICE("");

    if (pool && pool->kind == VALUE_STRING)
        old_name(KUBE_NODE_POOL, pool->text, &old, &name);
    return name;
}

static ErrCode create_machine(const Bridge *bridge, Arena *arena, Slice manager, const Value *claim, Slice name,
                              Value *ret_object, KubeError *error) {
    Value provisioner, machine, written;
    ErrCode code = kube_get(bridge->inner, arena, (KubeRef){KUBE_PROVISIONER, SLICE(""), name}, &provisioner, error);

    if (code != OK)
        return code;
    machine = carry_claim(arena, claim, &provisioner);
    code = kube_create(bridge->inner, arena, manager, KUBE_MACHINE, &machine, &written, error);
    return show(bridge, arena, KUBE_NODE_CLAIM, KUBE_MACHINE, code, &written, NULL, ret_object);
}

static Value carried(Arena *arena, KubeKind kind, const Value *object) {
    return kind == KUBE_NODE ? carry_node(arena, object) : kind == KUBE_EVENT ? carry_event(arena, object) : *object;
}

ErrCode bridge_create(void *self, Arena *arena, Slice manager, KubeKind kind, const Value *object, Value *ret_object,
                      KubeError *error) {
    const Bridge *bridge = self;
    Slice provisioner = kind == KUBE_NODE_CLAIM ? provisioner_of_claim(object) : SLICE("");
    Arena own = {0};
    Value body, written;
    ErrCode code;

    if (provisioner.len) {
        code = create_machine(bridge, arena ? arena : &own, manager, object, provisioner, ret_object, error);
    } else {
        body = carried(arena ? arena : &own, kind, object);
        code = kube_create(bridge->inner, arena, manager, kind, &body, ret_object ? &written : NULL, error);
        show(bridge, arena, kind, kind, code, &written, NULL, ret_object);
    }
    arena_free(&own);
    return code;
}

ErrCode bridge_update(void *self, Arena *arena, Slice manager, KubeKind kind, KubePart part, const Value *object,
                      Value *ret_object, KubeError *error) {
    const Bridge *bridge = self;
    Arena own = {0};
    Value body = carried(arena ? arena : &own, kind, object), written;
    ErrCode code = kube_update(bridge->inner, arena, manager, kind, part, &body, ret_object ? &written : NULL, error);

    show(bridge, arena, kind, kind, code, &written, NULL, ret_object);
    arena_free(&own);
    return code;
}

// --- patches

// A patch of an old object: who writes what, and for whom.
typedef struct {
    const Bridge *bridge;
    Arena *arena;
    Slice manager;
    KubeKind kind;  // of today
    KubeRef ref;    // the old object
    Value template; // of a Provisioner; null: none
    Value written;  // the object as it is after the last write
    KubeError *error;
} OldPatch;

static ErrCode write(OldPatch *patch, KubePart part, const Value *body) {
    KubePatch merge = {.type = KUBE_PATCH_MERGE, .body = body};

    return kube_patch(patch->bridge->inner, patch->arena, patch->manager, patch->ref, part, &merge, &patch->written,
                      patch->error);
}

static ErrCode read(OldPatch *patch) {
    return bridge_get_old(patch->bridge, patch->arena, patch->ref.kind, patch->ref.name, &patch->written,
                          &patch->template, patch->error);
}

static void put_precondition(Arena *arena, Value *body, Slice revision) {
    value_put(arena, value_make(arena, body, "metadata", NULL), SLICE("resourceVersion"), value_string(revision));
}

// The revision that a patch asks for, else the one that was read.
static Slice revision_for(const OldPatch *patch, const Value *body) {
    Slice asked = kube_text(body, "metadata", "resourceVersion", NULL);

    return asked.len ? asked : kube_text(&patch->written, "metadata", "resourceVersion", NULL);
}

static ErrCode patch_status(OldPatch *patch, const Value *body) {
    CarriedStatus carried;
    Slice revision;

    TRY(read(patch));
    carried = carry_status_patch(patch->arena, patch->kind, &patch->written, body);
    revision = revision_for(patch, body);
    if (carried.metadata.map.count) {
        put_precondition(patch->arena, &carried.metadata, revision);
        TRY(write(patch, KUBE_OBJECT, &carried.metadata));
        revision = kube_text(&patch->written, "metadata", "resourceVersion", NULL);
    }
    if (!carried.status.map.count)
        return OK;
    put_precondition(patch->arena, &carried.status, revision);
    return write(patch, KUBE_STATUS, &carried.status);
}

// The uid and revision of such a class are made of two objects'; that of the Provisioner as it was read counts.
static ErrCode patch_own_class(OldPatch *patch, const Value *body) {
    Value carried;

    TRY(read(patch));
    carried = carry_class_patch(patch->arena, &patch->written, body);
    put_precondition(patch->arena, &carried, kube_text(&patch->written, "metadata", "resourceVersion", NULL));
    return write(patch, KUBE_OBJECT, &carried);
}

static ErrCode patch_object(OldPatch *patch, const Value *body) {
    Value carried = carry_metadata_patch(patch->arena, body);

    patch->template = value_null();
    return write(patch, KUBE_OBJECT, &carried);
}

static ErrCode patch_old(OldPatch *patch, KubePart part, const Value *body) {
    if (patch->kind == KUBE_EC2_NODE_CLASS && patch->ref.kind == KUBE_PROVISIONER)
        return patch_own_class(patch, body);
    return part == KUBE_STATUS ? patch_status(patch, body) : patch_object(patch, body);
}

static ErrCode patch_todays(const Bridge *bridge, Arena *arena, Slice manager, KubeRef ref, KubePart part,
                            const KubePatch *patch, Value *ret_object, KubeError *error) {
    Arena own = {0};
    Value body = carried(arena ? arena : &own, ref.kind, patch->body), written;
    KubePatch inner = {patch->type, &body};
    ErrCode code = kube_patch(bridge->inner, arena, manager, ref, part, &inner, ret_object ? &written : NULL, error);

    show(bridge, arena, ref.kind, ref.kind, code, &written, NULL, ret_object);
    arena_free(&own);
    return code;
}

// Events are named after what they are about.
static KubeRef plain_event(KubeRef ref) {
    ptrdiff_t slash = ref.kind == KUBE_EVENT ? slice_find(ref.name, '/') : -1;

    if (slash >= 0)
        ref.name = slice_from(ref.name, (size_t)slash + 1);
    return ref;
}

ErrCode bridge_patch(void *self, Arena *arena, Slice manager, KubeRef ref, KubePart part, const KubePatch *patch,
                     Value *ret_object, KubeError *error) {
    const Bridge *bridge = self;
    Arena own = {0};
    OldPatch old = {bridge, arena ? arena : &own, manager, ref.kind, {0}, value_null(), value_null(), error};
    ErrCode code;

    if (!old_name(ref.kind, ref.name, &old.ref.kind, &old.ref.name))
        return patch_todays(bridge, arena, manager, plain_event(ref), part, patch, ret_object, error);
    code = patch_old(&old, part, patch->body);
    show(bridge, arena, ref.kind, old.ref.kind, code, &old.written,
         old.template.kind == VALUE_MAP ? &old.template : NULL, ret_object);
    arena_free(&own);
    return code;
}

ErrCode bridge_remove(void *self, KubeRef ref, const KubeDeletion *deletion, KubeError *error) {
    KubeRef old = ref;

    if (!old_name(ref.kind, ref.name, &old.kind, &old.name))
        old = ref;
    return kube_remove(((Bridge *)self)->inner, old, deletion, error);
}
