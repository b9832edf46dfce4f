// A sieve for JSON as it streams in: lets documents through without the members that nobody will look at.
//
// Lists and watches of a large cluster are mostly managedFields, environment variables and image names. Taken out
// before the text is kept, they cost one look at each byte and no memory. What comes out is compact JSON: white space
// between tokens is dropped, too. The sieve checks no more of the grammar than it needs to find its way; the JSON
// parser behind it does.
#pragma once

#include "base/buffer.h"
#include "base/err.h"
#include "base/memory_budget.h"

enum { SIEVE_DEPTH_MAX = 256, SIEVE_PATHS_MAX = 64, SIEVE_STEPS_MAX = 12, SIEVE_KEY_MAX = 64 };

// Where a member stands: keys from the root, "*" for every element of a list.
typedef struct {
    Slice steps[SIEVE_STEPS_MAX];
    uint32_t count;
} SievePath;

typedef enum { SIEVE_KEY, SIEVE_COLON, SIEVE_VALUE, SIEVE_AFTER } SieveExpect;
typedef enum { SIEVE_BETWEEN, SIEVE_IN_STRING, SIEVE_IN_WORD } SieveToken;

typedef struct {
    bool is_map, has_members;
    uint64_t paths; // those whose steps fit up to here, one bit each
} SieveLevel;

typedef struct {
    SievePath paths[SIEVE_PATHS_MAX];
    uint32_t path_count;
    size_t bytes_max;     // of one document
    MemoryBudget *budget; // of all documents that are held anywhere; borrowed. NULL: none
    // Called with each whole document; `text` is the sieve's and may be changed. False: enough.
    bool (*take)(void *context, Slice text);
    void *context;

    Buffer out; // the document so far
    SieveLevel levels[SIEVE_DEPTH_MAX];
    uint32_t depth; // 0: between documents
    SieveExpect expect;
    SieveToken token;
    bool escaped; // inside a string, after '\'
    bool is_key;  // the string is a key
    char key[SIEVE_KEY_MAX];
    uint32_t key_len;    // SIEVE_KEY_MAX: too long to be one of ours
    size_t member_start; // where the member began in `out`, its comma included
    uint64_t member_paths;
    bool dropping;       // the member that is passing is dropped
    uint32_t drop_depth; // lists and maps open inside it
    size_t charged;      // what `out` took of the budget
    bool over_budget;
    ErrCode failed;
} Sieve;

// {0} is a valid sieve but for `bytes_max` and `take`. Adds "prefix path" to what is dropped: keys separated by
// blanks; the text must outlive the sieve.
void sieve_drop(Sieve *sieve, const char *prefix, const char *path);

// Lets bytes in, cut anywhere. Documents must be maps. False: it is enough, or sieve->failed says why:
// ERR_INVALID (not JSON, too deep) or ERR_TOO_LARGE (`over_budget`: by the budget). O(bytes).
bool sieve_feed(Sieve *sieve, Slice bytes);

// Forgets the document that was begun.
void sieve_reset(Sieve *sieve);
// Gives the memory back; what it was told, and why it failed, stays.
void sieve_free(Sieve *sieve);
