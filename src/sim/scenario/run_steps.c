// Steps that change the cluster: apply, patch, scale, load, delete.
#include "sim/scenario/run_steps.h"

#include "sim/scenario/run_apply.h"
#include "sim/scenario/run_expect.h"
#include "sim/scenario/run_faults.h"
#include "sim/scenario/run_note.h"
#include "text/value_edit.h"

#include <inttypes.h>
#include <math.h>

// --- targets

typedef struct {
    Arena *arena;
    Selection selection;
    Vec(KubeRef) refs;
} Targets;

static bool take_target(void *context, const Value *object) {
    Targets *targets = context;

    if (selection_matches(&targets->selection, object)) {
        vec_push(targets->arena, &targets->refs,
                 (KubeRef){targets->selection.kind, arena_slice(targets->arena, kube_namespace(object)),
                           arena_slice(targets->arena, kube_name(object))});
    }
    return true;
}

// Finds a target of a single name by a lookup; globs and labels need a walk over the kind.
static void find_named(Run *run, Targets *targets) {
    Arena arena = {0};
    KubeRef ref = {targets->selection.kind, targets->selection.ns, targets->selection.name};
    Value object;

    if (kube_get(world_kube(run->world), &arena, ref, &object, NULL) == OK)
        take_target(targets, &object);
    arena_free(&arena);
}

static bool is_one_name(const ScenarioTarget *target) {
    return target->name.len && slice_find(target->name, '*') < 0 && slice_find(target->name, '?') < 0 &&
           (target->ns.len || !kube_kind(target->kind)->namespaced);
}

// The existing objects of a target, sorted by name.
static Targets find_targets(Run *run, Arena *arena, const ScenarioStep *step, const ScenarioTarget *target) {
    Targets targets = {.arena = arena, .selection = {.kind = target->kind, .ns = target->ns, .name = target->name}};
    KubeError error;

    if (selector_parse_labels(arena, target->labels, &targets.selection.labels, &error.err) == OK) {
        if (is_one_name(target))
            find_named(run, &targets);
        else
            api_visit(world_api(run->world), target->kind, take_target, &targets);
    }
    if (!targets.refs.count && !target->optional)
        run_note(run, RUN_REFUSED, step->line, "no %.*s %.*s%s%.*s to change", SLICE_ARG(kube_kind(target->kind)->kind),
                 SLICE_ARG(target->ns), target->ns.len ? "/" : "", SLICE_ARG(target->name));
    return targets;
}

static void patch_targets(Run *run, const ScenarioStep *step, const ScenarioTarget *target, KubePart part,
                          const Value *body, const char *what) {
    Arena arena = {0};
    Targets targets = find_targets(run, &arena, step, target);

    for (uint32_t i = 0; i < targets.refs.count; i++) {
        KubePatch patch = {.type = KUBE_PATCH_MERGE, .body = body};
        KubeRef ref = targets.refs.items[i];
        KubeError error;

        if (kube_patch(world_kube(run->world), NULL, SLICE("kubectl"), ref, part, &patch, NULL, &error) != OK)
            run_refuse(run, step, what, ref, &error);
        else if (step->type != STEP_LOAD)
            run_note(run, RUN_STEP, step->line, "%s %.*s", what, SLICE_ARG(run_describe(&run->arena, ref)));
    }
    arena_free(&arena);
}

static void delete_targets(Run *run, const ScenarioStep *step) {
    Arena arena = {0};
    Targets targets = find_targets(run, &arena, step, &step->target);

    for (uint32_t i = 0; i < targets.refs.count; i++) {
        KubeRef ref = targets.refs.items[i];
        KubeDeletion deletion = {.propagation = KUBE_PROPAGATION_BACKGROUND};
        KubeError error;

        if (kube_remove(world_kube(run->world), ref, &deletion, &error) != OK)
            run_refuse(run, step, "delete", ref, &error);
        else
            run_note(run, RUN_STEP, step->line, "delete %.*s", SLICE_ARG(run_describe(&run->arena, ref)));
    }
    arena_free(&arena);
}

// --- replicas

static void scale(Run *run, const ScenarioStep *step, const ScenarioTarget *target, int64_t replicas) {
    Arena arena = {0};
    Value body = value_map(), spec = value_map();
    // Jobs have no replicas: parallelism is their number of concurrent pods.
    Slice key = target->kind == KUBE_JOB ? SLICE("parallelism") : SLICE("replicas");
    Slice what = arena_printf(&arena, "scale to %" PRId64, replicas);

    value_put(&arena, &spec, key, value_int(&arena, replicas));
    value_put(&arena, &body, SLICE("spec"), spec);
    patch_targets(run, step, target, KUBE_OBJECT, &body, arena_text(&arena, what));
    arena_free(&arena);
}

// A number between -1 and 1, in steps that are equal on every machine.
static double draw_noise(Random *random) {
    return (double)random_below(random, 20001) / 10000 - 1;
}

static void load(Run *run, const ScenarioStep *step) {
    const ScenarioLoad *load = &step->load;
    int64_t of_day = world_now_ns(run->world) % NS_PER_DAY;
    double phase = (double)(of_day - load->peak_ns) / (double)NS_PER_DAY * 2 * M_PI, middle;

    middle = (double)load->low + (double)(load->high - load->low) * (1 + cos(phase)) / 2;
    middle *= 1 + draw_noise(&run->random) * load->noise_percent / 100;
    scale(run, step, &load->target, middle < 0 ? 0 : llround(middle));
}

// --- the timeline

static void end_fault(void *context) {
    RunTurn *turn = context;

    run_fault(turn->run, &turn->step->fault, false);
    run_note(turn->run, RUN_FAULT, turn->step->line, "over: %.*s",
             SLICE_ARG(run_print_fault(&turn->run->arena, &turn->step->fault)));
}

static void begin_fault(RunTurn *turn) {
    Run *run = turn->run;
    const ScenarioFault *fault = &turn->step->fault;

    run_note(run, RUN_FAULT, turn->step->line, "%.*s", SLICE_ARG(run_print_fault(&run->arena, fault)));
    run_fault(run, fault, true);
    if (fault->for_ns)
        world_alarm(run->world, world_now_ns(run->world) + fault->for_ns, end_fault, turn);
}

static void carry_out(RunTurn *turn) {
    Run *run = turn->run;
    const ScenarioStep *step = turn->step;

    switch (step->type) {
    case STEP_APPLY:
        run_apply(run, step);
        break;
    case STEP_PATCH:
        patch_targets(run, step, &step->target, step->part, step->patch, "patch");
        break;
    case STEP_SCALE:
        scale(run, step, &step->target, step->replicas);
        break;
    case STEP_LOAD:
        load(run, step);
        break;
    case STEP_DELETE:
        delete_targets(run, step);
        break;
    case STEP_FAULT:
        begin_fault(turn);
        break;
    case STEP_EXPECT:
        run_expect(run, step);
        break;
    case STEP_NOTE:
        run_note(run, RUN_NOTE, step->line, "%.*s", SLICE_ARG(step->note));
        break;
    }
}

static void have_turn(void *context) {
    RunTurn *turn = context;

    carry_out(turn);
    turn->at_ns += turn->step->every_ns;
    if (turn->step->every_ns && turn->at_ns <= turn->run->start_ns + turn->step->until_ns)
        world_alarm(turn->run->world, turn->at_ns, have_turn, turn);
}

void run_plan_steps(Run *run) {
    for (vec_each(const ScenarioStep, step, &run->scenario->steps)) {
        RunTurn *turn = arena_new(&run->arena, RunTurn);

        *turn = (RunTurn){run, step, run->start_ns + step->at_ns};
        world_alarm(run->world, turn->at_ns, have_turn, turn);
    }
}
