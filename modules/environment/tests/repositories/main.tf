# Local repositories for the tests: the fleet, with one commit, and an empty GitOps repository.
locals {
  folder = "${abspath(path.module)}/made"
}

resource "terraform_data" "repositories" {
  provisioner "local-exec" {
    command = "bash '${path.module}/make.sh' '${local.folder}' '${path.module}/../fleet' '${path.module}/../further.yaml'"
  }
}

output "fleet" {
  value = "file://${local.folder}/fleet.git"
}

output "gitops" {
  value = "file://${local.folder}/gitops.git"
}
