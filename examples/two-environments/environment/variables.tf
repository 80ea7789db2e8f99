variable "environment" {
  description = "Name of the environment, which is also the branch it is written to."
  type        = string
}

variable "gitops_repo" {
  description = "URL of the GitOps repository."
  type        = string
}

variable "cluster_types" {
  description = "Labels of each cluster type, by its name."
  type        = map(map(string))
}
