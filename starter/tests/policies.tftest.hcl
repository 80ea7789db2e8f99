# Rules that must stay true if labels, policies and configuration change. Add your own, such as:
#   condition = !contains(output.packages.prod, "edge/payments-live")

run "each_environment_has_packages" {
  command = plan
  assert {
    condition     = alltrue([for packages in output.packages : length(packages) > 0])
    error_message = jsonencode(output.packages)
  }
}

run "nothing_is_wrong" {
  command = plan
  assert {
    condition     = alltrue([for findings in output.findings : length(findings) == 0])
    error_message = join("\n", [for environment, findings in output.findings : "${environment}: ${join("\n", findings[*].message)}" if length(findings) > 0])
  }
}
