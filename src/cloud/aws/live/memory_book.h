// Memory of instance types as their nodes report it, learned for each image, and kept over restarts. Reference aws.md
// 7.5, 2.3.
//
// EC2 says how much memory a machine has, not how much of it a kernel sees; VM_MEMORY_OVERHEAD_PERCENT is a guess. The
// smallest memory that a node of a type and image has reported replaces the computed one for 60 days.
// Other than upstream: it is kept under the image that the node started from, not under all images of a class, so a
// node of a former image is no reason to learn nothing; and it outlives a restart, as data of a ConfigMap: a member for
// each image, with a line "TYPE BYTES TIME" for each type (m5.large 7934472192 2026-11-23T08:00:00Z).
#pragma once

#include "cloud/aws/ami/selection.h"
#include "text/value.h"

// About 500 KiB of text; the API server takes 1 MiB.
enum { MEMORY_BOOK_MAX = 8192 };

// A node's memory. Texts and rows lie in the arena of the book.
typedef struct {
    Slice image, type;
    int64_t bytes;
    int64_t seen_ns; // wall time of the last node with it, a day old at most when there are further ones
} LearnedMemory;
// Sorted by image, then type; {0}: nothing is known.
typedef struct {
    Vec(LearnedMemory) rows;
} MemoryBook;

// Takes the capacity.memory of a registered Node's status. False: there is nothing new to store: a smaller memory is
// known, or the same was seen less than a day ago, or an argument is none (no image id, no bytes, a long name). When
// the book is full, the row that was not seen for the longest time goes. O(rows).
bool memory_book_learn(Arena *arena, MemoryBook *book, Slice image, Slice type, int64_t bytes, int64_t now_ns);

// The memory; 0: not known, or last seen 60 days ago. O(log rows).
int64_t memory_book_get(const MemoryBook *book, Slice image, Slice type, int64_t now_ns);

// Sets the memory of each type that has an image among those of a class' status, and whose memory is known with it.
// Overhead stays: eviction thresholds are computed from the computed memory. `requirements`: of ami_requirements.
// O(types × (images + log rows)).
void memory_book_apply(const MemoryBook *book, Arena *arena, const Symbols *symbols, const AmiStatusVec *amis,
                       const AmiRequirementsVec *requirements, int64_t now_ns, InstanceTypeVec *types);

// The book as the data of a ConfigMap, without what was last seen 60 days ago. O(text).
Value memory_book_data(Arena *arena, const MemoryBook *book, int64_t now_ns);
// Reads such data. Lines and members that are none, and rows beyond MEMORY_BOOK_MAX, are passed over and counted; a
// time in the future counts as now. O(rows²) at worst, O(rows) for what memory_book_data wrote.
MemoryBook memory_book_read(Arena *arena, const Value *data, int64_t now_ns, uint32_t *ret_ignored);
