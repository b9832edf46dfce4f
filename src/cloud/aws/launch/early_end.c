// The table of reasons, and the text about keys.
#include "cloud/aws/launch/early_end.h"

enum { KEYS_TOLD_MAX = 3 };

// What volumes are encrypted with is used by whoever asks for the instance, and for spot by EC2's own role as well.
#define KEY_RIGHTS                                                                                                     \
    "kms:CreateGrant, kms:Decrypt, kms:DescribeKey, kms:GenerateDataKeyWithoutPlaintext and kms:ReEncrypt*"

typedef struct {
    const char *words; // in the StateReason
    const char *reason;
    bool is_about_keys;
} EndRow;

static const EndRow rows[] = {
    {"KMS", "KMSKeyInaccessible", true},
    {"Client.InternalError", "KMSKeyInaccessible", true},
    {"Client.InvalidSnapshot.NotFound", "SnapshotNotFound", false},
    {"Client.VolumeLimitExceeded", "VolumeLimitExceeded", false},
};

static const EndRow *row_of(const InstanceFacts *facts) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Slice words = slice_of(rows[i].words);

        if (slice_contains(facts->end_code, words) || slice_contains(facts->end_message, words))
            return &rows[i];
    }
    return NULL;
}

// EC2's message mostly begins with its code.
static Slice state_reason(Arena *arena, const InstanceFacts *facts) {
    if (!facts->end_code.len && !facts->end_message.len)
        return SLICE("EC2 does not say why");
    if (!facts->end_code.len || slice_starts_with(facts->end_message, facts->end_code))
        return facts->end_message;
    return arena_printf(arena, "%.*s: %.*s", SLICE_ARG(facts->end_code), SLICE_ARG(facts->end_message));
}

static bool is_told(const SliceVec *keys, Slice key) {
    for (vec_each(const Slice, told, keys)) {
        if (slice_eq(*told, key))
            return true;
    }
    return false;
}

// "KMS key K of /dev/xvda, KMS key L of /dev/xvdb"; what the keys may be where the class names none.
static Slice keys_text(Arena *arena, const EC2NodeClass *class) {
    Slice text = {0};
    SliceVec keys = {0};

    for (uint32_t i = 0; class && i < class->block_devices.count && keys.count < KEYS_TOLD_MAX; i++) {
        const BlockDeviceMapping *device = &class->block_devices.items[i];
        Slice key = device->kms_key_id;

        if (!key.len || is_told(&keys, key))
            continue;
        text = arena_printf(arena, "%.*s%sKMS key %.*s of %.*s", SLICE_ARG(text), text.len ? ", " : "", SLICE_ARG(key),
                            SLICE_ARG(device->device_name));
        vec_push(arena, &keys, key);
    }
    return text.len ? text
                    : SLICE("the NodeClass names no KMS key, so it is that of the image's snapshots, or the region's "
                            "default for EBS");
}

static Slice advice(Arena *arena, const InstanceFacts *facts, const EC2NodeClass *class) {
    return arena_printf(arena,
                        "; EC2 could not encrypt its volumes (%.*s): the key must be enabled, and its policy and IAM "
                        "must allow " KEY_RIGHTS " to the role that the controller runs as%s",
                        SLICE_ARG(keys_text(arena, class)),
                        facts->capacity_type == NAME_SPOT ? ", and to AWSServiceRoleForEC2Spot" : "");
}

ErrCode instance_end(CloudError *error, const InstanceFacts *facts, const EC2NodeClass *class) {
    const EndRow *row = row_of(facts);
    Arena arena = {0};
    Slice why = state_reason(&arena, facts);
    Slice more = row && row->is_about_keys ? advice(&arena, facts, class) : (Slice){0};
    ErrCode code =
        cloud_fail_for(error, ERR_NOT_FOUND, row ? row->reason : "InstanceEnded", "instance %.*s has ended: %.*s%.*s",
                       SLICE_ARG(facts->id), SLICE_ARG(why), SLICE_ARG(more));

    if (error)
        error->recurs = row != NULL;
    arena_free(&arena);
    return code;
}
