// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
)

// checkPart reports mistakes in cluster_types. A name that the resource had before may have left
// the fleet; its folder is then removed. A new name that the fleet does not have is misspelled.
func (w *work) checkPart(context.Context) (m message.Messages) {
	if !w.Fleet.IsPart() {
		return m
	}
	var known, gone []string
	for _, ct := range w.result.Fleet.ClusterTypes {
		known = append(known, ct.Name)
	}
	for _, name := range wording.Sorted(w.Fleet.ClusterTypes) {
		if _, found := slices.BinarySearch(known, name); found {
			continue
		}
		if w.Was != nil && slices.Contains(w.Was.Fleet.ClusterTypes, name) {
			gone = append(gone, name)
			continue
		}
		text := fmt.Sprintf("cluster_types names %q, and the fleet has no such cluster type.", name)
		if near := wording.Nearest(name, known); near != "" {
			text += fmt.Sprintf(" Did you mean %q?", near)
		}
		m.Errors = append(m.Errors, message.Message{Setting: "cluster_types", Summary: "Unknown cluster type", Detail: text})
	}
	if len(gone) > 0 {
		m.Warn("Cluster types have left the fleet", fmt.Sprintf("cluster_types has names that are not in the fleet any more: %s. Remove them "+
			"from the list after this apply.", message.List("cluster type", gone)))
	}
	return m
}
