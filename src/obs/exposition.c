#include "obs/exposition.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void exposition_begin(Exposition *out, Buffer *page, MetricId id) {
    *out = (Exposition){.page = page, .info = metric_info(id)};
}

void exposition_number(Buffer *page, double value) {
    char text[40];

    if (isnan(value)) {
        buffer_append(page, SLICE("NaN"));
        return;
    }
    if (isinf(value)) {
        buffer_append(page, value > 0 ? SLICE("+Inf") : SLICE("-Inf"));
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    buffer_append(page, slice_of(text));
}

// `quotes`: escapes quotes as well, as label values need, but not help texts.
static void put_escaped(Buffer *page, Slice text, bool quotes) {
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];

        if (c == '\n')
            buffer_append(page, SLICE("\\n"));
        else if (c == '\\' || (quotes && c == '"'))
            buffer_printf(page, "\\%c", c);
        else
            buffer_append_char(page, c);
    }
}

static void put_head(Exposition *out) {
    const MetricInfo *info = &out->info;

    if (out->has_head)
        return;
    out->has_head = true;
    buffer_printf(out->page, "# HELP %.*s ", SLICE_ARG(info->name));
    put_escaped(out->page, info->help, false);
    buffer_printf(out->page, "\n# TYPE %.*s %s\n", SLICE_ARG(info->name), metric_type_text(info->type));
}

static void put_labels(Exposition *out, const Slice *labels, const char *more, double more_value) {
    uint32_t count = out->info.label_count;

    if (!count && !more)
        return;
    buffer_append_char(out->page, '{');
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            buffer_append_char(out->page, ',');
        buffer_append(out->page, out->info.labels[i]);
        buffer_append(out->page, SLICE("=\""));
        put_escaped(out->page, labels[i], true);
        buffer_append_char(out->page, '"');
    }
    if (more) {
        buffer_printf(out->page, "%s%s=\"", count ? "," : "", more);
        exposition_number(out->page, more_value);
        buffer_append_char(out->page, '"');
    }
    buffer_append_char(out->page, '}');
}

void exposition_part(Exposition *out, const char *suffix, const Slice *labels, const char *more, double more_value,
                     double value) {
    put_head(out);
    buffer_append(out->page, out->info.name);
    buffer_append(out->page, slice_of(suffix));
    put_labels(out, labels, more, more_value);
    buffer_append_char(out->page, ' ');
    exposition_number(out->page, value);
    buffer_append_char(out->page, '\n');
}

void exposition_sample(Exposition *out, const Slice *labels, double value) {
    exposition_part(out, "", labels, NULL, 0, value);
}
