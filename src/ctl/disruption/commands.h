// The commands of disruption that are under way, each with what it needs until its end.
#pragma once

#include "ctl/ctl.h"

// Where a command is.
typedef enum {
    COMMAND_PROVING,  // found, and left alone until it may be proved; nothing is written yet
    COMMAND_STARTING, // record, taint and condition of its nodes, and its replacements, are being written
    COMMAND_WAITING,  // for its replacements to be ready
    COMMAND_DELETING, // its NodeClaims are being deleted
} CommandPhase;

typedef struct {
    Symbol claim_uid, claim, node;
    bool is_deleted; // the API server has deleted its claim, or has begun to
} CommandNode;
typedef Vec(CommandNode) CommandNodeVec;

// What a replacement may count against the limits of its pool at most.
typedef struct {
    Symbol pool;
    Resources most;
} PoolCharge;
typedef Vec(PoolCharge) PoolChargeVec;

typedef struct Command {
    struct Command *next; // in the order in which they were found
    Arena arena;          // of everything below
    SymbolHolder holder;  // of the symbols below
    Symbol uuid;
    DisruptMethod method;
    CommandPhase phase;
    bool is_looked_at; // PROVING: a proof is under way
    Mono due;          // PROVING: when it may be proved; STARTING and later: when it started
    CommandNodeVec nodes;
    SymbolVec pools;           // of its nodes, each once
    ProposedClaimVec proposed; // of a proposal: its replacements ...
    DisruptPlaceVec places;    // ... and, of the fleet search, where its pods go
    uint32_t replacements;     // number of them
    PoolChargeVec charges;     // for each, from the start on
    U32Vec orders;             // for each, the number of its order (state_order)
    U32Vec held;               // since it has started, of each pool: likewise for disruption_hold
    SymbolVec created;         // names of their NodeClaims
    SymbolVec destinations;    // names of Nodes where its pods are expected
    int64_t pays_back_ns;      // from its start, until it has saved what it costs
    uint32_t pods;
    double price_per_hour, saving_per_hour; // $
    bool reboots;                           // its node is rebooted, and stays ...
    Slice cause;                            // ... for this: "rebooting for <condition>/<reason>"
    int64_t bound_ns;                       // the longest its drain may take; REPAIR_NO_BOUND
    Slice text;                             // "Empty/<uuid>: delete: nodepools=[a]: [n1] -> [] (savings: $0.12)"
} Command;

typedef struct {
    Command *first;
    Command *ended; // removed, and not freed yet: events and lines of the log of this turn borrow from them
} CommandList;

// Adds a command of the method for the given nodes of a look. O(nodes).
Command *commands_add(CommandList *list, Turn *turn, const DisruptFacts *facts, const DisruptCommand *found);
// Adds an empty command of that uuid.
Command *commands_add_empty(CommandList *list, Turn *turn, Slice uuid);
void commands_remove(CommandList *list, Command *command);
// Frees the commands that earlier turns removed.
void commands_forget(CommandList *list);
void commands_free(CommandList *list);

// NULL: there is none. O(commands), O(commands × nodes).
Command *commands_find(const CommandList *list, Symbol uuid);
Command *commands_of_claim(const CommandList *list, Symbol claim_uid);
// The command that created the NodeClaim. O(commands × replacements).
Command *commands_awaiting(const CommandList *list, Symbol claim);

// Adds a node, the pool of one unless it is there, or the NodeClaim of a replacement, to a command.
void command_add_node(Command *command, CommandNode node);
void command_add_pool(Command *command, Symbol pool);
void command_add_created(Command *command, Symbol claim);

// "delete", "replace".
const char *command_decision(const Command *command);
// The reason of its method: "Empty", ...
const char *command_reason(const Command *command);
