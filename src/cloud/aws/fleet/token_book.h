// What this process knows of the launches of NodeClaims: the last token of each, and whether it is spent.
//
// Kubernetes has the tokens as annotations; this book knows more lately, because a claim may be launched again before
// the watch has shown what was written on it. An entry is kept for ten minutes or twenty after it was last put. Not
// locked.
#pragma once

#include "base/map.h"
#include "base/time.h"
#include "base/vec.h"
#include "cloud/aws/fleet/record.h"

typedef struct {
    Slice uid; // of the claim
    LaunchRecord record;
    bool is_spent; // it is known that the claim has no instance of this launch, and will get none
    Mono since;    // EC2 was last asked to launch, or, of a launch of a former process, the token was first seen
} TokenEntry;

typedef struct {
    Arena arena;
    Vec(TokenEntry) entries; // in order of putting; the last of a uid counts
    IndexMap by_uid;
} TokenGeneration;

// {0} is a valid empty book.
typedef struct {
    TokenGeneration young, old;
    Mono turned;
} TokenBook;

void token_book_free(TokenBook *book);
// Texts are copied. O(1) expected.
void token_book_put(TokenBook *book, const TokenEntry *entry, Mono now);
// The entry of a claim; NULL: none. Valid until the next put. O(1) expected.
const TokenEntry *token_book_get(const TokenBook *book, Slice uid);
