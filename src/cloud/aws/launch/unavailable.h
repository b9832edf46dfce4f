// What EC2 said it has no capacity for, remembered for three minutes, or as long as trouble.h says. Reference aws.md
// 2.3, 2.6; corrections of 1.15.
//
// What depends on it (lists of instance types with their offerings) is kept by the sequence number of the type: equal
// numbers, equal answers. A number changes when something of the type becomes unavailable or available again; marks of
// capacity types, subnets and reservations change the numbers of all types.
#pragma once

#include "base/time.h"
#include "base/vec.h"
#include "model/names.h"

#define UNAVAILABLE_FOR_NS (3 * 60 * NS_PER_S)

typedef enum {
    UNAVAILABLE_OFFERING,      // capacity type, type, zone; within a placement group, for that group only
    UNAVAILABLE_CAPACITY_TYPE, // all of it: spot, without its service-linked role
    UNAVAILABLE_SUBNET,        // no free addresses
    UNAVAILABLE_RESERVATION,
} UnavailableKind;

// What is unavailable; members that the kind does not name are NAME_EMPTY. Each is 32 bits, so that marks compare as
// bytes.
typedef struct {
    uint32_t kind; // UnavailableKind
    Symbol capacity_type, type, zone;
    Symbol group;       // placement group
    uint32_t partition; // of the group; 0: none
    Symbol id;          // of a subnet or a reservation
} UnavailableMark;
typedef Vec(UnavailableMark) UnavailableMarkVec;

typedef struct {
    UnavailableMark mark;
    int64_t until_ns;
} UnavailableEntry;

typedef struct {
    Symbol type;
    uint64_t sequence;
} UnavailableSequence;

// {0} is a valid empty book. Marks are sorted; memory follows their greatest number and that of the types ever marked.
typedef struct {
    Arena arena;
    Vec(UnavailableEntry) entries;
    Vec(UnavailableSequence) types; // sorted
    uint64_t sequence;              // of all types
    uint64_t changes;               // grows whenever a sequence number does
    int64_t first_end_ns;           // no mark ends before it; 0: there is none
} UnavailableBook;

void unavailable_free(UnavailableBook *book);

// Marks from now on until then; a mark that stands gets the new end. O(marks + log types marked).
void unavailable_mark(UnavailableBook *book, const UnavailableMark *mark, int64_t now_ns, int64_t until_ns);
// Ends the marks whose time is over. To be called before sequence numbers or changes are compared, and every ten
// seconds or so. O(1) before first_end_ns, then O(marks × log types marked).
void unavailable_sweep(UnavailableBook *book, int64_t now_ns);

// Whether exactly this is marked. O(log marks).
bool unavailable_has(const UnavailableBook *book, const UnavailableMark *mark, int64_t now_ns);
// Whether an offering is unavailable: itself, in general or for the placement group; its capacity type; its reservation
// (of a mark of kind UNAVAILABLE_OFFERING with an id); or all of its zone's subnets. `subnets`: of the zone; none:
// nothing is known of them. O(subnets × log marks).
bool unavailable_offering(const UnavailableBook *book, const UnavailableMark *offering, const Symbol *subnets,
                          uint32_t subnet_count, int64_t now_ns);

// The place of the first that is not below the mark in an array sorted by marks; each item begins with one. O(log
// count).
uint32_t unavailable_position(const void *items, size_t size, uint32_t count, const UnavailableMark *mark);

// The sequence number of a type. O(log types marked).
uint64_t unavailable_sequence(const UnavailableBook *book, Symbol type);
