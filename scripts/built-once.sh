# shellcheck shell=bash
# Copyright (c) The terraform-provider-kalypso authors
# SPDX-License-Identifier: MPL-2.0

# Sourced by scripts that build what tests run, once, into the user's cache:
#
#   built_once NAME    runs build FOLDER unless the cache has NAME, and prints its folder
#
# A folder in the cache is complete: it is built beside it and moved. Of two builds at once,
# the first one counts.

built_once() {
  local cache=${XDG_CACHE_HOME:-${HOME:-bin}/.cache}/terraform-provider-kalypso
  mkdir -p "$cache"
  cache=$(cd "$cache" && pwd)
  if [ ! -d "$cache/$1" ]; then
    find "$cache" -maxdepth 1 -name 'building.*' -mtime +1 -exec rm -rf {} + # of a build that was killed
    building=$(mktemp -d "$cache/building.XXXXXX")
    trap 'rm -rf "$building"' EXIT
    mkdir "$building/$1"
    build "$building/$1" >&2
    # A folder of the same name that is there is not replaced, and nothing is put into it.
    mv "$building/$1" "$cache/" 2>/dev/null || [ -d "$cache/$1" ]
  fi
  echo "$cache/$1"
}
