// EC2NodeClass of v1beta1 to v1. Reference legacy.md 6.1.
#include "legacy/convert_parts.h"

#include "text/value_edit.h"

static bool is_ubuntu(const BetaClass *class) {
    return slice_eq(class->ami_family, SLICE("Ubuntu"));
}

// "AL2" gives "al2@latest".
static Slice alias_of(Arena *arena, Slice family) {
    Slice alias = arena_printf(arena, "%.*s@latest", SLICE_ARG(family));
    char *bytes = arena_copy(arena, alias.ptr, alias.len);

    for (size_t i = 0; i < alias.len; i++) {
        if (bytes[i] >= 'A' && bytes[i] <= 'Z')
            bytes[i] = (char)(bytes[i] - 'A' + 'a');
    }
    return (Slice){bytes, alias.len};
}

static void put_one_term(Arena *arena, Value *spec, const char *key, Slice text) {
    Value terms = value_list();

    put_old_text(arena, value_append(arena, &terms, value_map()), key, text);
    value_put(arena, spec, SLICE("amiSelectorTerms"), terms);
}

// Ubuntu's disk is another than that of AL2, as which its nodes start.
static Value ubuntu_devices(Arena *arena) {
    Value devices = value_list(), disk = value_map();
    Value *device = value_append(arena, &devices, value_map());

    put_old_text(arena, device, "deviceName", SLICE("/dev/sda1"));
    value_put(arena, &disk, SLICE("encrypted"), value_bool(true));
    put_old_text(arena, &disk, "volumeSize", SLICE("20Gi"));
    put_old_text(arena, &disk, "volumeType", SLICE("gp3"));
    value_put(arena, device, SLICE("ebs"), disk);
    return devices;
}

static void upgrade_ubuntu(const Conversion *conversion, const Item *item, const BetaClass *class, Value *object) {
    Arena *arena = conversion->arena;
    Value *spec = value_find_text(object, "spec"),
          *annotations = value_make(arena, object, "metadata", "annotations", NULL);

    put_old_text(arena, annotations, "compatibility.karpenter.k8s.aws/v1beta1-ubuntu",
                 class->devices.count ? SLICE("amiFamily") : SLICE("amiFamily,blockDeviceMappings"));
    put_old_text(arena, spec, "amiFamily", SLICE("AL2"));
    if (!class->devices.count)
        value_put(arena, spec, SLICE("blockDeviceMappings"), ubuntu_devices(arena));
    if (class->has_ami_terms)
        return;
    put_one_term(arena, spec, "id", SLICE("ami-placeholder"));
    convert_note(conversion, item, "W15", item->value.line,
                 "spec.amiSelectorTerms: v1 finds no images of Ubuntu; replace ami-placeholder by terms that do");
}

// Without terms the family says which images; with terms, how they start.
static ErrCode upgrade_images(const Conversion *conversion, const Item *item, const BetaClass *class, Value *object,
                              Err *err) {
    Value *spec = value_find_text(object, "spec");

    if (is_ubuntu(class)) {
        upgrade_ubuntu(conversion, item, class, object);
        return OK;
    }
    if (class->has_ami_terms)
        return OK;
    if (slice_eq(class->ami_family, SLICE("Custom")))
        return convert_fail(item, ERR_INVALID, err, "spec.amiSelectorTerms: amiFamily Custom needs them");
    value_remove_text(spec, "amiFamily");
    put_one_term(conversion->arena, spec, "alias", alias_of(conversion->arena, class->ami_family));
    return OK;
}

static void upgrade_metadata(const Conversion *conversion, const Item *item, const BetaClass *class, Value *spec) {
    Value *options;

    if (class->metadata_options && class->metadata_options->has_hop_limit)
        return;
    options = value_make(conversion->arena, spec, "metadataOptions", NULL);
    value_put(conversion->arena, options, SLICE("httpPutResponseHopLimit"), value_int(conversion->arena, 2));
    convert_note(conversion, item, "W14", item->value.line,
                 "spec.metadataOptions.httpPutResponseHopLimit: 2 is written, because the default is 1 now and pods "
                 "would not reach the metadata service");
}

ErrCode upgrade_class(Conversion *conversion, Item *item, Err *err) {
    Arena *arena = conversion->arena;
    BetaClass class = {0};
    Value object;

    TRY(old_decode(arena, OLD_BETA_CLASS, item->file, &item->value, &class, err));
    object = converted_object(arena, "karpenter.k8s.aws/v1", "EC2NodeClass", class.metadata);
    put_old_copy(arena, &object, "spec", &item->value, "spec");
    TRY(upgrade_images(conversion, item, &class, &object, err));
    upgrade_metadata(conversion, item, &class, value_find_text(&object, "spec"));
    object.line = item->value.line;
    item->name = class.name;
    item->value = object;
    return OK;
}
