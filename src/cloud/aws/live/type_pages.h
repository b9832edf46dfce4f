// The instance types of an account in a region, gathered from the pages of DescribeInstanceTypes. Reference aws.md 2.1,
// 4.4.
//
// The list is whole or it is none: one type that cannot be read, or a page that did not come, fails all of it, so that
// no part of a list is ever taken for the list. The caller keeps what it had.
#pragma once

#include "cloud/aws/live/type_reader.h"

enum { EC2_LIVE_TYPES_MAX = 8192 };

// The request for the first page: machines that boot images of HVM, of the architectures that Kubernetes runs on.
Ec2DescribeInstanceTypesInput ec2_types_query(Arena *arena);

// Set `arena` and `baked`, add all pages, then end.
typedef struct {
    Arena *arena;              // of the types
    const Ec2Catalogue *baked; // the built-in catalogue
    Ec2TypeVec types;
    bool is_complete; // the last page added was the last of the list
    Err failure;      // the first thing that was wrong, or OK
} Ec2TypePages;

// Adds a page, which may go after the call. Types that Kubernetes has no architecture for are passed over. O(page).
void ec2_types_add(Ec2TypePages *pages, const Ec2DescribeInstanceTypesOutput *page);
// Gives the types, sorted by name, each once, without offers. O(types × log types). ERR_INVALID: a type could not be
// read. ERR_TOO_LARGE: more than EC2_LIVE_TYPES_MAX. ERR_IO: the last page is missing. ERR_NOT_FOUND: there are none.
ErrCode ec2_types_end(Ec2TypePages *pages, Ec2TypeVec *ret_types, Err *err);

// A number that is equal for lists of equal types; another for others, so that a change can be told once. O(types).
uint64_t ec2_types_digest(const Ec2TypeVec *types);
