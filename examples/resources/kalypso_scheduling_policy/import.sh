# In an import block: id = file("functional.yaml")
terraform import kalypso_scheduling_policy.functional "$(cat functional.yaml)"
