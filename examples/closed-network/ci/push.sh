#!/usr/bin/env bash
# Pushes the GitOps branch of each environment to a registry as an OCI artifact for Flux. The tag of the environment
# moves only to a signed artifact. Prints what creates the Zarf packages of this artifact.
#
#   bash ci/push.sh ENVIRONMENT...
#
#   GITOPS              URL of the GitOps repository
#   REGISTRY            where the artifact goes, such as registry.contoso.com/platform
#   COSIGN_PRIVATE_KEY  the text of cosign.key, which cosign generate-key-pair makes; COSIGN_PASSWORD opens it
#   READ_TOKEN          optional: reads the GitOps repository
#   REGISTRY_USER       optional: with REGISTRY_PASSWORD, the login at the registry
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ -n "${READ_TOKEN:-}" ]; then
  export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="http.$GITOPS.extraHeader"
  GIT_CONFIG_VALUE_0="Authorization: Basic $(printf 'x:%s' "$READ_TOKEN" | base64 | tr -d '\n')"
  export GIT_CONFIG_VALUE_0
fi
if [ -n "${REGISTRY_USER:-}" ]; then
  for program in oras cosign; do
    "$program" login "${REGISTRY%%/*}" --username "$REGISTRY_USER" --password-stdin <<<"$REGISTRY_PASSWORD" >&2
  done
fi

for environment; do
  branch=$(git ls-remote "$GITOPS" "refs/heads/$environment")
  if [ -z "$branch" ]; then
    echo "$environment has no branch yet."
    continue
  fi
  git clone --quiet --bare --depth 1 --branch "$environment" "$GITOPS" "$folder/$environment"
  commit=$(git --git-dir="$folder/$environment" rev-parse HEAD)
  git --git-dir="$folder/$environment" archive --format=tar.gz --output="$folder/gitops.tar.gz" HEAD
  # The same commit makes the same digest.
  (cd "$folder" && oras push "$REGISTRY/gitops:$environment-$commit" \
    --artifact-type application/vnd.cncf.flux.config.v1+json \
    --annotation "org.opencontainers.image.created=$(git --git-dir="$environment" show --no-patch --format=%cI HEAD)" \
    --annotation "org.opencontainers.image.source=$GITOPS" \
    --annotation "org.opencontainers.image.revision=$environment@sha1:$commit" \
    gitops.tar.gz:application/vnd.cncf.flux.content.v1.tar+gzip) >&2
  digest=$(oras resolve "$REGISTRY/gitops:$environment-$commit")
  # No transparency log: it would need the internet. Zarf carries a signature with a tag, not a bundle.
  cosign sign --yes --key env://COSIGN_PRIVATE_KEY --tlog-upload=false --use-signing-config=false --new-bundle-format=false \
    "$REGISTRY/gitops@$digest" >&2
  oras tag "$REGISTRY/gitops:$environment-$commit" "$environment" >&2
  echo "$environment: zarf package create zarf/<cluster type> --set COMMIT=$commit --set SHA256=${digest#sha256:}"
done
