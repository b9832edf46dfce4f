// Reports on a cluster's future.
#include "cli/consolidate/report.h"

#include "cli/consolidate/obstacle.h"
#include "text/quote.h"

#include <math.h>

enum { MONTH_HOURS = 730 };

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
    FutureSaving saved = future_saving(future);

    buffer_printf(out, "Saves $%.4f/hour ($%.2f/month), moves %u pods.", saved.per_hour, saved.per_hour * MONTH_HOURS,
                  future->pods_moved);
    if (!isnan(saved.payback_minutes))
        buffer_printf(out, " New nodes, %d minutes beside the old ones, are paid back in %.0f minutes.",
                      FUTURE_OVERLAP_MINUTES, saved.payback_minutes);
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

void consolidate_table(Loaded *loaded, const Future *future, Buffer *out) {
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
    for (uint32_t i = 0; i < obstacle_count; i++)
        print_stays(&future->after, obstacle_at(i), out);
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
