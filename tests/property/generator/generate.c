// Makes the parts of a case in order; each part is a file of its own.
#include "generator/cluster.h"

const char *pick_text(Making *making, const char *const *texts, size_t count) {
    return texts[below(making, (uint32_t)count)];
}

const char *zone_name(uint32_t zone) {
    static const char *const names[] = {"test-zone-a", "test-zone-b", "test-zone-c", "test-zone-d"};

    return names[zone];
}

void write_requirement(Writer *writer, const char *key, const char *op, const char *const *values) {
    write_begin(writer, NULL, '{');
    write_text(writer, "key", "%s", key);
    write_text(writer, "operator", "%s", op);
    if (values && values[0]) {
        write_begin(writer, "values", '[');
        for (size_t i = 0; values[i]; i++)
            write_text(writer, NULL, "%s", values[i]);
        write_end(writer, ']');
    }
    write_end(writer, '}');
}

void write_object(Writer *writer, const char *api_version, const char *kind, const char *ns, const char *name) {
    write_begin(writer, NULL, '{');
    write_text(writer, "apiVersion", "%s", api_version);
    write_text(writer, "kind", "%s", kind);
    write_begin(writer, "metadata", '{');
    write_text(writer, "name", "%s", name);
    if (ns)
        write_text(writer, "namespace", "%s", ns);
    write_text(writer, "uid", "uid-%s-%s-%s", kind, ns ? ns : "cluster", name);
}

static void make_options(Making *making, Buffer *options) {
    bool ignore = chance(making, 15), best_effort = chance(making, 25);

    buffer_printf(options, "{\"preferencePolicy\":\"%s\",\"minValuesPolicy\":\"%s\"}\n", ignore ? "Ignore" : "Respect",
                  best_effort ? "BestEffort" : "Strict");
}

void generate_case(uint64_t seed, GenerateProfile profile, bool heavy, GeneratedCase *ret_case) {
    Making making = {.profile = profile, .heavy = heavy};

    *ret_case = (GeneratedCase){0};
    random_seed(&making.random, seed);
    making.zone_count = 1 + below(&making, ZONES_MAX);
    if (making.zone_count == 1)
        making.zone_count = 3;
    make_options(&making, &ret_case->options);
    make_catalog(&making);
    write_begin(&making.manifests, NULL, '{');
    write_text(&making.manifests, "apiVersion", "v1");
    write_text(&making.manifests, "kind", "List");
    write_begin(&making.manifests, "items", '[');
    make_shared_objects(&making);
    make_pools(&making);
    make_daemon_sets(&making);
    make_workloads(&making);
    make_nodes(&making);
    make_pending_pods(&making);
    write_end(&making.manifests, ']');
    write_end(&making.manifests, '}');
    buffer_append_char(&making.manifests.buffer, '\n');
    ret_case->manifests = making.manifests.buffer;
    ret_case->catalog = making.catalog.buffer;
}

void generated_case_free(GeneratedCase *generated) {
    buffer_free(&generated->manifests);
    buffer_free(&generated->catalog);
    buffer_free(&generated->options);
}
