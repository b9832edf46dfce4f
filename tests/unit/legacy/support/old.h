// Old objects in tests: text to struct.
#pragma once

#include "legacy/complaints.h"
#include "legacy/defaults.h"

// Memory of a test; {0} at its start.
typedef struct {
    Arena arena;
    Err err;
} OldTest;

// The only document of a YAML text.
Value old_test_parse(OldTest *test, const char *yaml);
// Decodes what the text has; the test fails when that fails, or when it is of another kind.
void old_test_decode(OldTest *test, const char *yaml, OldKind kind, void *ret_object);
// The error of a text that cannot be decoded.
const char *old_test_error(OldTest *test, const char *yaml);
// A Provisioner with a sound start and these lines below `spec:`; what its webhook says: "" when it is taken.
const char *old_test_provisioner_reply(OldTest *test, const char *spec);
// The same of an AWSNodeTemplate, which has only these lines.
const char *old_test_template_reply(OldTest *test, const char *spec);
