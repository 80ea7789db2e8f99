// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
)

// Many writers that know nothing of each other write to one branch at once, each its own
// environment: whatever they write arrives, and nothing is lost.
func TestManyWriters(t *testing.T) {
	t.Parallel()
	const writers, commits = 12, 4
	s := newServer(t)
	s.edit(t, "prod", map[string]string{"docs/index.md": "# Docs\n"})
	var all sync.WaitGroup
	for writer := range writers {
		client, err := git.NewClient(git.Options{}) // with the real waits
		if err != nil {
			t.Fatal(err)
		}
		environment := fmt.Sprintf("env%d", writer)
		i := &instance{server: s}
		all.Go(func() {
			for commit := range commits {
				i.run = publish.New(publish.Options{Git: client, Version: "test"})
				i.apply(t, inFolder(s.settings(fleetOf(environment, fmt.Sprintf("round-%d", commit), "large", "small")), environment))
			}
			i.run = publish.New(publish.Options{Git: client, Version: "test"})
			i.standsStill(t, inFolder(s.settings(fleetOf(environment, fmt.Sprintf("round-%d", commits-1), "large", "small")), environment))
		})
	}
	all.Wait()

	s.commits(t, "prod", 1+writers*commits)
	log, files := s.repo.Log(t, "prod"), s.repo.Files(t, "prod")
	want := []string{"docs/index.md"}
	for writer := range writers {
		environment := fmt.Sprintf("env%d", writer)
		want = append(want, below(environment, fleetFiles...)...)
		for _, name := range []string{"large", "small"} {
			file := fmt.Sprintf("%s/%s/web-live/reconciler.yaml", environment, name)
			if text := files[file]; !strings.Contains(text, fmt.Sprintf("family: round-%d", commits-1)) {
				t.Errorf("%s does not hold the last round:\n%s", file, text)
			}
		}
		arrived := slices.DeleteFunc(slices.Clone(log), func(subject string) bool { return !strings.HasPrefix(subject, environment+": ") })
		if len(arrived) != commits {
			t.Errorf("%s has made the commits %q, want %d", environment, arrived, commits)
		}
	}
	s.holds(t, "prod", want...)
	s.repo.Fsck(t)
}
