// karpenter-global-settings: what this ConfigMap says about the nodes of Provisioners. Reference legacy.md 5.5. Its
// other keys are flags of the process today (cli/run/old_settings.h).
#pragma once

#include "legacy/objects.h"

#define GLOBAL_SETTINGS_NAME "karpenter-global-settings"

typedef struct {
    Slice profile;       // aws.defaultInstanceProfile; empty: not known
    TextMap tags;        // aws.tags
    bool unlimited_pods; // aws.enableENILimitedPodDensity is false: 110 pods on a node
    bool drifts;         // featureGates.driftEnabled: else nodes of Provisioners do not drift (legacy.md 5.2)
} GlobalSettings;

// A value that cannot be read.
typedef struct {
    Slice key, expected;
} BadSetting;
typedef Vec(BadSetting) BadSettingVec;

// Whether an object is the ConfigMap; the elements of an API server's list name no kind. O(members).
bool is_global_settings(const Value *object);

// The text of a key; empty: it has none. O(keys).
Slice global_setting(const Value *object, const char *key);

// Reads the keys above. A value that cannot be read is named in `bad`, and its setting stays as it was. Texts are the
// object's. O(size).
void global_settings_read(Arena *arena, const Value *object, GlobalSettings *settings, BadSettingVec *bad);
