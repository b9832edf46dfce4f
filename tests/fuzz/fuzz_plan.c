// Any text as the manifests of `tenon plan`, with a catalogue of three types. Planning again gives the same plan, and
// the JSON output is valid JSON.
#include "support/fuzz.h"

#include "cli/plan.h"
#include "text/json.h"

#define OFFERING(price, capacity_type, zone)                                                                           \
    "{\"Price\": " price ", \"Requirements\": ["                                                                       \
    "{\"key\": \"karpenter.sh/capacity-type\", \"operator\": \"In\", \"values\": [\"" capacity_type "\"]}, "           \
    "{\"key\": \"topology.kubernetes.io/zone\", \"operator\": \"In\", \"values\": [\"" zone "\"]}]}"
#define TYPE(name, arch, cpu, memory, offerings)                                                                       \
    "{\"name\": \"" name "\", \"architecture\": \"" arch "\", \"operatingSystems\": [\"linux\"], \"resources\": "      \
    "{\"cpu\": \"" cpu "\", \"memory\": \"" memory "\", \"pods\": \"29\"}, \"offerings\": [" offerings "]}"

static const char catalogue[] =
    "[" TYPE("small", "amd64", "2", "4Gi",
             OFFERING("0.05", "spot", "a") ", " OFFERING(
                 "0.1", "on-demand", "b")) ", " TYPE("large", "amd64", "16", "64Gi",
                                                     OFFERING("0.4", "spot", "b") ", " OFFERING(
                                                         "0.8", "on-demand",
                                                         "a")) ", " TYPE("arm", "arm64", "4", "8Gi",
                                                                         OFFERING("0.12", "on-demand", "c")) "]";

// The last byte of the text chooses the options; it is mostly a line break or a brace, so little is lost by that.
static PlanOptions pick_options(Slice text) {
    unsigned char dice = text.len ? (unsigned char)text.ptr[text.len - 1] : 0;
    PlanOptions options = {
        .catalogue = {SLICE("catalogue.json"), SLICE(catalogue)},
        .format = (OutputFormat)(dice % 4),
        .preferences = dice & 64  ? PREFERENCES_WEIGH
                       : dice & 4 ? PREFERENCES_IGNORE
                                  : PREFERENCES_RESPECT,
        .min_values = dice & 8 ? MIN_VALUES_BEST_EFFORT : MIN_VALUES_STRICT,
        .explain = dice & 16 ? SLICE("web") : SLICE(""),
        .strict = dice & 32,
        .now_ns = INT64_C(1795237200000000000),
        .omit_times = true,
    };

    return options;
}

static void check_output(const PlanOptions *options, int status, const Buffer *out, const Buffer *messages) {
    Arena arena = {0};
    DocumentVec documents = {0};

    CHECK(status == EXIT_ALL_PLACED || status == EXIT_SOME_UNPLACED || status == EXIT_BAD_INPUT);
    CHECK(status != EXIT_BAD_INPUT || out->len == 0);
    CHECK((status == EXIT_BAD_INPUT) == (slice_contains(buffer_slice(messages), SLICE("\nerror: ")) ||
                                         slice_starts_with(buffer_slice(messages), SLICE("error: "))));
    if (status != EXIT_BAD_INPUT && options->format == OUTPUT_JSON && !options->explain.len) {
        CHECK(json_parse(&arena, SLICE("plan"), buffer_slice(out), NULL, &documents, NULL, NULL) == OK);
        CHECK(documents.count == 1);
    }
    arena_free(&arena);
}

static void plan_twice(Arena *arena, Slice text) {
    PlanOptions options = pick_options(text);
    Buffer out[2] = {0}, messages[2] = {0};
    int status[2];

    vec_push(arena, &options.inputs, (InputText){SLICE("fuzz.yaml"), text});
    for (int i = 0; i < 2; i++)
        status[i] = plan_run(&options, &out[i], &messages[i]);
    check_output(&options, status[0], &out[0], &messages[0]);
    CHECK(status[0] == status[1]);
    CHECK(slice_eq(buffer_slice(&out[0]), buffer_slice(&out[1])));
    CHECK(slice_eq(buffer_slice(&messages[0]), buffer_slice(&messages[1])));
    for (int i = 0; i < 2; i++) {
        buffer_free(&out[i]);
        buffer_free(&messages[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    Slice text = {(const char *)bytes, size};
    Arena arena = {0};
    Cluster cluster;

    cluster_init(&cluster);
    if (fuzz_read_manifest(&cluster, text))
        plan_twice(&arena, text);
    cluster_free(&cluster);
    arena_free(&arena);
    return 0;
}
