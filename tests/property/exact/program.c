// Cbc behind program.h. Each program is solved in a process of its own, which an assertion of Clp may end.
#include "exact/program.h"

#include <coin/Cbc_C_Interface.h>
#include <math.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int program_variable(Program *program, double most) {
    vec_push(program->arena, &program->most, most);
    return (int)program->most.count - 1;
}

uint32_t program_row(Program *program, double least, double most) {
    vec_push(program->arena, &program->rows, (ProgramRow){.least = least, .most = most});
    return program->rows.count - 1;
}

void program_term(Program *program, uint32_t row, int variable, double factor) {
    vec_push(program->arena, &program->rows.items[row].terms, (ProgramTerm){variable, factor});
}

// The rows column by column, as Cbc loads them. (Its functions that add row by row lose terms of long rows.)
static void load(Cbc_Model *model, const Program *program, const double *costs) {
    int variables = (int)program->most.count, rows = (int)program->rows.count, count = 0;
    Arena arena = {0};
    int *starts = arena_array(&arena, int, variables + 2), *indexes;
    double *factors, *row_least = arena_array(&arena, double, rows + 1),
                     *row_most = arena_array(&arena, double, rows + 1);
    double *least = arena_array(&arena, double, variables + 1);

    for (vec_each(const ProgramRow, row, &program->rows)) {
        row_least[row - program->rows.items] = row->least;
        row_most[row - program->rows.items] = row->most;
        for (vec_each(const ProgramTerm, term, &row->terms))
            starts[term->variable + 2]++;
        count += (int)row->terms.count;
    }
    for (int i = 2; i < variables + 2; i++)
        starts[i] += starts[i - 1];
    indexes = arena_array(&arena, int, count + 1);
    factors = arena_array(&arena, double, count + 1);
    for (vec_each(const ProgramRow, row, &program->rows)) {
        for (vec_each(const ProgramTerm, term, &row->terms)) {
            indexes[starts[term->variable + 1]] = (int)(row - program->rows.items);
            factors[starts[term->variable + 1]++] = term->factor;
        }
    }
    Cbc_loadProblem(model, variables, rows, starts, indexes, factors, least, program->most.items, costs, row_least,
                    row_most);
    for (int i = 0; i < variables; i++)
        Cbc_setInteger(model, i);
    arena_free(&arena);
}

// Ways to solve. Clp ends the process in an assertion for a few programs, each of which another way solves.
typedef struct {
    const char *parameter, *value; // of Cbc, in addition
} Way;
static const Way ways[] = {{"preprocess", "off"}, {"presolve", "off"}, {"scaling", "off"}, {"cuts", "off"}};
enum { WAYS = sizeof ways / sizeof *ways };

static Cbc_Model *make_model(const Program *program, const double *costs, double seconds, const Way *way) {
    Cbc_Model *model = Cbc_newModel();

    load(model, program, costs);
    Cbc_setObjSense(model, 1);
    Cbc_setLogLevel(model, 0);
    Cbc_setParameter(model, "log", "0");
    Cbc_setParameter(model, "slog", "0");
    Cbc_setParameter(model, "preprocess", "off"); // it prints, and gains little with so few rows
    Cbc_setParameter(model, "ratioGap", "0");
    Cbc_setParameter(model, "increment", "1e-7");
    Cbc_setParameter(model, way->parameter, way->value);
    Cbc_setMaximumSeconds(model, seconds);
    return model;
}

// Checks Cbc's solution against the rows, in integers.
static bool is_solution(const Program *program, const double *values) {
    for (uint32_t i = 0; i < program->most.count; i++) {
        if (values[i] < 0 || values[i] > program->most.items[i])
            return false;
    }
    for (vec_each(const ProgramRow, row, &program->rows)) {
        double sum = 0, size = 1;

        for (vec_each(ProgramTerm, term, &row->terms)) {
            sum += term->factor * values[term->variable];
            size += fabs(term->factor * values[term->variable]);
        }
        if (sum < row->least - 1e-9 * size || sum > row->most + 1e-9 * size)
            return false;
    }
    return true;
}

static ProgramStatus solve(const Program *program, const double *costs, double seconds, const Way *way,
                           double *ret_values) {
    Cbc_Model *model = make_model(program, costs, seconds, way);
    ProgramStatus status = PROGRAM_UNKNOWN;
    const double *values;

    Cbc_solve(model);
    values = Cbc_bestSolution(model); // Cbc_getColSolution may be that of a relaxation
    if (Cbc_isProvenInfeasible(model) || Cbc_isInitialSolveProvenPrimalInfeasible(model)) {
        status = PROGRAM_INFEASIBLE;
    } else if (Cbc_isProvenOptimal(model) && values) {
        for (uint32_t i = 0; i < program->most.count; i++)
            ret_values[i] = nearbyint(values[i]);
        if (is_solution(program, ret_values))
            status = PROGRAM_OPTIMAL;
    }
    Cbc_deleteModel(model);
    return status;
}

// --- in a process of its own

// The child's part: writes status and values, and ends.
static void solve_and_tell(const Program *program, const double *costs, double seconds, const Way *way, int to) {
    Arena arena = {0};
    double *values = arena_array(&arena, double, program->most.count);
    ProgramStatus status = solve(program, costs, seconds, way, values);
    FILE *out = fdopen(to, "w");
    bool told = out && fwrite(&status, sizeof status, 1, out) == 1 &&
                fwrite(values, sizeof *values, program->most.count, out) == program->most.count && fclose(out) == 0;

    _exit(told ? 0 : 1);
}

// Whether the solver came to an end.
static bool solve_apart(const Program *program, const double *costs, double seconds, const Way *way,
                        ProgramStatus *ret_status, double *ret_values) {
    int ends[2];
    pid_t child;
    FILE *in;
    bool heard;

    fflush(NULL);
    CHECK(pipe(ends) == 0, "no pipe");
    child = fork();
    CHECK(child >= 0, "no process");
    if (child == 0) {
        close(ends[0]);
        solve_and_tell(program, costs, seconds, way, ends[1]);
    }
    close(ends[1]);
    in = fdopen(ends[0], "r");
    heard = in && fread(ret_status, sizeof *ret_status, 1, in) == 1 &&
            fread(ret_values, sizeof *ret_values, program->most.count, in) == program->most.count;
    if (in)
        fclose(in);
    CHECK(waitpid(child, NULL, 0) == child, "no child");
    return heard;
}

ProgramStatus program_solve(const Program *program, const double *costs, double seconds, double *ret_values) {
    for (int i = 0; i < WAYS; i++) {
        ProgramStatus status;

        if (solve_apart(program, costs, seconds, &ways[i], &status, ret_values))
            return status;
        printf("Cbc gave up with %s %s\n", ways[i].parameter, ways[i].value);
    }
    return PROGRAM_UNKNOWN;
}
