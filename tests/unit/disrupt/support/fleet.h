// Fleets for tests of disruption: the worlds of the planner's tests (sched/support/world_plan.h), whose nodes have run
// for a while, and passes over them.
#pragma once

#include "disrupt/budget.h"
#include "disrupt/pass.h"
#include "sched/support/world_plan.h"

typedef struct {
    World *world;
    Arena arena;
    DisruptFacts facts;
    DisruptOptions options; // all methods, classic
    DisruptPass pass;       // the last one
    uint8_t *bits;          // facts.node_bits
} Fleet;

Fleet *fleet_setup(void);
void fleet_teardown(Fleet *fleet);
FIXTURE(Fleet, fleet_setup, fleet_teardown);

// A node of a standard type: small, medium, large, huge.
typedef struct {
    const char *name, *type;
    const char *pool;          // default "default"
    const char *zone;          // default a
    const char *capacity_type; // default on-demand
    const char *meta;          // as NodeText.meta
    const char *claim_spec;
} FleetNode;
#define fleet_node(fleet, ...) fleet_add_node((fleet), (FleetNode){__VA_ARGS__})
void fleet_add_node(Fleet *fleet, FleetNode node);

// Reads the world: every node is ready, and its claim is Launched, Registered, Initialized and Consolidatable since
// time 1. It is hour 10 of the first day. To be called once, after everything is added.
#define FLEET_NOW_NS (10 * NS_PER_HOUR)
void fleet_read(Fleet *fleet);

// What differs after that. Nodes and claims have equal names.
uint32_t fleet_at(Fleet *fleet, const char *node); // index of its view
NodeClaim *fleet_claim(Fleet *fleet, const char *name);
Node *fleet_object(Fleet *fleet, const char *name);
void fleet_mark(Fleet *fleet, const char *name, const char *condition, int64_t since_ns); // True
void fleet_unmark(Fleet *fleet, const char *name, const char *condition);
NodePool *fleet_pool(Fleet *fleet, const char *name);

// A pass; its commands as text: "emptiness a b; drift c => medium spot", replacements by what they are expected to be.
const char *fleet_pass(Fleet *fleet);
const char *fleet_command_text(Fleet *fleet, const DisruptCommand *command);
// Text of the first note about the node or pool, "" if there is none.
const char *fleet_note(Fleet *fleet, const char *about, const char *reason);
// The proof of a command of the last pass, now; ret_command may be NULL. "" it stands.
const char *fleet_prove(Fleet *fleet, const DisruptCommand *command, DisruptCommand *ret_command);
