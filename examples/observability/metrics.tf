locals {
  environments = jsondecode(data.kalypso_deployments.fleet.json).environments
  since        = timeadd(plantimestamp(), "-720h")
  states       = ["success", "pending", "failure", ""] # "" is a package or a cluster without reports

  metrics = {
    kalypso_deployments = {
      help = "Commits of the last 30 days that changed packages."
      values = { for e in local.environments : "{environment=\"${e.name}\"}" => length([
        for c in e.history : c if timecmp(c.time, local.since) > 0 && length(concat(c.added, c.changed, c.removed)) > 0
      ]) }
    }
    kalypso_rollbacks = {
      help = "Commits of the last 30 days that went back to an older release."
      values = { for e in local.environments : "{environment=\"${e.name}\"}" => length([
        for i, c in e.history : c if timecmp(c.time, local.since) > 0 && length(c.releases) > 0 && try(c.releases != e.history[i + 1].releases, false) &&
        contains(slice(e.history, i + 1, length(e.history))[*].releases, c.releases)
      ]) }
    }
    kalypso_lead_time_seconds = {
      help   = "From the first commit with the present release, in any environment, to the first run that saw it verified here."
      values = { for name, v in terraform_data.verified : "{environment=\"${name}\"}" => local.seconds[v.output] - local.seconds[local.released[name]] }
    }
    kalypso_packages = {
      help = "Packages by the result of their reports."
      values = merge([for e in local.environments : { for state in local.states :
        "{environment=\"${e.name}\",health=\"${coalesce(state, "unknown")}\"}" => length([for p in e.packages : p if p.health == state])
      }]...)
    }
    kalypso_clusters = {
      help = "Clusters by the result of their last reports. A silent cluster is expected, and has not reported."
      values = merge([for e in local.environments : { for state in local.states :
        "{environment=\"${e.name}\",health=\"${coalesce(state, "silent")}\"}" => length([for c in e.clusters : c if c.health == state])
      }]...)
    }
    kalypso_drift = {
      help   = "1 if the drift check failed: somebody changed the branch by hand, or the plan failed."
      values = { for e in local.environments : "{environment=\"${e.name}\"}" => contains(var.drifted, e.name) ? 1 : 0 }
    }
    kalypso_unreadable = {
      help   = "Parts of the branch that could not be read; 1 if the branch does not exist."
      values = { for e in local.environments : "{environment=\"${e.name}\"}" => length(compact(concat(e.unreadable, [e.missing]))) }
    }
    kalypso_run_timestamp_seconds = {
      help   = "When the run started."
      values = { for time in var.time[*] : "" => time }
    }
  }

  # Gauges look the same in OpenMetrics and in the older text format of Prometheus.
  text = join("\n", concat(flatten([for name, m in local.metrics : [
    "# TYPE ${name} gauge",
    "# HELP ${name} ${m.help}",
    [for labels, value in m.values : "${name}${labels} ${value}"],
  ]]), ["# EOF", ""]))

  # When the first environment got the present release of each environment.
  released = { for e in local.environments : e.name => sort([for c in flatten(local.environments[*].history) : c.time if c.releases == e.releases])[0] if length(e.history) > 0 }

  # The seconds since 1970 of each time. Terraform has no function for them.
  seconds = { for time in distinct(concat(values(local.released), values(terraform_data.verified)[*].output)) : time => [
    for t in [regex("(\\d+)-(\\d+)-(\\d+)T(\\d+):(\\d+):(\\d+)Z", time)] : [
      for year in [t[1] > 2 ? t[0] : t[0] - 1] : # begins in March
      86400 * (365 * year + floor(year / 4) - floor(year / 100) + floor(year / 400) + floor((153 * ((t[1] + 9) % 12) + 2) / 5) + t[2] - 719469)
      + 3600 * t[3] + 60 * t[4] + t[5]
    ]
  ][0][0] }
}
