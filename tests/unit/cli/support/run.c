// Runs of `tenon plan` on texts, and ways to look into what they print.
#include "cli/support/run.h"

#include <stdio.h>
#include <stdlib.h>

#include "text/json.h"
#include "text/yaml.h"

struct Run {
    Arena arena;
    PlanOptions options;
    Buffer out, messages;
};

#define OFFERING(type, zone, price)                                                                                    \
    "{\"Price\": " price ", \"Requirements\": [{\"key\": \"karpenter.sh/capacity-type\", \"operator\": \"In\", "       \
    "\"values\": [\"" type                                                                                             \
    "\"]}, {\"key\": \"topology.kubernetes.io/zone\", \"operator\": \"In\", \"values\": [\"" zone "\"]}]}"
#define TYPE(name, cpu, memory, price, spot)                                                                           \
    "{\"name\": \"" name "\", \"architecture\": \"amd64\", \"operatingSystems\": [\"linux\"], \"resources\": "         \
    "{\"cpu\": \"" cpu "\", \"memory\": \"" memory                                                                     \
    "\", \"pods\": \"10\"}, \"overhead\": {}, \"offerings\": [" OFFERING("on-demand", "a", price) ", " OFFERING(       \
        "on-demand", "b", price) ", " OFFERING("spot", "a", spot) ", " OFFERING("spot", "b", spot) "]}"

const char run_catalogue[] = "[" TYPE("two", "2", "4Gi", "0.1", "0.06") ", " TYPE(
    "four", "4", "8Gi", "0.2", "0.12") ", " TYPE("eight", "8", "16Gi", "0.4", "0.24") "]";

Run *run_setup(void) {
    Run *run = calloc(1, sizeof *run);

    CHECK(run, "out of memory");
    run->options.catalogue = (InputText){SLICE("catalogue.json"), slice_of(run_catalogue)};
    run->options.omit_times = true;
    run_add(run, "class.yaml",
            OBJECT("apiVersion: karpenter.kwok.sh/v1alpha1, kind: KWOKNodeClass, metadata: {name: default}"));
    return run;
}

void run_teardown(Run *run) {
    buffer_free(&run->out);
    buffer_free(&run->messages);
    arena_free(&run->arena);
    free(run);
}

PlanOptions *run_options(Run *run) {
    return &run->options;
}

void run_add(Run *run, const char *file, const char *text) {
    vec_push(&run->arena, &run->options.inputs, (InputText){slice_of(file), slice_of(text)});
}

void run_add_file(Run *run, const char *path) {
    Slice whole = arena_printf(&run->arena, "%s/%s", TENON_SOURCE_DIR, path);
    FILE *file = fopen(whole.ptr, "rb");
    Buffer text = {0};
    char step[4096];
    size_t count;

    CHECK(file, "no file %s", whole.ptr);
    while ((count = fread(step, 1, sizeof step, file)) > 0)
        buffer_append(&text, (Slice){step, count});
    fclose(file);
    run_add(run, path, arena_text(&run->arena, buffer_slice(&text)));
    buffer_free(&text);
}

int run_plan(Run *run) {
    run->out.len = run->messages.len = 0;
    return plan_run(&run->options, &run->out, &run->messages);
}

const char *run_out(Run *run) {
    return arena_text(&run->arena, buffer_slice(&run->out));
}

const char *run_messages(Run *run) {
    return arena_text(&run->arena, buffer_slice(&run->messages));
}

const Value *run_json(Run *run) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Err err = {0};

    CHECK(json_parse(&run->arena, SLICE("stdout"), slice_of(run_out(run)), &(ParseOptions){.strict = true}, &documents,
                     &warnings, &err) == OK,
          "%s\n%s", err.text, run_messages(run));
    CHECK(documents.count == 1, "%u JSON documents", documents.count);
    return &documents.items[0].root;
}

DocumentVec run_yaml(Run *run) {
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Err err = {0};

    CHECK(yaml_parse(&run->arena, SLICE("stdout"), slice_of(run_out(run)), &(ParseOptions){.strict = true}, &documents,
                     &warnings, &err) == OK,
          "%s\n%s", err.text, run_messages(run));
    return documents;
}

static Slice scalar_text(Run *run, const Value *value) {
    Slice text = {0};

    switch (value->kind) {
    case VALUE_NULL:
        return SLICE("null");
    case VALUE_BOOL:
        return value->boolean ? SLICE("true") : SLICE("false");
    case VALUE_NUMBER:
    case VALUE_STRING:
        return value->text;
    case VALUE_MAP:
        return value->map.count ? SLICE("{…}") : SLICE("{}");
    case VALUE_LIST:
        if (!value->list.count)
            return SLICE("[]");
        for (uint32_t i = 0; i < value->list.count; i++)
            text = arena_printf(&run->arena, "%.*s%s%.*s", SLICE_ARG(text), i ? " " : "",
                                SLICE_ARG(scalar_text(run, &value->list.items[i])));
    }
    return text;
}

const char *value_path(Run *run, const Value *value, const char *path) {
    while (value && *path) {
        size_t len = strcspn(path, " ");
        Slice step = {path, len};
        int64_t index;

        if (value->kind == VALUE_LIST)
            value = slice_to_int64(step, &index) && index < value->list.count ? &value->list.items[index] : NULL;
        else
            value = value_get(value, step);
        path += len + (path[len] == ' ');
    }
    return value ? arena_text(&run->arena, scalar_text(run, value)) : "(none)";
}

size_t longest_line(const char *text) {
    size_t longest = 0, columns = 0;

    for (; *text; text++) {
        if (*text == '\n')
            columns = 0;
        else
            columns += ((unsigned char)*text & 0xc0) != 0x80; // continuation bytes take no column
        if (columns > longest)
            longest = columns;
    }
    return longest;
}
