// Profiles of the process from /proc and malloc.
#include "obs/profile.h"

#include <glob.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PATH_BYTES_MAX = 64, LINE_BYTES_MAX = 512 };

static const struct {
    const char *name, *help;
    void (*print)(Buffer *text);
} pages[] = {
    {"heap", "memory: what the system has given, and what malloc makes of it", profile_print_memory},
    {"threads", "threads: name, state, CPU time, how often each gave the CPU away or had it taken",
     profile_print_threads},
};

// --- memory

// The lines of /proc/self/status about memory.
static void print_given(Buffer *text) {
    static const char *const keys[] = {"VmSize:", "VmHWM:", "VmRSS:", "RssAnon:", "RssFile:", "VmSwap:", "Threads:"};
    FILE *file = fopen("/proc/self/status", "re");
    char line[LINE_BYTES_MAX];

    while (file && fgets(line, sizeof line, file)) {
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            if (slice_starts_with(slice_of(line), slice_of(keys[i])))
                buffer_append(text, slice_of(line));
        }
    }
    if (file)
        fclose(file);
}

void profile_print_memory(Buffer *text) {
    struct mallinfo2 info = mallinfo2();

    buffer_append(text, SLICE("# of the process (/proc/self/status; VmHWM is the highest VmRSS so far)\n"));
    print_given(text);
    buffer_append(text, SLICE("\n# of malloc, in bytes\n"));
    buffer_printf(text, "in use             %zu\n", info.uordblks);
    buffer_printf(text, "free, kept         %zu\n", info.fordblks);
    buffer_printf(text, "mapped, large      %zu in %zu pieces\n", info.hblkhd, info.hblks);
    buffer_printf(text, "from the system    %zu\n", info.arena + info.hblkhd);
}

// --- threads

typedef struct {
    char name[32], state;
    double cpu_s;
    unsigned long long yielded, taken;
} ThreadFigures;

// `folder`: "/proc/self/task/TID".
static FILE *open_in(const char *folder, const char *file) {
    char path[PATH_BYTES_MAX];

    snprintf(path, sizeof path, "%s/%s", folder, file);
    return fopen(path, "re");
}

// Parses "tid (name) state …": the name may contain anything, so it ends at the last parenthesis. utime and stime are
// the 12th and 13th number after the state.
static bool read_stat(const char *folder, ThreadFigures *figures) {
    FILE *file = open_in(folder, "stat");
    char line[LINE_BYTES_MAX] = "", *name, *end;
    unsigned long long user, system;
    bool read;

    if (!file)
        return false;
    read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    name = strchr(line, '(');
    end = strrchr(line, ')');
    if (!read || !name || !end)
        return false;
    snprintf(figures->name, sizeof figures->name, "%.*s", (int)(end - name - 1), name + 1);
    if (sscanf(end + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &figures->state, &user, &system) != 3)
        return false;
    figures->cpu_s = (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
    return true;
}

static void read_switches(const char *folder, ThreadFigures *figures) {
    FILE *file = open_in(folder, "status");
    char line[LINE_BYTES_MAX];

    while (file && fgets(line, sizeof line, file)) {
        sscanf(line, "voluntary_ctxt_switches: %llu", &figures->yielded);
        sscanf(line, "nonvoluntary_ctxt_switches: %llu", &figures->taken);
    }
    if (file)
        fclose(file);
}

void profile_print_threads(Buffer *text) {
    glob_t folders = {0};

    buffer_printf(text, "%-8s %-16s %-6s %12s %12s %12s\n", "thread", "name", "state", "CPU seconds", "slept", "taken");
    if (glob("/proc/self/task/*", 0, NULL, &folders) != 0)
        return;
    for (size_t i = 0; i < folders.gl_pathc; i++) {
        const char *folder = folders.gl_pathv[i];
        ThreadFigures figures = {0};

        if (!read_stat(folder, &figures))
            continue; // the thread ended meanwhile
        read_switches(folder, &figures);
        buffer_printf(text, "%-8s %-16s %-6c %12.2f %12llu %12llu\n", strrchr(folder, '/') + 1, figures.name,
                      figures.state, figures.cpu_s, figures.yielded, figures.taken);
    }
    globfree(&folders);
}

// --- the route

static void print_list(Buffer *text) {
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        buffer_printf(text, PROFILE_PATH "%-10s %s\n", pages[i].name, pages[i].help);
}

void profile_answer(void *self, const ServerRequest *request, ServerReply *reply) {
    Slice name = slice_from(server_path(request), sizeof PROFILE_PATH - 1);

    (void)self;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        if (slice_eq_text(name, pages[i].name))
            return pages[i].print(&reply->body);
    }
    if (name.len)
        reply->status = 404;
    print_list(&reply->body);
}
