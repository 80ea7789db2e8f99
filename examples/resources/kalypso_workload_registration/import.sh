# In an import block: id = file("hello.yaml")
terraform import kalypso_workload_registration.hello "$(cat hello.yaml)"
