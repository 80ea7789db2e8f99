# Rules for deployment targets on edge clusters.

run "tests_may_run_at_the_edge" {
  command = plan

  variables {
    ask = { deployment_target = "payments-test", cluster_type = "edge" }
  }

  assert {
    condition     = output.explanation.placed
    error_message = output.explanation.text
  }
}

run "logs_are_short" {
  command = plan

  variables {
    ask = { deployment_target = "telemetry-agent", cluster_type = "edge" }
  }

  assert {
    condition     = output.config.values.LOG_LEVEL == "warning"
    error_message = "LOG_LEVEL is ${output.config.values.LOG_LEVEL}, set by ${output.config.provenance["LOG_LEVEL"].set_by}."
  }

  assert {
    condition     = output.config.provenance["LOG_LEVEL"].overrode == tolist(["all"])
    error_message = "The edge's log level has to override that of all."
  }
}

run "namespaces_are_named_by_environment" {
  command = plan

  assert {
    condition     = yamldecode(output.files["edge/payments-test/namespace.yaml"]).metadata.name == "dev-edge-payments-test"
    error_message = "The namespace of payments has another name."
  }
}
