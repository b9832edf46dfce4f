// Names and wrapped texts of reports.
#include "cli/report.h"

#include "text/quote.h"

Slice report_text(const Report *report, Symbol symbol) {
    return symbol_text(&report->input->cluster->symbols, symbol);
}

Slice report_shown(const Report *report, Symbol symbol) {
    return printable(report->arena, report_text(report, symbol));
}

Slice report_pod(const Report *report, uint32_t pod) {
    return pod_print_name(report->arena, &report->input->cluster->symbols, report->input->pending.items[pod].pod);
}

void report_wrapped(Buffer *out, const char *indent, Slice text) {
    size_t room = REPORT_WIDTH - strlen(indent);

    while (text.len) {
        size_t len = text.len < room ? text.len : room;

        if (len < text.len) {
            size_t space = len;

            while (space > 0 && text.ptr[space] != ' ')
                space--;
            len = space ? space : len;
        }
        buffer_printf(out, "%s%.*s\n", indent, (int)len, text.ptr);
        text = slice_from(text, len);
        while (text.len && text.ptr[0] == ' ')
            text = slice_from(text, 1);
    }
}
