// What the files of checks share. Private to src/doctor.
#pragma once

#include "doctor/checks.h"

typedef struct {
    Arena *arena;
    const Facts *facts;
    FindingVec *findings;
} Examination;

// Adds a finding; `fix` is text of its own, `format` printf's for what is wrong.
__attribute__((format(printf, 6, 7))) void find(const Examination *examination, CheckStatus status, FactPlace place,
                                                Slice object, Slice fix, const char *format, ...);
Slice pool_object(const Examination *examination, const FactPool *pool);
Slice class_object(const Examination *examination, const FactClass *class);
// The values that a pool's requirements and labels allow for a key.
bool pool_allows(const FactPool *pool, const char *key, Slice value);

// Whether a check has anything to look at.
bool has_anything(const Facts *facts);
bool has_pools(const Facts *facts);
bool has_several_pools(const Facts *facts);
bool has_pools_and_classes(const Facts *facts);
bool has_classes(const Facts *facts);
bool has_classes_and_terraform(const Facts *facts);
bool has_listed_subnets(const Facts *facts);
bool has_listed_groups(const Facts *facts);
bool has_groups(const Facts *facts);
bool has_pools_and_subnets(const Facts *facts);
bool has_old_pools_and_ports(const Facts *facts);
bool has_auth(const Facts *facts);
bool has_controller_and_nodes(const Facts *facts);
bool has_roles(const Facts *facts);
bool has_settings(const Facts *facts);
bool has_versions(const Facts *facts);
bool has_hints(const Facts *facts);
bool has_server(const Facts *facts);
bool has_definitions(const Facts *facts);
bool has_rights(const Facts *facts);
bool has_reads(const Facts *facts);
bool has_aws_calls(const Facts *facts);
bool has_profiles(const Facts *facts);
bool has_node_roles(const Facts *facts);
bool has_queue_answer(const Facts *facts);
bool has_queue_policy(const Facts *facts);
bool has_queue_key(const Facts *facts);
bool has_queue_rules(const Facts *facts);
bool has_prices(const Facts *facts);

void check_duplicates(const Examination *examination);
void check_strangers(const Examination *examination);
void check_refusals(const Examination *examination);

void check_label_keys(const Examination *examination);
void check_exclusive_pools(const Examination *examination);
void check_lifetimes(const Examination *examination);
void check_references(const Examination *examination);

void check_selectors(const Examination *examination);
void check_terraform_tags(const Examination *examination);
void check_subnets(const Examination *examination);
void check_groups(const Examination *examination);
void check_group_tags(const Examination *examination);
void check_webhook_port(const Examination *examination);
void check_addresses(const Examination *examination);
void check_zones(const Examination *examination);

void check_identity(const Examination *examination);
void check_auth(const Examination *examination);
void check_spot_role(const Examination *examination);
void check_replicas(const Examination *examination);
void check_queue(const Examination *examination);
void check_versions(const Examination *examination);

void check_hints(const Examination *examination);

void check_server(const Examination *examination);
void check_definitions(const Examination *examination);
void check_rights(const Examination *examination);
void check_reads(const Examination *examination);

void check_aws_calls(const Examination *examination);
void check_profiles(const Examination *examination);
void check_node_policies(const Examination *examination);
void check_queue_answer(const Examination *examination);
void check_queue_policy(const Examination *examination);
void check_queue_key(const Examination *examination);
void check_queue_rules(const Examination *examination);
void check_prices(const Examination *examination);
