# Installs Argo CD with Helm, and connects the cluster small-1 of the cluster type small to the
# branch dev of the GitOps repository. All settings come from examples/bootstrap/argocd.yaml.
#
# Not run: CI has no cluster and cannot install this provider.
terraform {
  required_version = ">= 1.8"
  required_providers {
    helm = {
      source  = "hashicorp/helm"
      version = ">= 3.0"
    }
  }
}

variable "kubeconfig" {
  description = "The path of the cluster's kubeconfig."
  type        = string
}

variable "gitops_read_token" {
  description = "Reads the GitOps repository."
  type        = string
  sensitive   = true
}

variable "github_app_key" {
  description = "The private key of the GitHub App that writes commit statuses."
  type        = string
  sensitive   = true
}

locals {
  objects = {
    for text in split("\n---\n", file("${path.module}/../../bootstrap/argocd.yaml")) :
    "${yamldecode(text).kind}/${yamldecode(text).metadata.name}" => yamldecode(text)
  }
  application   = local.objects["Application/small"]
  notifications = local.objects["ConfigMap/argocd-notifications-cm"].data
}

provider "helm" {
  kubernetes = {
    config_path = var.kubeconfig
  }
}

resource "helm_release" "argocd" {
  name             = "argocd"
  namespace        = "argocd"
  create_namespace = true
  repository       = "https://argoproj.github.io/argo-helm"
  chart            = "argo-cd"

  values = [yamlencode({
    configs = {
      cm = local.objects["ConfigMap/argocd-cm"].data
    }
    notifications = {
      argocdUrl = yamldecode(local.notifications.context).argocdUrl
      notifiers = { for key, text in local.notifications : key => text if startswith(key, "service.") }
      triggers  = { for key, text in local.notifications : key => text if startswith(key, "trigger.") }
      templates = { for key, text in local.notifications : key => text if startswith(key, "template.") }
    }
  })]

  set_sensitive = [
    { name = "configs.repositories.gitops.password", value = var.gitops_read_token },
    { name = "configs.repositories.gitops.username", value = "git" },
    { name = "configs.repositories.gitops.type", value = "git" },
    { name = "configs.repositories.gitops.url", value = local.application.spec.source.repoURL },
    { name = "notifications.secret.items.github-privateKey", value = var.github_app_key },
  ]
}

# A release of its own: the first release installs the kinds of these objects.
resource "helm_release" "gitops" {
  name       = "gitops"
  namespace  = "argocd"
  repository = "https://argoproj.github.io/argo-helm"
  chart      = "argocd-apps"

  values = [yamlencode({
    applications = {
      (local.application.metadata.name) = merge(local.application.spec, {
        namespace             = "argocd"
        additionalLabels      = local.application.metadata.labels
        additionalAnnotations = local.application.metadata.annotations
      })
    }
    projects = {
      workloads = merge(local.objects["AppProject/workloads"].spec, { namespace = "argocd" })
    }
  })]

  depends_on = [helm_release.argocd]
}
