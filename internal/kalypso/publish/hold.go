// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
)

// stayOnHold ends the operation if the resource is on hold: nothing is computed, read or written,
// and every computed value stays as the state has it.
func (w *work) stayOnHold(context.Context) (m message.Messages) {
	if !w.onHold() {
		return m
	}
	w.isDone = true
	if w.Was == nil {
		return w.createOnHold()
	}
	w.at = w.Was.Location
	if moved := w.givenPlace(w.at); !moved.Same(w.at) || w.isOtherEnvironment {
		m.Fail(message.OnHold, fmt.Sprintf("The environment and the place cannot change while %s is set: the packages stay in %s. Set "+
			"environment, repo, branch and path back, or remove %[1]s.", w.holdName(), w.at))
	}
	if w.Detail != w.Was.Detail {
		m.Fail(message.OnHold, fmt.Sprintf("detail cannot change while %s is set. Set it to %q, or remove %[1]s.", w.holdName(), w.Was.Detail))
	}
	m.Warn(message.OnHold, fmt.Sprintf("%s, the apply writes nothing to %s, and does not repair drift there. The first plan after that "+
		"shows what differs.", w.whyHeld(), w.at))
	return m
}

// whyHeld begins a sentence about what the hold means.
func (w *work) whyHeld() string {
	if w.IsUnverified && !w.HoldAll {
		return "No release is verified yet (release.commit is null; the reason of kalypso_promotion says what is missing). Until then"
	}
	return fmt.Sprintf("While %s is set", w.holdName())
}

// ownsNothing reports whether the branch has nothing of the resource. If the branch could not be read,
// it is a resource that was created on hold and has written nothing.
func (w *work) ownsNothing() bool {
	if w.Was.Proposal.IsOpen() {
		return false
	}
	if w.answer == nil {
		return w.Was.Status == Held
	}
	return len(w.inventory.Record(w.Was.Instance, w.at).Folders) == 0
}

// givenPlace returns a place with the parts that the configuration sets and knows.
func (s *Settings) givenPlace(at git.Location) git.Location {
	for _, part := range []struct {
		text Text
		to   *string
	}{{s.Repo, &at.Repo}, {s.Branch, &at.Branch}, {s.Path, &at.Path}} {
		if part.text.Given && !part.text.Unknown {
			*part.to = part.text.Value
		}
	}
	return at
}

// createOnHold creates a resource that writes nothing yet.
func (w *work) createOnHold() (m message.Messages) {
	w.at = w.givenPlace(git.Location{Path: "."})
	if !w.Repo.Given || !w.Branch.Given {
		m.Fail(message.OnHold, fmt.Sprintf("A new resource needs repo and branch while %s is set, because the fleet is not read. Set both, or "+
			"create the resource after the hold.", w.holdName()))
	}
	m.Warn(message.OnHold, fmt.Sprintf("%s, the apply writes nothing to %s. The first plan after that shows what it writes.",
		w.whyHeld(), w.at))
	w.after = Attributes{Packages: engine.Digests{}, Summary: "nothing is written while the environment is on hold", Status: Held}
	return m
}
