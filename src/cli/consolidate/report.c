// Reports on a cluster's future.
#include "cli/consolidate/report.h"

#include "text/quote.h"

#include <math.h>

enum { MONTH_HOURS = 730, OVERLAP_MINUTES = 5 };

typedef struct {
    const char *prefix, *reason, *advice;
} Obstacle;

// By the beginning of an event's text.
static const Obstacle obstacles[] = {
    {"Disruption is blocked", "do-not-disrupt on the node", "take karpenter.sh/do-not-disrupt off it"},
    {"Pod has", "a pod with do-not-disrupt", "take the annotation off, or give it a duration"},
    {"Pdb prevents", "a PodDisruptionBudget allows no eviction", "allow one disruption, or add a replica"},
    {"Eviction does not", "a pod has several PodDisruptionBudgets", "leave one budget for each pod"},
    {"NodePool \"", "the NodePool consolidates less", "set consolidateAfter and WhenEmptyOrUnderutilized"},
    {"Not all pods", "a pod would find no place", "tenon explain node says which pod"},
    {"SpotToSpot", "spot would become spot", "the gate SpotToSpotConsolidation allows it"},
    {"Instance Type", "its price is unknown", "give its type with --catalog"},
    {"Node does not have", "it lacks a label of its price", "label it as Karpenter does"},
    {"NodePool not found", "its NodePool is not in the input", "add nodepools to the dump"},
    {"Node is deleting", "it is being deleted already", "wait"},
    {"Node isn't", "it is not initialized yet", "wait"},
    {"Can't", "its pods have no cheaper place", "nothing: it is worth its price"},
    {"Pods that wait", "pods that wait are expected on it", "wait"},
    {"Costs $", "it costs no more than its pods would on new nodes", "nothing: it is worth its price"},
    {"Other places", "other places for its pods cost more than it saves", "nothing: it is worth its price"},
    {"Filtering by price", "minValues asks for dearer types", "ask for fewer values"},
};
static const Obstacle unsaid = {"", "no move was found",
                                "a budget may hold it back, or the search ended: plan again later"};
static const Obstacle foreign = {"", "it is of a node group", "let a NodePool give these pods their nodes"};
static const Obstacle lost = {"", "its NodeClaim is not in the input", "add nodeclaims to the dump"};

static const Obstacle *obstacle_of(const FleetNode *node) {
    if (!node->has_claim)
        return node->pool == NAME_EMPTY ? &foreign : &lost;
    for (size_t i = 0; i < sizeof obstacles / sizeof *obstacles; i++) {
        if (slice_starts_with(node->why, slice_of(obstacles[i].prefix)))
            return &obstacles[i];
    }
    return &unsaid;
}

static Slice shown(Loaded *loaded, Symbol symbol) {
    return printable(&loaded->arena, symbol_text(&loaded->cluster.symbols, symbol));
}

static void print_sum(const char *when, const FleetNodeVec *nodes, Buffer *out) {
    uint32_t unknown;
    double price = fleet_nodes_price(nodes, &unknown);

    buffer_printf(out, "%-6s %5u nodes  $%.4f/hour  $%.2f/month", when, nodes->count, price, price * MONTH_HOURS);
    if (unknown)
        buffer_printf(out, ", without %u node%s of unknown price", unknown, unknown == 1 ? "" : "s");
    buffer_append_char(out, '\n');
}

// The nodes of one list that are not in the other.
static void print_difference(Loaded *loaded, const char *sign, const FleetNodeVec *of, const FleetNodeVec *other,
                             Buffer *out) {
    for (vec_each(const FleetNode, node, of)) {
        if (fleet_node_find(other, node->name))
            continue;
        buffer_printf(out, "%-4s %-30.*s %-14.*s %-14.*s %-10.*s %4u %9.4f\n", sign,
                      SLICE_ARG(shown(loaded, node->name)), SLICE_ARG(shown(loaded, node->price.type)),
                      SLICE_ARG(shown(loaded, node->price.zone)), SLICE_ARG(shown(loaded, node->price.capacity_type)),
                      node->pods, node->price.per_hour);
    }
}

static void print_stays(const FleetNodeVec *nodes, const Obstacle *obstacle, Buffer *out) {
    uint32_t count = 0;
    double price = 0;

    for (vec_each(const FleetNode, node, nodes)) {
        const Obstacle *its = obstacle_of(node);

        if (strcmp(its->reason, obstacle->reason) == 0) {
            count++;
            price += node->price.per_hour;
        }
    }
    if (count)
        buffer_printf(out, "%5u %9.4f  %s: %s\n", count, price, obstacle->reason, obstacle->advice);
}

static void print_saving(const Future *future, Buffer *out) {
    uint32_t unknown;
    double saving = fleet_nodes_price(&future->before, &unknown) - fleet_nodes_price(&future->after, &unknown),
           coming = 0;

    for (vec_each(const FleetNode, node, &future->after))
        coming += fleet_node_find(&future->before, node->name) ? 0 : node->price.per_hour;
    buffer_printf(out, "Saves $%.4f/hour ($%.2f/month), moves %u pods.", saving, saving * MONTH_HOURS,
                  future->pods_moved);
    if (coming > 0 && saving > 0)
        buffer_printf(out, " New nodes, %d minutes beside the old ones, are paid back in %.0f minutes.",
                      OVERLAP_MINUTES, coming * OVERLAP_MINUTES / saving);
    buffer_append_char(out, '\n');
}

static void print_assumptions(const Future *future, Buffer *out) {
    const FleetAssumptions *assumed = &future->assumptions;

    if (assumed->quiet)
        buffer_printf(out, "Assumed: consolidateAfter is over for %u NodeClaims that are not Consolidatable yet.\n",
                      assumed->quiet);
    if (assumed->pending)
        buffer_printf(out, "%u pods wait for a node: tenon plan without --consolidate plans them.\n", assumed->pending);
    if (future->is_cut_short)
        buffer_printf(out, "There is more to do after these %u steps.\n", future->rounds);
    if (future->moves.homeless)
        buffer_printf(out, "%u pods would find no place after all.\n", future->moves.homeless);
}

void consolidate_table(const PlanOptions *options, Loaded *loaded, const Future *future, Buffer *out) {
    (void)options;
    print_sum("today", &future->before, out);
    print_sum("after", &future->after, out);
    if (!isnan(future->floor_per_hour))
        buffer_printf(out, "floor               $%.4f/hour  $%.2f/month for %u pods on fresh nodes\n",
                      future->floor_per_hour, future->floor_per_hour * MONTH_HOURS,
                      future->floor_pods - future->floor_unplaced);
    print_saving(future, out);
    buffer_printf(out, "\n%-4s %-30s %-14s %-14s %-10s %4s %9s\n", "", "NODE", "TYPE", "ZONE", "CAPACITY", "PODS",
                  "$/HOUR");
    print_difference(loaded, "out", &future->before, &future->after, out);
    print_difference(loaded, "in", &future->after, &future->before, out);
    buffer_printf(out, "\nSTAYS    $/HOUR  WHY, AND WHAT HELPS\n");
    for (size_t i = 0; i < sizeof obstacles / sizeof *obstacles; i++)
        print_stays(&future->after, &obstacles[i], out);
    print_stays(&future->after, &foreign, out);
    print_stays(&future->after, &lost, out);
    print_assumptions(future, out);
}

ErrCode consolidate_explain(const PlanOptions *options, Loaded *loaded, const Future *future, Buffer *out, Err *err) {
    Symbol name = symbol_intern(&loaded->cluster.symbols, options->explain_node);
    const FleetNode *before = fleet_node_find(&future->before, name), *after = fleet_node_find(&future->after, name);

    if (!before)
        return err_set(err, ERR_NOT_FOUND, "no node %.*s in the input", SLICE_ARG(options->explain_node));
    buffer_printf(out, "Node %.*s costs $%.4f/hour and ", SLICE_ARG(shown(loaded, name)), before->price.per_hour);
    if (!after)
        buffer_printf(out, "goes: its %u pods have a cheaper place.\n", before->pods);
    else
        buffer_printf(out, "stays with %u pods: %s%s%.*s.\n", after->pods, obstacle_of(after)->reason,
                      after->why.len ? "; " : "", SLICE_ARG(printable(&loaded->arena, after->why)));
    return OK;
}
