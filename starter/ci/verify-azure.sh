#!/usr/bin/env bash
# Gives each open request in a GitOps repository of Azure Repos the status kalypso/verify-<environment>, with VERIFY_TOKEN.
# GITOPS_API is such as https://dev.azure.com/contoso/fleet/_apis/git/repositories/gitops.
#
#   bash ci/verify-azure.sh ENVIRONMENT...
set -euo pipefail
cd "$(dirname "$0")/.."
token="Authorization: Basic $(printf ':%s' "$VERIFY_TOKEN" | base64 | tr -d '\n')"
request=$(mktemp -d)
trap 'rm -rf "$request"' EXIT

# call METHOD PATH [JSON]: sends a request.
call() {
  curl --fail --silent --show-error --request "$1" --header "$token" --header 'Content-Type: application/json' \
    ${3:+--data @-} "$GITOPS_API/$2" <<<"${3:-}"
}

git init --quiet "$request"
for environment in "$@"; do
  list="pullrequests?searchCriteria.status=active&searchCriteria.targetRefName=refs/heads/$environment&\$top=100&api-version=7.1"
  for number in $(call GET "$list" | jq '.value[].pullRequestId'); do
    # The status is for an iteration, so a later push does not keep it. The second parent is the commit of the request.
    iteration=$(call GET "pullRequests/$number/iterations?api-version=7.1" | jq '.value | max_by(.id)')
    git -C "$request" -c http.extraHeader="$token" fetch --quiet --depth 2 "$(jq --raw-output .gitops repositories.json)" \
      "refs/pull/$number/merge" && git -C "$request" checkout --quiet --force FETCH_HEAD || continue
    [ "$(git -C "$request" rev-parse HEAD^2)" = "$(jq --raw-output .sourceRefCommit.commitId <<<"$iteration")" ] || continue
    echo "Request $number for $environment:"
    state=failed
    if bash ci/verify.sh "$environment" "$request"; then state=succeeded; fi
    call POST "pullRequests/$number/statuses?api-version=7.1" "$(jq --arg state $state --arg name "verify-$environment" \
      --arg url "$SYSTEM_COLLECTIONURI$SYSTEM_TEAMPROJECTID/_build/results?buildId=$BUILD_BUILDID" \
      '{iterationId: .id, state: $state, description: "The log says why", targetUrl: $url, context: {genre: "kalypso", name: $name}}' \
      <<<"$iteration")" >/dev/null
  done
done
