// EC2NodeClasses for tests, as an API server would have stored them.
#pragma once

#include "cloud/aws/ami_family.h"
#include "model/instance_type.h"
#include "model/objects.h"

typedef struct {
    Arena arena;
    Symbols symbols;
    Value object; // with the definition's defaults
    EC2NodeClass class;
    const AmiFamily *family;
    InstanceTypeVec types; // of test_type
} TestClass;

// A class named "default" that is valid, of AL2023, with `lines` of YAML behind its spec: of two members with one name
// the last one counts.
TestClass *test_class(const char *lines);
void test_class_free(TestClass *test);
// Reads the object again, with the symbols that the test has now.
void test_class_decode(TestClass *test);

// A document of YAML in the arena, which must be one.
Value test_yaml(Arena *arena, const char *text);

// The instance type of that name with the class, in us-east-1, of the built-in catalogue.
InstanceType *test_type(TestClass *test, const char *name);
