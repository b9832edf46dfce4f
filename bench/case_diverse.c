// Karpenter's own scheduling benchmark. Reference scheduling.md 9.1.
//
// Up to 20,000 pods come from bench/workloads/karpenter-diverse, which also the peer reads; other sizes are drawn by
// the same rule from tenon's own random numbers (the numbers that Go would draw are not needed: the mix is the same).
#include "cases.h"

#include "base/random.h"
#include "csv.h"
#include "types.h"

#include <stdio.h>
#include <unistd.h>

typedef enum { GENERIC, ZONE_SPREAD, HOST_SPREAD, ZONE_AFFINITY, HOST_ANTI, KIND_COUNT } Kind;
static const char *const kind_names[KIND_COUNT] = {"generic", "zone-spread", "host-spread", "zone-affinity",
                                                   "host-anti"};

typedef struct {
    Kind kind;
    char label, selector; // 0: none
    uint16_t cpu_milli, memory_mib;
} Row;

static void add_pool(Scene *scene) {
    NodePool *pool = scene_pool(scene, "default");

    pool->has_limits = true;
    resources_set(scene_arena(scene), &pool->limits, NAME_CPU, INT64_C(10000000) * 1000);
    resources_set(scene_arena(scene), &pool->limits, NAME_MEMORY, INT64_C(10000000) << 30);
    pool->has_template_labels = true;
    scene_label(scene, &pool->template_labels, "testing/cluster", scene_symbol(scene, "unspecified"));
    types_add_benchmark(scene);
}

static Symbol letter(Scene *scene, char c) {
    return scene_symbol(scene, "%c", c);
}

static void constrain(Scene *scene, PodSpec *spec, const Row *row) {
    switch (row->kind) {
    case ZONE_SPREAD:
    case HOST_SPREAD:
        scene_spread(scene, spec, row->kind == ZONE_SPREAD ? NAME_ZONE : NAME_HOSTNAME,
                     scene_selector(scene, "my-label", letter(scene, row->selector)));
        break;
    case ZONE_AFFINITY:
        scene_affinity(scene, &spec->affinity.required, NAME_ZONE,
                       scene_selector(scene, "my-affininity", letter(scene, row->label)), 0);
        break;
    case HOST_ANTI:
        scene_affinity(scene, &spec->anti_affinity.required, NAME_HOSTNAME,
                       scene_selector(scene, "app", scene_symbol(scene, "nginx")), 0);
        break;
    default:
        break;
    }
}

// What tells specs apart: labels do not belong to a spec, but the label of an affinity does.
static uint64_t spec_key(const Row *row) {
    uint64_t letter_of_spec = row->kind == ZONE_AFFINITY ? (uint8_t)row->label : (uint8_t)row->selector;

    return (uint64_t)row->kind << 56 | letter_of_spec << 48 | (uint64_t)row->cpu_milli << 24 | row->memory_mib;
}

static void add_pod(Scene *scene, const Row *row) {
    bool is_new;
    PodSpec *spec = scene_shared_spec(scene, spec_key(row), row->cpu_milli, (int64_t)row->memory_mib * MIB, &is_new);
    Pod *pod = scene_pod(scene, spec);

    if (is_new)
        constrain(scene, spec, row);
    scene_label(scene, &pod->labels, "testing/cluster", scene_symbol(scene, "unspecified"));
    if (row->kind == HOST_ANTI)
        scene_label(scene, &pod->labels, "app", scene_symbol(scene, "nginx"));
    else
        scene_label(scene, &pod->labels, row->kind == ZONE_AFFINITY ? "my-affininity" : "my-label",
                    letter(scene, row->label));
}

// --- drawn ----------------------------------------------------------------------------------------------------------

static const uint16_t cpu_choices[] = {100, 250, 500, 1000, 1500};
static const uint16_t memory_choices[] = {100, 256, 512, 1024, 2048, 4096};

static Row draw(Random *random, Kind kind) {
    Row row = {.kind = kind};

    if (kind != HOST_ANTI)
        row.label = (char)('a' + random_below(random, 7));
    if (kind == ZONE_SPREAD || kind == HOST_SPREAD)
        row.selector = (char)('a' + random_below(random, 7));
    row.cpu_milli = cpu_choices[random_below(random, 5)];
    row.memory_mib = memory_choices[random_below(random, 6)];
    return row;
}

// A fifth of each kind, in this order; what is left over is generic.
static void add_drawn(Scene *scene, const CaseOptions *options) {
    uint32_t fifth = options->pods / KIND_COUNT;
    Random random;

    random_seed(&random, options->seed);
    for (uint32_t i = 0; i < options->pods; i++) {
        Row row = draw(&random, i < fifth * KIND_COUNT ? (Kind)(i / fifth) : GENERIC);

        add_pod(scene, &row);
    }
}

// --- read -----------------------------------------------------------------------------------------------------------

static ErrCode read_kind(const Csv *csv, uint32_t row, Kind *ret_kind, Err *err) {
    Slice cell = csv_cell(csv, row, 1);

    for (int kind = 0; kind < KIND_COUNT; kind++) {
        if (slice_eq_text(cell, kind_names[kind])) {
            *ret_kind = (Kind)kind;
            return OK;
        }
    }
    return err_set(
        err, ERR_INVALID,
        "%.*s:%u: kind: expected generic, zone-spread, host-spread, zone-affinity or host-anti, got \"%.*s\"",
        SLICE_ARG(csv->file), row + 2, SLICE_ARG(cell));
}

// Columns: seq,kind,label,selector,cpu_m,mem_mib, as bench/peer-karpenter/diverse.go reads them.
static ErrCode read_row(const Csv *csv, uint32_t number, Row *ret_row, Err *err) {
    Slice label = csv_cell(csv, number, 2), selector = csv_cell(csv, number, 3);
    Row row = {.label = label.len ? label.ptr[0] : 0, .selector = selector.len ? selector.ptr[0] : 0};
    int64_t cpu_milli, memory_mib;

    TRY(read_kind(csv, number, &row.kind, err));
    TRY(csv_number(csv, number, 4, &cpu_milli, err));
    TRY(csv_number(csv, number, 5, &memory_mib, err));
    if (cpu_milli > UINT16_MAX || memory_mib > UINT16_MAX)
        return err_set(err, ERR_RANGE, "%.*s:%u: expected at most %d milli-CPU and MiB", SLICE_ARG(csv->file),
                       number + 2, UINT16_MAX);
    row.cpu_milli = (uint16_t)cpu_milli;
    row.memory_mib = (uint16_t)memory_mib;
    *ret_row = row;
    return OK;
}

static ErrCode add_read(Scene *scene, const char *path, Err *err) {
    Arena scratch = {0};
    Row row = {0};
    Csv csv;
    ErrCode code = csv_read(&scratch, path, &csv, err);

    if (code == OK && csv.columns.count != 6)
        code = err_set(err, ERR_INVALID, "%s:1: expected seq,kind,label,selector,cpu_m,mem_mib", path);
    if (code == OK)
        scene_reserve_pods(scene, csv.rows);
    for (uint32_t i = 0; code == OK && i < csv.rows; i++) {
        code = read_row(&csv, i, &row, err);
        if (code == OK)
            add_pod(scene, &row);
    }
    arena_free(&scratch);
    return code;
}

ErrCode case_diverse(Scene *scene, const CaseOptions *options, Err *err) {
    char path[4096];

    add_pool(scene);
    if (options->csv)
        return add_read(scene, options->csv, err);
    snprintf(path, sizeof path, "%s/diverse-%u.csv", options->folder, options->pods);
    if (access(path, R_OK) == 0)
        return add_read(scene, path, err);
    scene_reserve_pods(scene, options->pods);
    add_drawn(scene, options);
    return OK;
}

// --- preferences ----------------------------------------------------------------------------------------------------

// Size: the first draw of the benchmark's random numbers.
static PodSpec *preference_spec(Scene *scene) {
    const LabelSelector *nginx = scene_selector(scene, "app", scene_symbol(scene, "nginx"));
    PodSpec *spec = scene_spec(scene, 100, INT64_C(1024) * MIB);
    NodeTerm *term = vec_add(scene_arena(scene), &spec->preferred_node_terms);

    term->weight = 1;
    vec_push(scene_arena(scene), &term->expressions,
             scene_expression(scene, "topology.kubernetes.io/zone", OP_IN, VALUES("test-zone-1")));
    scene_affinity(scene, &spec->anti_affinity.preferred, NAME_ZONE, nginx, 10);
    scene_affinity(scene, &spec->anti_affinity.preferred, NAME_HOSTNAME, nginx, 1);
    return spec;
}

ErrCode case_preference(Scene *scene, const CaseOptions *options, Err *err) {
    const PodSpec *spec = preference_spec(scene);

    (void)err;
    add_pool(scene);
    scene_reserve_pods(scene, options->pods);
    for (uint32_t i = 0; i < options->pods; i++) {
        Pod *pod = scene_pod(scene, spec);

        scene_label(scene, &pod->labels, "testing/cluster", scene_symbol(scene, "unspecified"));
        scene_label(scene, &pod->labels, "app", scene_symbol(scene, "nginx"));
    }
    return OK;
}

ErrCode case_preference_ignore(Scene *scene, const CaseOptions *options, Err *err) {
    scene->preferences = PREFERENCES_IGNORE;
    return case_preference(scene, options, err);
}
