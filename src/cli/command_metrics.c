// `tenon metrics`: the list of metrics, as documentation or as names.
#include "cli/commands.h"
#include "cli/flags.h"

#include "obs/metrics.h"

#include <stdio.h>

static ErrCode take_markdown(void *context, const char *value, Err *err) {
    (void)value, (void)err;
    *(bool *)context = true;
    return OK;
}

static const Flag flags[] = {
    {"--markdown", NULL, NULL, "as docs/metrics.md: with labels, help and buckets", take_markdown},
};

static const FlagTable table = {
    .command = "metrics",
    .usage = "[--markdown]",
    .about = "Prints the metrics that tenon run exposes: name, type, labels.",
    .flags = flags,
    .count = sizeof flags / sizeof *flags,
};

static void print_names(Buffer *page) {
    for (uint32_t i = 0; i < METRIC_COUNT; i++) {
        MetricInfo info = metric_info((MetricId)i);

        if (info.source == METRIC_AWAITS)
            continue;
        buffer_printf(page, "%.*s %s", SLICE_ARG(info.name), metric_type_text(info.type));
        for (uint32_t label = 0; label < info.label_count; label++)
            buffer_printf(page, "%c%.*s", label ? ',' : ' ', SLICE_ARG(info.labels[label]));
        buffer_append_char(page, '\n');
    }
}

int command_metrics(int argc, char **argv) {
    bool markdown = false, help = false;
    Buffer page = {0};
    Err err;

    if (flags_take(&table, argc, argv, &markdown, &help, &err) != OK) {
        fprintf(stderr, "error: %s\n", err.text);
        return 2;
    }
    if (help) {
        flags_print_help(&table);
        return 0;
    }
    if (markdown)
        metrics_print_markdown(&page);
    else
        print_names(&page);
    fwrite(page.bytes, 1, page.len, stdout);
    buffer_free(&page);
    return 0;
}
