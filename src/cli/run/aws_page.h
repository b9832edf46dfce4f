// The market as a page of metrics shows it: those with source ASKED. Reference aws.md 9.1.
#pragma once

#include "base/buffer.h"
#include "cloud/aws/provider/provider.h"

// Appends a series for each type, offering and trouble. O(them).
void aws_page_print(const MarketFacts *facts, Buffer *page);
