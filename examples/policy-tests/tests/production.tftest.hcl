# Rules for production.

variables {
  environment = "prod"
}

run "payments_never_land_on_edge" {
  command = plan

  variables {
    ask = { deployment_target = "payments-live", cluster_type = "edge" }
  }

  assert {
    condition     = !output.explanation.placed
    error_message = "Payments run at the edge, because of ${join(", ", output.explanation.policies)}."
  }

  # Payments must stay off the edge because of the label site, not for another reason.
  assert {
    condition = anytrue([
      for s in output.explanation.steps : s.requirement == "label site = cloud" && s.code == "LABEL_VALUE_MISMATCH"
    ])
    error_message = "The site no longer keeps payments off the edge."
  }
}

run "agents_run_everywhere" {
  command = plan

  assert {
    condition     = alltrue([for ct in ["cloud", "edge", "kiosk"] : contains(keys(output.assignments), "${ct}/telemetry-agent")])
    error_message = "The telemetry agent has to run on every cluster type."
  }
}

run "nothing_else_is_placed" {
  command = plan

  assert {
    condition     = length(output.assignments) == 4
    error_message = "Placed in production: ${join(", ", keys(output.assignments))}."
  }
}

run "nothing_is_left_over" {
  command = plan

  assert {
    condition     = length([for f in output.findings : f if contains(["TARGET_UNASSIGNED", "CONFIG_CONFLICT", "CREDENTIAL"], f.code)]) == 0
    error_message = join("\n", output.findings[*].message)
  }
}
