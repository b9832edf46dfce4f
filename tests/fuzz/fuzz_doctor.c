// Any text as what the doctor reads: as Terraform, as manifests or answers of AWS, and as a rule's
// pattern, and as a queue's policy. Facts are
// gathered, every check is run, and every attribute evaluated. Nothing may crash, leak or hang.
#include "doctor/checks.h"
#include "doctor/event_pattern.h"
#include "doctor/gather.h"
#include "doctor/hcl_value.h"
#include "doctor/queue_policy.h"
#include "doctor/terraform.h"

#include "base/check.h"
#include "support/fuzz.h"
#include "text/yaml.h"

static void evaluate(HclScope *scope, const HclBlockVec *blocks) {
    for (vec_each(const HclBlock, block, blocks)) {
        for (vec_each(const HclAttribute, attribute, &block->attributes))
            hcl_value(scope, attribute);
        evaluate(scope, &block->blocks);
    }
}

static void examine(Arena *arena, const Facts *facts) {
    CheckResultVec results = {0};

    checks_run(arena, facts, &results);
    for (vec_each(const CheckResult, result, &results))
        CHECK((result->findings.count > 0) == (result->status > CHECK_GOOD));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    Slice text = {(const char *)bytes, size};
    Arena arena = {0};
    HclBlockVec blocks = {0};
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Facts facts = {0};
    Slice with_sender;

    if (hcl_read(&arena, SLICE("fuzz.tf"), text, &blocks, NULL) == OK) {
        evaluate(&(HclScope){.arena = &arena, .blocks = &blocks}, &blocks);
        terraform_gather(&arena, &blocks, &facts);
    }
    if (yaml_parse(&arena, SLICE("fuzz"), text, &fuzz_options, &documents, &warnings, NULL) == OK) {
        gather_duplicates(&arena, SLICE("fuzz"), &warnings, &facts);
        gather_documents(&arena, &documents, &facts);
    }
    event_pattern_allows(&arena, text, SLICE("aws.ec2"), SLICE("EC2 Spot Instance Interruption Warning"));
    with_sender =
        queue_policy_with_sender(&arena, text, SLICE("arn:aws:sqs:us-east-1:1:q"), SLICE("events.amazonaws.com"));
    queue_policy_verdict(&arena, text, SLICE("arn:aws:sqs:us-east-1:1:q"), SLICE("events.amazonaws.com"));
    CHECK(slice_find(with_sender, '\'') < 0);
    examine(&arena, &facts);
    arena_free(&arena);
    return 0;
}
