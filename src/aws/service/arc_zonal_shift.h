// ARC zonal shift: zones that workloads are moved away from. Reference aws.md 7.9.
#pragma once

#include "aws/protocol/operation.h"

extern const AwsService arc_zonal_shift_service;

// away_from: a zone's id. applied_status: "APPLIED" or "NOT_APPLIED".
#define ARC_ZONAL_SHIFT(X, T)                                                                                          \
    X(T, STRING, away_from, "awayFrom")                                                                                \
    X(T, TIME, expiry_time, "expiryTime")                                                                              \
    X(T, STRING, applied_status, "appliedStatus")
AWS_STRUCT(ArcZonalShift, ARC_ZONAL_SHIFT);

// A shift that AWS began itself, as long as it lasts; away_from and applied_status as above.
#define ARC_AUTOSHIFT(X, T)                                                                                            \
    X(T, STRING, away_from, "awayFrom")                                                                                \
    X(T, STRING, applied_status, "appliedStatus")
AWS_STRUCT(ArcAutoshift, ARC_AUTOSHIFT);

// resource_identifier: an ARN.
#define ARC_GET_MANAGED_RESOURCE_INPUT(X, T) X(T, STRING, resource_identifier, "resourceIdentifier")
AWS_STRUCT(ArcGetManagedResourceInput, ARC_GET_MANAGED_RESOURCE_INPUT);

#define ARC_GET_MANAGED_RESOURCE_OUTPUT(X, T)                                                                          \
    X(T, LIST, zonal_shifts, "zonalShifts", ArcZonalShift)                                                             \
    X(T, LIST, autoshifts, "autoshifts", ArcAutoshift)
AWS_STRUCT(ArcGetManagedResourceOutput, ARC_GET_MANAGED_RESOURCE_OUTPUT);

// The zonal shifts of a resource; those that are applied and not over count.
extern const AwsOperation arc_get_managed_resource;
