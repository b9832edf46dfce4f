// The rules, and the violations.
#include "sim/audit/audit_rules.h"

#include <stdarg.h>
#include <stdio.h>

static const struct {
    const char *name, *text;
} rules[] = {
#define X(rule, name, text) {name, text},
    AUDIT_RULES(X)
#undef X
};

const char *audit_rule_name(AuditRule rule) {
    return rules[rule].name;
}

const char *audit_rule_text(AuditRule rule) {
    return rules[rule].text;
}

void audit_violate(Audit *audit, AuditRule rule, const char *format, ...) {
    char text[512];
    va_list args;

    audit->violation_count++;
    if (audit->violations.count == VIOLATIONS_MAX)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    vec_push(&audit->arena, &audit->violations,
             (Violation){rule, world_now_ns(audit->world), arena_slice(&audit->arena, slice_of(text))});
}
