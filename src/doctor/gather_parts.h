// What the files of gathering share. Private to src/doctor.
#pragma once

#include "doctor/facts.h"

typedef struct {
    Arena *arena;
    Facts *facts;
    Slice file; // of the object
} Gathering;

// A text member of a map; empty when absent or of another type.
Slice gather_text(const Value *map, const char *key);
FactPlace gather_place(const Gathering *gathering, const Value *value);
// "Provisioner general"
Slice gather_object_name(const Gathering *gathering, const Value *object);
TextMap gather_text_map(const Gathering *gathering, const Value *map);

// Objects of the old kinds, of v1beta1 and v1, of the cluster, and answers of AWS. They pass over what is none of
// theirs.
void gather_old(Gathering *gathering, OldKind kind, const Value *object);
void gather_pool(Gathering *gathering, const Value *object);
void gather_class(Gathering *gathering, const Value *object);
void gather_cluster(Gathering *gathering, Slice kind, const Value *object);
// What topology hints are made of.
void gather_worker(Gathering *gathering, const Value *node);
void gather_service(Gathering *gathering, const Value *object);
void gather_endpoints(Gathering *gathering, const Value *object);
void gather_aws(Gathering *gathering, const Value *answer);
