// Paths of parameters, family by family.
#include "cloud/aws/ami/parameters.h"

enum { AL2_BEFORE_MINOR = 33, WINDOWS_2025_FROM_MINOR = 35 };

typedef struct {
    Arena *arena;
    AmiParameterVec list;
    Slice version;
    uint32_t minor;
} Paths;

static bool is_latest(const Paths *paths) {
    return slice_eq_text(paths->version, "latest");
}

static void add(Paths *paths, uint32_t variants, Slice path) {
    vec_push(paths->arena, &paths->list, (AmiParameter){path, variants, is_latest(paths)});
}

static void add_amazon_linux_2(Paths *paths) {
    static const struct {
        const char *folder, *image;
        uint32_t variants;
    } rows[] = {{"amazon-linux-2", "amazon-eks-node", AMI_STANDARD},
                {"amazon-linux-2-arm64", "amazon-eks-arm64-node", AMI_STANDARD},
                {"amazon-linux-2-gpu", "amazon-eks-gpu-node", AMI_NVIDIA | AMI_NEURON}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Slice image = is_latest(paths) ? SLICE("recommended")
                                       : arena_printf(paths->arena, "%s-1.%u-%.*s", rows[i].image, paths->minor,
                                                      SLICE_ARG(paths->version));

        add(paths, rows[i].variants,
            arena_printf(paths->arena, "/aws/service/eks/optimized-ami/1.%u/%s/%.*s/image_id", paths->minor,
                         rows[i].folder, SLICE_ARG(image)));
    }
}

static void add_amazon_linux_2023(Paths *paths) {
    static const struct {
        const char *arch, *variant;
        uint32_t variants;
    } rows[] = {{"x86_64", "standard", AMI_STANDARD},
                {"x86_64", "nvidia", AMI_NVIDIA},
                {"x86_64", "neuron", AMI_NEURON},
                {"arm64", "standard", AMI_STANDARD},
                {"arm64", "nvidia", AMI_NVIDIA}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Slice image = is_latest(paths)
                          ? SLICE("recommended")
                          : arena_printf(paths->arena, "amazon-eks-node-al2023-%s-%s-1.%u-%.*s", rows[i].arch,
                                         rows[i].variant, paths->minor, SLICE_ARG(paths->version));

        add(paths, rows[i].variants,
            arena_printf(paths->arena, "/aws/service/eks/optimized-ami/1.%u/amazon-linux-2023/%s/%s/%.*s/image_id",
                         paths->minor, rows[i].arch, rows[i].variant, SLICE_ARG(image)));
    }
}

static void add_bottlerocket(Paths *paths) {
    static const struct {
        const char *suffix, *arch;
        uint32_t variants;
    } rows[] = {{"", "x86_64", AMI_STANDARD | AMI_NEURON},
                {"", "arm64", AMI_STANDARD},
                {"-nvidia", "x86_64", AMI_NVIDIA},
                {"-nvidia", "arm64", AMI_NVIDIA}};
    Slice version = paths->version;

    while (slice_starts_with(version, SLICE("v")))
        version = slice_from(version, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        add(paths, rows[i].variants,
            arena_printf(paths->arena, "/aws/service/bottlerocket/aws-k8s-1.%u%s/%s/%.*s/image_id", paths->minor,
                         rows[i].suffix, rows[i].arch, SLICE_ARG(version)));
}

static void add_windows(Paths *paths, const AmiFamily *family) {
    Slice year = slice_from(family->name, strlen("Windows"));

    vec_push(paths->arena, &paths->list,
             (AmiParameter){arena_printf(paths->arena,
                                         "/aws/service/ami-windows-latest/"
                                         "Windows_Server-%.*s-English-Core-EKS_Optimized-1.%u/image_id",
                                         SLICE_ARG(year), paths->minor),
                            AMI_WINDOWS, true});
}

Slice ami_alias_complaint(Arena *arena, const AmiFamily *family, uint32_t minor) {
    if (slice_eq_text(family->name, "AL2") && minor >= AL2_BEFORE_MINOR)
        return arena_printf(arena, "AL2 has no images for Kubernetes 1.%u; the last are for 1.%u", minor,
                            AL2_BEFORE_MINOR - 1);
    if (slice_eq_text(family->name, "Windows2025") && minor < WINDOWS_2025_FROM_MINOR)
        return arena_printf(arena, "Windows2025 has no images for Kubernetes 1.%u; the first are for 1.%u", minor,
                            WINDOWS_2025_FROM_MINOR);
    return SLICE("");
}

AmiParameterVec ami_parameters(Arena *arena, const AmiFamily *family, Slice version, uint32_t minor) {
    Paths paths = {.arena = arena, .version = version, .minor = minor};

    if (family->windows_build.len)
        add_windows(&paths, family);
    else if (slice_eq_text(family->name, "AL2"))
        add_amazon_linux_2(&paths);
    else if (slice_eq_text(family->name, "AL2023"))
        add_amazon_linux_2023(&paths);
    else if (!family->is_custom)
        add_bottlerocket(&paths);
    return paths.list;
}
