// JsonFilter: a streaming filter that removes members from JSON documents which the reader does not need.
//
// Lists and watches of a large cluster are mostly managedFields, environment variables and image names. Removed before
// the text is stored, they cost one look at each byte and no memory. The output is compact JSON: white space between
// tokens is removed, too. The filter checks only as much of the grammar as it needs; the JSON parser behind it checks
// the rest.
#pragma once

#include "base/buffer.h"
#include "base/err.h"
#include "base/memory_budget.h"

enum { JSON_FILTER_DEPTH_MAX = 256, JSON_FILTER_PATHS_MAX = 64, JSON_FILTER_STEPS_MAX = 12, JSON_FILTER_KEY_MAX = 64 };

// Path of a member: keys from the root, "*" for every element of a list.
typedef struct {
    Slice steps[JSON_FILTER_STEPS_MAX];
    uint32_t count;
} JsonFilterPath;

typedef enum { JSON_FILTER_KEY, JSON_FILTER_COLON, JSON_FILTER_VALUE, JSON_FILTER_AFTER } JsonFilterExpect;
typedef enum { JSON_FILTER_BETWEEN, JSON_FILTER_IN_STRING, JSON_FILTER_IN_WORD } JsonFilterToken;

typedef struct {
    bool is_map, has_members;
    uint64_t paths; // bit set of the paths that match up to here
} JsonFilterLevel;

typedef struct {
    JsonFilterPath paths[JSON_FILTER_PATHS_MAX];
    uint32_t path_count;
    uint64_t by_length[JSON_FILTER_STEPS_MAX][JSON_FILTER_KEY_MAX]; // by step: the paths whose key has that length
    size_t bytes_max;                                               // of one document
    MemoryBudget *budget; // of all documents held by anybody; borrowed. NULL: none
    // Called with each complete document; `text` is the filter's and may be changed. Returns false to stop.
    bool (*take)(void *context, Slice text);
    void *context;

    Buffer out; // the document so far
    JsonFilterLevel levels[JSON_FILTER_DEPTH_MAX];
    uint32_t depth; // 0: between documents
    JsonFilterExpect expect;
    JsonFilterToken token;
    bool escaped; // inside a string or what is dropped, after '\'
    bool is_key;  // the string is a key
    char key[JSON_FILTER_KEY_MAX];
    uint32_t key_len;    // JSON_FILTER_KEY_MAX: too long to be in any path
    size_t member_start; // start of the present member in `out`, including its comma
    uint64_t member_paths;
    bool dropping;       // the present member is being dropped
    uint32_t drop_depth; // open lists and maps inside it
    size_t charged;      // bytes of `out` that were charged to the budget
    bool over_budget;
    ErrCode failed;
} JsonFilter;

// Adds the path "prefix path" (keys separated by blanks) to those that are dropped; the text must outlive the filter.
// {0} is a valid filter but for `bytes_max` and `take`.
void json_filter_drop(JsonFilter *json_filter, const char *prefix, const char *path);

// Filters more bytes, cut anywhere. Documents must be maps. False: `take` returned false, or json_filter->failed says
// why: ERR_INVALID (not JSON, too deep) or ERR_TOO_LARGE (`over_budget`: by the budget). O(bytes).
bool json_filter_feed(JsonFilter *json_filter, Slice bytes);

// Drops the unfinished document.
void json_filter_reset(JsonFilter *json_filter);
// Frees the memory; paths and the reason of a failure stay.
void json_filter_free(JsonFilter *json_filter);
