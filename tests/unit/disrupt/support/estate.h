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
} Estate;

Estate *estate_setup(void);
void estate_teardown(Estate *estate);
FIXTURE(Estate, estate_setup, estate_teardown);

// A text that lives as long as the estate.
#define estate_text(estate, ...) arena_text(&(estate)->arena, arena_printf(&(estate)->arena, __VA_ARGS__))

// A node of a standard type: small, medium, large, huge.
typedef struct {
    const char *name, *type;
    const char *pool;          // default "default"
    const char *zone;          // default a
    const char *capacity_type; // default on-demand
    const char *meta;          // as NodeText.meta
    const char *claim_spec;
} EstateNode;
#define estate_node(estate, ...) estate_add_node((estate), (EstateNode){__VA_ARGS__})
void estate_add_node(Estate *estate, EstateNode node);

// Reads the world: every node is ready, and its claim is Launched, Registered, Initialized and Consolidatable since
// time 1. It is hour 10 of the first day. To be called once, after everything is added.
#define ESTATE_NOW_NS (10 * NS_PER_HOUR)
void estate_read(Estate *estate);

// What differs after that. Nodes and claims have equal names.
uint32_t estate_at(Estate *estate, const char *node); // index of its view
NodeClaim *estate_claim(Estate *estate, const char *name);
Node *estate_object(Estate *estate, const char *name);
void estate_mark(Estate *estate, const char *name, const char *condition, int64_t since_ns); // True
void estate_unmark(Estate *estate, const char *name, const char *condition);
void estate_annotate(Estate *estate, const char *node, const char *key, const char *value); // the Node
NodePool *estate_pool(Estate *estate, const char *name);

// A pass; its commands as text: "emptiness a b; drift c => medium spot", replacements by what they are expected to be.
const char *estate_pass(Estate *estate);
const char *estate_command_text(Estate *estate, const DisruptCommand *command);
// The commands of the last pass are under way from now on.
void estate_begin_commands(Estate *estate);
// Text of the first note about the node or pool, "" if there is none.
const char *estate_note(Estate *estate, const char *about, const char *reason);
// The proof of a command of the last pass, now; ret_command may be NULL. "" it stands.
const char *estate_prove(Estate *estate, const DisruptCommand *command, DisruptCommand *ret_command);
// The proof of all commands of the last pass together.
ProvenProposalVec estate_prove_all(Estate *estate);
