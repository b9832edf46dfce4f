// Reading manifests, and giving each NodePool its instance types.
#include "cli/load.h"

#include "cli/load_manifests.h"
#include "cli/load_notes.h"
#include "cloud/aws/instance_types.h"
#include "cloud/kwok/types.h"

#include <stdarg.h>
#include <stdio.h>

// --- instance types

// Instance types, made once per source: the user's catalogue, KWOK's, and EC2's per EC2NodeClass.
typedef struct {
    Loaded *loaded;
    const PlanOptions *options;
    const InstanceTypeVec *user, *kwok;
    Ec2Catalogue ec2;
    bool has_ec2;
    Vec(const EC2NodeClass *) classes; // NULL: no NodeClass
    Vec(const InstanceTypeVec *) class_types;
    Slice region;
} TypeSources;

static ErrCode user_types(TypeSources *sources, const InstanceTypeVec **ret_types, Err *err) {
    Loaded *loaded = sources->loaded;

    if (!sources->user) {
        InstanceTypeVec *types = arena_new(&loaded->arena, InstanceTypeVec);

        TRY(kwok_types_read(&loaded->arena, &loaded->cluster.symbols, sources->options->catalogue.file,
                            sources->options->catalogue.text, types, err));
        sources->user = types;
    }
    *ret_types = sources->user;
    return OK;
}

static const InstanceTypeVec *kwok_types(TypeSources *sources) {
    Loaded *loaded = sources->loaded;

    if (!sources->kwok) {
        InstanceTypeVec *types = arena_new(&loaded->arena, InstanceTypeVec);

        *types = kwok_default_types(&loaded->arena, &loaded->cluster.symbols);
        sources->kwok = types;
    }
    return sources->kwok;
}

// The region of a zone in a label, without its letter: "us-east-1a" gives "us-east-1".
static Slice region_of_zone(Slice zone) {
    return zone.len > 1 && zone.ptr[zone.len - 1] >= 'a' && zone.ptr[zone.len - 1] <= 'z' &&
                   zone.ptr[zone.len - 2] >= '0' && zone.ptr[zone.len - 2] <= '9'
               ? slice_first(zone, zone.len - 1)
               : (Slice){0};
}

static Slice region_of_pools(const Cluster *cluster) {
    for (vec_each(NodePool, pool, &cluster->node_pools)) {
        for (vec_each(Expression, expression, &pool->template_spec.requirements)) {
            Slice value;

            if (expression->op != OP_IN || !expression->values.count)
                continue;
            value = symbol_text(&cluster->symbols, expression->values.items[0]);
            if (expression->key == NAME_REGION)
                return value;
            if (expression->key == NAME_ZONE && region_of_zone(value).len)
                return region_of_zone(value);
        }
    }
    return (Slice){0};
}

// The region: --region; else that of node labels, subnets of NodeClasses, zones of pools; else us-east-1.
static Slice find_region(const PlanOptions *options, const Cluster *cluster) {
    Slice region;

    if (options->region.len)
        return options->region;
    for (vec_each(Node, node, &cluster->nodes)) {
        Symbol label = labels_get(&node->meta.labels, NAME_REGION);

        if (label != INDEX_NONE)
            return symbol_text(&cluster->symbols, label);
    }
    for (vec_each(EC2NodeClass, class, &cluster->ec2_node_classes)) {
        if (class->subnets.count && region_of_zone(symbol_text(&cluster->symbols, class->subnets.items[0].zone)).len)
            return region_of_zone(symbol_text(&cluster->symbols, class->subnets.items[0].zone));
    }
    region = region_of_pools(cluster);
    return region.len ? region : SLICE("us-east-1");
}

static ErrCode open_ec2(TypeSources *sources, Err *err) {
    if (sources->has_ec2)
        return OK;
    sources->region = find_region(sources->options, &sources->loaded->cluster);
    TRY(ec2_catalogue_parse(&sources->loaded->arena, SLICE("built-in EC2 catalogue"), ec2_catalogue_embedded(),
                            &sources->ec2, err));
    sources->has_ec2 = true;
    return OK;
}

static ErrCode ec2_types(TypeSources *sources, const EC2NodeClass *class, const InstanceTypeVec **ret_types, Err *err) {
    Loaded *loaded = sources->loaded;
    InstanceTypeVec *types;
    Ec2TypeOptions options;
    ErrCode code;

    for (uint32_t i = 0; i < sources->classes.count; i++) {
        if (sources->classes.items[i] == class) {
            *ret_types = sources->class_types.items[i];
            return OK;
        }
    }
    TRY(open_ec2(sources, err));
    options = EC2_TYPE_OPTIONS(sources->region);
    types = arena_new(&loaded->arena, InstanceTypeVec);
    code = ec2_instance_types(&loaded->arena, &loaded->cluster.symbols, &sources->ec2, &options, class, types, err);
    if (code != OK) {
        if (sources->options->region.len)
            err_prefix(err, "--region");
        return code;
    }
    vec_push(&loaded->arena, &sources->classes, class);
    vec_push(&loaded->arena, &sources->class_types, types);
    *ret_types = types;
    return OK;
}

static const EC2NodeClass *find_class(const Cluster *cluster, Symbol name) {
    for (vec_each(EC2NodeClass, class, &cluster->ec2_node_classes)) {
        if (class->meta.name == name)
            return class;
    }
    return NULL;
}

static ErrCode types_for(TypeSources *sources, const NodePool *pool, const InstanceTypeVec **ret_types, Err *err) {
    const Cluster *cluster = &sources->loaded->cluster;
    const NodeClassRef *ref = &pool->template_spec.node_class;

    if (sources->options->catalogue.text.len)
        return user_types(sources, ret_types, err);
    if (slice_eq(symbol_text(&cluster->symbols, ref->kind), SLICE("KWOKNodeClass"))) {
        *ret_types = kwok_types(sources);
        return OK;
    }
    return ec2_types(sources, find_class(cluster, ref->name), ret_types, err);
}

// --- pools

__attribute__((format(printf, 2, 3))) static void warn(Loaded *loaded, const char *format, ...) {
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    vec_push(&loaded->arena, &loaded->warnings, (Warning){.text = arena_slice(&loaded->arena, slice_of(text))});
}

// See docs/plan.md, bench/catalogue.
static Slice price_source(const TypeSources *sources) {
    Slice ec2 =
        SLICE("built-in EC2 catalogue: price lists of May 2025 and July 2026, what was not in them and all spot "
              "prices estimated from relatives");
    Slice kwok = SLICE("KWOK's generated types: by CPU and memory");

    if (sources->user)
        return sources->options->catalogue.file;
    if (sources->kwok && sources->has_ec2)
        return arena_printf(&sources->loaded->arena, "%.*s; %.*s", SLICE_ARG(ec2), SLICE_ARG(kwok));
    return sources->kwok ? kwok : sources->has_ec2 ? ec2 : SLICE("");
}

static void add_catalogue(Loaded *loaded, const InstanceTypeVec *types) {
    for (vec_each(const InstanceTypeVec *, known, &loaded->catalogues)) {
        if (*known == types)
            return;
    }
    vec_push(&loaded->arena, &loaded->catalogues, types);
}

static bool has_unknown_type(const Loaded *loaded) {
    for (vec_each(const Node, node, &loaded->cluster.nodes)) {
        Symbol name = labels_get(&node->meta.labels, NAME_INSTANCE_TYPE);
        bool known = name == INDEX_NONE;

        for (uint32_t i = 0; i < loaded->catalogues.count && !known; i++)
            known = instance_type_find(loaded->catalogues.items[i], name) != NULL;
        if (!known)
            return true;
    }
    return false;
}

// Pools that get no nodes have some, too; and node groups may have types that no pool knows: those of EC2, if the
// region is one of EC2's.
static ErrCode make_managed(TypeSources *sources, Err *err) {
    Loaded *loaded = sources->loaded;
    const InstanceTypeVec *types;
    Err ignored = {0};

    for (vec_each(NodePool, pool, &loaded->cluster.node_pools)) {
        TRY(types_for(sources, pool, &types, err));
        vec_push(&loaded->arena, &loaded->managed, ((PlanPool){pool, types}));
        add_catalogue(loaded, types);
    }
    if (!sources->options->catalogue.text.len && has_unknown_type(loaded) &&
        ec2_types(sources, NULL, &types, sources->options->region.len ? err : &ignored) == OK)
        add_catalogue(loaded, types);
    return OK;
}

static ErrCode make_pools(Loaded *loaded, const PlanOptions *options, Err *err) {
    TypeSources sources = {.loaded = loaded, .options = options};

    for (vec_each(NodePool, pool, &loaded->cluster.node_pools)) {
        Slice name = symbol_text(&loaded->cluster.symbols, pool->meta.name), obstacle;
        PlanPool plan_pool = {.pool = pool};

        if (pool->is_static)
            continue; // gets no nodes for pods; its nodes are capacity all the same (scheduling.md 8.4)
        obstacle = pool->not_ready;
        if (obstacle.len) {
            warn(loaded, "%.*s:%u: ignoring nodepool %.*s, not ready: %.*s", SLICE_ARG(pool->meta.file),
                 pool->meta.line, SLICE_ARG(name), SLICE_ARG(obstacle));
            continue;
        }
        TRY(types_for(&sources, pool, &plan_pool.types, err));
        note_idle_requirements(loaded, pool, plan_pool.types);
        vec_push(&loaded->arena, &loaded->pools, plan_pool);
    }
    if (options->consolidate)
        TRY(make_managed(&sources, err));
    loaded->price_source = price_source(&sources);
    return OK;
}

ErrCode load_input(const PlanOptions *options, Loaded *ret_loaded, Err *err) {
    ErrCode code;

    *ret_loaded = (Loaded){0};
    cluster_init(&ret_loaded->cluster);
    code = load_manifests(ret_loaded, options, err);
    if (code == OK)
        code = make_pools(ret_loaded, options, err);
    for (vec_each(Warning, warning, &ret_loaded->cluster.warnings))
        vec_push(&ret_loaded->arena, &ret_loaded->warnings, *warning);
    return code;
}

void loaded_free(Loaded *loaded) {
    cluster_free(&loaded->cluster);
    arena_free(&loaded->arena);
}
