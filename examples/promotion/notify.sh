#!/usr/bin/env bash
# Copyright (c) The terraform-provider-kalypso authors
# SPDX-License-Identifier: MPL-2.0

# Plans, and prints a message for Slack if a person should look: the environment is held, pinned or
# goes back, a release failed, somebody changed the branch (drift), or the plan fails.
# Otherwise the script prints nothing. Terraform gets the arguments of the script. In a scheduled
# job of CI:
#
#   bash notify.sh -lock=false >message.json
#   [ ! -s message.json ] || curl --fail --json @message.json "$WEBHOOK_URL"
#
# FORMAT=teams prints an Adaptive Card for a workflow of Teams. TERRAFORM=tofu plans with OpenTofu.
set -euo pipefail
terraform=${TERRAFORM:-terraform}
plans=$(mktemp -d)
trap 'rm -rf "$plans"' EXIT

if "$terraform" plan -input=false -no-color -out="$plans/saved.tfplan" "$@" >"$plans/plan.txt" 2>&1; then
  "$terraform" show -json "$plans/saved.tfplan" >"$plans/plan.json"
else
  echo '{"failed": true}' >"$plans/plan.json"
  cat "$plans/plan.txt" >&2
fi

jq --arg environment "$("$terraform" workspace show)" --arg format "${FORMAT:-slack}" --rawfile log "$plans/plan.txt" \
  --compact-output '
  def problems:
    ( .prior_state | .. | objects | select(.type? == "kalypso_promotion") | .values
      | select((.decision | IN("held", "pinned", "rollback")) or any(.candidates[]; .state == "failed")) | "\(.decision): \(.reason)" ),
    ( .checks[]? | select(.status == "fail") | .instances[]?.problems[]?.message ),
    ( .resource_drift[]? | select(.type == "kalypso_gitops_commit" and .change.after.status == "drifted")
      | "somebody changed the branch of \(.address)" ),
    ( select(.failed) | [$log | scan("(?m)^[│ ]*Error: (.*)$")[]][:3] | ["the plan fails, see the log"] + . | join("; ") );
  def slack: gsub("&"; "&amp;") | gsub("<"; "&lt;") | gsub(">"; "&gt;");
  def card: # without Markdown, so that no commit subject becomes a link
    { type: "AdaptiveCard", version: "1.2", body: map({ type: "RichTextBlock", inlines: [{ type: "TextRun", text: . }] }) };

  [problems] | unique
  | if length == 0 then empty
    elif $format == "slack" then { text: "*\($environment | slack)*: \(join("\n") | slack)" }
    elif $format == "teams" then
      { type: "message", attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", content: ([$environment] + . | card) }] }
    else error("FORMAT has to be slack or teams") end
' "$plans/plan.json"
