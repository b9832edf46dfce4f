// Printing the options: --help, and the tables of docs/run.md.
#include "cli/run/manager_options.h"

static const struct {
    const char *title, *first; // the section's first flag
} sections[] = {
    {"The cluster", "kubeconfig"},
    {"Nodes and pods", "provider"},
    {"AWS", "cluster-name"},
    {"Planning", "batch-idle-duration"},
    {"Leader election", "disable-leader-election"},
    {"What it shows", "metrics-port"},
    {"Without effect, taken because Karpenter has them", "ignore-dra-requests"},
    {"Webhooks of 2023", "legacy-webhooks"},
};

static const char introduction[] =
    "Usage: tenon run [flags]\n\n"
    "Gives a cluster the nodes that its pods need, until it is told to stop (SIGTERM, SIGINT).\n"
    "Behind each flag stand its environment variable and its default. Flags win over variables;\n"
    "a BOOL that stands alone means true.\n";

static const char footer[] =
    "\n  -h, --help\n      this text\n\n"
    "Exit status: 0 stopped as asked; 1 the leader lease was lost, a port or file could not be opened,\n"
    "AWS cannot be asked or refuses, the system gives too few file descriptors, threads or too little\n"
    "address space, or the stop took longer than half a minute; 2 the flags are wrong.\n";

// The title of the section that begins with that flag, or NULL.
static const char *title_of(const char *flag) {
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (strcmp(flag, sections[i].first) == 0)
            return sections[i].title;
    }
    return NULL;
}

void manager_options_print_help(Buffer *text) {
    ManagerOption option;

    buffer_append(text, SLICE(introduction));
    for (uint32_t i = 0; manager_option_at(i, &option); i++) {
        const char *title = title_of(option.flag);

        if (title)
            buffer_printf(text, "\n%s\n\n", title);
        buffer_printf(text, "  --%s %s", option.flag, option.value);
        if (*option.variable)
            buffer_printf(text, "  [%s%s%s]", option.variable, *option.preset ? ", " : "", option.preset);
        buffer_printf(text, "\n      %s\n", option.help);
    }
    buffer_append(text, SLICE(footer));
}

static void print_code(Buffer *text, const char *code) {
    if (*code)
        buffer_printf(text, "`%s`", code);
}

void manager_options_print_markdown(Buffer *text) {
    ManagerOption option;

    for (uint32_t i = 0; manager_option_at(i, &option); i++) {
        const char *title = title_of(option.flag);

        if (title)
            buffer_printf(text, "%s### %s\n\n| flag | variable | default | what it says |\n|---|---|---|---|\n",
                          i ? "\n" : "", title);
        buffer_printf(text, "| `--%s` | ", option.flag);
        print_code(text, option.variable);
        buffer_append(text, SLICE(" | "));
        print_code(text, option.preset);
        buffer_printf(text, " | %s |\n", option.help);
    }
}
