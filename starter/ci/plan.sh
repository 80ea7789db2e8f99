#!/usr/bin/env bash
# Shows what the changes in fleet do in each environment, compared with the commit of main that this folder starts
# from. That commit is written to a local repository, and this folder is planned against it. So a plan needs
# credentials only to read the repositories of applications. Both use the environments/*/main.tf of this folder, so
# it does not show a change of them, such as of without. ci/comment.sh posts the Markdown that this writes to plans.
# Fails if a plan fails. A change beyond the limits is shown: only its apply fails.
#
#   bash ci/plan.sh [ENVIRONMENT...]    by default all environments
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck disable=SC2046 # a name is a word
[ $# -gt 0 ] || set -- $(cat environments.txt)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf plans
mkdir plans "$work/root"
if ! base=$(git merge-base origin/main HEAD); then
  echo 'This checkout lacks origin/main or its history. Let CI fetch all: fetch-depth: 0, GIT_DEPTH: 0 or fetchDepth: 0.' >&2
  exit 1
fi
git archive "$base" fleet environments.txt | tar -xf - -C "$work"

# Terraform runs in a copy of this folder, so that nobody applies a preview: neither another run, nor after a killed one.
tar -cf - --exclude .git --exclude .terraform --exclude 'terraform.tfstate*' --exclude ./repositories . | tar -xf - -C "$work/root"

# preview FOLDER COMMAND...: runs Terraform with the fleet of a folder, a local repository, and without the backend.
preview() {
  cat >"$work/root/environments/$environment/preview_override.tf" <<HCL
terraform {
  backend "local" { path = "$state" }
}
module "environment" {
  preview = { fleet = "$1/fleet", gitops = "file://$work/$environment.git" }
}
HCL
  TF_DATA_DIR="$PWD/environments/$environment/.terraform/preview" \
    terraform -chdir="$work/root/environments/$environment" "${@:2}" -input=false
}

# Prints the messages of a log. A CI system may run a line that begins with a command, or a command after ## in a line, so
# a bar begins each line, and one # takes the place of several.
print() {
  jq --raw-input --raw-output '(fromjson? // {type: "diagnostic", "@message": .}) | select(.type == "diagnostic")
    | "\(."@message")\n\(.diagnostic.detail // "")" | rtrimstr("\n") | split("\n")[] | "| \(gsub("##+"; "#"))"' "$1"
}

for environment in "$@"; do
  echo "=== $environment"
  git init --quiet --bare "$work/$environment.git"
  note='' result=0 state=$work/$environment.tfstate
  if ! { preview "$work" init -reconfigure -no-color && preview "$work" apply -auto-approve -json; } \
    >"$work/before" 2>&1; then
    note='The commit that this starts from does not have this environment, or its plan fails, so everything is shown as new.'
    print "$work/before"
    : >"$work/before"
  fi
  preview "$PWD" plan -json >"$work/after" || result=$?
  print "$work/after"
  jq --null-input --raw-input --arg environment "$environment" --arg note "$note" --arg result $result \
    --argjson folders "[\"$work/fleet/\", \"$PWD/fleet/\"]" --rawfile before "$work/before" \
    --from-file ci/report.jq "$work/after" | tee -a "$work/reports" | jq --raw-output --join-output .markdown >"plans/$environment.md"
done

# The summary has a line for each environment, the codes of all of them, and the cause in the fleet, if it is short.
why=$(git diff --unified=0 --no-color "$base" -- fleet | sed -nE 's|^diff --git a/.* b/|  |p; /^(---|\+\+\+) /d; /^[-+]/p')
[ "$(grep -c '^[-+]' <<<"$why")" -le 20 ] || why=''
left=$(grep -vxFf environments.txt "$work/environments.txt") || true
# shellcheck disable=SC2016 # variables of jq
jq --slurp --raw-output --arg left "$left" --arg why "$why" '
  "### The effect on each environment\n", (.[] | "- \(.environment): \(.line)"),
  ($left | split("\n")[] | "- \(.): not in environments.txt any more. Its branch stays as it is"),
  (map(.codes[]) | select(. != []) | "\nAn apply beyond the limits needs these codes as acknowledge:\n\n```\n\(tojson)\n```"),
  ($why | select(. != "") | "\nThe fleet changes:\n\n```diff\n\(gsub("`{3,}"; "(backquotes)") | gsub("##+"; "#"))\n```")
' "$work/reports" | tee plans/summary.md
jq --slurp --exit-status 'any(.[]; .failed) | not' "$work/reports" >"$work/log"
