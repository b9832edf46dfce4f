// What the provider remembers of a NodeClass between two lookups, part by part. Private to the files of NodeClasses.
#pragma once

#include "cloud/aws/lookup/images.h"
#include "cloud/aws/lookup/reserved.h"
#include "cloud/aws/nodeclass/class_status.h"
#include "cloud/aws/provider/classes.h"
#include "cloud/aws/provider/cluster.h"

// A condition and what of the status belongs to it, as a part has found it. Members are those of the part.
typedef struct {
    const char *status; // NULL: nothing is known
    Slice reason, message;
    SubnetStatusVec subnets; // most free addresses first
    SecurityGroupStatusVec groups;
    AmiStatusVec amis;
    CapacityReservationVec reservations;
    PlacementGroup placement;
    Slice profile;
    int64_t for_ns; // how long the answer holds
} ClassAnswer;

// One of CLASS_CONDITIONS but for the validation, which asks nothing as long as the others have not answered.
typedef struct {
    Arena arena; // of the answer
    ClassAnswer answer;
    uint64_t key;      // of what in the class, and beside it, the answer is to
    bool has_answered; // for that key
    Mono due;          // when it is asked again
    uint64_t told;     // of what the log last named; 0: of nothing
    Err failure;       // of the last time; OK: there was none
} ClassPart;

// The answer of the dry runs.
typedef struct {
    Arena arena;
    const char *status; // NULL: there is none
    Slice reason, message;
    uint64_t key;
    Mono until;
    Err failure;
} ClassTrial;

// Of the heap. Whoever looks a class up has its record alone until it is given back.
typedef struct {
    char *name;
    char *uid; // of the object that is remembered; NULL: of none
    bool is_busy;
    ClassPart parts[CLASS_CONDITION_COUNT];
    ClassTrial trial;
    ClassSnapshot *snapshot; // the record's hold of it; NULL: none was published
    char *digest;            // of the snapshot: equal texts, equal contents
} ClassRecord;

struct ProviderClasses {
    pthread_mutex_t lock; // guards the list, is_busy, snapshot, and what follows
    ClassRecord **records;
    uint32_t count, capacity;
    uint64_t numbers; // of snapshots, so far
    struct {
        char *name;
        Mono until;
    } * shielded; // instance profiles that are not collected
    uint32_t shielded_count, shielded_capacity;
    ParameterBook parameters;
};

// One lookup of a class.
typedef struct {
    AwsProvider *provider;
    ClassRecord *record;
    Arena *arena;       // of the caller
    Value object;       // what of the class is read: no labels, no annotations
    EC2NodeClass class; // decoded, with what has been found so far
    Slice uid;
    ClusterFacts facts;
    Moment now;
} ClassTurn;

// The record of a name, under the lock; NULL: none.
ClassRecord *class_record_find(const ProviderClasses *classes, Slice name);
// The record of a name, made if there is none, for this caller alone until it is given back; NULL: somebody has it.
ClassRecord *class_record_take(ProviderClasses *classes, Slice name);
void class_record_give_back(ProviderClasses *classes, ClassRecord *record);
// Forgets what was found, but not the snapshot.
void class_record_forget(ClassRecord *record);
// Of a record whose snapshot was released.
void class_record_free(ClassRecord *record);
void class_record_remove(ProviderClasses *classes, ClassRecord *record);
// A copy of the heap.
char *class_text(Slice text);
