// The flags and metrics in the documentation are those of the program: both are made from its tables.
//
// TENON_WRITE_DOCS=1 updates the pages instead of checking them.

#include "cli/run/manager_options.h"
#include "cli/run/rights.h"
#include "harness/test.h"
#include "kube/kind.h"
#include "obs/metrics.h"
#include "state/state.h"

#include <stdio.h>
#include <stdlib.h>

#define FLAGS_BEGIN  "<!-- made from the program's table by cli_test_docs -->\n"
#define FLAGS_END    "<!-- end -->\n"
#define RIGHTS_BEGIN "<!-- rights: made from the program's table by cli_test_docs -->\n"
#define RIGHTS_END   "<!-- end of rights -->\n"

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

// A page that is made as a whole.
static void check_whole(const char *path, const Buffer *expected) {
    Buffer page = {0};

    read_page(path, &page);
    check_page(path, &page, expected);
    buffer_free(&page);
}

TEST(the_page_of_metrics_is_up_to_date) {
    Buffer page = {0};

    metrics_print_markdown(&page);
    check_whole(TENON_SOURCE_DIR "/docs/metrics.md", &page);
    buffer_free(&page);
}

// Compares the part of docs/run.md between two marks.
static void check_part(const char *begin_mark, const char *end_mark, const Buffer *part) {
    static const char path[] = TENON_SOURCE_DIR "/docs/run.md";
    Buffer page = {0}, expected = {0};
    const char *begin, *end;

    read_page(path, &page);
    buffer_append_char(&page, '\0');
    page.len--;
    begin = strstr(page.bytes, begin_mark);
    assert_non_null(begin);
    end = strstr(begin, end_mark);
    assert_non_null(end);
    begin += strlen(begin_mark);
    buffer_append(&expected, (Slice){page.bytes, (size_t)(begin - page.bytes)});
    buffer_append(&expected, buffer_slice(part));
    buffer_append(&expected, slice_of(end));
    check_page(path, &page, &expected);
    buffer_free(&page);
    buffer_free(&expected);
}

TEST(the_tables_of_flags_are_up_to_date) {
    Buffer part = {0};

    manager_options_print_markdown(&part);
    check_part(FLAGS_BEGIN, FLAGS_END, &part);
    buffer_free(&part);
}

TEST(the_roles_are_up_to_date) {
    Buffer part = {0};

    buffer_append(&part, SLICE("```yaml\n"));
    rights_print(&part);
    buffer_append(&part, SLICE("```\n"));
    check_part(RIGHTS_BEGIN, RIGHTS_END, &part);
    buffer_free(&part);
}

TEST(the_chart_gives_the_rights_of_the_table) {
    Buffer part = {0};

    buffer_append(&part, SLICE("# Made from the program's table (src/cli/run/rights.h) by cli_test_docs.\n"));
    rights_print_rules(&part);
    check_whole(TENON_SOURCE_DIR "/deploy/chart/files/rights.yaml", &part);
    buffer_free(&part);
}

// Whether a list with commas has the word.
static bool lists(const char *list, const char *word) {
    for (Slice rest = slice_of(list); rest.len;) {
        ptrdiff_t comma = slice_find(rest, ',');

        if (slice_eq_text(slice_trim(comma < 0 ? rest : slice_first(rest, (size_t)comma)), word))
            return true;
        rest = comma < 0 ? SLICE("") : slice_from(rest, (size_t)comma + 1);
    }
    return false;
}

// What is watched has to be allowed, for the whole cluster.
TEST(every_kind_that_is_watched_has_its_right) {
    static const KubeKind kinds[] = {
#define X(KIND, ...) KUBE_##KIND,
        STATE_KINDS(X)
#undef X
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const KubeKindInfo *kind = kube_kind(kinds[i]);
        char group[64], plural[64];
        bool allowed = false;
        Right right;

        snprintf(group, sizeof group, kind->group.len ? "%.*s" : "\"\"", SLICE_ARG(kind->group));
        snprintf(plural, sizeof plural, "%.*s", SLICE_ARG(kind->plural));
        for (uint32_t j = 0; right_at(j, &right); j++)
            allowed |= right.place == RIGHTS_CLUSTER && !*right.names && lists(right.groups, group) &&
                       lists(right.resources, plural) && lists(right.verbs, "list") && lists(right.verbs, "watch");
        if (!allowed)
            fail_msg("no role allows to watch %s of %s", plural, group);
    }
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
