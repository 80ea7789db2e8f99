# Requirements for the rendered files.

run "no_cluster_would_refuse_it" {
  command = plan

  assert {
    condition     = length([for f in output.findings : f if contains(["OBJECT_INVALID", "NAME_TOO_LONG"], f.code)]) == 0
    error_message = join("\n", output.findings[*].message)
  }
}

run "pods_are_limited" {
  command = plan

  assert {
    condition = anytrue([
      for object in split("\n---\n", output.files["store/shop-checkout/namespace.yaml"]) :
      yamldecode(object).spec.hard.pods == "10" if yamldecode(object).kind == "ResourceQuota"
    ])
    error_message = output.files["store/shop-checkout/namespace.yaml"]
  }
}
