// TroubleBook: the offerings that EC2 lately had no capacity for, and the launches under way that ask for them.
#pragma once

#include "cloud/aws/launch/share.h"
#include "cloud/aws/launch/trouble.h"

typedef struct {
    UnavailableMark offering;
    Trouble trouble;
    uint32_t under_way; // launches
} TroubleEntry;

// {0} is a valid empty book. Entries are sorted as marks are; memory follows their greatest number.
typedef struct {
    Arena arena;
    Vec(TroubleEntry) entries;
    bool is_plain;    // Karpenter's rule: each mark lasts three minutes, and there are no budgets
    int64_t sweep_ns; // when to look again for what is over
} TroubleBook;

void trouble_book_free(TroubleBook *book);

// EC2 has no capacity for the offering: until when it counts as unavailable. O(entries).
int64_t trouble_book_failed(TroubleBook *book, const UnavailableMark *offering, int64_t now_ns);
// An instance was launched. O(log entries).
void trouble_book_launched(TroubleBook *book, const UnavailableMark *offering, int64_t now_ns);

// Shares out launches (launch_share) by the room that the offerings have, and notes those that are under way from now
// on, which are returned. O(offerings × log entries).
uint32_t trouble_book_begin(TroubleBook *book, ShareOfferingVec *offerings, uint32_t launches, bool is_last,
                            int64_t now_ns);
// They have ended, whatever came of them. To be called once. O(offerings × log entries).
void trouble_book_end(TroubleBook *book, const ShareOfferingVec *offerings, uint32_t launches);

// Forgets what is over, and nobody asks for; looks once a minute. O(entries) then, else O(1).
void trouble_book_sweep(TroubleBook *book, int64_t now_ns);
