# Rules that must stay true if labels, policies and configuration change. Add your own, such as:
#   condition = !contains(output.packages.prod, "edge/payments-live")

run "each_environment_has_packages" {
  command = plan
  assert {
    condition     = alltrue([for packages in output.packages : length(packages) > 0])
    error_message = join("\n", concat([jsonencode(output.packages)], output.left_out))
  }
}

run "nothing_is_wrong" {
  command = plan
  assert {
    condition     = alltrue([for findings in output.findings : length(findings) == 0])
    error_message = join("\n", concat([for environment, findings in output.findings : "${environment}: ${join("\n", findings[*].message)}" if length(findings) > 0], output.left_out))
  }
}

# Compared with main, by ci/test.sh. Add the subject of what is meant to be deleted, such as "DeploymentTarget/web-live".
run "prod_loses_no_data" {
  command = plan
  assert {
    condition = alltrue(flatten([for environment, all in output.consequences :
      [for c in all : c.code != "CHANGE_DELETES" || contains([], c.subject)] if startswith(environment, "prod")
    ]))
    error_message = join("\n", flatten([for environment, all in output.consequences :
      [for c in all : "${environment}: ${c.subject}: ${c.message}" if c.code == "CHANGE_DELETES"] if startswith(environment, "prod")
    ]))
  }
}
