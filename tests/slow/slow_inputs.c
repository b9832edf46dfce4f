// Searches for inputs that are slow to plan: manifests below 64 KB that take more CPU time or memory than a tenant's
// manifest may.
//
//     slow_inputs [--seconds N] [--seed N] [--limit SECONDS] SEEDS_DIR FINDINGS_DIR
//
// Inputs are mutated by repeating an element of a list, or a whole document, with other numbers in it, so that terms,
// values, ports and pods become many and all different. Inputs that are slower than most are mutated further. Each is
// planned in a process of its own with the whole catalogue, and measured by getrusage. All seconds, those of the search
// too, are of CPU time: what else a machine does neither makes an input slow nor the search short. Only results of a
// release build are meaningful.
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "cli/plan.h"

enum { MANIFEST_MAX = 64 << 10, MEMORY_MAX_KB = 200 << 10, KEPT_MAX = 200, FINDINGS_MAX = 20 };

static const char pool[] = "apiVersion: karpenter.sh/v1\n"
                           "kind: NodePool\n"
                           "metadata: {name: general}\n"
                           "spec:\n"
                           "  template:\n"
                           "    spec:\n"
                           "      requirements:\n"
                           "      - {key: karpenter.sh/capacity-type, operator: In, values: [spot, on-demand]}\n"
                           "      - {key: karpenter.k8s.aws/instance-category, operator: In, values: [c, m, r]}\n"
                           "      - {key: example.com/team, operator: Exists}\n"
                           "      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}\n";

// --- mutation

// The length of the flow-style element that starts at `at` ("{…}", "[…]" or a word); 0 if it does not end.
static size_t element_length(const char *text, size_t size, size_t at) {
    size_t end = at, depth = 0;

    for (; end < size; end++) {
        char c = text[end];

        if (depth == 0 && end > at && (c == ',' || c == ']' || c == '}'))
            return end - at;
        if (c == '\n')
            return 0;
        depth += c == '{' || c == '[';
        depth -= depth && (c == '}' || c == ']');
    }
    return 0;
}

// The position of a random list element: after a random '[' or ", ".
static size_t pick_element(Random *random, const char *text, size_t size, size_t *ret_length) {
    for (int attempt = 0; attempt < 32; attempt++) {
        size_t at = random_below(random, (uint32_t)size);

        while (at < size && text[at] != '[')
            at++;
        if (at + 1 >= size)
            continue;
        *ret_length = element_length(text, size, at + 1);
        if (*ret_length)
            return at + 1;
    }
    return size;
}

// The position of a random document: the text between two "---" lines.
static size_t pick_document(Random *random, const char *text, size_t size, size_t *ret_length) {
    Slice rest = {text, size};
    size_t start = random_below(random, (uint32_t)size), end;

    while (start > 0 && !(start + 4 <= size && memcmp(text + start, "---\n", 4) == 0))
        start--;
    for (end = start + 4; end + 4 <= rest.len && memcmp(text + end, "---\n", 4) != 0; end++)
        continue;
    *ret_length = end + 4 <= size ? end - start : size - start;
    return start;
}

// Appends a copy in which each number at the end of a word is changed.
static void append_varied(Buffer *out, Slice part, uint32_t copy) {
    for (size_t i = 0; i < part.len;) {
        if (!isdigit((unsigned char)part.ptr[i])) {
            buffer_append_char(out, part.ptr[i++]);
            continue;
        }
        while (i < part.len && isdigit((unsigned char)part.ptr[i]))
            i++;
        buffer_printf(out, "%u", copy + 1);
    }
}

// Appends the text without an element or a document.
static void append_without(Buffer *out, Slice text, size_t at, size_t length) {
    size_t end = at + length;

    if (end + 2 <= text.len && memcmp(text.ptr + end, ", ", 2) == 0)
        end += 2;
    buffer_append(out, (Slice){text.ptr, at});
    buffer_append(out, (Slice){text.ptr + end, text.len - end});
}

// Makes one random change of a text.
static void mutate(Random *random, Slice text, Buffer *out) {
    bool documents = random_below(random, 3) == 0;
    size_t length = 0;
    size_t at = documents ? pick_document(random, text.ptr, text.len, &length)
                          : pick_element(random, text.ptr, text.len, &length);
    uint32_t copies = 1 + random_below(random, UINT32_C(1) << random_below(random, 10));

    if (at >= text.len || !length) {
        buffer_append(out, text);
        return;
    }
    if (random_below(random, 6) == 0) {
        append_without(out, text, at, length);
        return;
    }
    buffer_append(out, (Slice){text.ptr, at + length});
    for (uint32_t i = 0; i < copies && out->len + 2 * length + (text.len - at) < MANIFEST_MAX; i++) {
        if (!documents)
            buffer_append(out, SLICE(", "));
        append_varied(out, (Slice){text.ptr + at, length}, i + random_below(random, 1000));
    }
    buffer_append(out, (Slice){text.ptr + at + length, text.len - at - length});
}

// --- measurement

// `text` is the input's own. All that this process holds counts as memory of a child, too: it keeps few inputs.
typedef struct {
    Buffer text;
    double seconds;
    long kilobytes;
    bool crashed;
} Input;
typedef Vec(Input) InputVec;

static void plan(Slice text) {
    PlanOptions options = {.format = OUTPUT_TABLE, .now_ns = INT64_C(1795237200000000000), .omit_times = true};
    Buffer out = {0}, messages = {0};
    Arena arena = {0};

    vec_push(&arena, &options.inputs, (InputText){SLICE("pool.yaml"), SLICE(pool)});
    vec_push(&arena, &options.inputs, (InputText){SLICE("pods.yaml"), text});
    plan_run(&options, &out, &messages);
    buffer_free(&out);
    buffer_free(&messages);
    arena_free(&arena);
}

static double seconds_of(const struct rusage *used) {
    return (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) +
           (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec) / 1e6;
}

// CPU time of the search so far, its ended children included.
static double seconds_used(void) {
    struct rusage own, children;

    CHECK(getrusage(RUSAGE_SELF, &own) == 0 && getrusage(RUSAGE_CHILDREN, &children) == 0, "CPU time is not counted");
    return seconds_of(&own) + seconds_of(&children);
}

// Plans in a child process, with ten times the limit as its limit of CPU time.
static void measure(Input *input, double limit) {
    struct rusage used;
    int status;
    pid_t child = fork();

    CHECK(child >= 0, "no process for an input");
    if (child == 0) {
        setrlimit(RLIMIT_CPU, &(struct rlimit){(rlim_t)(10 * limit) + 1, (rlim_t)(10 * limit) + 2});
        plan(buffer_slice(&input->text));
        _exit(0);
    }
    CHECK(wait4(child, &status, 0, &used) == child, "a child that cannot be waited for");
    input->seconds = seconds_of(&used);
    input->kilobytes = used.ru_maxrss;
    input->crashed = !WIFEXITED(status) && input->seconds < 10 * limit;
}

// --- the search

typedef struct {
    Arena arena;
    Random random;
    InputVec kept;
    double limit;
    const char *findings_dir;
    uint32_t tried, findings;
} Search;

static void read_seed(Search *search, const char *dir, const char *name) {
    Slice path = arena_printf(&search->arena, "%s/%s", dir, name);
    FILE *file = fopen(path.ptr, "r");
    char text[1024];
    Input input = {0};
    size_t length;

    CHECK(file, "%s cannot be read", path.ptr);
    while ((length = fread(text, 1, sizeof text, file)) > 0)
        buffer_append(&input.text, (Slice){text, length});
    fclose(file);
    vec_push(&search->arena, &search->kept, input);
}

static void read_seeds(Search *search, const char *dir) {
    struct dirent **entries;
    int count = scandir(dir, &entries, NULL, alphasort);

    CHECK(count >= 0, "%s cannot be read", dir);
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.')
            read_seed(search, dir, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    CHECK(search->kept.count, "no seeds in %s", dir);
}

static void report(Search *search, const Input *input) {
    Slice path = arena_printf(&search->arena, "%s/slow-%u.yaml", search->findings_dir, search->findings++);
    FILE *file = fopen(path.ptr, "w");

    CHECK(file, "%s cannot be written", path.ptr);
    fwrite(input->text.bytes, 1, input->text.len, file);
    fclose(file);
    printf("%s: %zu bytes, %.2f s, %ld MB%s\n", path.ptr, input->text.len, input->seconds, input->kilobytes >> 10,
           input->crashed ? ", ended by a signal" : "");
    fflush(stdout);
}

// Takes the input. If there are enough it replaces a random one, or is dropped if that was as slow and as large.
static void keep(Search *search, Input input) {
    Input *other;

    if (search->kept.count < KEPT_MAX) {
        vec_push(&search->arena, &search->kept, input);
        return;
    }
    other = &search->kept.items[random_below(&search->random, search->kept.count)];
    if (input.seconds > other->seconds || input.kilobytes > other->kilobytes) {
        buffer_free(&other->text);
        *other = input;
    } else {
        buffer_free(&input.text);
    }
}

static Slice random_kept(Search *search) {
    return buffer_slice(&search->kept.items[random_below(&search->random, search->kept.count)].text);
}

static bool is_finding(const Search *search, const Input *input) {
    return input->crashed || input->seconds > search->limit || input->kilobytes > MEMORY_MAX_KB;
}

// Whether the input is a finding each time that it is measured: a machine that stands still for seconds (a virtual one
// does) counts them as CPU time of whoever was running.
static bool is_finding_again(const Search *search, Input *input) {
    for (int attempt = 0; attempt < 3; attempt++) {
        measure(input, search->limit);
        if (!is_finding(search, input))
            return false;
    }
    return true;
}

static void try_one(Search *search) {
    Slice other = random_kept(search);
    Input input = {0};

    mutate(&search->random, random_kept(search), &input.text);
    if (random_below(&search->random, 8) == 0 && input.text.len + other.len < MANIFEST_MAX)
        buffer_append(&input.text, other); // join two inputs, as of two tenants
    if (!input.text.len || input.text.len >= MANIFEST_MAX) {
        buffer_free(&input.text);
        return;
    }
    search->tried++;
    if (is_finding_again(search, &input)) {
        report(search, &input);
        buffer_free(&input.text);
    } else {
        keep(search, input);
    }
}

int main(int argc, char **argv) {
    Search search = {.limit = 1};
    double seconds = 10;
    uint64_t seed = 1;
    int at = 1;

    for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
        if (strcmp(argv[at], "--seconds") == 0)
            seconds = strtod(argv[at + 1], NULL);
        else if (strcmp(argv[at], "--limit") == 0)
            search.limit = strtod(argv[at + 1], NULL);
        else if (strcmp(argv[at], "--seed") == 0)
            seed = strtoull(argv[at + 1], NULL, 10);
    }
    if (argc - at != 2) {
        fprintf(stderr, "usage: %s [--seconds N] [--seed N] [--limit SECONDS] SEEDS_DIR FINDINGS_DIR\n", argv[0]);
        return 2;
    }
    random_seed(&search.random, seed);
    search.findings_dir = argv[at + 1];
    read_seeds(&search, argv[at]);
    while (seconds_used() < seconds && search.findings < FINDINGS_MAX)
        try_one(&search);
    printf("%u inputs, %u findings\n", search.tried, search.findings);
    for (vec_each(Input, input, &search.kept))
        buffer_free(&input->text);
    arena_free(&search.arena);
    return search.findings ? 1 : 0;
}
