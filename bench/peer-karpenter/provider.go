// The cloud provider Karpenter's scheduler sees: a fixed list of instance types, nothing that launches anything.
package main

import (
	"context"
	"errors"

	"github.com/awslabs/operatorpkg/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	karpenterv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
)

var errPlanOnly = errors.New("the peer only plans")

// planProvider supports every NodeClass that the manifests refer to, and offers all types to every NodePool.
type planProvider struct {
	instanceTypes []*cloudprovider.InstanceType
	nodeClasses   []status.Object
}

func newPlanProvider(instanceTypes []*cloudprovider.InstanceType, objects []client.Object) *planProvider {
	provider := &planProvider{instanceTypes: instanceTypes}
	seen := map[schema.GroupKind]bool{}
	support := func(ref *karpenterv1.NodeClassReference) {
		if !seen[ref.GroupKind()] {
			seen[ref.GroupKind()] = true
			provider.nodeClasses = append(provider.nodeClasses, newNodeClass(ref.GroupKind()))
		}
	}
	for _, pool := range ofType[*karpenterv1.NodePool](objects) {
		support(pool.Spec.Template.Spec.NodeClassRef)
	}
	for _, claim := range ofType[*karpenterv1.NodeClaim](objects) {
		support(claim.Spec.NodeClassRef)
	}
	return provider
}

func (p *planProvider) GetInstanceTypes(context.Context, *karpenterv1.NodePool) ([]*cloudprovider.InstanceType, error) {
	return p.instanceTypes, nil
}

func (p *planProvider) GetSupportedNodeClasses() []status.Object { return p.nodeClasses }
func (p *planProvider) Name() string                             { return "peer" }

func (p *planProvider) Create(context.Context, *karpenterv1.NodeClaim) (*karpenterv1.NodeClaim, error) {
	return nil, errPlanOnly
}
func (p *planProvider) Delete(context.Context, *karpenterv1.NodeClaim) error { return errPlanOnly }
func (p *planProvider) Get(context.Context, string) (*karpenterv1.NodeClaim, error) {
	return nil, errPlanOnly
}
func (p *planProvider) List(context.Context) ([]*karpenterv1.NodeClaim, error) { return nil, nil }
func (p *planProvider) IsDrifted(context.Context, *karpenterv1.NodeClaim) (cloudprovider.DriftReason, error) {
	return "", nil
}
func (p *planProvider) Reboot(context.Context, *karpenterv1.NodeClaim, string) error {
	return cloudprovider.NewNodeRebootNotImplementedError()
}
func (p *planProvider) RepairPolicies() []cloudprovider.RepairPolicy { return nil }

// nodeClass stands for a NodeClass of any group and kind; only its identity is ever asked for.
type nodeClass struct {
	unstructured.Unstructured
}

func newNodeClass(kind schema.GroupKind) *nodeClass {
	class := &nodeClass{}
	class.SetGroupVersionKind(kind.WithVersion("v1"))
	return class
}

func (c *nodeClass) GetConditions() []status.Condition { return nil }
func (c *nodeClass) SetConditions([]status.Condition)  {}
func (c *nodeClass) StatusConditions(options ...status.ForOption) status.ConditionSet {
	return status.NewReadyConditions().For(c, options...)
}
