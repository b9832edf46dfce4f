// The steps of a lookup of a NodeClass, a file each. Private to the files of NodeClasses.
#pragma once

#include "cloud/aws/provider/class/record.h"

// --- asking.c

// Asks all parts that are due; what they have found is in `turn->class` then.
void class_parts_ask(ClassTurn *turn);
// Whether the condition is one of this provider's.
bool class_has_condition(const AwsProvider *provider, uint32_t condition);

// --- discovered.c

// Logs what a part has found, unless that is what it logged last.
void class_tell_found(const ClassTurn *turn, ClassPart *part, uint32_t condition);

// --- validation.c

// The condition ValidationSucceeded. The record's trial has what failed. Asks EC2 only when the record has no answer to
// what the class is now.
ClassAnswer class_validate(ClassTurn *turn);

// --- dry_run.c

// What the dry runs found: an answer to be remembered, or an error that says nothing of the class. ERR_THROTTLED,
// ERR_TIMEOUT, ERR_IO: nobody's fault, to be asked again in silence.
ErrCode class_dry_run(ClassTurn *turn, Arena *arena, ClassAnswer *ret_answer, Err *err);

// --- answer.c

// The whole answer of a lookup. `validation`: of class_validate.
CloudClass class_answer(ClassTurn *turn, const ClassAnswer *validation, Slice hash);
// The object with the status of the answer, and Ready, as an API server has it when the answer was written.
Value class_answered_object(ClassTurn *turn, const CloudClass *answer);

// --- publish.c

// Publishes the class with what the answer says, if anything differs. ERR_INVALID: it cannot be decoded.
ErrCode class_publish(ClassTurn *turn, const Value *object, Slice hash, Err *err);
// Publishes that there is no such class.
void class_unpublish(AwsProvider *provider, ClassRecord *record);
