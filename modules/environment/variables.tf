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

variable "folders" {
  description = "The folders below `path` or `directory` of `fleet` that the environment reads, such as `[\"common\", \"environments/stage\"]`. By default all."
  type        = list(string)
  default     = ["."]
  nullable    = false
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
  description = "The environments in which a release has to work first, by name. Empty for the first environment of a chain. `checks_required = false` replaces `check` if there are no reports. After an environment with waves, `cluster_types` names those of its last wave, or one of them. `repo` and `path` default to those of `gitops`, and `branch` to the name of that environment."
  type = map(object({
    soak            = string
    check           = optional(list(object({ context = string, creators = list(string), at_least = optional(number), expected = optional(list(string)), min_green = optional(string) })), [])
    checks_required = optional(bool, true)
    repo            = optional(string)
    branch          = optional(string)
    path            = optional(string)
    cluster_types   = optional(list(string))
  }))
  default  = {}
  nullable = false
}

variable "waves" {
  description = "The parts of the environment that get a release one after the other: each wave gets what has worked in the wave before it, by `check` and `soak` of that wave. In the last wave, `cluster_types = null` means all others. It is a list because the keys of a map have no order."
  type = list(object({
    name            = string
    cluster_types   = list(string)
    soak            = optional(string)
    check           = optional(list(object({ context = string, creators = list(string), at_least = optional(number), expected = optional(list(string)), min_green = optional(string) })), [])
    checks_required = optional(bool, true)
  }))
  default  = [{ name = "all", cluster_types = null }]
  nullable = false

  validation {
    condition     = length(var.waves) > 0 && length(distinct(var.waves[*].name)) == length(var.waves)
    error_message = "waves needs at least one wave, and each wave needs a name of its own."
  }
  validation {
    condition     = alltrue([for i, wave in var.waves : wave.cluster_types == null ? i == length(var.waves) - 1 : length(wave.cluster_types) > 0])
    error_message = "Each wave needs cluster_types. Only in the last wave may they be null, which means all others."
  }
  validation {
    condition     = alltrue([for wave in slice(var.waves, 0, max(0, length(var.waves) - 1)) : wave.soak != null])
    error_message = "Each wave but the last one needs soak: how long a release has to work there. Write \"0s\" for no time."
  }
}

variable "reports" {
  description = "Reports beside those of the forge, as JSON: `[{ commit, context, state, time, creator }]`. A report without `creator` counts only where a check has `creators = null`. See the argument of `kalypso_promotion`."
  type        = string
  default     = null
}

variable "source_check" {
  description = "The reports that the commit of the fleet itself needs, for example from CI on the branch `main`. Only for the first environment of a chain."
  type        = list(object({ context = string, creators = list(string), at_least = optional(number), expected = optional(list(string)), min_green = optional(string) }))
  default     = []
  nullable    = false
}

variable "on_failure" {
  description = "What happens if a `check` of this environment stays red for `failure_grace`: `stay`, or `previous` to go back to the last release that worked."
  type        = string
  default     = "stay"
  nullable    = false
}

variable "failure_grace" {
  description = "How long a check has to be red before the environment goes back."
  type        = string
  default     = "15m"
  nullable    = false
}

variable "check" {
  description = "The reports of the environment's own clusters, for `on_failure`. With several waves, those of each wave count for the wave."
  type        = list(object({ context = string, creators = list(string), at_least = optional(number), expected = optional(list(string)), min_green = optional(string) }))
  default     = []
  nullable    = false
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

variable "hold" {
  description = "Leaves the environment and its branch unchanged."
  type        = bool
  default     = false
  nullable    = false
}

variable "pin" {
  description = "The full id of the commit that the environment has to be at: of the fleet, or of the environment's GitOps branch."
  type        = string
  default     = null
}

variable "resume_after" {
  description = "Goes on after the environment went back: the last bad commit, as the reason prints it. It may stay set."
  type        = string
  default     = null
}

variable "manifests" {
  description = "Further objects, as YAML. They are not promoted: a change of them reaches each environment with its next apply."
  type        = list(string)
  default     = []
  nullable    = false
}

variable "without" {
  description = "Packages to take off, as `<cluster type>/<deployment target>`, whatever the policies say. Not promoted."
  type        = set(string)
  default     = []
  nullable    = false
}

variable "files" {
  description = "Further files to write, by their paths below the `path` of `gitops`. The last wave writes them. They are not promoted."
  type        = map(string)
  default     = null
}

variable "pull_request" {
  description = "The block `pull_request` of `kalypso_gitops_commit`; `{}` proposes each change with the defaults. Without it, the apply writes to the branch."
  type = object({
    auto_merge     = optional(string)
    branch_prefix  = optional(string)
    draft          = optional(bool)
    labels         = optional(list(string))
    reviewers      = optional(list(string))
    team_reviewers = optional(list(string))
    title          = optional(string)
    wait_for_merge = optional(bool)
  })
  default = null
}

variable "max_removed" {
  description = "How many packages one plan may remove, such as `\"10%\"`. By default any number."
  type        = string
  default     = null
}

variable "max_changed" {
  description = "How many packages one plan may change. By default any number."
  type        = string
  default     = null
}

variable "protect" {
  description = "Patterns of packages that no plan removes."
  type        = list(string)
  default     = null
}

variable "allow_empty" {
  description = "Whether a plan may remove the last package, or create an environment without packages."
  type        = bool
  default     = false
}

variable "acknowledge" {
  description = "Codes that plans print: of a limit, of a freeze, or of folders that a wave takes over. Each lifts its reason for exactly its change; others have no effect."
  type        = set(string)
  default     = []
  nullable    = false
}

variable "on_error" {
  description = "What a plan does with a broken application: `fail`, or `keep` its package unchanged."
  type        = string
  default     = "fail"
}

variable "on_destroy" {
  description = "What happens to the folders if the environment is destroyed: `retain`, `empty`, `delete` or `forbid`. The value of the last apply counts."
  type        = string
  default     = "retain"
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
  description = "Shows the effect of a pull request, as `{ fleet = \"/tmp/fleet\", gitops = \"file:///tmp/gitops.git\" }`: the environment gets the folder `fleet`, is written to a local repository, and is not promoted. Use a state of its own, as `ci/plan.sh` of the starter does."
  type        = object({ fleet = string, gitops = string })
  default     = null

  validation {
    condition     = var.preview == null || try(startswith(var.preview.gitops, "file://"), false)
    error_message = "The gitops of a preview has to be a local repository: file:///…"
  }
}
