// Credentials of the metadata service: the name of the role, then its document.
#include "aws/credentials/metadata_source.h"

#include "aws/credentials/key_document.h"
#include "aws/credentials/metadata.h"
#include "base/alloc.h"

#define ROLES "/latest/meta-data/iam/security-credentials/"

typedef struct {
    AwsSource source;
    AwsMetadata *metadata;
} MetadataSource;

// The first line of the list of roles; empty: there is none, or it would not be part of a path.
static Slice first_role(Slice roles) {
    ptrdiff_t end;

    roles = slice_trim(roles);
    end = slice_find(roles, '\n');
    roles = slice_trim(end < 0 ? roles : slice_first(roles, (size_t)end));
    for (size_t i = 0; i < roles.len; i++) {
        if ((unsigned char)roles.ptr[i] <= ' ' || strchr("/?#%\\", roles.ptr[i]))
            return (Slice){0};
    }
    return roles;
}

static ErrCode fetch(AwsSource *self, Arena *arena, int64_t wall_ns, AwsFetched *ret_fetched, Err *err) {
    AwsMetadata *metadata = ((MetadataSource *)self)->metadata;
    Slice roles, role, document;
    ErrCode code = aws_metadata_get(metadata, arena, SLICE(ROLES), &roles, err);

    (void)wall_ns;
    if (code == ERR_NOT_FOUND)
        return err_set(err, code, "this instance has no role: attach an instance profile, or give the pod a role");
    TRY(code);
    role = first_role(roles);
    if (!role.len)
        return err_set(err, ERR_INVALID, "metadata of the instance: no name of a role where one is expected");
    TRY(aws_metadata_get(metadata, arena, arena_printf(arena, ROLES "%.*s", SLICE_ARG(role)), &document, err));
    return aws_key_document_read(arena, document, ret_fetched, err);
}

static void free_metadata(AwsSource *self) {
    aws_metadata_free(((MetadataSource *)self)->metadata);
    free(self);
}

AwsSource *aws_metadata_source_new(const AwsSourceMakings *makings) {
    MetadataSource *made = NEW(MetadataSource);

    made->source = (AwsSource){"metadata of the instance", fetch, free_metadata};
    made->metadata = aws_metadata_new(&makings->settings->metadata, &makings->transport);
    return &made->source;
}
