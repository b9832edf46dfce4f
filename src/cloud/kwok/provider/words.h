// KwokWords: symbols of Nodes, which are released some time after their last use.
#pragma once

#include "cloud/kwok/provider/parts.h"

// Symbols for interning, until kwok_words_end. The texts stay readable for long after it.
Symbols *kwok_words_begin(KwokProvider *provider);
void kwok_words_end(KwokProvider *provider);
void kwok_words_init(KwokProvider *provider);
void kwok_words_free(KwokProvider *provider);
