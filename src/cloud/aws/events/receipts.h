// Receipts: messages that were received and are not settled yet, by number, with SQS's names for them. The last ones
// only: what is forgotten comes again.
#pragma once

#include "base/arena.h"

enum { RECEIPTS_MAX = 1024 };

typedef struct {
    uint64_t next; // the receipt of the next message; from 1
    struct {
        uint64_t receipt;
        char *handle; // NULL: none
    } slots[RECEIPTS_MAX];
} Receipts;

void receipts_init(Receipts *receipts);
void receipts_free(Receipts *receipts);

// Gives the first of `count` consecutive numbers.
uint64_t receipts_reserve(Receipts *receipts, uint32_t count);
void receipts_put(Receipts *receipts, uint64_t receipt, Slice handle);
// A copy of the handle; empty: there is no such receipt (any more).
Slice receipts_get(const Receipts *receipts, Arena *arena, uint64_t receipt);
void receipts_remove(Receipts *receipts, uint64_t receipt);
