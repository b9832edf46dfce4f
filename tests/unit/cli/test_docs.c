// The flags and metrics in the documentation are those of the program: both are made from its tables.
//
// TENON_WRITE_DOCS=1 updates the pages instead of checking them.

#include "cli/run/manager_options.h"
#include "harness/test.h"
#include "obs/metrics.h"

#include <stdio.h>
#include <stdlib.h>

#define FLAGS_BEGIN "<!-- made from the program's table by cli_test_docs -->\n"
#define FLAGS_END   "<!-- end -->\n"

static void read_page(const char *path, Buffer *page) {
    FILE *file = fopen(path, "r");
    char bytes[4096];
    size_t got;

    if (!file)
        fail_msg("%s cannot be read", path);
    while ((got = fread(bytes, 1, sizeof bytes, file)))
        buffer_append(page, (Slice){bytes, got});
    fclose(file);
}

static void write_page(const char *path, Slice page) {
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(page.ptr, 1, page.len, file), page.len);
    fclose(file);
}

static void check_page(const char *path, const Buffer *page, const Buffer *expected) {
    if (slice_eq(buffer_slice(page), buffer_slice(expected)))
        return;
    if (getenv("TENON_WRITE_DOCS"))
        write_page(path, buffer_slice(expected));
    else
        fail_msg("%s is not up to date; run this test with TENON_WRITE_DOCS=1", path);
}

TEST(the_page_of_metrics_is_up_to_date) {
    static const char path[] = TENON_SOURCE_DIR "/docs/metrics.md";
    Buffer page = {0}, expected = {0};

    metrics_print_markdown(&expected);
    read_page(path, &page);
    check_page(path, &page, &expected);
    buffer_free(&page);
    buffer_free(&expected);
}

// The part of docs/run.md between two marks.
TEST(the_tables_of_flags_are_up_to_date) {
    static const char path[] = TENON_SOURCE_DIR "/docs/run.md";
    Buffer page = {0}, expected = {0};
    const char *begin, *end;

    read_page(path, &page);
    buffer_append_char(&page, '\0');
    page.len--;
    begin = strstr(page.bytes, FLAGS_BEGIN);
    assert_non_null(begin);
    end = strstr(begin, FLAGS_END);
    assert_non_null(end);
    begin += sizeof FLAGS_BEGIN - 1;
    buffer_append(&expected, (Slice){page.bytes, (size_t)(begin - page.bytes)});
    manager_options_print_markdown(&expected);
    buffer_append(&expected, slice_of(end));
    check_page(path, &page, &expected);
    buffer_free(&page);
    buffer_free(&expected);
}

static uint32_t occurrences(const char *text, const char *part) {
    uint32_t count = 0;

    for (const char *at = text; (at = strstr(at, part)); at++)
        count++;
    return count;
}

TEST(help_names_each_flag_once_and_all_its_variables) {
    Buffer text = {0};
    ManagerOption option;
    uint32_t count = 0;

    manager_options_print_help(&text);
    buffer_append_char(&text, '\0');
    for (; manager_option_at(count, &option); count++) {
        char line[256];
        if (*option.variable)
            snprintf(line, sizeof line, "\n  --%s %s  [%s", option.flag, option.value, option.variable);
        else
            snprintf(line, sizeof line, "\n  --%s %s\n", option.flag, option.value);
        if (occurrences(text.bytes, line) != 1)
            fail_msg("not once in the help: %s", line);
    }
    assert_int_equal(count, occurrences(text.bytes, "\n  --")); // and no other
    buffer_free(&text);
}
