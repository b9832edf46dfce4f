// One pass of node.termination over a Node that ends: what it knows, and its steps. Private to node/termination.c,
// node/pass.c, node/steps.c and node/taint.c. Reference lifecycle.md 3.2.
#pragma once

#include "ctl/common/conditions.h"
#include "ctl/common/node_facts.h"
#include "ctl/node/drain.h"
#include "ctl/node/termination.h"

// What the process remembers of a Node. Losing it costs a call to the cloud or an event, nothing else.
typedef struct {
    Key node;
    Symbol uid;
    bool missing;       // the cloud knew no such instance when the node was not ready
    bool gone;          // the cloud had nothing to end any more
    Mono seen;          // when the cloud last said that the instance exists
    Mono terminated;    // when the cloud last accepted its end
    Mono claim_removed; // when the NodeClaim was deleted
    bool pods_read;     // the API server was asked for its pods since one that the drain waits for was seen
    Mono said;          // when events were last published
    // Pods that the eviction queue was told of (node/enqueue.c): for that tier and deadline, and until when that
    // counts.
    Arena arena;
    IndexMap asked;
    uint32_t asked_tier;
    int64_t asked_deadline_ns, ask_every_ns;
    Mono ask_all;
} NodeNote;

typedef struct {
    Turn *turn;
    Key key;
    NodeNote *note;
    const Node *node;
    const NodeClaim *claim; // NULL: none, or not the only one
    int64_t deadline_ns;    // INT64_MAX: none
    Conditions conditions;  // of the claim, as they shall be
    bool conditions_changed;
    bool speaks;     // events are published
    bool wrote;      // something is to be carried out before the next step
    int64_t wait_ns; // look again after that long; INT64_MAX: not by time
} NodePass;

enum { NODE_TAG_TAINT = 1, NODE_TAG_FINALIZER }; // of patches

// Asks for another pass, at the latest then.
void node_pass_wait(NodePass *pass, int64_t ns);
void node_pass_wait_until(NodePass *pass, int64_t wall_ns); // INT64_MAX: not by time
// Every second; later, for a node that nobody can help for long, less often: changes start a pass by themselves.
void node_pass_wait_for_changes(NodePass *pass);
// An event about the node; the recorder publishes one of each reason and node within two minutes.
void node_pass_say(NodePass *pass, bool warning, const char *reason, Slice message);
// A pass that cannot go on: says why, and tries again later.
void node_pass_fail(Turn *turn, Key key, Slice why);
// Conditions of the claim, if there is one. The reason is the message too; of True it is the type.
void node_pass_set_unknown(NodePass *pass, const char *type, const char *reason);
void node_pass_set_false(NodePass *pass, const char *type, const char *reason);
void node_pass_set_true(NodePass *pass, const char *type);

// Tells the eviction queue of the chosen pods that it was not told of. O(chosen).
void node_ask_to_leave(NodePass *pass, const NodeDrain *drain);
void node_note_forget_asks(NodeNote *note);

// The patch that keeps new pods and load balancers away, unless it is there. Sets `wrote`.
void node_taint(NodePass *pass);

// All steps from the beginning, as far as they go now.
void node_steps_take(NodePass *pass);
