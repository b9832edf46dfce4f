// Complaints about whole objects, merged and printed as knative's field errors are.
#include "legacy/complaints.h"

#include "legacy/complain.h"

#include "base/buffer.h"

#include <stdlib.h>

void provisioner_core_complaints(Arena *arena, const OldProvisioner *provisioner, ComplaintVec *complaints) {
    Judge judge = {arena, complaints};

    judge_provisioner(&judge, provisioner);
    judge_labels(&judge, &provisioner->labels);
    judge_taints(&judge, provisioner);
    judge_requirements(&judge, &provisioner->requirements);
    judge_kubelet(&judge, provisioner->kubelet);
}

void provisioner_aws_complaints(Arena *arena, const OldProvisioner *provisioner, ComplaintVec *complaints) {
    Judge judge = {arena, complaints};

    if (provisioner->provider)
        judge_aws(&judge, "provider", provisioner->provider);
}

void provisioner_complaints(Arena *arena, const OldProvisioner *provisioner, ComplaintVec *complaints) {
    provisioner_core_complaints(arena, provisioner, complaints);
    provisioner_aws_complaints(arena, provisioner, complaints);
}

void node_template_complaints(Arena *arena, const OldNodeTemplate *template, ComplaintVec *complaints) {
    Judge judge = {arena, complaints};

    judge_aws(&judge, "spec.provider", &template->aws);
    judge_template(&judge, &template->aws);
}

static int by_text(const void *a, const void *b) {
    return slice_cmp(*(const Slice *)a, *(const Slice *)b);
}

static int by_message(const void *a, const void *b) {
    const Complaint *x = a, *y = b;
    int order = slice_cmp(x->message, y->message);

    return order ? order : slice_cmp(x->details, y->details);
}

static void add_paths(Arena *arena, SliceVec *paths, const SliceVec *more) {
    for (vec_each(const Slice, path, more))
        vec_push(arena, paths, *path);
}

static void print_one(Buffer *out, const Complaint *complaint, SliceVec *paths) {
    const char *before = ": ";

    if (paths->count)
        qsort(paths->items, paths->count, sizeof *paths->items, by_text);
    buffer_append(out, complaint->message);
    for (vec_each(const Slice, path, paths)) {
        if (path > paths->items && slice_eq(*path, path[-1]))
            continue;
        buffer_printf(out, "%s%.*s", before, SLICE_ARG(*path));
        before = ", ";
    }
    if (complaint->details.len)
        buffer_printf(out, "\n%.*s", SLICE_ARG(complaint->details));
}

Slice complaints_print(Arena *arena, const ComplaintVec *complaints) {
    ComplaintVec sorted = {0};
    Buffer out = {0};
    Slice text;

    for (vec_each(const Complaint, complaint, complaints))
        vec_push(arena, &sorted, *complaint);
    if (sorted.count)
        qsort(sorted.items, sorted.count, sizeof *sorted.items, by_message);
    buffer_append(&out, SLICE("validation failed: "));
    for (uint32_t i = 0, next; i < sorted.count; i = next) {
        SliceVec paths = {0};

        for (next = i; next < sorted.count && by_message(&sorted.items[i], &sorted.items[next]) == 0; next++)
            add_paths(arena, &paths, &sorted.items[next].paths);
        buffer_append(&out, i ? SLICE("\n") : SLICE(""));
        print_one(&out, &sorted.items[i], &paths);
    }
    text = arena_slice(arena, buffer_slice(&out));
    buffer_free(&out);
    return text;
}
