#!/usr/bin/env bash
# Fails, with the reason, unless a request in the GitOps repository is exactly what the environment should have. Runs
# nothing of the request. REQUEST is a clone of the GitOps repository, with the commit of the request checked out.
#
#   bash ci/verify.sh ENVIRONMENT REQUEST
set -euo pipefail
export TF_VAR_environment=$1 TF_VAR_request
TF_VAR_request=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."
odd=$(git -C "$TF_VAR_request" ls-tree -r HEAD | sed '/^100644 blob [^"]*$/d')
if [ -n "$odd" ]; then
  echo "$odd"
  echo "The request has these links, programs, submodules or odd names. An environment has only plain files." >&2
  exit 1
fi
terraform -chdir=verify init -input=false
terraform -chdir=verify plan -input=false -lock=false
