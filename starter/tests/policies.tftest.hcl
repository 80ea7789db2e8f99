# Rules that must stay true if labels, policies and configuration change.

run "the_checkout_runs_everywhere_in_prod" {
  command = plan
  variables {
    environment = "prod"
  }
  assert {
    condition     = output.packages == tolist(["cloud/shop-checkout", "store/shop-checkout"])
    error_message = "The packages are ${join(", ", output.packages)}."
  }
}

run "a_store_has_one_replica" {
  command = plan
  assert {
    condition     = output.replicas.store == "1" && output.replicas.cloud == "3"
    error_message = "The replicas are ${jsonencode(output.replicas)}."
  }
}

run "nothing_is_wrong" {
  command = plan
  assert {
    condition     = length(output.findings) == 0
    error_message = join("\n", output.findings[*].message)
  }
}
