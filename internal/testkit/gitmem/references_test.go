// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gitmem_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/format/pktline"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

func namesOfABranch(c *target) {
	c.CommitFiles(c.t, "prod", content("f/a", "1"), "first")
	c.Alias(c.t, "alias", "prod")
	c.Alias(c.t, "dangling", "absent")
	c.note("%v", c.Branches(c.t))
	c.read("alias", "f")
	c.apply("alias", "by the other name", map[string]string{"a": "2"})
	c.apply("prod", "by its own name", map[string]string{"b": "3"})
	c.CommitFiles(c.t, "alias", content("c", "4"), "by a test")
	c.noteAll("prod", "alias", "dangling", "absent")
	c.apply("dangling", "makes the branch", map[string]string{"a": "5"})
	c.noteAll("dangling", "absent")
	for _, old := range []string{c.Commits(c.t, "prod")[0], c.Head(c.t, "prod")} {
		id, err := tree.ParseID(old)
		if err != nil {
			c.t.Fatal(err)
		}
		gone, err := c.client().DeleteBranch(c.t.Context(), c.branch("alias"), id)
		c.note("delete alias: %t %v", gone, err)
	}
	c.note("%v", c.Branches(c.t))
	c.Branch(c.t, "alias", "dangling")
	c.noteAll("prod", "alias")
	c.DeleteBranch(c.t, "alias")
	c.note("%v", c.Branches(c.t))
}

// rawPushes sends commands that no client of git sends, with a pack that holds nothing.
func rawPushes(c *target) {
	first := c.CommitFiles(c.t, "main", content("a", "1"), "first")
	second := c.CommitFiles(c.t, "main", content("a", "2"), "second")
	folder := c.Tree(c.t, "main", "")
	c.Branch(c.t, "topic", "main")
	c.Branch(c.t, "prod", "main")
	c.Alias(c.t, "alias", "prod")
	c.Alias(c.t, "other-main", "main")
	none, missing := strings.Repeat("0", 40), strings.Repeat("1", 40)
	creating := func(names ...string) (commands []string) {
		for _, name := range names {
			commands = append(commands, none+" "+first+" "+name)
		}
		return commands
	}
	for _, commands := range [][]string{
		{second + " " + none + " refs/heads/gone"},
		{missing + " " + none + " refs/heads/gone"},
		{first + " " + none + " refs/heads/topic"},
		{missing + " " + none + " refs/heads/topic"},
		creating("refs/heads/topic", "refs/heads/topic", "refs/heads/topic/below"),
		creating("refs/heads/a..b", "refs/heads/x.lock", "refs/heads/x.lock/y", "refs/heads/a name", "refs/heads/.a", "refs/heads/a//b",
			"refs/heads/a/"),
		creating("refs/heads/a.", "refs/heads/a@{b", "refs/heads/a[", "refs/heads/a?", "refs/heads/a\\b", "refs/heads/a\x7f", "refs/heads",
			"refs/tags", "main"),
		{second + " " + none + " refs/heads/a..b"},
		creating("refs/heads/-", "refs/heads/@", "refs/heads/ä.b", "refs/heads/a.lock.b"), // funny, but not to git
		{none + " " + folder + " refs/heads/folder"},
		{second + " " + folder + " refs/heads/main"},
		{folder + " " + first + " refs/heads/main"},
		{missing + " " + first + " refs/heads/main"},
		{second + " " + first + " refs/heads/main"},
		{first + " " + second + " refs/heads/main"},
		append(creating("refs/heads/beside"), none+" "+missing+" refs/heads/new"),
		append(creating("refs/heads/guarded", "refs/heads/a..b"), none+" "+missing+" refs/heads/new"),
		creating("guarded"),
		{first + " " + second + " refs/heads/alias"},
		{second + " " + none + " refs/heads/other-main"},
		{second + " " + none + " refs/heads/main"},
	} {
		c.push(commands...)
	}
	c.note("%v", c.Branches(c.t))
}

// push sends a push, and notes what the server reports and says of it.
func (c *target) push(commands ...string) {
	c.t.Helper()
	var body bytes.Buffer
	for i, command := range commands {
		if i == 0 {
			command += "\x00report-status side-band-64k"
		}
		body.WriteString(gittest.Packet(command))
	}
	body.WriteString(gittest.Flush)
	body.Write(new(gittest.Pack).Bytes())
	request, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.url+"/git-receive-pack", &body)
	if err != nil {
		c.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-git-receive-pack-request")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	c.note("%q: %s", commands, response.Status)
	var bands [3]bytes.Buffer
	packets := pktline.NewScanner(response.Body)
	for packets.Scan() {
		if p := packets.Bytes(); len(p) > 0 {
			bands[p[0]].Write(p[1:])
		}
	}
	if err := packets.Err(); err != nil {
		c.note("%v", err)
	}
	for packets := pktline.NewScanner(&bands[1]); packets.Scan(); {
		c.note("%s", packets.Bytes())
	}
	for line := range strings.Lines(bands[2].String()) {
		if !strings.HasPrefix(line, "fatal: bad object ") { // this is of a process that git starts
			c.note("%s", line)
		}
	}
}

// What differs from git, and what no git sends: tags, and requests that say nothing.
func TestRefusedHere(t *testing.T) {
	t.Parallel()
	c := open(t, "memory", true, true)
	head := c.CommitFiles(t, "main", content("a", "1"), "first")
	none := strings.Repeat("0", 40)
	for commands, want := range map[string]string{
		none + " " + head + " refs/tags/v1":          "ng refs/tags/v1 only branches are kept here\n",
		none + " " + head:                            `receive-pack: unexpected packet`,
		none + " " + head[:39] + " refs/heads/short": `"` + head[:39] + `" is not the id of an object`,
	} {
		c.notes = nil
		c.push(commands)
		if said := strings.Join(c.notes, ""); !strings.Contains(said, want) {
			t.Errorf("the server says %q, want %q", said, want)
		}
	}
	if branches := c.Branches(t); len(branches) != 1 {
		t.Errorf("the branches are %v", branches)
	}
}
