data "aws_iam_policy_document" "pod_identity_trust" {
  statement {
    actions = ["sts:AssumeRole", "sts:TagSession"]

    principals {
      type        = "Service"
      identifiers = ["pods.eks.amazonaws.com"]
    }
  }
}

data "aws_iam_policy_document" "irsa_trust" {
  count = var.identity == "irsa" ? 1 : 0

  statement {
    actions = ["sts:AssumeRoleWithWebIdentity"]

    principals {
      type        = "Federated"
      identifiers = ["${local.iam}::${data.aws_caller_identity.this.account_id}:oidc-provider/${var.oidc_provider}"]
    }

    condition {
      test     = "StringEquals"
      variable = "${var.oidc_provider}:aud"
      values   = ["sts.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "${var.oidc_provider}:sub"
      values   = ["system:serviceaccount:${var.namespace}:${var.service_account}"]
    }
  }

  lifecycle {
    precondition {
      condition     = var.oidc_provider != null
      error_message = "identity irsa needs oidc_provider: aws eks describe-cluster --query cluster.identity.oidc.issuer"
    }
  }
}

resource "aws_iam_role" "controller" {
  name_prefix        = "tenon-"
  assume_role_policy = var.identity == "irsa" ? data.aws_iam_policy_document.irsa_trust[0].json : data.aws_iam_policy_document.pod_identity_trust.json
  tags               = var.tags
}

# Policies of their own, for all of them together are more than one may hold.
resource "aws_iam_policy" "controller" {
  for_each = toset(local.policies)

  name_prefix = "tenon-${each.value}-"
  policy      = templatefile("${path.module}/policies/${each.value}.json.tftpl", local.names)
  tags        = var.tags
}

resource "aws_iam_role_policy_attachment" "controller" {
  for_each = aws_iam_policy.controller

  role       = aws_iam_role.controller.name
  policy_arn = each.value.arn
}

resource "aws_eks_pod_identity_association" "controller" {
  count = var.identity == "pod-identity" ? 1 : 0

  cluster_name    = var.cluster_name
  namespace       = var.namespace
  service_account = var.service_account
  role_arn        = aws_iam_role.controller.arn
  tags            = var.tags
}

# --- on Fargate

data "aws_iam_policy_document" "fargate_trust" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["eks-fargate-pods.amazonaws.com"]
    }

    condition {
      test     = "ArnLike"
      variable = "aws:SourceArn"
      values   = ["arn:${local.names.partition}:eks:${local.names.region}:${local.names.account}:fargateprofile/${var.cluster_name}/*"]
    }
  }
}

resource "aws_iam_role" "fargate" {
  count = length(var.fargate_subnet_ids) > 0 ? 1 : 0

  name_prefix        = "tenon-fargate-"
  assume_role_policy = data.aws_iam_policy_document.fargate_trust.json
  tags               = var.tags
}

resource "aws_iam_role_policy_attachment" "fargate" {
  count = length(aws_iam_role.fargate)

  role       = aws_iam_role.fargate[0].name
  policy_arn = "${local.iam}::aws:policy/AmazonEKSFargatePodExecutionRolePolicy"
}

resource "aws_eks_fargate_profile" "controller" {
  count = length(aws_iam_role.fargate)

  cluster_name           = var.cluster_name
  fargate_profile_name   = "tenon"
  pod_execution_role_arn = aws_iam_role.fargate[0].arn
  subnet_ids             = var.fargate_subnet_ids
  tags                   = var.tags

  selector {
    namespace = var.namespace
    labels    = { "app.kubernetes.io/name" = "karpenter" }
  }

  lifecycle {
    precondition {
      condition     = var.identity == "irsa"
      error_message = "On Fargate there is no agent of Pod Identity: set identity to irsa."
    }
  }
}
