#!/usr/bin/env bash
# Copyright (c) The terraform-provider-kalypso authors
# SPDX-License-Identifier: MPL-2.0

# Plans, and prints a message for Slack or Teams if a person should look: a check failed (the
# environment waits, or is held), the plan fails, or somebody changed the branch (drift). Otherwise
# it prints nothing. In a scheduled job of CI:
#
#   bash notify.sh >message.json
#   test ! -s message.json || curl --fail --json @message.json "$WEBHOOK_URL"
set -euo pipefail
plans=$(mktemp -d)
trap 'rm -rf "$plans"' EXIT

terraform plan -input=false -no-color -out="$plans/saved.tfplan" >"$plans/plan.txt" 2>&1 || failed=true
if [ "${failed:-false}" = false ]; then
  terraform show -json "$plans/saved.tfplan" >"$plans/plan.json"
else
  echo '{}' >"$plans/plan.json"
  cat "$plans/plan.txt" >&2
fi

jq --arg environment "$(terraform workspace show)" --argjson failed "${failed:-false}" --compact-output '
  [ (.checks // [])[] | select(.status == "fail") | .instances[]?.problems[]?.message ]
  + [ (.resource_drift // [])[] | select(.type == "kalypso_gitops_commit" and .change.after.status == "drifted")
      | "somebody changed the branch of \(.address)" ]
  + (if $failed then ["the plan fails, see the log"] else [] end)
  | unique
  | if length == 0 then empty else { text: "*\($environment)*: \(join("\n"))" } end
' "$plans/plan.json"
