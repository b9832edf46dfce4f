// classic_commands SEED [--heavy]: what disrupt/classic does with the random fleet of that seed, as JSON, in the shape
// of `peer-karpenter --commands`: each candidate with its price and cost, what becomes of it alone, and the command for
// several. Pods without a node are left out.
#include "disrupt/classic.h"
#include "disrupt/multi_node.h"
#include "fleet_case.h"
#include "text/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    FleetCase of;
    Round round;
    DisruptPass pass;
    Buffer out;
} Run;

static Slice name_of(const Run *run, uint32_t node) {
    return symbol_text(&run->of.loaded.cluster.symbols, run->of.facts.nodes.items[node].name);
}

static void print_nodes(Run *run, const U32Vec *nodes) {
    buffer_printf(&run->out, "[");
    for (vec_each(const uint32_t, node, nodes)) {
        buffer_printf(&run->out, "%s", node == nodes->items ? "" : ",");
        json_print_string(&run->out, name_of(run, *node));
    }
    buffer_printf(&run->out, "]");
}

// NULL: there is none.
static void print_command(Run *run, const DisruptCommand *command) {
    const PlannedClaim *claim;

    if (!command) {
        buffer_printf(&run->out, "null");
        return;
    }
    buffer_printf(&run->out, "{\"nodes\":");
    print_nodes(run, &command->nodes);
    buffer_printf(&run->out, ",\"saving\":%.9f,\"types\":[", command->saving_per_hour);
    claim = command->replacements.count ? &command->replacements.items[0] : NULL;
    for (uint32_t i = 0; claim && i < claim->types.count; i++) {
        buffer_printf(&run->out, "%s", i ? "," : "");
        json_print_string(&run->out, symbol_text(&run->of.loaded.cluster.symbols, claim->types.items[i]->name));
    }
    buffer_printf(&run->out, "]}");
}

static bool is_among(const CandidateList *list, uint32_t node) {
    for (vec_each(const DisruptionCandidate *, candidate, list)) {
        if ((*candidate)->node == node)
            return true;
    }
    return false;
}

static void print_candidate(Run *run, const DisruptionCandidate *candidate, bool may_consolidate) {
    CandidateList alone = {0};
    DisruptCommand command;
    Slice why = {0};
    bool found;

    buffer_printf(&run->out, "{\"node\":");
    json_print_string(&run->out, name_of(run, candidate->node));
    buffer_printf(&run->out, ",\"price\":%.9f,\"cost\":%.9f,\"consolidates\":%s,\"single\":", candidate->price_per_hour,
                  candidate->reschedule_cost, may_consolidate ? "true" : "false");
    vec_push(run->round.arena, &alone, candidate);
    found = may_consolidate && classic_compute(&run->round, &alone, &command, &why);
    print_command(run, found ? &command : NULL);
    buffer_printf(&run->out, ",\"why\":");
    json_print_string(&run->out, why);
    buffer_printf(&run->out, "}");
}

static void print_all(Run *run) {
    const DisruptionCandidateVec *all = round_all(&run->round, DISRUPTION_GRACEFUL);
    CandidateList candidates = round_candidates(&run->round, METHOD_CONSOLIDATION);
    const char *comma = "";

    buffer_printf(&run->out, "{\"candidates\":[");
    for (vec_each(const DisruptionCandidate, candidate, all)) {
        if (!candidate_is_open(candidate))
            continue;
        buffer_printf(&run->out, "%s", comma);
        print_candidate(run, candidate, is_among(&candidates, candidate->node));
        comma = ",\n";
    }
    candidates_sort_by_savings(&candidates);
    buffer_printf(&run->out, "],\n\"multi\":");
    print_command(run, multi_node_find(&run->round, &candidates) ? &run->pass.commands.items[0] : NULL);
    buffer_printf(&run->out, "}\n");
}

// Pods that wait would need nodes of their own, which Karpenter counts as replacements (docs/design/disrupt.md).
static void remove_waiting_pods(PodVec *pods) {
    uint32_t kept = 0;

    for (vec_each(const Pod, pod, pods)) {
        if (pod->node_name != NAME_EMPTY)
            pods->items[kept++] = *pod;
    }
    pods->count = kept;
}

int main(int argc, char **argv) {
    Run run = {0};
    Err err;

    if (argc < 2 || argc > 3 || (argc == 3 && strcmp(argv[2], "--heavy") != 0)) {
        fprintf(stderr, "usage: classic_commands SEED [--heavy]\n");
        return 2;
    }
    if (fleet_case_make(&run.of, strtoull(argv[1], NULL, 10), argc == 3, 100, &err) != OK) {
        fprintf(stderr, "classic_commands: %s\n", err.text);
        return 2;
    }
    remove_waiting_pods(&run.of.loaded.cluster.pods);
    run.of.options.consolidation = CONSOLIDATION_CLASSIC;
    round_open(&run.round, &run.of.arena, &run.of.facts, &run.of.options, &run.pass);
    print_all(&run);
    fwrite(run.out.bytes, 1, run.out.len, stdout);
    round_close(&run.round);
    buffer_free(&run.out);
    fleet_case_free(&run.of);
    return 0;
}
