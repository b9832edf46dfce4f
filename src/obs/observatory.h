// All that a process shows of itself, put together: the registry, who feeds it, the page and its servers.
//
//   observatory_new → its witness into EngineConfig → engine_new → observatory_serve → … → observatory_close →
//   engine_free → observatory_free
#pragma once

#include "obs/onlooker.h"
#include "obs/page.h"

typedef struct Observatory Observatory;

// `symbols`: of the State that the engine is given. `cluster_series` false: no series of objects
// (--disable-cluster-state-observability).
Observatory *observatory_new(const Symbols *symbols, const char *provider, const char *commit, Clock clock,
                             bool cluster_series);
void observatory_free(Observatory *observatory);

Registry *observatory_registry(Observatory *observatory);
Page *observatory_page(Observatory *observatory);
const Witness *observatory_witness(Observatory *observatory);

// From now on pages come from this engine; NULL: from none (it is ending). Pages wait no longer than a moment for it.
void observatory_follow(Observatory *observatory, Engine *engine);
