// A json_filter for JSON as it streams in: lets documents through without the members that nobody will look at.
//
// Lists and watches of a large cluster are mostly managedFields, environment variables and image names. Taken out
// before the text is kept, they cost one look at each byte and no memory. What comes out is compact JSON: white space
// between tokens is dropped, too. The json_filter checks no more of the grammar than it needs to find its way; the JSON
// parser behind it does.
#pragma once

#include "base/buffer.h"
#include "base/err.h"
#include "base/memory_budget.h"

enum { JSON_FILTER_DEPTH_MAX = 256, JSON_FILTER_PATHS_MAX = 64, JSON_FILTER_STEPS_MAX = 12, JSON_FILTER_KEY_MAX = 64 };

// Where a member stands: keys from the root, "*" for every element of a list.
typedef struct {
    Slice steps[JSON_FILTER_STEPS_MAX];
    uint32_t count;
} JsonFilterPath;

typedef enum { JSON_FILTER_KEY, JSON_FILTER_COLON, JSON_FILTER_VALUE, JSON_FILTER_AFTER } JsonFilterExpect;
typedef enum { JSON_FILTER_BETWEEN, JSON_FILTER_IN_STRING, JSON_FILTER_IN_WORD } JsonFilterToken;

typedef struct {
    bool is_map, has_members;
    uint64_t paths; // those whose steps fit up to here, one bit each
} JsonFilterLevel;

typedef struct {
    JsonFilterPath paths[JSON_FILTER_PATHS_MAX];
    uint32_t path_count;
    size_t bytes_max;     // of one document
    MemoryBudget *budget; // of all documents that are held anywhere; borrowed. NULL: none
    // Called with each whole document; `text` is the json_filter's and may be changed. False: enough.
    bool (*take)(void *context, Slice text);
    void *context;

    Buffer out; // the document so far
    JsonFilterLevel levels[JSON_FILTER_DEPTH_MAX];
    uint32_t depth; // 0: between documents
    JsonFilterExpect expect;
    JsonFilterToken token;
    bool escaped; // inside a string, after '\'
    bool is_key;  // the string is a key
    char key[JSON_FILTER_KEY_MAX];
    uint32_t key_len;    // JSON_FILTER_KEY_MAX: too long to be one of ours
    size_t member_start; // where the member began in `out`, its comma included
    uint64_t member_paths;
    bool dropping;       // the member that is passing is dropped
    uint32_t drop_depth; // lists and maps open inside it
    size_t charged;      // what `out` took of the budget
    bool over_budget;
    ErrCode failed;
} JsonFilter;

// {0} is a valid json_filter but for `bytes_max` and `take`. Adds "prefix path" to what is dropped: keys separated by
// blanks; the text must outlive the json_filter.
void json_filter_drop(JsonFilter *json_filter, const char *prefix, const char *path);

// Lets bytes in, cut anywhere. Documents must be maps. False: it is enough, or json_filter->failed says why:
// ERR_INVALID (not JSON, too deep) or ERR_TOO_LARGE (`over_budget`: by the budget). O(bytes).
bool json_filter_feed(JsonFilter *json_filter, Slice bytes);

// Forgets the document that was begun.
void json_filter_reset(JsonFilter *json_filter);
// Gives the memory back; what it was told, and why it failed, stays.
void json_filter_free(JsonFilter *json_filter);
