// Hydration and the state of NodePools come first, since other controllers read what they write.
#include "ctl/controllers.h"

#include "ctl/claim/consistency.h"
#include "ctl/claim/disruption.h"
#include "ctl/claim/expiration.h"
#include "ctl/claim/garbage_collection.h"
#include "ctl/claim/hydration.h"
#include "ctl/claim/interruption.h"
#include "ctl/claim/lifecycle.h"
#include "ctl/claim/link.h"
#include "ctl/claim/orphans.h"
#include "ctl/claim/pod_events.h"
#include "ctl/class/class.h"
#include "ctl/cloud/controllers.h"
#include "ctl/cloud/refresh.h"
#include "ctl/common/condition_events.h"
#include "ctl/disruption/disruption.h"
#include "ctl/node/eviction_queue.h"
#include "ctl/node/hydration.h"
#include "ctl/node/reboot.h"
#include "ctl/node/termination.h"
#include "ctl/outlook/deletion_cost.h"
#include "ctl/outlook/planned_taint.h"
#include "ctl/pool/controllers.h"
#include "ctl/pool/static_capacity.h"
#include "ctl/provision/provisioner.h"

const Controller *const controllers[] = {&claim_hydration_controller,
                                         &node_hydration_controller,
                                         &pool_hash_controller,
                                         &pool_validation_controller,
                                         &pool_readiness_controller,
                                         &pool_registration_health_controller,
                                         &pool_counter_controller,
                                         &claim_lifecycle_controller,
                                         &claim_expiration_controller,
                                         &claim_collection_controller,
                                         &claim_consistency_controller,
                                         &claim_pod_events_controller,
                                         &claim_orphans_controller,
                                         &claim_link_controller,
                                         &node_termination_controller,
                                         &eviction_queue_controller,
                                         &static_provisioning_controller,
                                         &static_deprovisioning_controller,
                                         &provisioner_controller,
                                         &condition_events_controller,
                                         &claim_disruption_controller,
                                         &disruption_controller,
                                         &interruption_controller,
                                         &reboot_controller,
                                         &deletion_cost_controller,
                                         &planned_taint_controller,
                                         &class_controller,
                                         &class_hash_controller,
                                         &claim_tagging_controller,
                                         &learned_capacity_controller,
                                         &capacity_type_controller,
#define X(name, ...) &refresh_##name##_controller,
                                         CLOUD_REFRESHES(X)
#undef X
};

const uint32_t controller_count = sizeof controllers / sizeof *controllers;
