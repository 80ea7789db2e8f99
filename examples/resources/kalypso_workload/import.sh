# In an import block: id = file("hello.yaml")
terraform import kalypso_workload.hello "$(cat hello.yaml)"
