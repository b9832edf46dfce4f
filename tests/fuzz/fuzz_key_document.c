// Any text as what the metadata service or a container's endpoint answers (64 KiB at most): credentials that fit into
// headers, or an error that does not repeat the text. The same text as every answer of the metadata service, its
// identity document with the region among them: requests are sent to a host of AWS, or not at all.
#include "aws/credentials/key_document.h"
#include "aws/credentials/metadata.h"
#include "aws/credentials/metadata_source.h"
#include "aws/endpoint/endpoint.h"
#include "aws/service/ec2.h"
#include "support/fuzz.h"

#include <ctype.h>

static Slice answer_text;

static ErrCode send_text(void *self, Arena *arena, const AwsRequest *request, AwsAnswer *ret_answer, Err *err) {
    (void)self, (void)err;
    for (size_t i = 0; i < request->url.len; i++)
        CHECK((unsigned char)request->url.ptr[i] > ' ', "a URL with a space");
    for (uint32_t i = 0; i < request->header_count; i++)
        CHECK(slice_find(request->headers[i].value, '\n') < 0, "a header of two lines");
    *ret_answer = (AwsAnswer){.status = 200, .body = arena_slice(arena, answer_text)};
    return OK;
}

static Moment no_time(void *self) {
    (void)self;
    return (Moment){{1}, 0};
}

static bool no_rest(void *self, int64_t ns) {
    (void)self, (void)ns;
    return true;
}

static void check_keys(const AwsFetched *fetched) {
    CHECK(fetched->keys.access_key.len && fetched->keys.secret.len, "half of the keys");
    CHECK(slice_find(fetched->keys.session_token, '\n') < 0, "a token of two lines");
}

// A region that somebody's identity document names.
static void check_region(Arena *arena, const AwsSourceMakings *makings) {
    AwsMetadata *metadata = aws_metadata_new(&makings->settings->metadata, &makings->transport);
    AwsEndpointOptions options = {0};
    AwsEndpoint endpoint;
    Err err;

    if (aws_metadata_region(metadata, arena, &options.region, &err) == OK &&
        aws_endpoint_find(arena, &ec2_service, &options, &endpoint, &err) == OK) {
        CHECK(slice_starts_with(endpoint.host, SLICE("ec2.")), "%.*s", SLICE_ARG(endpoint.host));
        for (size_t i = 0; i < endpoint.host.len; i++)
            CHECK(isalnum((unsigned char)endpoint.host.ptr[i]) || strchr("-.", endpoint.host.ptr[i]), "no host's name");
        CHECK(!endpoint.path.len, "a path from a region");
    }
    aws_metadata_free(metadata);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    const AwsSettings settings = {.metadata = {.url = SLICE("http://169.254.169.254"), .attempts = 1}};
    const AwsSourceMakings makings = {.settings = &settings, .transport = {send_text, no_time, no_rest, NULL}};
    AwsSource *source = aws_metadata_source_new(&makings);
    Arena arena = {0};
    AwsFetched fetched;
    Err err = {0};

    answer_text = (Slice){(const char *)bytes, size};
    if (aws_key_document_read(&arena, answer_text, &fetched, &err) == OK)
        check_keys(&fetched);
    else
        CHECK(strlen(err.text) < 150, "longer than what is said without the text: %s", err.text);
    if (source->fetch(source, &arena, 0, &fetched, &err) == OK)
        check_keys(&fetched);
    check_region(&arena, &makings);
    aws_source_free(source);
    arena_free(&arena);
    return 0;
}
