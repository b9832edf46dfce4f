// Any text as a shared file of AWS's tools (1 MiB and 10,000 properties at most): profiles of it either make settings
// and a source of credentials, or an error that does not repeat the text.
#include "aws/credentials/chain.h"
#include "support/fuzz.h"
#include "text/ini.h"

static Slice shared_file;

static const char *variable(void *context, const char *name) {
    (void)context;
    return !strcmp(name, "AWS_CONFIG_FILE") ? "config" : NULL;
}

static ErrCode read_file(void *context, Arena *arena, Slice path, Slice *ret_text, Err *err) {
    (void)context;
    if (!slice_eq_text(path, "config"))
        return err_set(err, ERR_NOT_FOUND, "no such file");
    *ret_text = arena_slice(arena, shared_file);
    return OK;
}

// Every section's values are strings, or maps of strings.
static void check_tree(const Value *root) {
    for (vec_each(const ValueMember, section, &root->map)) {
        CHECK(section->value.kind == VALUE_MAP, "a section");
        for (vec_each(const ValueMember, property, &section->value.map)) {
            CHECK(property->value.kind == VALUE_STRING || property->value.kind == VALUE_MAP, "a property");
            CHECK(property->key.len > 0, "a name");
        }
    }
}

static AwsSource *choose(Arena *arena, AwsSettings *settings, Err *err) {
    const AwsEnvironment environment = {variable, read_file, NULL};
    AwsSource *source = NULL;

    if (aws_settings_read(arena, &environment, settings, err) == OK) {
        const AwsSourceMakings makings = {.settings = settings, .region = SLICE("us-east-1")};

        (void)aws_settings_endpoint_url(settings, "ec2");
        (void)aws_chain_choose(&makings, &source, err);
    }
    return source;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    Arena arena = {0};
    AwsSettings settings;
    AwsSource *source;
    Value root;
    Err err = {0};

    shared_file = (Slice){(const char *)bytes, size};
    if (ini_parse(&arena, SLICE("config"), shared_file, &root, &err) == OK) {
        check_tree(&root);
        source = choose(&arena, &settings, &err);
        CHECK(source || err.code == ERR_INVALID, "neither a source nor an error");
        aws_source_free(source);
    } else {
        CHECK(err.code == ERR_INVALID || err.code == ERR_TOO_LARGE, "code %d", err.code);
        CHECK(slice_starts_with(slice_of(err.text), SLICE("config:")), "no place: %s", err.text);
        CHECK(strlen(err.text) < 120, "longer than what is said without the text: %s", err.text);
    }
    arena_free(&arena);
    return 0;
}
