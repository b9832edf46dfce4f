variable "cluster_name" {
  description = "Name of the cluster"
  type        = string
}

variable "node_role_name" {
  description = "Name of the role of the nodes, spec.role of an EC2NodeClass; null for KarpenterNodeRole-<cluster>"
  type        = string
  default     = null
}

variable "queue_name" {
  description = "Name of the queue with EC2's events, settings.interruptionQueue of the chart; null for the cluster's name"
  type        = string
  default     = null
}

variable "identity" {
  description = "How the controller's pods become its role: pod-identity (needs the add-on eks-pod-identity-agent) or irsa"
  type        = string
  default     = "pod-identity"

  validation {
    condition     = contains(["pod-identity", "irsa"], var.identity)
    error_message = "Expected pod-identity or irsa."
  }
}

variable "oidc_provider" {
  description = "Of irsa: the cluster's issuer without https://, as module.eks.oidc_provider; its provider exists in IAM"
  type        = string
  default     = null
}

variable "namespace" {
  description = "Where the chart is installed"
  type        = string
  default     = "kube-system"
}

variable "service_account" {
  description = "The chart's account"
  type        = string
  default     = "karpenter"
}

variable "node_access" {
  description = "How nodes may join: access-entry makes an entry of EKS; aws-auth leaves it to you, see the output aws_auth_map_role"
  type        = string
  default     = "access-entry"

  validation {
    condition     = contains(["access-entry", "aws-auth"], var.node_access)
    error_message = "Expected access-entry or aws-auth."
  }
}

variable "zonal_shift" {
  description = "settings.enableZonalShift of the chart"
  type        = bool
  default     = false
}

variable "old_nodes" {
  description = "Whether there are nodes of Karpenter up to 0.27, whose instances get tags"
  type        = bool
  default     = false
}

variable "fargate_subnet_ids" {
  description = "Private subnets for the controller's pods on Fargate; none for nodes of a node group. Needs irsa"
  type        = list(string)
  default     = []
}

variable "discovery_tag" {
  description = "Tags these subnets and security groups, as an EC2NodeClass selects them"
  type = object({
    key                = optional(string, "karpenter.sh/discovery")
    value              = optional(string) # null for the cluster's name
    subnet_ids         = optional(list(string), [])
    security_group_ids = optional(list(string), [])
  })
  default = {}
}

variable "tags" {
  description = "Tags of all that is made here"
  type        = map(string)
  default     = {}
}
