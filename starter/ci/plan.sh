#!/usr/bin/env bash
# Plans environments with the fleet of this folder, and writes the changes to plan.md as Markdown.
# A plan needs credentials that can read, and no more. Fails if a plan fails.
#
#   bash ci/plan.sh [ENVIRONMENT...]    by default all environments
set -euo pipefail
cd "$(dirname "$0")/../environments"
[ $# -gt 0 ] || set -- *
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT

# plan ENVIRONMENT: writes what a plan says to $lines, as a JSON object on each line.
plan() {
  terraform -chdir="$1" init -input=false &&
    terraform -chdir="$1" plan -json -input=false -lock=false -var "preview=$PWD/../fleet" >"$lines"
}

# For the log. A bar begins each line, because a CI system may run a line that begins with a command.
log='(fromjson? // {"@message": .}) | "\(."@message")\n\(.diagnostic.detail // "")" | rtrimstr("\n") | split("\n")[] | "| \(.)"'

# For plan.md: the number of changes, and the messages of the plan. One of them is the diff, indented by a
# space. The fence has more backquotes than any text between, so that no text of the fleet can end it.
# shellcheck disable=SC2016 # variables of jq
markdown='[inputs | fromjson? | objects]
  | (map(select(.type == "change_summary")."@message") | last // "") as $changes
  | map(select(.type == "diagnostic").diagnostic | "\(.severity): \(.summary)\n\(.detail)" | split("\n") | map(ltrimstr(" ")) | join("\n"))
  | join("\n\n") as $messages
  | ("`" * ([3, ($messages | scan("`+") | length + 1)] | max)) as $fence
  | $changes, (select($messages != "") | "\n\($fence)diff\n\($messages)\n\($fence)"), ""'

failed=0
: >../plan.md
for environment in "$@"; do
  : >"$lines"
  printf '### %s\n\n' "$environment" >>../plan.md
  if ! plan "$environment"; then
    failed=1
    printf 'The plan of **%s** fails. The log of the job has the errors.\n\n' "$environment" >>../plan.md
  fi
  jq --raw-input --raw-output "$log" "$lines"
  jq --null-input --raw-input --raw-output "$markdown" "$lines" >>../plan.md
done
exit $failed
