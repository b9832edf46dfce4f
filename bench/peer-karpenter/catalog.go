// The catalogue of instance types: the JSON of Karpenter's KWOK provider, built by that provider's own code, plus the
// optional extensions of tenon that Karpenter can express.
//
// Extensions: explicit `Available: false`, `overhead`, `requirements`, `volumeLimits`, and per offering
// `capacityOverride` and `overheadOverride`.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	kwok "sigs.k8s.io/karpenter/kwok/cloudprovider"
	kwokoptions "sigs.k8s.io/karpenter/kwok/options"
	karpenterv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/scheduling"
)

// reservationIDLabel says which capacity reservation an offering belongs to; AWS's provider registers it.
const reservationIDLabel = "karpenter.k8s.aws/capacity-reservation-id"

// extendedType is the part of a catalogue entry that KWOK's provider does not read.
type extendedType struct {
	Name         string                           `json:"name"`
	Overhead     corev1.ResourceList              `json:"overhead"`
	Requirements []corev1.NodeSelectorRequirement `json:"requirements"`
	VolumeLimits map[string]int                   `json:"volumeLimits"`
	Offerings    []extendedOffering               `json:"offerings"`
}

type extendedOffering struct {
	Available        *bool               `json:"Available"`
	CapacityOverride corev1.ResourceList `json:"capacityOverride"`
	OverheadOverride corev1.ResourceList `json:"overheadOverride"`
}

// The label registry before any catalogue: catalogues add to a process-wide set, and each starts from this one.
var coreWellKnownLabels = karpenterv1.WellKnownLabels.Clone()

func init() {
	cloudprovider.ReservationIDLabel = reservationIDLabel
	cloudprovider.ReservedCapacityLabels.Insert(reservationIDLabel)
	// PersistentVolumes of the EBS driver name zones by this key; AWS's provider registers it.
	karpenterv1.NormalizedLabels["topology.ebs.csi.aws.com/zone"] = corev1.LabelTopologyZone
}

// readCatalog reads the file and makes its labels the process's well-known labels, instead of those of the catalogue
// that was read before. Not for several catalogues at the same time.
func readCatalog(ctx context.Context, path string) ([]*cloudprovider.InstanceType, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var extended []extendedType
	if err := json.Unmarshal(text, &extended); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	karpenterv1.WellKnownLabels = coreWellKnownLabels.Clone().Insert(reservationIDLabel)
	ctx = kwokoptions.ToContext(ctx, &kwokoptions.Options{InstanceTypesFilePath: path})
	instanceTypes, err := kwok.ConstructInstanceTypes(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	extraKeys := sets.New(reservationIDLabel)
	for _, entry := range extended {
		for _, requirement := range entry.Requirements {
			extraKeys.Insert(requirement.Key)
		}
	}
	karpenterv1.WellKnownLabels.Insert(extraKeys.UnsortedList()...)
	for index, instanceType := range instanceTypes {
		extend(instanceType, extended[index], extraKeys)
	}
	return instanceTypes, nil
}

// extend applies an entry's extensions. Karpenter wants every well-known label on every type, if only as absent.
func extend(instanceType *cloudprovider.InstanceType, entry extendedType, extraKeys sets.Set[string]) {
	if entry.Overhead != nil {
		instanceType.Overhead.KubeReserved = entry.Overhead
	}
	for _, requirement := range entry.Requirements {
		instanceType.Requirements.Add(scheduling.NewRequirement(requirement.Key, requirement.Operator, requirement.Values...))
	}
	instanceType.VolumeAttachmentLimits = entry.VolumeLimits
	for index, offering := range instanceType.Offerings {
		extendOffering(offering, entry.Offerings[index])
	}
	if ids := reservationIDs(instanceType); len(ids) > 0 {
		instanceType.Requirements.Add(scheduling.NewRequirement(reservationIDLabel, corev1.NodeSelectorOpIn, ids...))
	}
	for key := range extraKeys {
		if !instanceType.Requirements.Has(key) {
			instanceType.Requirements.Add(scheduling.NewRequirement(key, corev1.NodeSelectorOpDoesNotExist))
		}
	}
}

func extendOffering(offering *cloudprovider.Offering, entry extendedOffering) {
	if entry.Available != nil {
		offering.Available = *entry.Available
	}
	offering.CapacityOverride = entry.CapacityOverride
	if entry.OverheadOverride != nil {
		offering.OverheadOverride = &cloudprovider.InstanceTypeOverhead{KubeReserved: entry.OverheadOverride}
	}
	if !offering.Requirements.Has(reservationIDLabel) {
		offering.Requirements.Add(scheduling.NewRequirement(reservationIDLabel, corev1.NodeSelectorOpDoesNotExist))
	}
}

func reservationIDs(instanceType *cloudprovider.InstanceType) []string {
	var ids []string
	for _, offering := range instanceType.Offerings {
		if offering.CapacityType() == karpenterv1.CapacityTypeReserved {
			ids = append(ids, offering.ReservationID())
		}
	}
	return ids
}
