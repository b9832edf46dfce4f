// Decoding of a spec of pods and templates to a PodSpec.
#include "model/decode/amounts.h"
#include "model/decode/pod.h"
#include "model/decode/taints.h"
#include "model/pod_bounds.h"

#include <inttypes.h>

// What is read from a spec before it becomes a PodSpec.
typedef struct {
    PodSpec spec;
    PodParts parts;
    bool host_network;
} SpecRecord;

// Containers.

static const Field container_resources_fields[] = {
    FIELD_CUSTOM_WITH(Container, requests, "requests", decode_requests, ),
    FIELD_CUSTOM_WITH(Container, limits, "limits", decode_requests, ),
};
static const FieldTable container_resources_table = FIELD_TABLE(Container, container_resources_fields);

static ErrCode decode_restart_policy(Decoder *decoder, const Value *value, void *ret_restartable, Err *err) {
    TRY(decode_expect(decoder, value, VALUE_STRING, err));
    *(bool *)ret_restartable = slice_eq_text(value->text, "Always");
    return OK;
}

static const Field container_fields[] = {
    FIELD(Container, name, "name", FIELD_SYMBOL, ),
    FIELD_FLAT("resources", container_resources_table, ),
    FIELD_CUSTOM_WITH(Container, restartable, "restartPolicy", decode_restart_policy, ),
    FIELD(Container, ports, "ports", FIELD_VALUE, ),
};
static const FieldTable container_table = FIELD_TABLE(Container, container_fields);

static const Field status_resources_fields[] = {
    FIELD_CUSTOM_WITH(ContainerStatus, requests, "requests", decode_requests, ),
};
static const FieldTable status_resources_table = FIELD_TABLE(ContainerStatus, status_resources_fields);

static const Field container_status_fields[] = {
    FIELD(ContainerStatus, name, "name", FIELD_SYMBOL, ),
    FIELD_FLAT_HAS(ContainerStatus, has_resources, "resources", status_resources_table),
    FIELD_CUSTOM_WITH(ContainerStatus, allocated, "allocatedResources", decode_requests, ),
};
static const FieldTable container_status_table = FIELD_TABLE(ContainerStatus, container_status_fields);

static ErrCode decode_statuses(Decoder *decoder, const Value *value, ContainerStatusVec *ret_statuses, Err *err) {
    if (!value || value->kind != VALUE_LIST)
        return OK;
    for (uint32_t i = 0; i < value->list.count; i++)
        TRY(decode_object(decoder, &value->list.items[i], &container_status_table,
                          vec_add(decoder->arena, ret_statuses), err));
    return OK;
}

// Host ports.

typedef struct {
    int32_t container_port, host_port;
    Protocol protocol;
    Symbol ip;
} PortRecord;

static ErrCode decode_protocol(Decoder *decoder, const Value *value, void *ret_protocol, Err *err) {
    static const char *const words[] = {"TCP", "UDP", "SCTP"};
    size_t word;

    TRY(DECODE_WORD(decoder, value, words, &word, err));
    *(Protocol *)ret_protocol = (Protocol)word;
    return OK;
}

static const Field port_fields[] = {
    FIELD(PortRecord, container_port, "containerPort", FIELD_INT32, ),
    FIELD(PortRecord, host_port, "hostPort", FIELD_INT32, ),
    FIELD_CUSTOM_WITH(PortRecord, protocol, "protocol", decode_protocol, ),
    FIELD(PortRecord, ip, "hostIP", FIELD_SYMBOL, ),
};
static const FieldTable port_table = FIELD_TABLE(PortRecord, port_fields);

// Decodes a container port. On the host's network every container port is a host port (API server default).
static ErrCode decode_port(Decoder *decoder, const Value *value, bool host_network, HostPortVec *ports, Err *err) {
    PortRecord port = {0};

    TRY(decode_object(decoder, value, &port_table, &port, err));
    if (host_network && port.host_port == 0)
        port.host_port = port.container_port;
    if (port.host_port < 0 || port.host_port > UINT16_MAX)
        return decode_fail(decoder, value, err, "hostPort must be between 1 and 65535, got %" PRId32, port.host_port);
    if (port.host_port)
        vec_push(decoder->arena, ports,
                 (HostPort){.ip = port.ip != NAME_EMPTY ? port.ip : symbol_intern(decoder->symbols, SLICE("0.0.0.0")),
                            .port = (uint16_t)port.host_port,
                            .protocol = port.protocol});
    return OK;
}

static ErrCode decode_ports(Decoder *decoder, const Value *list, bool host_network, HostPortVec *ports, Err *err) {
    if (!list)
        return OK;
    decode_enter(decoder, SLICE("ports"));
    TRY(decode_expect(decoder, list, VALUE_LIST, err));
    for (uint32_t i = 0; i < list->list.count; i++) {
        decode_enter_index(decoder, i);
        TRY(decode_port(decoder, &list->list.items[i], host_network, ports, err));
        decode_leave(decoder);
    }
    decode_leave(decoder);
    return OK;
}

// Collects the host ports of containers and sidecars, which hold them while the pod runs; other init containers do not.
static ErrCode decode_host_ports(Decoder *decoder, SpecRecord *record, Err *err) {
    decode_enter(decoder, SLICE("containers"));
    for (uint32_t i = 0; i < record->parts.containers.count; i++) {
        decode_enter_index(decoder, i);
        TRY(decode_ports(decoder, record->parts.containers.items[i].ports, record->host_network,
                         &record->spec.host_ports, err));
        decode_leave(decoder);
    }
    decode_leave(decoder);

    decode_enter(decoder, SLICE("initContainers"));
    for (uint32_t i = 0; i < record->parts.init_containers.count; i++) {
        const Container *container = &record->parts.init_containers.items[i];

        decode_enter_index(decoder, i);
        if (container->restartable)
            TRY(decode_ports(decoder, container->ports, record->host_network, &record->spec.host_ports, err));
        decode_leave(decoder);
    }
    decode_leave(decoder);
    return OK;
}

// Volumes: only those with a claim are kept.

typedef struct {
    Symbol name, claim_name, storage_class;
    bool ephemeral, has_claim, has_storage_class;
} VolumeRecord;

static const Field volume_claim_fields[] = {
    FIELD(VolumeRecord, claim_name, "claimName", FIELD_SYMBOL, .required = true),
};
static const FieldTable volume_claim_table = FIELD_TABLE(VolumeRecord, volume_claim_fields);
static const Field claim_spec_fields[] = {
    FIELD_HAS(VolumeRecord, storage_class, has_storage_class, "storageClassName", FIELD_SYMBOL, ),
};
static const FieldTable claim_spec_table = FIELD_TABLE(VolumeRecord, claim_spec_fields);
static const Field claim_template_fields[] = {FIELD_FLAT("spec", claim_spec_table, )};
static const FieldTable claim_template_table = FIELD_TABLE(VolumeRecord, claim_template_fields);
static const Field ephemeral_fields[] = {FIELD_FLAT("volumeClaimTemplate", claim_template_table, )};
static const FieldTable ephemeral_table = FIELD_TABLE(VolumeRecord, ephemeral_fields);
static const Field volume_fields[] = {
    FIELD(VolumeRecord, name, "name", FIELD_SYMBOL, ),
    FIELD_FLAT_HAS(VolumeRecord, has_claim, "persistentVolumeClaim", volume_claim_table),
    FIELD_FLAT_HAS(VolumeRecord, ephemeral, "ephemeral", ephemeral_table),
};
static const FieldTable volume_table = FIELD_TABLE(VolumeRecord, volume_fields);

static ErrCode decode_volumes(Decoder *decoder, const Value *value, void *ret_volumes, Err *err) {
    PodVolumeVec *volumes = ret_volumes;

    TRY(decode_expect(decoder, value, VALUE_LIST, err));
    for (uint32_t i = 0; i < value->list.count; i++) {
        VolumeRecord volume = {0};

        decode_enter_index(decoder, i);
        TRY(decode_object(decoder, &value->list.items[i], &volume_table, &volume, err));
        decode_leave(decoder);
        if (volume.ephemeral || volume.has_claim)
            vec_push(decoder->arena, volumes,
                     (PodVolume){.claim_name = volume.ephemeral ? volume.name : volume.claim_name,
                                 .ephemeral = volume.ephemeral,
                                 .storage_class = volume.storage_class,
                                 .has_storage_class = volume.has_storage_class});
    }
    return OK;
}

// The whole spec.

static ErrCode decode_any_element(Decoder *decoder, const Value *value, void *ret_any, Err *err) {
    TRY(decode_expect(decoder, value, VALUE_LIST, err));
    *(bool *)ret_any = value->list.count > 0;
    return OK;
}

static const Field pod_resources_fields[] = {
    FIELD_CUSTOM_WITH(SpecRecord, parts.pod_requests, "requests", decode_requests, ),
    FIELD_CUSTOM_WITH(SpecRecord, parts.pod_limits, "limits", decode_requests, ),
};
static const FieldTable pod_resources_table = FIELD_TABLE(SpecRecord, pod_resources_fields);

static const Field spec_fields[] = {
    FIELD(SpecRecord, parts.containers, "containers", FIELD_LIST, .table = &container_table, .required = true),
    FIELD(SpecRecord, parts.init_containers, "initContainers", FIELD_LIST, .table = &container_table),
    FIELD_FLAT("resources", pod_resources_table, ),
    FIELD_HAS(SpecRecord, parts.overhead, spec.has_overhead, "overhead", FIELD_CUSTOM, .custom = decode_requests),
    FIELD_CUSTOM_WITH(SpecRecord, spec.node_selector, "nodeSelector", decode_labels, ),
    FIELD(SpecRecord, spec, "affinity", FIELD_OBJECT, .table = &pod_affinity_table),
    FIELD_CUSTOM_WITH(SpecRecord, spec.spreads, "topologySpreadConstraints", decode_spreads, ),
    FIELD_CUSTOM_WITH(SpecRecord, spec.tolerations, "tolerations", decode_tolerations, ),
    FIELD_CUSTOM_WITH(SpecRecord, spec.volumes, "volumes", decode_volumes, ),
    FIELD(SpecRecord, host_network, "hostNetwork", FIELD_BOOL, ),
    FIELD(SpecRecord, spec.runtime_class, "runtimeClassName", FIELD_SYMBOL, ),
    FIELD(SpecRecord, spec.priority_class, "priorityClassName", FIELD_SYMBOL, ),
    FIELD(SpecRecord, spec.scheduler, "schedulerName", FIELD_SYMBOL, ),
    FIELD_CUSTOM_WITH(SpecRecord, spec.has_resource_claims, "resourceClaims", decode_any_element, ),
    FIELD_CUSTOM_WITH(SpecRecord, spec.has_scheduling_gates, "schedulingGates", decode_any_element, ),
};
static const FieldTable spec_table = FIELD_TABLE(SpecRecord, spec_fields);

ErrCode pod_spec_decode(Decoder *decoder, const PodSpecSource *source, PodSpec *ret_spec, Err *err) {
    SpecRecord record = {.parts.resize_infeasible = source->resize_infeasible};

    TRY(decode_object(decoder, source->spec, &spec_table, &record, err));
    TRY(decode_statuses(decoder, source->container_statuses, &record.parts.statuses, err));
    TRY(decode_statuses(decoder, source->init_container_statuses, &record.parts.init_statuses, err));
    TRY(decode_host_ports(decoder, &record, err));
    record.spec.host_network = record.host_network;
    pod_preferences_bound(&record.spec);
    record.spec.requests = pod_requests_effective(decoder->arena, decoder->symbols, &record.parts);
    *ret_spec = record.spec;
    return OK;
}
