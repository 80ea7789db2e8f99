#!/usr/bin/env bash
# Writes the summary of ci/plan.sh, and each environment that changes, as a comment on the pull request of the job.
# The next run updates these comments. Knows GitHub Actions, GitLab CI and Azure Pipelines.
set -euo pipefail
cd "$(dirname "$0")/.."

# call METHOD URL [JSON]: sends a request with $token, a header. GitHub allows comments of 65,536 characters.
call() {
  curl --fail --silent --show-error --request "$1" --header "$token" --header 'Content-Type: application/json' \
    ${3:+--data @-} "$2" <<<"${3:-}"
}

# Each system has the list of comments, which of them are ours (everyone can write a marker), and two requests.
if [ -n "${GITHUB_ACTIONS:-}" ]; then
  token="Authorization: Bearer $GITHUB_TOKEN"
  repository=$GITHUB_API_URL/repos/$GITHUB_REPOSITORY
  comments=$repository/issues/$(jq .number "$GITHUB_EVENT_PATH")/comments
  list="$comments?per_page=100"
  ours='.[] | select(.user.login == "github-actions[bot]") | {id, text: .body}'
  create() { call POST "$comments" "{\"body\": $1}"; }
  update() { call PATCH "$repository/issues/comments/$1" "{\"body\": $2}"; }
elif [ -n "${GITLAB_CI:-}" ]; then
  token="PRIVATE-TOKEN: $GITLAB_TOKEN"
  comments=$CI_API_V4_URL/projects/$CI_PROJECT_ID/merge_requests/$CI_MERGE_REQUEST_IID/notes
  list="$comments?per_page=100&sort=asc"
  ours=".[] | select(.author.id == $(call GET "$CI_API_V4_URL/user" | jq .id)) | {id, text: .body}"
  create() { call POST "$comments" "{\"body\": $1}"; }
  update() { call PUT "$comments/$1" "{\"body\": $2}"; }
else
  token="Authorization: Bearer $SYSTEM_ACCESSTOKEN"
  repository=$SYSTEM_COLLECTIONURI$SYSTEM_TEAMPROJECTID/_apis/git/repositories/$BUILD_REPOSITORY_ID
  comments=$repository/pullRequests/$SYSTEM_PULLREQUEST_PULLREQUESTID/threads
  list="$comments?api-version=7.1"
  me=$(call GET "${SYSTEM_COLLECTIONURI}_apis/connectionData" | jq .authenticatedUser.id)
  ours=".value[] | select(.comments[0].author.id == $me) | {id, text: .comments[0].content}"
  create() { call POST "$list" "{\"comments\": [{\"content\": $1, \"commentType\": \"text\"}], \"status\": \"closed\"}"; }
  update() { call PATCH "$comments/$1/comments/1?api-version=7.1" "{\"content\": $2}"; }
fi

ours=$(call GET "$list" | jq "[$ours]")
for name in summary $(cat environments.txt); do
  [ -f "plans/$name.md" ] || continue
  marker="<!-- kalypso plan: $name -->"
  id=$(jq --arg marker "$marker" '[.[] | select(.text // "" | startswith($marker)).id][0] // empty' <<<"$ours")
  text=$(jq --null-input --arg marker "$marker" --arg name "$name" --rawfile text "plans/$name.md" \
    '"\($marker)\n" + if $text == "" then "### \($name): no change\n" else $text end')
  if [ -n "$id" ]; then
    update "$id" "$text"
  elif [ -s "plans/$name.md" ]; then
    create "$text"
  fi
done >/dev/null
