// Symbols of Nodes that come and go.
#pragma once

#include "cloud/kwok/provider/parts.h"

// The symbols for interning, until kwok_words_end. Texts stay readable long after it.
Symbols *kwok_words_begin(KwokProvider *provider);
void kwok_words_end(KwokProvider *provider);
void kwok_words_init(KwokProvider *provider);
void kwok_words_free(KwokProvider *provider);
