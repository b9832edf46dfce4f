// Pages, each in an arena of its own.
#include "aws/call/pages.h"

typedef struct {
    AwsClient *client;
    Arena arena; // of the input and the tokens
    const AwsOperation *operation;
    char *input; // a copy, whose token changes
    SliceVec tokens;
    const AwsCallOptions *options;
    const AwsPageVisitor *visitor;
} PageWalk;

static Slice *token_of_input(const PageWalk *walk) {
    return (Slice *)(void *)(walk->input + walk->operation->paging.input_token);
}

static bool was_seen(const PageWalk *walk, Slice token) {
    for (vec_each(const Slice, seen, &walk->tokens)) {
        if (slice_eq(*seen, token))
            return true;
    }
    return false;
}

// Takes the next token. O(tokens).
static ErrCode step(PageWalk *walk, Slice token, Err *err) {
    const AwsOperation *operation = walk->operation;

    if (was_seen(walk, token))
        return err_set(err, ERR_INVALID, "%s %s: the service's pages go round in a circle", operation->service->id,
                       operation->name);
    if (walk->tokens.count >= AWS_PAGES_MAX)
        return err_set(err, ERR_TOO_LARGE, "%s %s: more than %d pages", operation->service->id, operation->name,
                       AWS_PAGES_MAX);
    *token_of_input(walk) = arena_slice(&walk->arena, token);
    vec_push(&walk->arena, &walk->tokens, *token_of_input(walk));
    return OK;
}

// Asks for one page and shows it. `ret_more`: there is another.
static ErrCode take_page(PageWalk *walk, Arena *faults, AwsOutcome *ret_outcome, bool *ret_more, Err *err) {
    const AwsOperation *operation = walk->operation;
    Arena page = {0};
    char *output = arena_alloc(&page, operation->output->size);
    AwsOutcome outcome;
    ErrCode code = aws_call(walk->client, &page, operation, walk->input, walk->options, output, &outcome, err);

    *ret_more = false;
    if (code == OK && outcome.kind == AWS_FINE) {
        Slice token = *(const Slice *)(const void *)(output + operation->paging.output_token);

        *ret_more = walk->visitor->page(walk->visitor->context, output) && token.len;
        if (*ret_more)
            code = step(walk, token, err);
    }
    outcome.fault.code = arena_slice(faults, outcome.fault.code);
    outcome.fault.message = arena_slice(faults, outcome.fault.message);
    outcome.fault.request_id = arena_slice(faults, outcome.fault.request_id);
    if (ret_outcome)
        *ret_outcome = outcome;
    arena_free(&page);
    return code;
}

ErrCode aws_pages(AwsClient *client, Arena *arena, const AwsOperation *operation, const void *input,
                  const AwsCallOptions *options, const AwsPageVisitor *visitor, AwsOutcome *ret_outcome, Err *err) {
    PageWalk walk = {.client = client, .operation = operation, .options = options, .visitor = visitor};
    bool has_more = true;
    ErrCode code = OK;

    CHECK(operation->paging.is_paged, "%s has no pages", operation->name);
    walk.input = arena_copy(&walk.arena, input, operation->input->size);
    while (has_more && code == OK)
        code = take_page(&walk, arena, ret_outcome, &has_more, err);
    arena_free(&walk.arena);
    return code;
}
