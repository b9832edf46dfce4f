// Images for instance types: upstream's area "images" (pkg/providers/amifamily, resolver). Reference aws.md 5.2, 5.3.
#include "cloud/aws/ami/selection.h"
#include "cloud/support/class.h"
#include "harness/test.h"
#include "text/duration.h"

enum { IMAGES_MAX = 4 };

typedef struct {
    const char *name;
    const char *build; // of Windows
    struct {
        const char *id, *name, *arch, *created, *deprecated;
        uint32_t variants;
    } images[IMAGES_MAX];
    const char *wanted; // "id[!][requirements] …"; '!': deprecated
} Row;

#define NEW   "2026-10-01T00:00:00.000Z"
#define OLD   "2026-01-01T00:00:00.000Z"
#define PAST  "2026-11-01T00:00:00.000Z"
#define LATER "2027-11-01T00:00:00.000Z"

static const Row rows[] = {
    {"images: one", "", {{"ami-1", "a", "x86_64", NEW, NULL, 0}}, "ami-1(arch=amd64)"},
    {"images: one for arm (R045)", "", {{"ami-1", "a", "arm64", NEW, NULL, 0}}, "ami-1(arch=arm64)"},
    {"images: one for another processor", "", {{"ami-1", "a", "i386", NEW, NULL, 0}}, ""},
    {"images: the newer one",
     "",
     {{"ami-1", "a", "x86_64", OLD, NULL, 0}, {"ami-2", "b", "x86_64", NEW, NULL, 0}},
     "ami-2(arch=amd64)"},
    {"images: one that is not deprecated, though older",
     "",
     {{"ami-1", "a", "x86_64", NEW, PAST, 0}, {"ami-2", "b", "x86_64", OLD, NULL, 0}},
     "ami-2(arch=amd64)"},
    {"images: one that will be deprecated",
     "",
     {{"ami-1", "a", "x86_64", NEW, LATER, 0}, {"ami-2", "b", "x86_64", OLD, NULL, 0}},
     "ami-1(arch=amd64)"},
    {"images: the newer of two deprecated ones",
     "",
     {{"ami-1", "a", "x86_64", OLD, PAST, 0}, {"ami-2", "b", "x86_64", NEW, PAST, 0}},
     "ami-2!(arch=amd64)"},
    {"images: of two that are as old, the greater name",
     "",
     {{"ami-1", "b", "x86_64", NEW, NULL, 0}, {"ami-2", "a", "x86_64", NEW, NULL, 0}},
     "ami-1(arch=amd64)"},
    {"images: a deprecated one where there is no other",
     "",
     {{"ami-1", "a", "x86_64", OLD, PAST, 0}},
     "ami-1!(arch=amd64)"},
    {"images: of two that are as old, the one that is not deprecated",
     "",
     {{"ami-1", "b", "x86_64", NEW, PAST, 0}, {"ami-2", "a", "x86_64", NEW, LATER, 0}},
     "ami-2(arch=amd64)"},
    {"images: of two deprecated ones that are as old, the greater name",
     "",
     {{"ami-1", "a", "x86_64", NEW, PAST, 0}, {"ami-2", "b", "x86_64", NEW, PAST, 0}},
     "ami-2!(arch=amd64)"},
    {"images: a deprecated one for arm beside one for amd64",
     "",
     {{"ami-1", "a", "arm64", NEW, PAST, 0}, {"ami-2", "b", "x86_64", OLD, NULL, 0}},
     "ami-1!(arch=arm64) ami-2(arch=amd64)"},
    {"images: newest first, then by id",
     "",
     {{"ami-3", "a", "x86_64", OLD, NULL, 0}, {"ami-1", "a", "arm64", NEW, NULL, 0}},
     "ami-1(arch=arm64) ami-3(arch=amd64)"},
    {"images: as old, by id",
     "",
     {{"ami-3", "a", "x86_64", NEW, NULL, 0}, {"ami-1", "a", "arm64", NEW, NULL, 0}},
     "ami-1(arch=arm64) ami-3(arch=amd64)"},
    {"images: without a date is oldest",
     "",
     {{"ami-1", "z", "x86_64", NULL, NULL, 0}, {"ami-2", "a", "x86_64", OLD, NULL, 0}},
     "ami-2(arch=amd64)"},
    {"images: an alias's standard one",
     "",
     {{"ami-1", "a", "x86_64", NEW, NULL, AMI_STANDARD}},
     "ami-1(arch=amd64 gpu! accelerator!)"},
    {"images: an alias's one for GPUs", "", {{"ami-1", "a", "x86_64", NEW, NULL, AMI_NVIDIA}}, "ami-1(arch=amd64 gpu)"},
    {"images: an alias's one for accelerators",
     "",
     {{"ami-1", "a", "x86_64", NEW, NULL, AMI_NEURON}},
     "ami-1(arch=amd64 accelerator)"},
    {"images: one for both has two entries",
     "",
     {{"ami-1", "a", "x86_64", NEW, NULL, AMI_NVIDIA | AMI_NEURON}},
     "ami-1(arch=amd64 gpu) ami-1(arch=amd64 accelerator)"},
    {"images: variants do not compete",
     "",
     {{"ami-1", "a", "x86_64", OLD, NULL, AMI_STANDARD}, {"ami-2", "a", "x86_64", NEW, NULL, AMI_NVIDIA}},
     "ami-2(arch=amd64 gpu) ami-1(arch=amd64 gpu! accelerator!)"},
    {"images: Windows",
     "10.0.20348",
     {{"ami-1", "a", "x86_64", NEW, NULL, AMI_WINDOWS}},
     "ami-1(os=windows arch=amd64 build=10.0.20348)"},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

// The last word of a key, a value or a mark of presence.
static Slice print_requirement(Arena *arena, const Symbols *symbols, const Expression *expression) {
    static const struct {
        const char *key, *word;
    } words[] = {{"kubernetes.io/arch", "arch"},
                 {"kubernetes.io/os", "os"},
                 {"node.kubernetes.io/windows-build", "build"},
                 {"karpenter.k8s.aws/instance-gpu-count", "gpu"},
                 {"karpenter.k8s.aws/instance-accelerator-count", "accelerator"}};
    Slice key = symbol_text(symbols, expression->key);

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (slice_eq_text(key, words[i].key))
            key = slice_of(words[i].word);
    }
    if (expression->op == OP_IN)
        return arena_printf(arena, "%.*s=%.*s", SLICE_ARG(key),
                            SLICE_ARG(symbol_text(symbols, expression->values.items[0])));
    return arena_printf(arena, "%.*s%s", SLICE_ARG(key), expression->op == OP_EXISTS ? "" : "!");
}

static Slice print_amis(Arena *arena, const Symbols *symbols, const AmiStatusVec *amis) {
    Slice text = SLICE("");

    for (vec_each(const AmiStatus, ami, amis)) {
        text = arena_printf(arena, "%.*s%s%.*s%s(", SLICE_ARG(text), text.len ? " " : "", SLICE_ARG(ami->id),
                            ami->deprecated ? "!" : "");
        for (vec_each(const Expression, expression, &ami->requirements))
            text = arena_printf(arena, "%.*s%s%.*s", SLICE_ARG(text), expression == ami->requirements.items ? "" : " ",
                                SLICE_ARG(print_requirement(arena, symbols, expression)));
        text = arena_printf(arena, "%.*s)", SLICE_ARG(text));
    }
    return text;
}

static Slice text_or_absent(const char *text) {
    return text ? slice_of(text) : (Slice){0};
}

TEST_EACH(const Row, row, images_are_selected, list_rows) {
    Arena arena = {0};
    Symbols symbols;
    Ec2ImageVec images = {0};
    AmiFoundVec found = {0};
    AmiStatusVec amis;
    int64_t now_ns = 0;

    names_init(&symbols);
    assert_int_equal(time_parse(SLICE("2026-11-23T00:00:00Z"), &now_ns, NULL), OK);
    for (int i = 0; i < IMAGES_MAX && row->images[i].id; i++) {
        vec_push(&arena, &images,
                 (Ec2Image){.image_id = slice_of(row->images[i].id),
                            .name = slice_of(row->images[i].name),
                            .architecture = slice_of(row->images[i].arch),
                            .creation_date = text_or_absent(row->images[i].created),
                            .deprecation_time = text_or_absent(row->images[i].deprecated)});
        if (row->images[i].variants)
            vec_push(&arena, &found, (AmiFound){SLICE("/p"), slice_of(row->images[i].id), row->images[i].variants});
    }
    amis = ami_select(&arena, &symbols, &images, &found, slice_of(row->build), now_ns);
    assert_string_equal(arena_text(&arena, print_amis(&arena, &symbols, &amis)), row->wanted);
    symbols_free(&symbols);
    arena_free(&arena);
}

// --- which type gets which

static const char al2023_images[] =
    "status:\n  amis:\n"
    "  - {id: ami-amd, requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}, {key: "
    "karpenter.k8s.aws/instance-gpu-count, operator: DoesNotExist}, {key: "
    "karpenter.k8s.aws/instance-accelerator-count, operator: DoesNotExist}]}\n"
    "  - {id: ami-arm, requirements: [{key: kubernetes.io/arch, operator: In, values: [arm64]}, {key: "
    "karpenter.k8s.aws/instance-gpu-count, operator: DoesNotExist}, {key: "
    "karpenter.k8s.aws/instance-accelerator-count, operator: DoesNotExist}]}\n"
    "  - {id: ami-gpu, requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}, {key: "
    "karpenter.k8s.aws/instance-gpu-count, operator: Exists}]}\n"
    "  - {id: ami-neuron, requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}, {key: "
    "karpenter.k8s.aws/instance-accelerator-count, operator: Exists}]}\n";

TEST(images_each_type_gets_the_first_that_fits_it) {
    static const struct {
        const char *type, *image;
    } cases[] = {{"m5.large", "ami-amd"},       {"m6g.large", "ami-arm"},       {"g4dn.xlarge", "ami-gpu"},
                 {"inf2.xlarge", "ami-neuron"}, {"trn1.2xlarge", "ami-neuron"}, {"g5g.xlarge", NULL}};
    TestClass *test = test_class(al2023_images);
    AmiRequirementsVec requirements = ami_requirements(&test->arena, &test->symbols, &test->class.found.amis);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const AmiStatus *ami =
            ami_for_type(&test->symbols, &test->class.found.amis, &requirements, test_type(test, cases[i].type));

        if (!cases[i].image)
            assert_null(ami);
        else if (!ami || !slice_eq_text(ami->id, cases[i].image))
            fail_msg("%s: got %.*s", cases[i].type, SLICE_ARG(ami ? ami->id : SLICE("none")));
    }
    test_class_free(test);
}
