// Clusters for tests, written as the YAML that a user would write.
#pragma once

#include "model/objects.h"

// Reads every document of `yaml`, which must outlive the cluster (a literal does). Prints the complaint and aborts the
// program when the text is not a cluster: a typo in a test is never a passed test.
Cluster *world_from_yaml(const char *yaml);
void world_free(Cluster *world);

// The symbol of a text, made when new.
Symbol world_symbol(Cluster *world, const char *text);

// Objects by name; abort when there is none.
const Pod *world_pod(Cluster *world, const char *name);
