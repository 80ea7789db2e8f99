# shellcheck shell=bash
# Copyright (c) The terraform-provider-kalypso authors
# SPDX-License-Identifier: MPL-2.0

# Functions for scripts that build or download programs for tests, once, into the user's cache:
#
#   built_once NAME [FILE]  runs the function build, with a folder as its argument, unless the
#                           cache has the folder NAME. Prints the path of the folder NAME, or of
#                           the file in this folder.
#   in_cache NAME [FILE]    prints this path if it exists in the cache, and otherwise fails.
#
# A folder in the cache is always complete, because build writes to a temporary folder, which is
# then moved. If two builds run at the same time, the result of the first build stays.

cache=${XDG_CACHE_HOME:-${HOME:-$PWD/bin}/.cache}/terraform-provider-kalypso

in_cache() {
  [ -e "$cache/$1${2:+/$2}" ] && echo "$cache/$1${2:+/$2}"
}

built_once() {
  in_cache "$@" && return
  mkdir -p "$cache"
  find "$cache" -maxdepth 1 -name 'building.*' -mtime +1 -exec rm -rf {} + # the folder of a killed build
  building=$(mktemp -d "$cache/building.XXXXXX")
  trap 'rm -rf "$building"' EXIT
  mkdir "$building/$1"
  build "$building/$1" >&2
  in_cache "$@" >&2 || rm -rf "${cache:?}/$1" # the folder is not complete: somebody removed a part
  # mv does not replace an existing folder of the same name, and moves nothing into it.
  mv "$building/$1" "$cache/" 2>/dev/null || [ -d "$cache/$1" ]
  in_cache "$@"
}
