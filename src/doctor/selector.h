// Selectors of subnets and security groups against the tags of resources. Reference legacy.md 3.
#pragma once

#include "doctor/facts.h"

typedef enum { FIT_NO, FIT_MAYBE, FIT_YES } Fit;

// Whether a resource fits any term of a selector; FIT_MAYBE: its tags are not all known. O(terms × tags).
Fit selector_fit(const FactSelector *selector, const FactResource *resource);

// The best fit of any resource. O(resources).
Fit selector_fit_any(const FactSelector *selector, const FactResourceVec *resources, bool is_listed);

// Whether some resource has that tag, or may have it. O(resources).
bool selector_tag_is_set(const FactSelector *selector, const TextPair *tag, const FactResourceVec *resources);

// Whether a text is one of the values that a pattern with '*' and, with alternatives, commas stands for. O(length²).
bool selector_value_fits(Slice pattern, bool has_alternatives, Slice text);
