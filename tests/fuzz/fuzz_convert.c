// Any text as old manifests: decoded, judged, converted to both versions. What becomes v1 stays as it is when it is
// converted again. Nothing may crash, leak or hang.
#include "legacy/complaints.h"
#include "legacy/convert.h"

#include "base/check.h"
#include "support/fuzz.h"
#include "text/yaml.h"

static void judge(Arena *arena, const Document *document) {
    union {
        OldProvisioner provisioner;
        OldNodeTemplate template;
    } object = {0};
    OldKind kind = old_kind_of(&document->root);
    ComplaintVec complaints = {0};

    if ((kind != OLD_PROVISIONER && kind != OLD_NODE_TEMPLATE) ||
        old_decode(arena, kind, document->file, &document->root, &object, NULL) != OK)
        return;
    if (kind == OLD_PROVISIONER)
        provisioner_complaints(arena, &object.provisioner, &complaints);
    else
        node_template_complaints(arena, &object.template, &complaints);
    complaints_print(arena, &complaints);
}

static void convert(Arena *arena, const DocumentVec *documents, ConvertTarget target) {
    ConvertRequest first = {.documents = *documents, .target = target}, second = {.target = target};
    Converted once, again;
    Err err;

    if (legacy_convert(arena, &first, &once, &err) != OK)
        return;
    for (vec_each(const Value, object, &once.objects))
        vec_push(arena, &second.documents, (Document){SLICE("again"), *object});
    CHECK(legacy_convert(arena, &second, &again, &err) == OK, "%s", err.text);
    CHECK(again.objects.count == once.objects.count);
    for (uint32_t i = 0; i < once.objects.count; i++)
        CHECK(value_eq(&once.objects.items[i], &again.objects.items[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    Arena arena = {0};
    DocumentVec documents = {0};
    WarningVec warnings = {0};

    if (yaml_parse(&arena, SLICE("fuzz"), (Slice){(const char *)bytes, size}, &fuzz_options, &documents, &warnings,
                   NULL) == OK) {
        for (vec_each(const Document, document, &documents))
            judge(&arena, document);
        convert(&arena, &documents, CONVERT_TO_V1BETA1);
        convert(&arena, &documents, CONVERT_TO_V1);
    }
    arena_free(&arena);
    return 0;
}
