// Calls of AWS, and how they went.
#include "cli/doctor/live_aws_reading.h"

// Someone waits for the answer.
enum { ATTEMPTS = 2 };

static FactCall call_of(const AwsReading *aws, const char *what, ErrCode code, const Err *err) {
    FactCall call = {.what = slice_of(what), .code = code};

    if (code != OK)
        call.text = arena_slice(aws->reading->arena, slice_of(err->text));
    return call;
}

ErrCode live_aws_note(const AwsReading *aws, const char *what, ErrCode code, const Err *err) {
    vec_push(aws->reading->arena, &aws->reading->facts->live.aws_calls,
             call_of(aws, what, code == ERR_NOT_FOUND ? OK : code, err));
    return code;
}

static ErrCode ask(const AwsReading *aws, const AwsOperation *operation, const void *input, void *output, Err *err) {
    AwsCallOptions options = {.attempts_max = ATTEMPTS};

    return aws_call(aws->client, aws->reading->arena, operation, input, &options, output, NULL, err);
}

ErrCode live_aws_ask(const AwsReading *aws, const char *what, const AwsOperation *operation, const void *input,
                     void *output) {
    Err err = {0};

    return live_aws_note(aws, what, ask(aws, operation, input, output, &err), &err);
}

FactCall live_aws_ask_beside(const AwsReading *aws, const char *what, const AwsOperation *operation, const void *input,
                             void *output) {
    Err err = {0};

    return call_of(aws, what, ask(aws, operation, input, output, &err), &err);
}

static ErrCode read_pages(const AwsReading *aws, const AwsOperation *operation, const void *input,
                          const AwsPageVisitor *visitor, Err *err) {
    AwsCallOptions options = {.attempts_max = ATTEMPTS};

    return aws_pages(aws->client, aws->reading->arena, operation, input, &options, visitor, NULL, err);
}

ErrCode live_aws_list(const AwsReading *aws, const char *what, const AwsOperation *operation, const void *input,
                      const AwsPageVisitor *visitor) {
    Err err = {0};

    return live_aws_note(aws, what, read_pages(aws, operation, input, visitor, &err), &err);
}

FactCall live_aws_list_beside(const AwsReading *aws, const char *what, const AwsOperation *operation, const void *input,
                              const AwsPageVisitor *visitor) {
    Err err = {0};

    return call_of(aws, what, read_pages(aws, operation, input, visitor, &err), &err);
}
