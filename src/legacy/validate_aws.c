// AWSNodeTemplates and inline providers. Reference legacy.md 3.
#include "legacy/complain.h"

#include "base/buffer.h"

#include <inttypes.h>

static const char *const families[] = {"AL2", "Bottlerocket", "Ubuntu", "Custom", "Windows2019", "Windows2022", NULL};
static const char *const switches[] = {"enabled", "disabled", NULL};
static const char *const tokens[] = {"required", "optional", NULL};
static const char *const volume_types[] = {"standard", "io1", "io2", "gp2", "sc1", "st1", "gp3", NULL};

typedef struct {
    const Judge *judge;
    const char *place; // of the provider: "spec.provider", "provider"
} AwsJudge;

static void judge_word(const AwsJudge *aws, Slice word, const char *const *words, const char *path) {
    Buffer out = {0};

    if (!word.len || text_is_one_of(word, words))
        return;
    buffer_printf(&out, "invalid value: %.*s not in ", SLICE_ARG(word));
    for (const char *const *known = words; *known; known++)
        buffer_printf(&out, "%s%s", known == words ? "" : ", ", *known);
    complain(aws->judge, arena_slice(aws->judge->arena, buffer_slice(&out)), "%s.%s", aws->place, path);
    buffer_free(&out);
}

static void missing(const AwsJudge *aws, const char *path) {
    complain(aws->judge, SLICE("missing field(s)"), "%s.%s", aws->place, path);
}

// Selectors.

static bool is_ids(Slice key) {
    return slice_eq(key, SLICE("aws-ids")) || slice_eq(key, SLICE("aws::ids"));
}

static void judge_selector(const AwsJudge *aws, const TextMap *selector, const char *field) {
    for (vec_each(const TextPair, pair, selector)) {
        if (!pair->key.len || !pair->value.len)
            complain(aws->judge, SLICE("invalid value: \"\""), "%s.%s['%.*s']", aws->place, field,
                     SLICE_ARG(pair->key));
        if (is_ids(pair->key) && selector->count > 1)
            complain(aws->judge,
                     arena_printf(aws->judge->arena,
                                  "\"%.*s\" filter is mutually exclusive, cannot be set with a combination of other "
                                  "filters in",
                                  SLICE_ARG(pair->key)),
                     "%s.%s", aws->place, field)
                ->is_newer = true;
    }
}

// Launch templates.

static void exclude(const AwsJudge *aws, bool present, const char *field) {
    Arena *arena = aws->judge->arena;

    if (present)
        complain_both(aws->judge, arena_printf(arena, "%s.launchTemplate", aws->place),
                      arena_printf(arena, "%s.%s", aws->place, field));
}

static void judge_launch_template(const AwsJudge *aws, const OldAws *settings) {
    if (!settings->launch_template.len) {
        if (!settings->security_group_selector.count)
            missing(aws, "securityGroupSelector");
        return;
    }
    exclude(aws, settings->security_group_selector.count > 0, "securityGroupSelector");
    exclude(aws, settings->metadata_options != NULL, "metadataOptions");
    exclude(aws, settings->ami_family.len > 0, "amiFamily");
    exclude(aws, settings->instance_profile.len > 0, "instanceProfile");
    exclude(aws, settings->devices.count > 0, "blockDeviceMappings");
}

// Disks, metadata, tags.

static void judge_size(const AwsJudge *aws, const OldDisk *disk, uint32_t index) {
    static const int64_t least = 1000000000, most = 64000000000000;
    int64_t size = most + 1; // beyond 63 bits

    if (quantity_parse(disk->volume_size, QUANTITY_UNIT, &size, NULL) == ERR_INVALID || size < least || size > most)
        complain(aws->judge,
                 arena_printf(aws->judge->arena, "expected 1G <= %.*s <= 64T", SLICE_ARG(disk->volume_size)),
                 "%s.blockDeviceMappings[%u].ebs.volumeSize", aws->place, index);
}

static void judge_device(const AwsJudge *aws, const OldDevice *device, uint32_t index) {
    Arena *arena = aws->judge->arena;
    const char *type = arena_text(arena, arena_printf(arena, "blockDeviceMappings[%u].ebs.volumeType", index));

    if (!device->device_name.len)
        complain(aws->judge, SLICE("missing field(s)"), "%s.blockDeviceMappings[%u].deviceName", aws->place, index);
    if (!device->ebs) {
        complain(aws->judge, SLICE("missing field(s)"), "%s.blockDeviceMappings[%u].ebs", aws->place, index);
        return;
    }
    judge_word(aws, device->ebs->volume_type, volume_types, type);
    if (device->ebs->volume_size.len)
        judge_size(aws, device->ebs, index);
    else if (!device->ebs->snapshot_id.len)
        complain(aws->judge, SLICE("missing field(s)"), "%s.blockDeviceMappings[%u].ebs.volumeSize", aws->place, index);
}

static void judge_metadata(const AwsJudge *aws, const OldMetadataOptions *options) {
    if (!options)
        return;
    judge_word(aws, options->http_endpoint, switches, "metadataOptions.httpEndpoint");
    judge_word(aws, options->http_protocol_ipv6, switches, "metadataOptions.httpProtocolIPv6");
    judge_word(aws, options->http_tokens, tokens, "metadataOptions.httpTokens");
    if (options->has_hop_limit && (options->hop_limit < 1 || options->hop_limit > 64))
        complain(aws->judge, arena_printf(aws->judge->arena, "expected 1 <= %" PRId64 " <= 64", options->hop_limit),
                 "%s.metadataOptions.httpPutResponseHopLimit", aws->place);
}

static bool is_restricted_tag(Slice key) {
    return slice_starts_with(key, SLICE("kubernetes.io/cluster/")) ||
           slice_eq(key, SLICE("karpenter.sh/provisioner-name")) || slice_eq(key, SLICE("karpenter.sh/managed-by"));
}

static void judge_tags(const AwsJudge *aws, const TextMap *tags) {
    for (vec_each(const TextPair, tag, tags)) {
        if (!tag->key.len)
            complain(aws->judge,
                     arena_printf(aws->judge->arena,
                                  "invalid value: the tag with key : '' and value : '%.*s' is invalid because empty "
                                  "tag keys aren't supported",
                                  SLICE_ARG(tag->value)),
                     "%s.tags", aws->place);
        if (is_restricted_tag(tag->key)) {
            Complaint *complaint =
                complain(aws->judge, invalid_key(aws->judge->arena, tag->key), "%s.tags", aws->place);

            complaint->details = SLICE("restricted");
            complaint->is_newer = true;
        }
    }
}

void judge_aws(const Judge *judge, const char *place, const OldAws *settings) {
    AwsJudge aws = {judge, place};

    judge_word(&aws, settings->ami_family, families, "amiFamily");
    if (!settings->subnet_selector.count)
        missing(&aws, "subnetSelector");
    judge_selector(&aws, &settings->subnet_selector, "subnetSelector");
    judge_selector(&aws, &settings->security_group_selector, "securityGroupSelector");
    judge_launch_template(&aws, settings);
    for (uint32_t i = 0; i < settings->devices.count; i++)
        judge_device(&aws, &settings->devices.items[i], i);
    judge_metadata(&aws, settings->metadata_options);
    judge_tags(&aws, &settings->tags);
}

void judge_template(const Judge *judge, const OldAws *settings) {
    AwsJudge aws = {judge, "spec"};

    judge_selector(&aws, &settings->ami_selector, "amiSelector");
    exclude(&aws, settings->launch_template.len && settings->has_user_data, "userData");
    exclude(&aws, settings->launch_template.len && settings->ami_selector.count, "amiSelector");
    if (slice_eq(settings->ami_family, SLICE("Custom")) && !settings->ami_selector.count)
        missing(&aws, "amiSelector");
    if (slice_starts_with(settings->ami_family, SLICE("Windows")) && settings->has_user_data)
        complain_both(judge, SLICE("spec.amiFamily"), SLICE("spec.userData"));
}
