variable "environment" {
  description = "The name of the environment."
  type        = string
}

variable "request" {
  description = "The folder with the request: a clone of the GitOps repository, with the commit of the request checked out."
  type        = string

  validation {
    condition     = length(fileset(var.request, "**")) > 0
    error_message = "${var.request} is not the folder of a request. It has no files."
  }
}

variable "fleet" {
  description = "The objects of the fleet, as for the module of the environment: `repo`, `branch` (by default `main`) and `path` (by default the root), or `environment_branch` in Kalypso's layout."
  type        = map(string)

  validation { # an object type would drop a misspelled key without a word
    condition     = length(setsubtract(keys(var.fleet), ["repo", "branch", "path", "environment_branch"])) == 0
    error_message = "fleet has no ${join(", ", setsubtract(keys(var.fleet), ["repo", "branch", "path", "environment_branch"]))}. Its keys are repo, branch, path and environment_branch."
  }
  validation {
    condition     = lookup(var.fleet, "repo", null) != null
    error_message = "Set repo in fleet."
  }
}

variable "folders" {
  description = "The folders below `path` of `fleet` that the environment reads, such as `[\"common\", \"environments/stage\"]`. By default all."
  type        = list(string)
  default     = ["."]
  nullable    = false
}

variable "gitops" {
  description = "The place of the environment: `repo` and `branch` (by default the name of the environment). The environment has the whole branch."
  type        = map(string)

  validation {
    condition     = length(setsubtract(keys(var.gitops), ["repo", "branch"])) == 0
    error_message = "gitops has no ${join(", ", setsubtract(keys(var.gitops), ["repo", "branch"]))}. Its keys are repo and branch: an environment that is verified has the whole branch."
  }
  validation {
    condition     = lookup(var.gitops, "repo", null) != null
    error_message = "Set repo in gitops."
  }
}

variable "after" {
  description = "The environments in which a release has to work first, by name, as for the module of the environment."
  type = map(object({
    soak            = string
    check           = optional(list(object({ context = string, creators = list(string), at_least = optional(number), expected = optional(list(string)), min_green = optional(string) })), [])
    checks_required = optional(bool, true)
    repo            = optional(string)
    branch          = optional(string)
    path            = optional(string)
    cluster_types   = optional(list(string))
  }))
  nullable = false

  validation {
    condition     = length(var.after) > 0
    error_message = "Name at least one environment in after. Without one, nothing says that a release has worked."
  }
}

variable "reports" {
  description = "Reports beside those of the forge, as for the module of the environment."
  type        = string
  default     = null
}

variable "window" {
  description = "When the environment may get a newer release. By default always."
  type        = list(object({ days = list(string), from = string, to = string, timezone = string }))
  default     = []
  nullable    = false
}

variable "freeze" {
  description = "When the environment may not change, and why. By default never."
  type        = list(object({ from = string, to = string, timezone = string, reason = string }))
  default     = []
  nullable    = false
}

variable "pin" {
  description = "The full id of the commit that the environment has to be at, whatever was verified. So let a person review each change of it."
  type        = string
  default     = null
}

variable "resume_after" {
  description = "Goes on after the environment went back: the last bad commit, as the reason prints it. It may stay set."
  type        = string
  default     = null
}

variable "manifests" {
  description = "Further objects, as for the module of the environment."
  type        = list(string)
  default     = []
  nullable    = false
}

variable "files" {
  description = "Further files, as for the module of the environment."
  type        = map(string)
  default     = {}
  nullable    = false
}

variable "ignore" {
  description = "Paths of files in the branch that Terraform does not write, such as `CODEOWNERS`. Each request may change them."
  type        = set(string)
  default     = []
  nullable    = false
}
