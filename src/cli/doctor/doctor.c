// Texts to documents and blocks, these to facts, these to results.
#include "cli/doctor/doctor.h"

#include "cli/doctor/report.h"
#include "cli/load_manifests.h"
#include "doctor/gather.h"
#include "doctor/terraform.h"

static bool is_terraform(const InputText *input) {
    return slice_ends_with(input->file, SLICE(".tf"));
}

static ErrCode read_manifest(Arena *arena, const InputText *input, DocumentVec *documents, Facts *facts, Err *err) {
    WarningVec warnings = {0};

    TRY(manifest_parse(arena, input, &(ParseOptions){0}, documents, &warnings, err));
    gather_duplicates(arena, input->file, &warnings, facts);
    return OK;
}

static ErrCode read_all(Arena *arena, const DoctorOptions *options, DocumentVec *documents, HclBlockVec *blocks,
                        Facts *facts, Err *err) {
    for (vec_each(const InputText, input, &options->inputs)) {
        if (is_terraform(input))
            TRY(hcl_read(arena, input->file, input->text, blocks, err));
        else
            TRY(read_manifest(arena, input, documents, facts, err));
    }
    return OK;
}

// What the cluster says of its settings weighs more than the Terraform that once made it, so it is read later.
static ErrCode gather(Arena *arena, const DoctorOptions *options, Facts *facts, Err *err) {
    DocumentVec documents = {0};
    HclBlockVec blocks = {0};

    if (options->live)
        return live_gather(arena, options->live, facts, err);
    TRY(read_all(arena, options, &documents, &blocks, facts, err));
    if (!documents.count && !blocks.count)
        return err_set(err, ERR_INVALID, "nothing to look at: the files are empty");
    terraform_gather(arena, &blocks, facts);
    gather_documents(arena, &documents, facts);
    return OK;
}

static int judge(const CheckResultVec *results, bool strict) {
    CheckStatus limit = strict ? CHECK_WARNING : CHECK_ERROR;

    for (vec_each(const CheckResult, result, results)) {
        if (result->status >= limit)
            return EXIT_SICK;
    }
    return EXIT_HEALTHY;
}

int doctor_run(const DoctorOptions *options, Buffer *out, Buffer *messages) {
    Arena arena = {0};
    Facts facts = {0};
    CheckResultVec results = {0};
    Err err;
    int status = EXIT_BAD_INPUT;

    if (gather(&arena, options, &facts, &err) == OK) {
        checks_run(&arena, &facts, &results);
        if (options->json)
            doctor_print_json(out, &results);
        else
            doctor_print_text(out, &results);
        status = judge(&results, options->strict);
    } else {
        buffer_printf(messages, "error: %s\n", err.text);
    }
    arena_free(&arena);
    return status;
}
