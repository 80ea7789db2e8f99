#!/usr/bin/env bash
# Writes a file as a comment on the pull request of the job. The next run updates this comment.
# Knows GitHub Actions, GitLab CI and Azure Pipelines.
#
#   bash ci/comment.sh FILE
set -euo pipefail
marker='<!-- kalypso plan -->'
body=$(mktemp)
trap 'rm -f "$body"' EXIT
{
  echo "$marker"
  head -c 60000 "$1"                                 # GitHub allows 65,536 characters
  fence=$(grep -oE '`+' "$1" | sort | tail -n 1) || true # the longest one ends each fence
  [ "$(wc -c <"$1")" -le 60000 ] || printf '\n%s\n\nThe comment ends here. The log of the job has all changes.\n' "$fence"
} >"$body"

# call METHOD URL [JSON]: sends a request with $token, a header.
call() {
  curl --fail --silent --show-error --request "$1" --header "$token" --header 'Content-Type: application/json' \
    ${3:+--data "$3"} "$2"
}

# own LIST: the id of the first comment that begins with the marker. LIST gives id and text of each of our
# comments: everyone can write the marker.
own() { jq --raw-output --arg marker "$marker" "[$1 | select(.text // \"\" | startswith(\$marker)).id][0] // empty"; }

text=$(jq --null-input --rawfile text "$body" '$text')
if [ -n "${GITHUB_ACTIONS:-}" ]; then
  token="Authorization: Bearer $GITHUB_TOKEN"
  repository=$GITHUB_API_URL/repos/$GITHUB_REPOSITORY
  comments=$repository/issues/$(jq .number "$GITHUB_EVENT_PATH")/comments
  id=$(call GET "$comments?per_page=100" | own '.[] | select(.user.login == "github-actions[bot]") | {id, text: .body}')
  if [ -n "$id" ]; then
    call PATCH "$repository/issues/comments/$id" "{\"body\": $text}"
  else
    call POST "$comments" "{\"body\": $text}"
  fi
elif [ -n "${GITLAB_CI:-}" ]; then
  token="PRIVATE-TOKEN: $GITLAB_TOKEN"
  comments=$CI_API_V4_URL/projects/$CI_PROJECT_ID/merge_requests/$CI_MERGE_REQUEST_IID/notes
  me=$(call GET "$CI_API_V4_URL/user" | jq .id)
  id=$(call GET "$comments?per_page=100&sort=asc" | own ".[] | select(.author.id == $me) | {id, text: .body}")
  if [ -n "$id" ]; then
    call PUT "$comments/$id" "{\"body\": $text}"
  else
    call POST "$comments" "{\"body\": $text}"
  fi
else
  token="Authorization: Bearer $SYSTEM_ACCESSTOKEN"
  project=$SYSTEM_COLLECTIONURI$SYSTEM_TEAMPROJECTID
  threads=$project/_apis/git/repositories/$BUILD_REPOSITORY_ID/pullRequests/$SYSTEM_PULLREQUEST_PULLREQUESTID/threads
  me=$(call GET "${SYSTEM_COLLECTIONURI}_apis/connectionData" | jq .authenticatedUser.id)
  id=$(call GET "$threads?api-version=7.1" | own ".value[] | select(.comments[0].author.id == $me) | {id, text: .comments[0].content}")
  if [ -n "$id" ]; then
    call PATCH "$threads/$id/comments/1?api-version=7.1" "{\"content\": $text}"
  else
    call POST "$threads?api-version=7.1" "{\"comments\": [{\"content\": $text, \"commentType\": \"text\"}], \"status\": \"closed\"}"
  fi
fi >/dev/null
