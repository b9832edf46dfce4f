// Program: an integer program, built step by step and solved by Cbc.
#pragma once

#include "base/vec.h"

typedef struct {
    int variable;
    double factor;
} ProgramTerm;
typedef Vec(ProgramTerm) ProgramTermVec;

typedef struct {
    double least, most;
    ProgramTermVec terms;
} ProgramRow;

typedef struct {
    Arena *arena;
    Vec(double) most; // by variable: upper bound; all variables are integers from 0 on
    Vec(ProgramRow) rows;
} Program;

typedef enum { PROGRAM_OPTIMAL, PROGRAM_INFEASIBLE, PROGRAM_UNKNOWN } ProgramStatus;

int program_variable(Program *program, double most);
// least ≤ Σ factor × variable ≤ most; returns the row's number.
uint32_t program_row(Program *program, double least, double most);
void program_term(Program *program, uint32_t row, int variable, double factor);
// Minimises Σ costs × variable; `ret_values` (one per variable) are integers. UNKNOWN: out of time, or Cbc failed.
ProgramStatus program_solve(const Program *program, const double *costs, double seconds, double *ret_values);
