// What every operation's declaration holds to.
#include "aws/protocol/json_write.h"
#include "aws/service/operations.h"
#include "harness/test.h"

static void assert_members_differ(const AwsShape *shape) {
    if (shape->kind == AWS_LIST || shape->kind == AWS_MAP) {
        assert_members_differ(shape->element);
        return;
    }
    for (uint32_t i = 0; i < shape->member_count; i++) {
        for (uint32_t j = 0; j < i; j++)
            assert_false(slice_eq(shape->members[i].name, shape->members[j].name));
        assert_members_differ(shape->members[i].shape);
    }
}

static const AwsMember *member_at(const AwsShape *shape, size_t offset) {
    for (uint32_t i = 0; i < shape->member_count; i++) {
        if (shape->members[i].offset == offset)
            return &shape->members[i];
    }
    return NULL;
}

TEST(members_of_a_structure_have_different_names) {
    for (uint32_t i = 0; i < aws_operation_count; i++) {
        assert_members_differ(aws_operations[i]->input);
        if (aws_operations[i]->output)
            assert_members_differ(aws_operations[i]->output);
    }
}

TEST(operations_have_different_names) {
    for (uint32_t i = 0; i < aws_operation_count; i++) {
        for (uint32_t j = 0; j < i; j++)
            assert_string_not_equal(aws_operations[i]->name, aws_operations[j]->name);
    }
}

// By AWS's verbs: what is no question is a change, and held back by a gate.
TEST(what_is_no_question_is_a_change) {
    static const char *const questions[] = {"Describe", "Get", "List", "Receive", "Assume"};

    for (uint32_t i = 0; i < aws_operation_count; i++) {
        bool is_question = false;

        for (size_t j = 0; j < sizeof questions / sizeof *questions; j++)
            is_question |= slice_starts_with(slice_of(aws_operations[i]->name), slice_of(questions[j]));
        if (aws_operations[i]->is_change == is_question)
            fail_msg("%s", aws_operations[i]->name);
    }
}

TEST(tokens_of_pages_are_strings) {
    uint32_t paged = 0;

    for (uint32_t i = 0; i < aws_operation_count; i++) {
        const AwsOperation *operation = aws_operations[i];

        if (!operation->paging.is_paged)
            continue;
        paged++;
        assert_int_equal(member_at(operation->input, operation->paging.input_token)->shape->kind, AWS_STRING);
        assert_int_equal(member_at(operation->output, operation->paging.output_token)->shape->kind, AWS_STRING);
    }
    assert_int_equal(paged, 15);
}

TEST(what_is_called_by_its_path_has_a_method) {
    for (uint32_t i = 0; i < aws_operation_count; i++) {
        const AwsOperation *operation = aws_operations[i];
        bool is_rest = operation->service->protocol == AWS_REST_JSON;

        assert_true(is_rest == (operation->path != NULL) && is_rest == (operation->method != NULL));
    }
}
