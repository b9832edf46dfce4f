// Reading manifests and catalogues, and giving each NodePool its instance types.
#include "cli/load.h"

#include "cli/load_notes.h"
#include "cloud/aws/instance_types.h"
#include "cloud/kwok/types.h"
#include "kube/crds/strangers.h"
#include "model/manifest/manifest.h"
#include "text/json.h"
#include "text/yaml.h"

#include <stdarg.h>
#include <stdio.h>

// --- manifests

// Whether to use the JSON parser, which is faster: JSON is YAML too.
static bool looks_like_json(Slice text) {
    size_t at = slice_starts_with(text, SLICE("\xef\xbb\xbf")) ? 3 : 0;

    while (at < text.len &&
           (text.ptr[at] == ' ' || text.ptr[at] == '\t' || text.ptr[at] == '\n' || text.ptr[at] == '\r'))
        at++;
    return at < text.len && (text.ptr[at] == '{' || text.ptr[at] == '[');
}

typedef struct {
    Loaded *loaded;
    ParseOptions parse;
    CrdSchemas *schemas;
    uint32_t strangers; // number of warnings about strangers
} ManifestReading;

enum { STRANGERS_NAMED_MAX = 100 };

// Warns: "stdin:20, NodePool general: spec.limit is no field of it and is ignored; did you mean limits?"
static void warn_of_stranger(ManifestReading *reading, Slice place, const Stranger *stranger) {
    Arena *arena = &reading->loaded->arena;
    Slice text = arena_printf(arena, "%.*s: %.*s is no field of it and is ignored%s%.*s%s", SLICE_ARG(place),
                              SLICE_ARG(stranger->path), stranger->meant.len ? "; did you mean " : "",
                              SLICE_ARG(stranger->meant), stranger->meant.len ? "?" : "");

    if (reading->strangers++ == STRANGERS_NAMED_MAX)
        text = arena_printf(arena, "%.*s: more unknown fields are ignored", SLICE_ARG(place));
    if (reading->strangers <= STRANGERS_NAMED_MAX + 1)
        vec_push(arena, &reading->loaded->warnings, (Warning){text, true});
}

static ErrCode take_strangers(ManifestReading *reading, const Document *document, const Value *object,
                              const StrangerVec *strangers, Err *err) {
    const Value *kind = value_get_text(object, "kind"), *name = value_at(object, "metadata", "name", NULL);

    for (vec_each(const Stranger, stranger, strangers)) {
        Slice place = arena_printf(&reading->loaded->arena, "%.*s:%u, %.*s %.*s", SLICE_ARG(document->file),
                                   stranger->line, SLICE_ARG(kind->text), SLICE_ARG(name->text));

        if (stranger->wrong.len)
            return err_set(err, ERR_INVALID, "%.*s: %.*s (%.*s)", SLICE_ARG(stranger->path), SLICE_ARG(stranger->wrong),
                           SLICE_ARG(place));
        warn_of_stranger(reading, place, stranger);
    }
    return OK;
}

// Whether a plan depends on the kind and its CRD is embedded.
static bool has_known_fields(Slice kind) {
    static const char *const kinds[] = {"NodePool", "NodeClaim", "EC2NodeClass", "KWOKNodeClass"};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (slice_eq_text(kind, kinds[i]))
            return true;
    }
    return false;
}

// Looks for strangers in an object, or in the items of a List. Objects of these kinds were read before, so they have
// names.
static ErrCode look_for_strangers(ManifestReading *reading, const Document *document, const Value *object,
                                  Arena *scratch, Err *err) {
    const Value *kind = value_get_text(object, "kind"), *items = value_get_text(object, "items");
    StrangerVec strangers = {0};

    if (!kind || kind->kind != VALUE_STRING)
        return OK;
    if (slice_ends_with(kind->text, SLICE("List")) && items && items->kind == VALUE_LIST) {
        for (vec_each(const Value, item, &items->list))
            TRY(look_for_strangers(reading, document, item, scratch, err));
        return OK;
    }
    if (!has_known_fields(kind->text))
        return OK;
    crd_strangers(reading->schemas, scratch, object, &strangers);
    return take_strangers(reading, document, object, &strangers, err);
}

static ErrCode parse_text(const ManifestReading *reading, const InputText *input, Arena *scratch,
                          DocumentVec *ret_documents, WarningVec *ret_warnings, Err *err) {
    ErrCode code = ERR_INVALID;

    // A flow mapping of YAML begins like JSON: what the JSON parser refuses is parsed as YAML.
    if (looks_like_json(input->text) || slice_ends_with(input->file, SLICE(".json")))
        code = json_parse(scratch, input->file, input->text, &reading->parse, ret_documents, ret_warnings, err);
    if (code == ERR_INVALID && !slice_ends_with(input->file, SLICE(".json"))) {
        ret_warnings->count = ret_documents->count = 0;
        code = yaml_parse(scratch, input->file, input->text, &reading->parse, ret_documents, ret_warnings, err);
    }
    return code;
}

// Reads one text; its documents are freed once they are in the cluster.
static ErrCode read_text(ManifestReading *reading, const InputText *input, Err *err) {
    Loaded *loaded = reading->loaded;
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Arena scratch = {0};
    ErrCode code = parse_text(reading, input, &scratch, &documents, &warnings, err);

    for (vec_each(Warning, warning, &warnings))
        vec_push(&loaded->arena, &loaded->warnings, (Warning){arena_slice(&loaded->arena, warning->text), true});
    for (uint32_t i = 0; i < documents.count && code == OK; i++) {
        code = manifest_read(&loaded->cluster, &documents.items[i], err);
        if (code == OK)
            code = look_for_strangers(reading, &documents.items[i], &documents.items[i].root, &scratch, err);
    }
    arena_free(&scratch);
    return code;
}

static ErrCode refuse_mistakes(const WarningVec *warnings, Err *err) {
    for (vec_each(const Warning, warning, warnings)) {
        if (warning->mistake)
            return err_set(err, ERR_INVALID, "%.*s", SLICE_ARG(warning->text));
    }
    return OK;
}

// Refuses input without objects: it is a mistake, and a plan of it would look like good news.
static ErrCode refuse_nothing(const Loaded *loaded, Err *err) {
    if (loaded->cluster.object_count)
        return OK;
    TRY(refuse_mistakes(&loaded->cluster.warnings, err)); // everything there was could not be represented
    if (loaded->cluster.warnings.count)
        return err_set(err, ERR_INVALID,
                       "no object of the input is of a kind that tenon reads; docs/plan.md lists them");
    return err_set(err, ERR_INVALID,
                   "the input is empty: expected objects of Kubernetes, as kubectl get -o yaml prints "
                   "them");
}

static ErrCode read_manifests(Loaded *loaded, const PlanOptions *options, Err *err) {
    ManifestReading reading = {
        .loaded = loaded, .parse = {.strict = options->strict}, .schemas = crd_schemas_new(&loaded->arena)};

    for (vec_each(InputText, input, &options->inputs))
        TRY(read_text(&reading, input, err));
    TRY(manifest_finish(&loaded->cluster, err));
    TRY(refuse_nothing(loaded, err));
    if (!options->strict)
        return OK;
    TRY(refuse_mistakes(&loaded->warnings, err));
    return refuse_mistakes(&loaded->cluster.warnings, err);
}

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
    loaded->price_source = price_source(&sources);
    return OK;
}

ErrCode load_input(const PlanOptions *options, Loaded *ret_loaded, Err *err) {
    ErrCode code;

    *ret_loaded = (Loaded){0};
    cluster_init(&ret_loaded->cluster);
    code = read_manifests(ret_loaded, options, err);
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
