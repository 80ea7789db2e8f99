#!/bin/sh
# Brings a cluster to what the folder of its cluster type says, with kubectl:
#
#   apply.sh ENVIRONMENT FOLDER    in a clone of the GitOps repository, on its branch
#
# A package that fails does not keep others from being applied; the exit code says so.
set -eu
environment=$1 folder=${2%/}
[ -e "$folder/README.md" ] || { echo "$folder is not the folder of a cluster type." >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# package FOLDER NAMESPACE: makes the namespace and, as the account that may edit it,
# applies what belongs into it and prunes what no longer does.
package() {
  kubectl apply --server-side --filename "$1/namespace.yaml" || return
  mkdir "$work/$2" && cp "$1"/*.yaml "$work/$2" || return
  mv "$work/$2/reconciler.yaml" "$work/$2/kustomization.yaml" || return
  kubectl kustomize "$work/$2" >"$work/$2.yaml" || return
  KUBECTL_APPLYSET=true kubectl apply --server-side --as "system:serviceaccount:$2:reconciler" \
    --namespace "$2" --prune --applyset configmaps/applied --filename "$work/$2.yaml"
}

failed=0
: >"$work/wanted"
for each in "$folder"/*/; do
  [ -d "$each" ] || continue
  namespace=$(sed -n 's/^namespace: "\(.*\)"$/\1/p' "${each}reconciler.yaml")
  [ -n "$namespace" ] || { echo "$each is no package." >&2; exit 1; }
  echo "namespace/$namespace" >>"$work/wanted"
  package "${each%/}" "$namespace" || { echo "$each is not applied." >&2; failed=1; }
done

# What has left the folder goes with its namespace.
kubectl get namespaces --output name \
  --selector "gitops.contoso.com/environment=$environment,gitops.contoso.com/cluster-type=$(basename "$folder")" >"$work/there"
while read -r namespace; do
  grep -qxF "$namespace" "$work/wanted" || kubectl delete --wait=false "$namespace" || failed=1
done <"$work/there"
exit $failed
