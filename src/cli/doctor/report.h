// The doctor's report for people and programs.
#pragma once

#include "base/buffer.h"
#include "doctor/checks.h"

// O(findings).
void doctor_print_text(Buffer *out, const CheckResultVec *results);
void doctor_print_json(Buffer *out, const CheckResultVec *results);
