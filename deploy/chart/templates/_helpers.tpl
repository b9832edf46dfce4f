{{/* The name in labels. Karpenter's, since selectors cannot be changed. */}}
{{- define "tenon.name" -}}
{{- default "karpenter" .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* The name of all objects: the release's where it contains the name, as `karpenter` does. */}}
{{- define "tenon.fullname" -}}
{{- $name := include "tenon.name" . }}
{{- $both := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) }}
{{- default $both .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "tenon.selectorLabels" -}}
app.kubernetes.io/name: {{ include "tenon.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tenon.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "tenon.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.additionalLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Labels and annotations of an object. Called with (list $ annotations...). */}}
{{- define "tenon.metadata" -}}
{{- $root := first . }}
{{- $annotations := deepCopy (default dict $root.Values.additionalAnnotations) }}
{{- range rest . }}
{{- $annotations = mergeOverwrite $annotations (default dict .) }}
{{- end -}}
labels:
  {{- include "tenon.labels" $root | nindent 2 }}
{{- with $annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "tenon.serviceAccountName" -}}
{{- default (ternary (include "tenon.fullname" .) "default" .Values.serviceAccount.create) .Values.serviceAccount.name }}
{{- end }}

{{/* A binding's end: whose role it is. */}}
{{- define "tenon.subjects" -}}
subjects:
  - kind: ServiceAccount
    name: {{ include "tenon.serviceAccountName" . }}
    namespace: {{ .Release.Namespace }}
{{- end }}

{{- define "tenon.image" -}}
{{- with .Values.controller.image -}}
{{ .repository }}:{{ default $.Chart.AppVersion .tag }}{{ with .digest }}@{{ . }}{{ end }}
{{- end }}
{{- end }}

{{/*
Rules of files/rights.yaml, which is made from the program's table. Called with (list $ place groups): those of the place,
only the ones of the cloud's own API group, or only the others.
*/}}
{{- define "tenon.rules" -}}
{{- $rights := (first .).Files.Get "files/rights.yaml" | fromYaml }}
{{- $clouds := eq (last .) "cloud" }}
{{- range index $rights (index . 1) }}
{{- if eq (has "karpenter.k8s.aws" .apiGroups) $clouds }}
- {{ toJson . }}
{{- end }}
{{- end }}
{{- end }}

{{/* A setting as text; "": not set. Called with (list $ name name-below-aws). */}}
{{- define "tenon.setting" -}}
{{- $settings := (first .).Values.settings }}
{{- $value := get $settings (index . 1) }}
{{- if or (kindIs "invalid" $value) (eq (toString $value) "") }}
{{- $value = get (default dict $settings.aws) (last .) }}
{{- end }}
{{- if not (kindIs "invalid" $value) }}
{{- tpl (toString $value) (first .) }}
{{- end }}
{{- end }}

{{/* The ConfigMap karpenter-global-settings. What is null is not there. */}}
{{- define "tenon.globalSettings" -}}
batchMaxDuration: {{ default "10s" .Values.settings.batchMaxDuration | quote }}
batchIdleDuration: {{ default "1s" .Values.settings.batchIdleDuration | quote }}
aws.clusterName: {{ include "tenon.setting" (list $ "clusterName" "clusterName") | quote }}
aws.clusterEndpoint: {{ include "tenon.setting" (list $ "clusterEndpoint" "clusterEndpoint") | quote }}
aws.interruptionQueueName: {{ include "tenon.setting" (list $ "interruptionQueue" "interruptionQueueName") | quote }}
{{- range $name, $value := omit (default dict .Values.settings.aws) "clusterName" "clusterEndpoint" "interruptionQueueName" }}
{{- if not (kindIs "invalid" $value) }}
aws.{{ $name }}: {{ kindIs "map" $value | ternary (toJson $value) (toString $value) | quote }}
{{- end }}
{{- end }}
{{- $drift := dig "driftEnabled" nil (default dict .Values.settings.featureGates) }}
{{- if not (kindIs "invalid" $drift) }}
featureGates.driftEnabled: {{ $drift | quote }}
{{- end }}
{{- end }}

{{/* Pods read that ConfigMap when they start: another content is another pod. */}}
{{- define "tenon.podAnnotations" -}}
{{- $settings := ternary (dict "checksum/settings" (include "tenon.globalSettings" . | sha256sum)) dict .Values.legacy.enabled }}
{{- toYaml (merge $settings (default dict .Values.podAnnotations)) }}
{{- end }}

{{/* The program's variables that are made of one setting each: VARIABLE setting setting-below-aws. */}}
{{- define "tenon.variables" -}}
PROVIDER provider provider
BATCH_MAX_DURATION batchMaxDuration batchMaxDuration
BATCH_IDLE_DURATION batchIdleDuration batchIdleDuration
PREFERENCE_POLICY preferencePolicy preferencePolicy
MIN_VALUES_POLICY minValuesPolicy minValuesPolicy
CLUSTER_NAME clusterName clusterName
CLUSTER_ENDPOINT clusterEndpoint clusterEndpoint
CLUSTER_CA_BUNDLE clusterCABundle clusterCABundle
ISOLATED_VPC isolatedVPC isolatedVPC
EKS_CONTROL_PLANE eksControlPlane eksControlPlane
VM_MEMORY_OVERHEAD_PERCENT vmMemoryOverheadPercent vmMemoryOverheadPercent
INTERRUPTION_QUEUE interruptionQueue interruptionQueueName
ENABLE_ZONAL_SHIFT enableZonalShift enableZonalShift
RESERVED_ENIS reservedENIs reservedENIs
DISABLE_CLUSTER_STATE_OBSERVABILITY disableClusterStateObservability disableClusterStateObservability
DISABLE_DRY_RUN disableDryRun disableDryRun
IGNORE_DRA_REQUESTS ignoreDRARequests ignoreDRARequests
AMI_REFRESH_INTERVAL amiRefreshInterval amiRefreshInterval
SUBNET_REFRESH_INTERVAL subnetRefreshInterval subnetRefreshInterval
SECURITY_GROUP_REFRESH_INTERVAL securityGroupRefreshInterval securityGroupRefreshInterval
DISRUPTION disruption disruption
CONSOLIDATION consolidation consolidation
PLANNED_TAINT plannedTaint plannedTaint
EXPIRATION_JITTER expirationJitter expirationJitter
EXPIRATION_LEAD expirationLead expirationLead
EFFORT effort effort
SOLVE_DEADLINE solveDeadline solveDeadline
PLAIN_CAPACITY_MEMORY plainCapacityMemory plainCapacityMemory
{{- end }}

{{/* "NodeRepair=true,…" of {nodeRepair: true, …}. Drift is no gate any more. */}}
{{- define "tenon.gates" -}}
{{- $gates := list }}
{{- range $name, $value := . }}
{{- if not (or (kindIs "invalid" $value) (has $name (list "drift" "driftEnabled"))) }}
{{- $name = hasPrefix "dra" $name | ternary (replace "dra" "DRA" $name) (printf "%s%s" (substr 0 1 $name | upper) (substr 1 -1 $name)) }}
{{- $gates = append $gates (printf "%s=%v" $name $value) }}
{{- end }}
{{- end }}
{{- join "," $gates }}
{{- end }}

{{/* The release's own pods as the label selector of what has none: terms of pod affinity, spread constraints. */}}
{{- define "tenon.select" -}}
{{- $selector := dict "matchLabels" (include "tenon.selectorLabels" (first .) | fromYaml) }}
{{- range last . }}
{{- $term := default . (get . "podAffinityTerm") }}
{{- if not (hasKey $term "labelSelector") }}
{{- $_ := set $term "labelSelector" $selector }}
{{- end }}
{{- end }}
{{- end }}

{{- define "tenon.affinity" -}}
{{- $affinity := deepCopy .Values.affinity }}
{{- range $kind := list "podAffinity" "podAntiAffinity" }}
{{- range $terms := get $affinity $kind | default dict }}
{{- include "tenon.select" (list $ $terms) }}
{{- end }}
{{- end }}
{{- toYaml $affinity }}
{{- end }}

{{- define "tenon.spread" -}}
{{- $constraints := deepCopy .Values.topologySpreadConstraints }}
{{- include "tenon.select" (list . $constraints) }}
{{- toYaml $constraints }}
{{- end }}
