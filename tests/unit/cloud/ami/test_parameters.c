// Parameters of images and requests for images: upstream's area "images" (pkg/providers/amifamily). Reference
// aws.md 5.1, 2.1.
#include "cloud/aws/ami/queries.h"
#include "cloud/support/class.h"
#include "harness/test.h"

static Slice variants_text(Arena *arena, uint32_t variants) {
    return arena_printf(arena, "%s%s%s%s", variants & AMI_STANDARD ? "standard " : "",
                        variants & AMI_NVIDIA ? "nvidia " : "", variants & AMI_NEURON ? "neuron " : "",
                        variants & AMI_WINDOWS ? "windows " : "");
}

typedef struct {
    const char *name, *family, *version;
    uint32_t minor;
    const char *wanted; // a line for each: path, variants, "*" for mutable
} Row;

#define EKS "/aws/service/eks/optimized-ami/"
#define BR  "/aws/service/bottlerocket/aws-k8s-"
#define WIN "/aws/service/ami-windows-latest/Windows_Server-"

static const Row rows[] = {
    {"images: AL2, latest (R018 R025 R135)", "AL2", "latest", 24,
     EKS "1.24/amazon-linux-2/recommended/image_id standard *\n" EKS
         "1.24/amazon-linux-2-arm64/recommended/image_id standard *\n" EKS
         "1.24/amazon-linux-2-gpu/recommended/image_id nvidia neuron *\n"},
    {"images: AL2, a version", "AL2", "v20240807", 30,
     EKS "1.30/amazon-linux-2/amazon-eks-node-1.30-v20240807/image_id standard \n" EKS
         "1.30/amazon-linux-2-arm64/amazon-eks-arm64-node-1.30-v20240807/image_id standard \n" EKS
         "1.30/amazon-linux-2-gpu/amazon-eks-gpu-node-1.30-v20240807/image_id nvidia neuron \n"},
    {"images: AL2023, latest", "AL2023", "latest", 34,
     EKS "1.34/amazon-linux-2023/x86_64/standard/recommended/image_id standard *\n" EKS
         "1.34/amazon-linux-2023/x86_64/nvidia/recommended/image_id nvidia *\n" EKS
         "1.34/amazon-linux-2023/x86_64/neuron/recommended/image_id neuron *\n" EKS
         "1.34/amazon-linux-2023/arm64/standard/recommended/image_id standard *\n" EKS
         "1.34/amazon-linux-2023/arm64/nvidia/recommended/image_id nvidia *\n"},
    {"images: AL2023, a version", "AL2023", "v20240807", 31,
     EKS
     "1.31/amazon-linux-2023/x86_64/standard/amazon-eks-node-al2023-x86_64-standard-1.31-v20240807/image_id "
     "standard \n" EKS
     "1.31/amazon-linux-2023/x86_64/nvidia/amazon-eks-node-al2023-x86_64-nvidia-1.31-v20240807/image_id nvidia \n" EKS
     "1.31/amazon-linux-2023/x86_64/neuron/amazon-eks-node-al2023-x86_64-neuron-1.31-v20240807/image_id neuron \n" EKS
     "1.31/amazon-linux-2023/arm64/standard/amazon-eks-node-al2023-arm64-standard-1.31-v20240807/image_id "
     "standard \n" EKS
     "1.31/amazon-linux-2023/arm64/nvidia/amazon-eks-node-al2023-arm64-nvidia-1.31-v20240807/image_id nvidia \n"},
    {"images: Bottlerocket, latest", "Bottlerocket", "latest", 34,
     BR "1.34/x86_64/latest/image_id standard neuron *\n" BR "1.34/arm64/latest/image_id standard *\n" BR
        "1.34-nvidia/x86_64/latest/image_id nvidia *\n" BR "1.34-nvidia/arm64/latest/image_id nvidia *\n"},
    {"images: Bottlerocket, a version", "Bottlerocket", "v1.20.3", 30,
     BR "1.30/x86_64/1.20.3/image_id standard neuron \n" BR "1.30/arm64/1.20.3/image_id standard \n" BR
        "1.30-nvidia/x86_64/1.20.3/image_id nvidia \n" BR "1.30-nvidia/arm64/1.20.3/image_id nvidia \n"},
    {"images: Bottlerocket, a version without its letter", "Bottlerocket", "1.20.3", 30,
     BR "1.30/x86_64/1.20.3/image_id standard neuron \n" BR "1.30/arm64/1.20.3/image_id standard \n" BR
        "1.30-nvidia/x86_64/1.20.3/image_id nvidia \n" BR "1.30-nvidia/arm64/1.20.3/image_id nvidia \n"},
    {"images: Windows 2019", "Windows2019", "latest", 31,
     WIN "2019-English-Core-EKS_Optimized-1.31/image_id windows *\n"},
    {"images: Windows 2022", "Windows2022", "latest", 31,
     WIN "2022-English-Core-EKS_Optimized-1.31/image_id windows *\n"},
    {"images: Windows 2025", "Windows2025", "latest", 35,
     WIN "2025-English-Core-EKS_Optimized-1.35/image_id windows *\n"},
    {"images: Custom has none", "Custom", "latest", 34, ""},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

TEST_EACH(const Row, row, parameters_of_an_alias, list_rows) {
    Arena arena = {0};
    AmiParameterVec list =
        ami_parameters(&arena, ami_family(slice_of(row->family)), slice_of(row->version), row->minor);
    Slice text = SLICE("");

    for (vec_each(const AmiParameter, parameter, &list))
        text = arena_printf(&arena, "%.*s%.*s %.*s%s\n", SLICE_ARG(text), SLICE_ARG(parameter->path),
                            SLICE_ARG(variants_text(&arena, parameter->variants)), parameter->is_mutable ? "*" : "");
    assert_string_equal(arena_text(&arena, text), row->wanted);
    arena_free(&arena);
}

typedef struct {
    const char *name, *family;
    uint32_t minor;
    bool refused;
} AliasRow;

static const AliasRow alias_rows[] = {
    {"images: AL2 for 1.32", "AL2", 32, false},
    {"images: AL2 for 1.33", "AL2", 33, true},
    {"images: AL2 for 1.34", "AL2", 34, true},
    {"images: AL2 for 1.37", "AL2", 37, true},
    {"images: Windows 2025 for 1.34", "Windows2025", 34, true},
    {"images: Windows 2025 for 1.35", "Windows2025", 35, false},
    {"images: Windows 2022 for 1.31", "Windows2022", 31, false},
    {"images: AL2023 for 1.33", "AL2023", 33, false},
    {"images: Bottlerocket for 1.37", "Bottlerocket", 37, false},
    {"images: AL2023 for 1.37", "AL2023", 37, false},
};

static void list_aliases(TestCases *cases) {
    for (size_t i = 0; i < sizeof alias_rows / sizeof *alias_rows; i++)
        test_case(cases, alias_rows[i].name, (void *)(uintptr_t)&alias_rows[i]);
}

TEST_EACH(const AliasRow, row, aliases_end_and_begin_with_versions, list_aliases) {
    Arena arena = {0};

    assert_int_equal(ami_alias_complaint(&arena, ami_family(slice_of(row->family)), row->minor).len > 0, row->refused);
    arena_free(&arena);
}

// --- requests

typedef struct {
    const char *name, *terms; // of a class of the family Custom
    const char *wanted;       // a line for each request: owners | filters
} QueryRow;

static const QueryRow query_rows[] = {
    {"images: by ids, in one request", "{id: ami-1}, {id: ami-2}", " | state=available image-id=ami-1,ami-2\n"},
    {"images: by name, of own images and Amazon's", "{name: 'eks-*'}", "self,amazon | state=available name=eks-*\n"},
    {"images: by name and owner", "{name: a, owner: '111122223333'}", "111122223333 | state=available name=a\n"},
    {"images: by owner alone", "{owner: self}", "self | state=available\n"},
    {"images: by name, of two owners", "{name: a, owner: self}, {name: a, owner: '111122223333'}",
     "self | state=available name=a\n111122223333 | state=available name=a\n"},
    {"images: tags of a term all hold", "{tags: {a: b, c: d}}", " | state=available tag:a=b tag:c=d\n"},
    {"images: tags of either term hold", "{tags: {a: b}}, {tags: {c: d}}",
     " | state=available tag:a=b\n | state=available tag:c=d\n"},
    {"images: by tags, of anybody", "{tags: {a: b, c: '*'}}", " | state=available tag:a=b tag-key=c\n"},
    {"images: by tags and owner", "{tags: {a: b}, owner: self}", "self | state=available tag:a=b\n"},
    {"images: by name and tags", "{name: a, tags: {b: c}}", "self,amazon | state=available name=a tag:b=c\n"},
    {"images: by a parameter", "{ssmParameter: /mine}", " | state=available image-id=ami-9\n"},
    {"images: by a parameter and an id", "{ssmParameter: /mine}, {id: ami-1}",
     " | state=available image-id=ami-9,ami-1\n"},
    {"images: by a parameter beside one that is not there", "{ssmParameter: /absent}, {ssmParameter: /mine}",
     " | state=available image-id=ami-9\n"},
    {"images: by a parameter that is not there", "{ssmParameter: /absent}", ""},
    {"images: by a parameter that holds something else", "{ssmParameter: /wrong}", ""},
    {"images: by terms of each kind", "{name: a}, {id: ami-1}, {tags: {b: c}}",
     " | state=available image-id=ami-1\nself,amazon | state=available name=a\n | state=available tag:b=c\n"},
};

static void list_queries(TestCases *cases) {
    for (size_t i = 0; i < sizeof query_rows / sizeof *query_rows; i++)
        test_case(cases, query_rows[i].name, (void *)(uintptr_t)&query_rows[i]);
}

static Slice join(Arena *arena, const SliceVec *words) {
    Slice text = SLICE("");

    for (vec_each(const Slice, word, words))
        text = arena_printf(arena, "%.*s%s%.*s", SLICE_ARG(text), text.len ? "," : "", SLICE_ARG(*word));
    return text;
}

static Slice print_queries(Arena *arena, const AmiQueryVec *queries) {
    Slice text = SLICE("");

    for (vec_each(const Ec2DescribeImagesInput, query, queries)) {
        assert_true(query->include_deprecated.value);
        assert_int_equal(query->max_results.value, 1000);
        text = arena_printf(arena, "%.*s%.*s |", SLICE_ARG(text), SLICE_ARG(join(arena, &query->owners)));
        for (vec_each(const Ec2Filter, filter, &query->filters))
            text = arena_printf(arena, "%.*s %.*s=%.*s", SLICE_ARG(text), SLICE_ARG(filter->name),
                                SLICE_ARG(join(arena, &filter->values)));
        text = arena_printf(arena, "%.*s\n", SLICE_ARG(text));
    }
    return text;
}

TEST_EACH(const QueryRow, row, requests_for_images, list_queries) {
    Arena arena = {0};
    AmiFound found[] = {{SLICE("/mine"), SLICE("ami-9"), 0}, {SLICE("/wrong"), SLICE("not an image"), 0}};
    TestClass *test =
        test_class(arena_printf(&arena, "  amiFamily: Custom\n  amiSelectorTerms: [%s]\n", row->terms).ptr);
    AmiQueryVec queries = ami_queries(&arena, &test->class.launch.ami_terms, &(AmiFoundVec){found, 2, 2});

    assert_string_equal(arena_text(&arena, print_queries(&arena, &queries)), row->wanted);
    test_class_free(test);
    arena_free(&arena);
}

TEST(images_of_an_alias_are_asked_for_by_what_its_parameters_hold) {
    Arena arena = {0};
    AmiFound found[] = {{SLICE("/a"), SLICE("ami-1"), AMI_STANDARD}, {SLICE("/b"), SLICE("?"), AMI_NVIDIA}};
    TestClass *test = test_class("");
    AmiQueryVec queries = ami_queries(&arena, &test->class.launch.ami_terms, &(AmiFoundVec){found, 2, 2});

    assert_string_equal(arena_text(&arena, print_queries(&arena, &queries)), " | state=available image-id=ami-1\n");
    test_class_free(test);
    arena_free(&arena);
}
