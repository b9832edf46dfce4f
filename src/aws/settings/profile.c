// Sections of the shared files: [default], [profile NAME] and [services NAME] of config, [NAME] of credentials.
#include "aws/settings/profile.h"

#include "text/ini.h"

// Where a file lies: a variable, or a file in the home directory.
static Slice path_of(Arena *arena, const AwsEnvironment *environment, const char *variable, const char *file) {
    Slice path = aws_variable(environment, variable), home = aws_variable(environment, "HOME");

    if (path.len || !home.len)
        return path;
    return arena_printf(arena, "%.*s/.aws/%s", SLICE_ARG(home), file);
}

static ErrCode read_one(Arena *arena, const AwsEnvironment *environment, Slice path, Value *ret_root, Err *err) {
    Slice text;
    ErrCode code;

    *ret_root = value_map();
    if (!path.len)
        return OK;
    code = environment->read_file(environment->context, arena, path, &text, err);
    if (code == ERR_NOT_FOUND)
        return OK;
    return code == OK ? ini_parse(arena, path, text, ret_root, err) : code;
}

ErrCode aws_profiles_read(Arena *arena, const AwsEnvironment *environment, AwsProfiles *ret_profiles, Err *err) {
    AwsProfiles profiles;

    TRY(read_one(arena, environment, path_of(arena, environment, "AWS_CONFIG_FILE", "config"), &profiles.config, err));
    TRY(read_one(arena, environment, path_of(arena, environment, "AWS_SHARED_CREDENTIALS_FILE", "credentials"),
                 &profiles.credentials, err));
    *ret_profiles = profiles;
    return OK;
}

// The section "kind name", whatever spaces are between the words.
static const Value *find_section(const Value *config, const char *kind, Slice name) {
    Slice word = slice_of(kind);

    for (uint32_t i = 0; i < config->map.count; i++) {
        Slice key = config->map.items[i].key, rest = slice_from(key, word.len);

        if (slice_starts_with(key, word) && rest.len && (rest.ptr[0] == ' ' || rest.ptr[0] == '\t') &&
            slice_eq(slice_trim(rest), name))
            return &config->map.items[i].value;
    }
    return NULL;
}

static const Value *find_in_config(const AwsProfiles *profiles, Slice profile) {
    const Value *found = find_section(&profiles->config, "profile", profile);

    if (!found && slice_eq_text(profile, "default"))
        found = value_get(&profiles->config, profile);
    return found;
}

bool aws_profile_exists(const AwsProfiles *profiles, Slice profile) {
    return find_in_config(profiles, profile) || value_get(&profiles->credentials, profile);
}

static Slice text_of(const Value *map, const char *key) {
    const Value *value = map ? value_get(map, slice_of(key)) : NULL;

    return value && value->kind == VALUE_STRING ? value->text : (Slice){0};
}

Slice aws_profile_get(const AwsProfiles *profiles, Slice profile, const char *property) {
    Slice text = text_of(value_get(&profiles->credentials, profile), property);

    return text.len ? text : text_of(find_in_config(profiles, profile), property);
}

Slice aws_profile_service_url(const AwsProfiles *profiles, Slice profile, const char *service) {
    Slice services = aws_profile_get(profiles, profile, "services");
    const Value *section = services.len ? find_section(&profiles->config, "services", services) : NULL;

    return text_of(section ? value_get(section, slice_of(service)) : NULL, "endpoint_url");
}
