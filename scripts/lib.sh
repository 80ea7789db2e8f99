# shellcheck shell=bash
# Copyright (c) The terraform-provider-kalypso authors
# SPDX-License-Identifier: MPL-2.0

# Variables for scripts that run Terraform or OpenTofu with this provider:
#
#   $terraform  the path of the CLI; the variable CLI selects it (see scripts/terraform-cli)
#   $work       a temporary folder, removed at the end
#   $path       a PATH on which this CLI has the name terraform, and jq exists
#
# The scripts ignore the user's own configuration of Terraform and git. terraform init can
# install only the provider in bin/mirror (make mirror).
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
terraform=$("$root/scripts/terraform-cli" "${CLI:-}")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/terraform.rc" <<RC
provider_installation {
  filesystem_mirror {
    path = "$root/bin/mirror"
  }
}
RC
for name in $(compgen -e TF_ || true); do unset "$name"; done
export TF_CLI_CONFIG_FILE=$work/terraform.rc CHECKPOINT_DISABLE=1 TF_IN_AUTOMATION=1 TF_INPUT=0
unset KALYPSO_GIT_URL_PREFIX # a reader of the docs has set only what the docs say
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=Somebody GIT_AUTHOR_EMAIL=somebody@example.com
export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL

mkdir "$work/bin"
ln -s "$terraform" "$work/bin/terraform"
command -v jq >/dev/null || ln -s "$root/bin/gojq" "$work/bin/jq"
path=$work/bin:$PATH

# cli_name: "Terraform 1.11.4" or "OpenTofu 1.12.6".
cli_name() {
  "$terraform" version | sed -n '1s/ v/ /p'
}
