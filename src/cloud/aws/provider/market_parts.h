// Inside of the market, shared by its files.
#pragma once

#include "cloud/aws/launch/trouble_book.h"
#include "cloud/aws/market/present.h"
#include "cloud/aws/market/sources.h"
#include "cloud/aws/provider/market.h"

// A NodeClass and its lists. Written with both locks, so that each of them is enough to read; but what stands behind
// `lock:` is for who has that one.
typedef struct {
    char *name;
    const ClassSnapshot *snapshot; // held
    Symbol group;                  // its placement group
    Arena key_arena;
    Slice key;         // of `lasting`, with the number of its catalogue
    TypeList *lasting; // NULL: there is none
    Arena taught_arena;
    TaughtTypeVec taught;
    // lock:
    TypeList *present; // over `lasting`
    uint64_t seen;     // changes that it has
    uint64_t changes;  // of the class
    Mono made;
    bool is_stale; // whatever the pace is
} MarketClass;

// What nodes taught, and how it is kept over a restart. Guarded by `making`, never held during a call.
typedef struct {
    Arena arena;
    MemoryBook book;
    bool is_read;       // the ConfigMap was, or there is none
    bool is_busy;       // somebody calls Kubernetes
    bool is_changed;    // since it was written
    bool was_refused;   // and logged
    Mono read, written; // when that was last tried
    Arena keys_arena;
    SliceVec keys; // of the ConfigMap's data
} MarketMemory;

struct ProviderMarket {
    AwsProvider *provider;
    // Held by who makes lists, for as long as that takes; never by who only asks for one, nor during a call. Taken
    // before `lock`. Guards:
    pthread_mutex_t making;
    MarketSources sources;
    MarketMemory memory;
    // Held shortly. Guards:
    pthread_mutex_t lock;
    MarketClass **classes;
    uint32_t class_count, class_capacity;
    bool is_confirmed;
    UnavailableBook marks;
    TroubleBook troubles;
    ReservationCounts counts;
    Arena zones_arena;
    SliceVec zones_left; // ids
    uint64_t changes;    // of the zones
    RetiredLists retired;
};

// The list of each class as it is now, to be released. market.c.
typedef Vec(TypeList *) TypeListVec;
TypeListVec market_hold_lists(ProviderMarket *market, Arena *arena);

// Makes the lasting lists of a class, or of all classes, anew, as far as something that they depend on changed. With
// `making`. market_make.c.
void market_make_class(ProviderMarket *market, MarketClass *class);
void market_make_all(ProviderMarket *market);
// Lays the learned memory over a class anew. With `making`.
void market_teach_class(ProviderMarket *market, MarketClass *class);

// Reads the memory that was kept, when it is time to try. With neither lock; blocks. learned.c.
void market_memory_read(AwsProvider *provider);
