// Reading manifests: YAML (several documents) or JSON, `kind: List`, into typed Kubernetes objects.
//
// Kinds that Karpenter's scheduler never looks at are skipped; each is named once on standard error.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
	karpenterv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/yaml"
)

// The kinds that are read, by group and kind. The version does not matter: one version of each is in use.
var knownKinds = map[schema.GroupKind]func() client.Object{
	{Kind: "Pod"}:                                   func() client.Object { return &corev1.Pod{} },
	{Kind: "Node"}:                                  func() client.Object { return &corev1.Node{} },
	{Kind: "Namespace"}:                             func() client.Object { return &corev1.Namespace{} },
	{Kind: "Service"}:                               func() client.Object { return &corev1.Service{} },
	{Kind: "PersistentVolume"}:                      func() client.Object { return &corev1.PersistentVolume{} },
	{Kind: "PersistentVolumeClaim"}:                 func() client.Object { return &corev1.PersistentVolumeClaim{} },
	{Group: "apps", Kind: "DaemonSet"}:              func() client.Object { return &appsv1.DaemonSet{} },
	{Group: "apps", Kind: "Deployment"}:             func() client.Object { return &appsv1.Deployment{} },
	{Group: "apps", Kind: "ReplicaSet"}:             func() client.Object { return &appsv1.ReplicaSet{} },
	{Group: "apps", Kind: "StatefulSet"}:            func() client.Object { return &appsv1.StatefulSet{} },
	{Group: "storage.k8s.io", Kind: "StorageClass"}: func() client.Object { return &storagev1.StorageClass{} },
	{Group: "storage.k8s.io", Kind: "CSINode"}:      func() client.Object { return &storagev1.CSINode{} },
	{Group: "policy", Kind: "PodDisruptionBudget"}:  func() client.Object { return &policyv1.PodDisruptionBudget{} },
	{Group: "karpenter.sh", Kind: "NodePool"}:       func() client.Object { return &karpenterv1.NodePool{} },
	{Group: "karpenter.sh", Kind: "NodeClaim"}:      func() client.Object { return &karpenterv1.NodeClaim{} },
}

// Kinds that are expected in manifests but carry nothing for the scheduler. A NodePool's reference to its NodeClass is
// enough: every class that is referenced counts as supported and ready.
var silentlyIgnored = map[string]bool{"KWOKNodeClass": true, "EC2NodeClass": true}

// manifests is everything read from the files, in the order of reading.
type manifests struct {
	objects []client.Object
	noted   map[string]bool // kinds already named as ignored
	seen    map[string]bool // kind/namespace/name, to refuse duplicates
}

// readManifests reads all files in order. An error names the file and the document.
func readManifests(paths []string) (*manifests, error) {
	all := &manifests{noted: map[string]bool{}, seen: map[string]bool{}}
	for _, path := range paths {
		if err := all.readFile(path); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return all, nil
}

func (m *manifests) readFile(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if trimmed := bytes.TrimLeft(text, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '{' {
		return m.addDocument(trimmed)
	}
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for number := 1; ; number++ {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("document %d: %w", number, err)
		}
		asJSON, err := yaml.YAMLToJSON(document)
		if err != nil {
			return fmt.Errorf("document %d: %w", number, err)
		}
		if err := m.addDocument(asJSON); err != nil {
			return fmt.Errorf("document %d: %w", number, err)
		}
	}
}

// addDocument adds one object, or each item of a list. An empty document (only comments) is nothing.
func (m *manifests) addDocument(document []byte) error {
	if string(bytes.TrimSpace(document)) == "null" {
		return nil
	}
	var head struct {
		APIVersion string            `json:"apiVersion"`
		Kind       string            `json:"kind"`
		Items      []json.RawMessage `json:"items"`
		Metadata   struct {
			Name string `json:"name"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(document, &head); err != nil {
		return err
	}
	if head.Kind == "" {
		return fmt.Errorf("expected an object with a kind")
	}
	if strings.HasSuffix(head.Kind, "List") {
		for index, item := range head.Items {
			if err := m.addDocument(item); err != nil {
				return fmt.Errorf("items[%d]: %w", index, err)
			}
		}
		return nil
	}
	group := ""
	if before, _, found := strings.Cut(head.APIVersion, "/"); found {
		group = before
	}
	if err := m.addObject(schema.GroupKind{Group: group, Kind: head.Kind}, document); err != nil {
		return fmt.Errorf("%s %q: %w", head.Kind, head.Metadata.Name, err)
	}
	return nil
}

func (m *manifests) addObject(kind schema.GroupKind, document []byte) error {
	construct, known := knownKinds[kind]
	if !known {
		if !silentlyIgnored[kind.Kind] && !m.noted[kind.String()] {
			m.noted[kind.String()] = true
			note("kind %s is ignored", kind.Kind)
		}
		return nil
	}
	object := construct()
	if err := json.Unmarshal(document, object); err != nil {
		return err
	}
	if object.GetName() == "" {
		return fmt.Errorf("metadata.name is missing")
	}
	if object.GetNamespace() == "" && isNamespaced(object) {
		object.SetNamespace("default")
	}
	identity := fmt.Sprintf("%s %s/%s", kind.Kind, object.GetNamespace(), object.GetName())
	if m.seen[identity] {
		return fmt.Errorf("appears twice in namespace %q", object.GetNamespace())
	}
	m.seen[identity] = true
	m.objects = append(m.objects, object)
	return nil
}

// isNamespaced tells whether objects of this kind live in a namespace.
func isNamespaced(object client.Object) bool {
	switch object.(type) {
	case *corev1.Node, *corev1.Namespace, *corev1.PersistentVolume, *storagev1.StorageClass, *storagev1.CSINode,
		*karpenterv1.NodePool, *karpenterv1.NodeClaim:
		return false
	}
	return true
}

// ofType picks the objects of one type, in the order of reading.
func ofType[T client.Object](objects []client.Object) []T {
	var picked []T
	for _, object := range objects {
		if typed, ok := object.(T); ok {
			picked = append(picked, typed)
		}
	}
	return picked
}
