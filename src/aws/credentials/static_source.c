// Keys that do not change, held as a grant so that they are wiped.
#include "aws/credentials/static_source.h"

#include "base/alloc.h"

typedef struct {
    AwsSource source;
    AwsGrant *grant;
} StaticSource;

static ErrCode fetch(AwsSource *self, Arena *arena, int64_t wall_ns, AwsFetched *ret_fetched, Err *err) {
    const AwsKeys *keys = aws_grant_keys(((StaticSource *)self)->grant);

    (void)wall_ns, (void)err;
    *ret_fetched = (AwsFetched){
        {arena_slice(arena, keys->access_key), arena_slice(arena, keys->secret),
         arena_slice(arena, keys->session_token)},
        INT64_MAX,
    };
    return OK;
}

static void free_static(AwsSource *self) {
    aws_grant_drop(((StaticSource *)self)->grant);
    free(self);
}

AwsSource *aws_static_source_new(const char *name, const AwsKeys *keys) {
    StaticSource *made = NEW(StaticSource);

    made->source = (AwsSource){name, fetch, free_static};
    made->grant = aws_grant_new(keys, INT64_MAX);
    return &made->source;
}
