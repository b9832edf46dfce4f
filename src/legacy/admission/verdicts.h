// What each webhook decides about an object that is created or changed. Private to legacy/admission.
#pragma once

#include "legacy/admission/review.h"

AdmissionVerdict verdict_default(Arena *arena, const Review *review);
AdmissionVerdict verdict_validate_aws(Arena *arena, const Review *review);
AdmissionVerdict verdict_validate_core(Arena *arena, const Review *review);
AdmissionVerdict verdict_validate_config(Arena *arena, const Review *review);
