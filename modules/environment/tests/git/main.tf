# What people do in the repositories of the tests, as commands of a shell. They begin in the folder of the bare
# repositories.
variable "commands" {
  type = string
}

resource "terraform_data" "commands" {
  triggers_replace = var.commands

  provisioner "local-exec" {
    interpreter = ["bash", "-euc"]
    working_dir = "${path.module}/../repositories/made"
    environment = {
      GIT_AUTHOR_NAME    = "Ann", GIT_AUTHOR_EMAIL = "ann@example.com"
      GIT_COMMITTER_NAME = "Ann", GIT_COMMITTER_EMAIL = "ann@example.com"
    }
    command = var.commands
  }
}
