// The controllers of NodePools. Key of each: name of a NodePool. Behaviour: reference lifecycle.md 5 and 6.1.
#pragma once

#include "ctl/ctl.h"

extern const Controller pool_hash_controller;                // nodepool.hash
extern const Controller pool_counter_controller;             // nodepool.counter
extern const Controller pool_readiness_controller;           // nodepool.readiness
extern const Controller pool_registration_health_controller; // nodepool.registrationhealth
extern const Controller pool_validation_controller;          // nodepool.validation
