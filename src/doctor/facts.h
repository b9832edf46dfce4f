// What the checks look at: facts about a cluster and its surroundings, whatever they were read from.
//
// All of it is gathered in one place (gather.h) before anything is judged, so that a check is a function of facts
// alone. Texts live as long as what was read. Reference legacy.md 1 (the rows that name `doctor` and `lint`).
#pragma once

#include "legacy/objects.h"

typedef struct {
    Slice file;
    uint32_t line; // 0: of the whole file
} FactPlace;

// Tags of a resource of AWS. A value whose `ptr` is NULL is not known.
typedef struct {
    TextMap pairs;
    bool is_open; // there may be more
} FactTags;

// Ports of TCP that a security group lets somebody in on, both ends included.
typedef struct {
    int64_t from, to;
} FactPorts;
typedef Vec(FactPorts) FactPortsVec;

// A subnet or a security group: as AWS lists it, or as Terraform makes it.
typedef struct {
    FactPlace place;
    Slice name;  // "subnet-1", "aws_subnet.private"
    Slice alias; // GroupName; empty: none
    FactTags tags;
    Slice zone;         // of a subnet; empty: not known
    int64_t free_ips;   // of a subnet; -1: not known
    FactPortsVec ports; // of a security group, if ...
    bool has_ports;     // ... they are known
    bool is_listed;     // by AWS; else made by Terraform
} FactResource;
typedef Vec(FactResource) FactResourceVec;

// One term of a selector; a resource has to fit all of it.
typedef struct {
    SliceVec ids; // or names of security groups
    TextMap tags; // values may have '*'
} FactTerm;
typedef Vec(FactTerm) FactTermVec;

typedef struct {
    const char *field; // "spec.subnetSelector"
    FactPlace place;
    FactTermVec terms;     // any of them
    bool has_alternatives; // commas in values separate alternatives
} FactSelector;

// A Provisioner or a NodePool.
typedef struct {
    FactPlace place;
    Slice kind, name, class_name;   // class_name empty: none
    OldRequirementVec requirements; // with the webhook's defaults of a Provisioner
    uint32_t written;               // of these, those of the manifest
    OldTaintVec taints;
    TextMap labels; // of nodes
    int64_t weight;
    const char *lifetime_field;
    int64_t lifetime_s; // -1: for ever
} FactPool;
typedef Vec(FactPool) FactPoolVec;

// An AWSNodeTemplate, an EC2NodeClass, or a Provisioner's inline provider.
typedef struct {
    FactPlace place;
    Slice kind, name;
    FactSelector subnets, groups;
    Slice role, profile; // empty: not given
    bool has_template;   // a launch template of its own
} FactClass;
typedef Vec(FactClass) FactClassVec;

// An entry of mapRoles in aws-auth.
typedef struct {
    FactPlace place;
    Slice role; // ARN; `ptr` NULL: not known
    Slice username;
    SliceVec groups;
} FactMapping;
typedef Vec(FactMapping) FactMappingVec;

// A setting that may come from the ConfigMap, from the controller's environment or from Helm. `value.ptr` NULL, where
// it is given: not known.
typedef struct {
    FactPlace place;
    bool is_given;
    Slice value;
} FactSetting;

// Something that was found wrong while reading: a whole sentence.
typedef struct {
    FactPlace place;
    Slice object, text, fix;
} FactRemark;
typedef Vec(FactRemark) FactRemarkVec;

// A node as topology hints look at it: ready, and of no control plane.
typedef struct {
    FactPlace place;
    Slice name, zone;  // zone empty: none
    int64_t cpu_milli; // allocatable; 0: none
} FactNode;
typedef Vec(FactNode) FactNodeVec;

// A Service that asks for topology hints.
typedef struct {
    FactPlace place;
    Slice ns, name;
} FactService;
typedef Vec(FactService) FactServiceVec;

// The ready endpoints of an EndpointSlice.
typedef struct {
    Slice ns, service;
    uint32_t ready;
} FactEndpoints;
typedef Vec(FactEndpoints) FactEndpointsVec;

// A kind of the API server's that tenon needs.
typedef struct {
    Slice name;      // "nodepools.karpenter.sh"
    Slice version;   // that tenon reads
    bool is_served;  // in that version
    SliceVec others; // else: the versions that it is served in
    Slice storage;   // the version that its objects are written in; empty: not known
    SliceVec stored; // those that objects may still be stored in; empty: not known
} FactDefinition;
typedef Vec(FactDefinition) FactDefinitionVec;

// A right that tenon needs, as the API server judges it.
typedef struct {
    uint32_t row;               // of the table of rights; neighbours of one row are granted together
    Slice group, ns;            // empty: the core group; the whole cluster
    Slice verb, resource, name; // name empty: all
    const char *purpose;        // not empty: not everybody needs it
    bool is_allowed;
} FactRight;
typedef Vec(FactRight) FactRightVec;

// Something that was asked of a server, and what came of it.
typedef struct {
    Slice what;   // "pods", "ec2:DescribeSubnets"
    Slice object; // whose sake it was asked for; empty: nobody's
    ErrCode code; // OK: it was answered
    Slice text;   // of the error
} FactCall;
typedef Vec(FactCall) FactCallVec;

// A question of the doctor's own to the API server, whoever's rights are looked at.
typedef struct {
    Slice verb, resource, name; // "list", "deployments.apps", ""; name empty: all
    ErrCode code;               // OK: it was answered
    Slice text;                 // of the error
} FactRead;
typedef Vec(FactRead) FactReadVec;

// An instance profile that a class names.
typedef struct {
    Slice name, object;
    ErrCode code;
    Slice role; // empty: it has none
} FactProfile;
typedef Vec(FactProfile) FactProfileVec;

// A role that nodes get, by a class or by the instance profile that a class names.
typedef struct {
    Slice name, object;
    FactCall call;     // for its policies
    SliceVec policies; // ARNs of the managed ones that it has
} FactRole;
typedef Vec(FactRole) FactRoleVec;

// An event that the interruption queue is there for.
typedef struct {
    Slice source, detail_type; // "aws.ec2", "EC2 Spot Instance Interruption Warning"
    bool ends_spot;            // of Spot that takes an instance back
} FactEvent;
typedef Vec(FactEvent) FactEventVec;

// A rule of EventBridge that sends what it lets through to the queue.
typedef struct {
    Slice name, pattern; // JSON; empty: none
    bool is_enabled;
} FactRule;
typedef Vec(FactRule) FactRuleVec;

// What a live cluster and AWS themselves said.
typedef struct {
    FactCall server; // what empty: nobody was asked
    Slice version;   // "v1.35.0"
    Slice user;      // whose rights are looked at; empty: not known
    Slice reader;    // who reads; empty: not known
    FactDefinitionVec definitions;
    FactRightVec rights;
    bool has_rights;
    FactReadVec reads;     // what the other checks are about
    FactCallVec aws_calls; // empty: AWS was not asked
    FactProfileVec profiles;
    FactRoleVec roles;
    Slice partition; // of AWS: "aws-cn"
    FactCall queue;  // what empty: not asked
    Slice queue_arn, queue_url;
    FactCall queue_policy_call; // for the next two; what empty: not asked
    Slice queue_policy;         // JSON; empty: it has none
    Slice queue_key;            // of AWS's KMS, that encrypts it: an id, an ARN or an alias; empty: none
    FactCall rules_call;        // for the rules of the queue; what empty: not asked
    FactEventVec events;
    FactRuleVec rules;
    bool has_prices, has_spot_prices, has_products;
} FactLive;

typedef struct {
    FactRemarkVec duplicates, strangers, refusals;
    uint32_t objects; // of Karpenter's kinds

    FactPoolVec pools;
    FactClassVec classes;
    FactResourceVec subnets, groups;
    bool has_terraform;  // blocks were read
    FactPlace terraform; // the first of them
    uint32_t listed_subnets, listed_groups;
    bool has_listed_subnets, has_listed_groups;

    FactMappingVec mappings;
    FactPlace auth;
    bool has_auth, has_open_auth; // aws-auth was read; some of it is not known
    bool has_access_entry;        // Terraform gives nodes access without aws-auth

    FactSetting profile, queue;
    bool has_settings; // karpenter-global-settings, the controller or its chart were read
    FactPlace settings;
    bool makes_queue;              // Terraform does
    FactSetting chart, kubernetes; // their versions: "v0.27.0", "1.32"

    bool has_controller;
    FactPlace controller;
    int64_t replicas;
    uint32_t nodes, foreign_nodes; // of the cluster; those that no pool made

    FactNodeVec workers;
    FactServiceVec hinted; // Services
    FactEndpointsVec endpoints;

    FactLive live;
    bool has_roles, has_spot_role; // AWS's list of roles; AWSServiceRoleForEC2Spot, in it or in Terraform
} Facts;
