// Common flags of plans.
#include "cli/plan_flags.h"

#include "base/time.h"
#include "cli/files.h"

#include <stdio.h>

ErrCode plan_take_file(void *context, const char *value, Err *err) {
    PlanInvocation *invocation = context;

    return manifests_read(&invocation->arena, value, &invocation->options.inputs, err);
}

ErrCode plan_take_catalogue(void *context, const char *value, Err *err) {
    PlanInvocation *invocation = context;

    TRY(file_read(&invocation->arena, value, &invocation->options.catalogue, err));
    if (!invocation->options.catalogue.text.len)
        return err_set(err, ERR_INVALID, "%s: expected a list of instance types, got an empty file", value);
    return OK;
}

ErrCode plan_take_region(void *context, const char *value, Err *err) {
    PlanInvocation *invocation = context;

    (void)err;
    invocation->options.region = slice_of(value);
    return OK;
}

int plan_and_print(PlanInvocation *invocation) {
    Buffer out = {0}, messages = {0};
    int status;

    invocation->options.now_ns = clock_system_wall_ns();
    status = plan_run(&invocation->options, &out, &messages);
    fwrite(messages.bytes, 1, messages.len, stderr);
    fwrite(out.bytes, 1, out.len, stdout);
    buffer_free(&out);
    buffer_free(&messages);
    return status;
}
