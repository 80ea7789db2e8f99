// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"context"
	"fmt"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
)

// killer is in front of a server, and kills a run: from one request on, no request of the run reaches
// the server, and the run ends.
type killer struct {
	backend http.Handler
	mutex   sync.Mutex
	// left is how many requests pass before the kill; negative for all. isDone carries the last one out,
	// and loses its answer.
	left   int
	isDone bool
	kill   func()
}

func (k *killer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	switch {
	case k.left < 0:
	case k.left == 0:
		if k.isDone {
			k.isDone = false
			k.backend.ServeHTTP(httptest.NewRecorder(), r)
		}
		k.kill()
		panic(http.ErrAbortHandler)
	default:
		k.left--
	}
	k.backend.ServeHTTP(w, r)
}

// behind puts the server behind a killer.
func (s *server) behind(t *testing.T) *killer {
	t.Helper()
	target, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	k := &killer{left: -1, backend: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: target.Scheme, Host: target.Host})
	}}}
	front := httptest.NewServer(k)
	t.Cleanup(front.Close)
	s.url, s.address = front.URL+target.Path, front.URL
	return k
}

// killed does something, and kills it.
func (k *killer) killed(s *server, left int, isDone bool, do func()) {
	ctx, kill := context.WithCancel(context.Background())
	defer kill()
	k.mutex.Lock()
	k.left, k.isDone, k.kill = left, isDone, kill
	k.mutex.Unlock()
	s.ctx = ctx
	do()
	s.ctx = nil
	k.mutex.Lock()
	k.left = -1
	k.mutex.Unlock()
}

// TestKilled kills 40 applies at a random request, 20 of them with pull requests. The apply after
// that ends the work: an import comes first, if a new resource was not saved. Terraform saves nothing
// of the killed apply, and loses the private state if only the provider was killed.
func TestKilled(t *testing.T) {
	t.Parallel()
	for i := range 40 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewSource(int64(i)))
			s, proposes := newServer(t), i%2 == 1
			if proposes {
				s = newGitHub(t)
			}
			k := s.behind(t)
			settings := func(family string) publish.Settings {
				if proposes {
					return s.proposing(family)
				}
				return s.settings(both(family))
			}
			r, wanted, types := s.resource(), settings("green"), []string{"large", "small"}
			what := []string{"create", "update", "remove", "move", "destroy"}[i/2%5]
			if what != "create" {
				before := settings("blue")
				before.OnDestroy = ownership.Delete
				r.apply(t, before)
				if proposes && random.Intn(2) == 0 {
					s.github.Merge(t, s.only(t).Number, "merge")
				}
			}
			switch what {
			case "remove":
				wanted.Fleet, types = fleet("green", "large"), types[:1]
			case "move":
				wanted.Path = given("next")
			}
			left, isDone := random.Intn(10), random.Intn(2) == 0
			if what == "destroy" {
				r.killedDestroy(t, k, left, isDone)
				return
			}
			plan, m := r.plan(t, wanted)
			succeeded(t, m)
			before, memory := r.was, r.memory
			k.killed(s, left, isDone, func() { m = r.carryOut(t, wanted, plan) })
			if !m.Failed() && len(plan.Replaces) == 0 { // it was killed before Terraform saved the state
				r.was, r.memory = before, memory
			} else if !m.Failed() {
				r.was, r.memory = nil, publish.Memory{}
			}
			if r.was != nil && random.Intn(2) == 0 {
				r.memory = publish.Memory{}
			}
			r.ends(t, wanted, types...)
		})
	}
}

// killedDestroy kills a destroy, and destroys again.
func (r *resource) killedDestroy(t *testing.T, k *killer, left int, isDone bool) {
	t.Helper()
	before := *r.was
	var m message.Messages
	k.killed(r.server, left, isDone, func() {
		memory, planned := r.publisher(t).PlanDestroy(t.Context(), r.job(r.was.Settings))
		if r.memory = memory; !planned.Failed() {
			m = r.remove(t, true)
		}
	})
	if !m.Failed() {
		r.was = &before
	}
	succeeded(t, r.destroy(t))
	if r.github != nil {
		for _, pull := range r.open() {
			r.github.Merge(t, pull.Number, "merge")
		}
		r.holds(t, "prod", "docs/index.md")
		return
	}
	r.holds(t, "prod")
}

// ends applies once more, and checks that the branch has the wanted cluster types, and that nothing
// is left to do.
func (r *resource) ends(t *testing.T, wanted publish.Settings, types ...string) {
	t.Helper()
	isLost := r.was == nil
	plan, m := r.plan(t, wanted)
	if !m.Failed() {
		m = r.carryOut(t, wanted, plan)
	}
	if m.Failed() {
		if says(t, m.Errors, "terraform import"); !isLost {
			t.Fatalf("a resource in the state is refused: %+v", m.Errors)
		}
		succeeded(t, r.imports(t, wanted, "prod"))
		r.apply(t, wanted)
	}
	if r.github != nil {
		open := r.open()
		if isLost { // a person closes the request of the resource that was not saved
			for _, pull := range open {
				if pull.Number != r.was.LastRequest.Number {
					r.github.ClosePull(t, pull.Number)
				}
			}
			open = r.open()
		}
		open = slices.DeleteFunc(open, func(p githubtest.Pull) bool { // the other half of a move
			isRelease := strings.HasSuffix(p.Title, "give the packages up")
			if isRelease {
				r.github.Merge(t, p.Number, "merge")
			}
			return isRelease
		})
		if r.was.Status == publish.Proposed && (len(open) != 1 || open[0].Number != r.was.LastRequest.Number) {
			t.Fatalf("the open requests are %+v, the state is %+v", open, r.was.Attributes)
		}
		for _, pull := range open {
			r.github.Merge(t, pull.Number, "merge")
		}
	}
	r.status(t, publish.InSync)
	r.isQuiet(t, wanted)
	files := r.repo.Files(t, "prod")
	for _, name := range []string{"large", "small"} {
		text := files[strings.TrimPrefix(wanted.Path.Value+"/"+name+"/web-live/reconciler.yaml", "./")]
		if slices.Contains(types, name) != strings.Contains(text, "family: green") {
			t.Errorf("%s has the content %q", name, text)
		}
	}
}

// If time is up while a push has no answer yet, nobody knows whether the branch has changed, and the
// error does not say that it has not. The next apply ends the work.
func TestPushWithoutAnswer(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.behind(t)
	r, wanted := s.resource(), s.settings(both("green"))
	r.apply(t, s.settings(both("blue")))
	before, was, memory := s.repo.Head(t, "prod"), r.was, r.memory
	plan, m := r.plan(t, wanted)
	succeeded(t, m)
	for left := 0; s.repo.Head(t, "prod") == before; left++ {
		k.killed(s, left, true, func() { m = r.carryOut(t, wanted, plan) })
	}
	says(t, m.Errors, "The apply has not finished", "the server may still carry it out: plan again")
	r.was, r.memory = was, memory
	r.ends(t, wanted, "large", "small")
}
