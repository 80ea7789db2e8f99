variable "environment" {
  description = "The name of the environment."
  type        = string
}

variable "fleet" {
  description = "The objects of the fleet. With `repo`, the environment gets a commit of `branch` (by default `main`) that the promotion chooses, and `path` is the folder that is promoted (by default all). With `environment_branch` too, the objects are in Kalypso's layout: the environment's branch of `repo` has a `BaseRepo` named `main` that points to `branch`. With `directory` instead of `repo`, the environment reads a local folder, and nothing is promoted."
  type        = map(string)

  validation { # an object type would drop a misspelled key without a word
    condition     = length(setsubtract(keys(var.fleet), ["repo", "branch", "path", "environment_branch", "directory"])) == 0
    error_message = "fleet has no ${join(", ", setsubtract(keys(var.fleet), ["repo", "branch", "path", "environment_branch", "directory"]))}. Its keys are repo, branch, path, environment_branch and directory."
  }
  validation {
    condition     = (lookup(var.fleet, "repo", null) == null) != (lookup(var.fleet, "directory", null) == null)
    error_message = "Set exactly one of repo and directory in fleet."
  }
  validation {
    condition     = lookup(var.fleet, "environment_branch", null) == null || lookup(var.fleet, "repo", null) != null
    error_message = "Set repo in fleet, because environment_branch is a branch of repo."
  }
}

variable "gitops" {
  description = "The place that the environment is written to: `repo`, `branch` (by default the name of the environment) and `path` (by default the root)."
  type        = map(string)

  validation {
    condition     = length(setsubtract(keys(var.gitops), ["repo", "branch", "path"])) == 0
    error_message = "gitops has no ${join(", ", setsubtract(keys(var.gitops), ["repo", "branch", "path"]))}. Its keys are repo, branch and path."
  }
  validation {
    condition     = lookup(var.gitops, "repo", null) != null
    error_message = "Set repo in gitops."
  }
}

variable "after" {
  description = "The environments in which a release has to work first, by name; `{}` for the first environment. `checks` lists the reports that the clusters of that environment have to post, and `[]` needs no report. `creators = null` counts the reports of everyone. `repo` and `path` default to those of `gitops`, and `branch` to the name of that environment."
  type = map(object({
    checks = list(object({ context = string, at_least = number, creators = list(string) }))
    soak   = string
    repo   = optional(string)
    branch = optional(string)
    path   = optional(string)
  }))
}

variable "source_checks" {
  description = "The reports that the promoted commit itself needs, for example from CI on the branch `main` of the fleet."
  type        = list(object({ context = string, at_least = number, creators = list(string) }))
  default     = []
  nullable    = false
}

variable "manifests" {
  description = "Further objects, as YAML. They are not promoted: a change of them reaches each environment with its next apply."
  type        = list(string)
  default     = []
  nullable    = false
}

variable "allow" {
  description = "The objects that the repositories of other teams may bring, as blocks `allow` of `kalypso_control_plane`. `null` allows all."
  type        = list(object({ source = string, kinds = list(string), names = list(string), workspaces = list(string) }))
  default     = []
}

variable "review" {
  description = "The settings of the block `pull_request` of `kalypso_gitops_commit`; `{}` proposes each change with the defaults. Without `review`, the apply writes to the branch."
  type        = any
  default     = null

  validation { # an object type would drop a misspelled setting without a word
    condition = var.review == null ? true : length(setsubtract(keys(var.review), [
      "auto_merge", "branch_prefix", "draft", "labels", "reviewers", "team_reviewers", "title", "wait_for_merge",
    ])) == 0
    error_message = "One of these is not a setting of the block pull_request: ${join(", ", try(keys(var.review), []))}. Its settings are auto_merge, branch_prefix, draft, labels, reviewers, team_reviewers, title and wait_for_merge."
  }
}

variable "limits" {
  description = "The settings of the block `limits` of `kalypso_gitops_commit`."
  type        = any
  default     = {}
  nullable    = false

  validation { # an object type would drop a misspelled limit without a word
    condition     = length(setsubtract(keys(var.limits), ["acknowledge", "allow_empty", "max_changed", "max_removed", "protect"])) == 0
    error_message = "One of these is not a setting of the block limits: ${join(", ", try(keys(var.limits), []))}. Its settings are acknowledge, allow_empty, max_changed, max_removed and protect."
  }
}

variable "windows" {
  description = "When the environment may get a new release. By default always."
  type        = list(object({ days = list(string), from = string, to = string, timezone = string }))
  default     = []
  nullable    = false
}

variable "freezes" {
  description = "When the environment may not change, and why. By default never."
  type        = list(object({ from = string, to = string, timezone = string, reason = string }))
  default     = []
  nullable    = false
}

variable "hold" {
  description = "Leaves the environment and its branch unchanged."
  type        = bool
  default     = false
}

variable "pin" {
  description = "The full id of the commit that the environment has to be at."
  type        = string
  default     = null
}

variable "on_failure" {
  description = "The reports of the environment's own clusters. If one of them stays red for the time `grace`, the environment goes back to its previous release. Without `on_failure`, it stays."
  type = object({
    checks = list(object({ context = string, at_least = number, creators = list(string) }))
    grace  = optional(string, "15m")
  })
  default = null
}

variable "on_error" {
  description = "What a plan does with a broken application: `fail`, or `keep` its package unchanged."
  type        = string
  default     = "fail"
}

variable "on_destroy" {
  description = "What happens to the folders if the environment is destroyed: `retain`, `empty`, `delete` or `forbid`."
  type        = string
  default     = "retain"
}

variable "files" {
  description = "Further files to write, by their paths below the `path` of `gitops`. They are not promoted."
  type        = map(string)
  default     = null
}

variable "ignore_findings" {
  description = "The findings to silence, as `CODE` or `CODE:subject`."
  type        = list(string)
  default     = []
}

variable "fail_on" {
  description = "The findings that are errors, as `CODE` or `CODE:subject`."
  type        = list(string)
  default     = []
}

variable "preview" {
  description = "A local folder that a plan reads instead of the promoted commit, to show the effect of a pull request. An apply of such a plan fails."
  type        = string
  default     = null
}
