#!/bin/sh
# Applies the folder of a cluster type to a cluster, with kubectl:
#
#   apply.sh ENVIRONMENT FOLDER    in a clone of the GitOps repository, on its branch
#
# If a package fails, the script continues with the next package, and exits with 1.
set -eu
environment=$1 folder=${2%/}
[ -e "$folder/README.md" ] || { echo "$folder is not the folder of a cluster type." >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# package FOLDER NAMESPACE: makes the namespace. Then, as the account that may edit only this
# namespace, applies the objects of the package and prunes old objects.
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
  [ -n "$namespace" ] || { echo "$each is not a package." >&2; exit 1; }
  echo "namespace/$namespace" >>"$work/wanted"
  package "${each%/}" "$namespace" || { echo "$each is not applied." >&2; failed=1; }
done

# Deletes the namespaces of packages that are no longer in the folder.
kubectl get namespaces --output name \
  --selector "gitops.contoso.com/environment=$environment,gitops.contoso.com/cluster-type=$(basename "$folder")" >"$work/there"
while read -r namespace; do
  grep -qxF "$namespace" "$work/wanted" || kubectl delete --wait=false "$namespace" || failed=1
done <"$work/there"
exit $failed
