# Commits a change of the shop to the branch main of the fleet.
variable "path" {
  type = string
}

locals {
  folder = abspath("${path.module}/../repositories/made")
}

resource "terraform_data" "commit" {
  triggers_replace = var.path

  provisioner "local-exec" {
    interpreter = ["bash", "-euc"]
    environment = {
      GIT_DIR            = "${local.folder}/fleet.git", GIT_WORK_TREE = "${local.folder}/tree"
      GIT_AUTHOR_NAME    = "Ann", GIT_AUTHOR_EMAIL = "ann@example.com"
      GIT_COMMITTER_NAME = "Ann", GIT_COMMITTER_EMAIL = "ann@example.com"
    }
    command = <<-EOT
      cd "$GIT_WORK_TREE"
      sed 's#path: [^}]*#path: ${var.path}#' fleet/shop.yaml >edited && mv edited fleet/shop.yaml
      git commit --quiet --all --message 'Move the checkout to ${var.path}'
    EOT
  }
}
