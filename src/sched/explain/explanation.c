// Completes a reason.
#include "sched/explain/explanation.h"

bool explain_fail(Explanation *e, Check check, Symbol subject) {
    e->reason->check = check;
    e->reason->subject = subject;
    e->reason->text = arena_slice(e->solver->result, buffer_slice(&e->text));
    return true;
}
