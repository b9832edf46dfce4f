// The volume claims of a pod: the nodes that they allow, and why a planner would ignore the pod.
// Behaviour: scheduling.md 4.1 (validation) and 4.3. Hostname terms of local and hostPath volumes do not count if that
// node is gone or the pod is to leave it, since the data is lost with the node. Else kube-scheduler requires that node.
#include "checker/read.h"

static const Value *find_object(const ValueRefs *objects, Slice ns, Slice name) {
    for (uint32_t i = 0; i < objects->count; i++) {
        const Value *metadata = value_get_text(objects->items[i], "metadata");
        Slice own = judge_read_text(metadata, "namespace");

        if (slice_eq(judge_read_text(metadata, "name"), name) &&
            (ns.len == 0 || slice_eq(own.len ? own : SLICE("default"), ns)))
            return objects->items[i];
    }
    return NULL;
}

static Symbol csi_name(World *world, Slice provisioner) {
    static const char *const pairs[][2] = {
        {"kubernetes.io/aws-ebs", "ebs.csi.aws.com"},
        {"kubernetes.io/gce-pd", "pd.csi.storage.gke.io"},
        {"kubernetes.io/azure-disk", "disk.csi.azure.com"},
        {"kubernetes.io/azure-file", "file.csi.azure.com"},
        {"kubernetes.io/cinder", "cinder.csi.openstack.org"},
        {"kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com"},
        {"kubernetes.io/portworx-volume", "pxd.portworx.com"},
    };

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (slice_eq_text(provisioner, pairs[i][0]))
            provisioner = slice_of(pairs[i][1]);
    }
    return symbol_intern(&world->symbols, provisioner);
}

static Symbol volume_driver(World *world, const Value *spec) {
    const Value *csi = value_get_text(spec, "csi");

    if (csi)
        return csi_name(world, judge_read_text(csi, "driver"));
    if (judge_read_has(spec, "awsElasticBlockStore"))
        return csi_name(world, SLICE("kubernetes.io/aws-ebs"));
    if (judge_read_has(spec, "gcePersistentDisk"))
        return csi_name(world, SLICE("kubernetes.io/gce-pd"));
    if (judge_read_has(spec, "azureDisk"))
        return csi_name(world, SLICE("kubernetes.io/azure-disk"));
    return SYMBOL_EMPTY;
}

// Whether a node of that hostname exists and is not being deleted.
static bool host_stays(const Objects *objects, Slice host) {
    for (uint32_t i = 0; i < objects->nodes.count; i++) {
        const Value *metadata = value_get_text(objects->nodes.items[i], "metadata");
        Slice own = judge_read_text(value_get_text(metadata, "labels"), "kubernetes.io/hostname");

        if (slice_eq(own, host) && !judge_read_has(metadata, "deletionTimestamp"))
            return true;
    }
    return false;
}

static bool holds_its_pod(World *world, const Objects *objects, const Value *terms, Symbol hostname) {
    for (uint32_t i = 0; i < judge_read_count(terms); i++) {
        NodeTerm term = judge_read_node_term(world, &terms->list.items[i]);

        for (vec_each(Expression, expression, &term.expressions)) {
            for (uint32_t k = 0; expression->key == hostname && k < expression->states.values.count; k++) {
                if (host_stays(objects, judge_text(world, expression->states.values.items[k])))
                    return true;
            }
        }
    }
    return false;
}

// Zones and regions as labels of the volume, "a__b" for either: every alternative has to meet them.
static void add_zone_label(World *world, const Value *metadata, const char *key, PodVolume *volume) {
    Slice left = judge_read_text(value_get_text(metadata, "labels"), key);
    Expression expression = {.key = judge_read_key(world, slice_of(key)), .op = OPERATOR_IN};
    U32Vec values = {0};

    if (left.len == 0)
        return;
    while (left.len > 0) {
        size_t end = 0;

        while (end < left.len && !slice_starts_with(slice_from(left, end), SLICE("__")))
            end++;
        vec_push(world->arena, &values, symbol_intern(&world->symbols, slice_first(left, end)));
        left = end + 2 < left.len ? slice_from(left, end + 2) : (Slice){0};
    }
    expression.states = judge_states_of_expression(&world->symbols, OPERATOR_IN, values);
    if (volume->terms.count == 0)
        vec_push(world->arena, &volume->terms, (NodeTerm){0});
    for (vec_each(NodeTerm, term, &volume->terms))
        vec_push(world->arena, &term->expressions, expression);
}

static void read_terms(World *world, const Objects *objects, const Value *object, bool is_leaving, PodVolume *volume) {
    const Value *spec = value_get_text(object, "spec");
    const Value *list = judge_read_list(value_at(spec, "nodeAffinity", "required", NULL), "nodeSelectorTerms");
    Symbol hostname = judge_symbol(world, "kubernetes.io/hostname");
    bool is_local = (judge_read_has(spec, "local") || judge_read_has(spec, "hostPath")) &&
                    (is_leaving || !holds_its_pod(world, objects, list, hostname));

    for (uint32_t i = 0; i < judge_read_count(list); i++) {
        NodeTerm term = judge_read_node_term(world, &list->list.items[i]), kept = {0};

        for (vec_each(Expression, expression, &term.expressions)) {
            if (!is_local || expression->key != hostname)
                vec_push(world->arena, &kept.expressions, *expression);
        }
        if (kept.expressions.count == 0) {
            volume->terms = (NodeTermVec){0}; // an alternative without a constraint
            return;
        }
        vec_push(world->arena, &volume->terms, kept);
    }
}

static void read_bound_volume(World *world, const Objects *objects, const Value *object, bool is_leaving,
                              PodVolume *volume) {
    static const char *const keys[] = {"topology.kubernetes.io/zone", "topology.kubernetes.io/region",
                                       "failure-domain.beta.kubernetes.io/zone",
                                       "failure-domain.beta.kubernetes.io/region"};

    volume->driver = volume_driver(world, value_get_text(object, "spec"));
    read_terms(world, objects, object, is_leaving, volume);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        add_zone_label(world, value_get_text(object, "metadata"), keys[i], volume);
}

static void read_storage_class(World *world, const Value *class, PodVolume *volume) {
    const Value *list = judge_read_list(class, "allowedTopologies");

    volume->driver = csi_name(world, judge_read_text(class, "provisioner"));
    for (uint32_t i = 0; i < judge_read_count(list); i++) {
        const Value *expressions = judge_read_list(&list->list.items[i], "matchLabelExpressions");
        NodeTerm term = {0};

        for (uint32_t k = 0; k < judge_read_count(expressions); k++) {
            const Value *item = &expressions->list.items[k];
            Expression expression = {.key = judge_read_key(world, judge_read_text(item, "key")), .op = OPERATOR_IN};

            expression.states = judge_states_of_expression(&world->symbols, OPERATOR_IN,
                                                           judge_read_symbols(world, judge_read_list(item, "values")));
            vec_push(world->arena, &term.expressions, expression);
        }
        vec_push(world->arena, &volume->terms, term);
    }
}

static Ignored read_unbound_claim(World *world, const Objects *objects, const Value *spec, PodVolume *volume) {
    Slice name = judge_read_text(spec, "storageClassName");
    const Value *class = name.len ? find_object(&objects->classes, (Slice){0}, name) : NULL;
    Ignored verdict = IGNORED_NO;

    if (!judge_read_has(spec, "storageClassName")) {
        for (uint32_t i = 0; i < objects->classes.count; i++) {
            const Value *object = objects->classes.items[i];
            const Value *annotations = value_at(object, "metadata", "annotations", NULL);

            if (!slice_eq_text(judge_read_text(annotations, "storageclass.kubernetes.io/is-default-class"), "true"))
                continue;
            class = object; // as admission would have filled in
            verdict = IGNORED_MAYBE;
        }
    }
    if (!class || !slice_eq_text(judge_read_text(class, "volumeBindingMode"), "WaitForFirstConsumer"))
        return IGNORED_YES;
    read_storage_class(world, class, volume);
    return verdict;
}

static Ignored read_claim(World *world, const Objects *objects, const Value *object, bool is_leaving,
                          PodVolume *volume) {
    const Value *metadata = value_get_text(object, "metadata"), *spec = value_get_text(object, "spec");
    const Value *annotations = value_get_text(metadata, "annotations");
    Slice volume_name = judge_read_text(spec, "volumeName");
    const Value *bound;

    if (judge_read_has(metadata, "deletionTimestamp") ||
        slice_eq_text(judge_read_text(value_get_text(object, "status"), "phase"), "Lost"))
        return IGNORED_YES;
    if (volume_name.len == 0)
        return read_unbound_claim(world, objects, spec, volume);
    bound = find_object(&objects->volumes, (Slice){0}, volume_name);
    if (!bound || judge_read_has(value_get_text(bound, "metadata"), "deletionTimestamp") || !annotations ||
        !judge_read_has(annotations, "pv.kubernetes.io/bind-completed"))
        return IGNORED_YES;
    read_bound_volume(world, objects, bound, is_leaving, volume);
    return IGNORED_NO;
}

// `template`: spec of the claim that a controller will make when the claim is not there yet, or NULL.
static void add_claim(World *world, const Objects *objects, Pod *pod, Slice ns, Slice name, const Value *template) {
    const Value *object = find_object(&objects->claims, ns, name);
    PodVolume volume = {.claim = judge_read_namespaced(world, ns, name)};
    Ignored verdict = IGNORED_YES;

    for (vec_each(PodVolume, other, &pod->volumes)) {
        if (other->claim == volume.claim)
            return;
    }
    if (object) {
        verdict = read_claim(world, objects, object, pod->node != SYMBOL_EMPTY, &volume);
    } else if (template) {
        read_unbound_claim(world, objects, template, &volume);
        verdict = IGNORED_MAYBE;
    }
    if (verdict > pod->ignored)
        pod->ignored = verdict;
    vec_push(world->arena, &pod->volumes, volume);
}

void judge_read_volumes(World *world, const Objects *objects, Pod *pod, Slice ns, Slice name, const Value *spec,
                        const Value *templates) {
    const Value *list = judge_read_list(spec, "volumes");

    for (uint32_t i = 0; i < judge_read_count(list); i++) {
        const Value *item = &list->list.items[i], *claim = value_get_text(item, "persistentVolumeClaim");
        const Value *template = value_at(item, "ephemeral", "volumeClaimTemplate", "spec", NULL);

        if (claim && claim->kind == VALUE_MAP)
            add_claim(world, objects, pod, ns, judge_read_text(claim, "claimName"), NULL);
        else if (template)
            add_claim(
                world, objects, pod, ns,
                arena_printf(world->arena, "%.*s-%.*s", SLICE_ARG(name), SLICE_ARG(judge_read_text(item, "name"))),
                template);
    }
    for (uint32_t i = 0; i < judge_read_count(templates); i++) {
        const Value *item = &templates->list.items[i];
        Slice base = judge_read_text(value_get_text(item, "metadata"), "name");

        add_claim(world, objects, pod, ns, arena_printf(world->arena, "%.*s-%.*s", SLICE_ARG(base), SLICE_ARG(name)),
                  value_get_text(item, "spec"));
    }
}
