// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package giteatest

import (
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync/atomic"
	"testing"

	"code.gitea.io/sdk/gitea"
)

// Repo is a repository of the organization, with a branch main.
type Repo struct {
	server *server
	name   string
	files  atomic.Int64
}

var repositories atomic.Int64

// NewRepo makes a repository. The test is skipped if there is no Gitea.
func NewRepo(t testing.TB) *Repo {
	t.Helper()
	if os.Getenv(Variable) == "" {
		t.Skipf("%s does not name a Gitea; make test-gitea does", Variable)
	}
	s, err := current()
	if err != nil {
		t.Fatal(err)
	}
	r := &Repo{server: s, name: fmt.Sprint("gitops", repositories.Add(1))}
	_, _, err = s.admin.CreateOrgRepo(Owner, gitea.CreateRepoOption{Name: r.name, AutoInit: true, DefaultBranch: "main", Readme: "Default"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Address is that of Gitea's pages, URL the repository's.
func (r *Repo) Address() string { return r.server.address }

// URL is the repository's URL for git.
func (r *Repo) URL() string { return r.server.address + "/" + Owner + "/" + r.name }

// Token is that of a person who may write.
func (r *Repo) Token(person string) string { return r.server.tokens[person] }

// ReadToken makes a token that may only read.
func (r *Repo) ReadToken(t testing.TB, person string) string {
	t.Helper()
	mu.Lock()
	defer mu.Unlock()
	token, err := r.server.token(person, "read:repository", "read:issue")
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// As is Gitea's interface for a person.
func (r *Repo) As(t testing.TB, person string) *gitea.Client {
	t.Helper()
	client, err := gitea.NewClient(r.server.address, gitea.SetToken(r.server.tokens[person]), gitea.SetContext(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// Commit adds a file with that content to a branch, which it makes from main
// where it is missing, and returns the commit.
func (r *Repo) Commit(t testing.TB, branch, content string) string {
	t.Helper()
	options := gitea.CreateFileOptions{
		FileOptions: gitea.FileOptions{Message: content, BranchName: branch},
		Content:     base64.StdEncoding.EncodeToString([]byte(content)),
	}
	if r.Head(t, branch) == "" {
		options.BranchName, options.NewBranchName = "main", branch
	}
	made, _, err := r.As(t, Writer).CreateFile(Owner, r.name, fmt.Sprint("drone/", r.files.Add(1)), options)
	if err != nil {
		t.Fatal(err)
	}
	return made.Commit.SHA
}

// Write writes files to a branch with one commit, which it returns. It makes the branch
// from main where it is missing.
func (r *Repo) Write(t testing.TB, branch string, files map[string]string) string {
	t.Helper()
	options := gitea.ChangeFilesOptions{Message: "Write files", Branch: branch}
	if r.Head(t, branch) == "" {
		options.Branch, options.NewBranch = "main", branch
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		options.Files = append(options.Files, &gitea.ChangeFileOperation{
			Operation: "upload", Path: path, Content: base64.StdEncoding.EncodeToString([]byte(files[path])),
		})
	}
	made, _, err := r.As(t, Writer).ChangeFiles(Owner, r.name, options)
	if err != nil {
		t.Fatal(err)
	}
	return made.Commit.SHA
}

// Read returns a file of a branch.
func (r *Repo) Read(t testing.TB, branch, path string) string {
	t.Helper()
	text, _, err := r.As(t, Writer).GetFile(Owner, r.name, branch, path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Head is the commit of a branch; empty if there is none.
func (r *Repo) Head(t testing.TB, branch string) string {
	t.Helper()
	refs, _, err := r.As(t, Writer).GetRepoRefs(Owner, r.name, "heads/"+branch)
	if err != nil {
		return ""
	}
	for _, ref := range refs {
		if ref.Ref == "refs/heads/"+branch {
			return ref.Object.SHA
		}
	}
	return ""
}

// Configure changes the repository's settings.
func (r *Repo) Configure(t testing.TB, options gitea.EditRepoOption) {
	t.Helper()
	if _, _, err := r.server.admin.EditRepo(Owner, r.name, options); err != nil {
		t.Fatal(err)
	}
}

// Notify has pushes told to an address, signed with a secret.
func (r *Repo) Notify(t testing.TB, address, secret string) {
	t.Helper()
	_, _, err := r.server.admin.CreateRepoHook(Owner, r.name, gitea.CreateHookOption{
		Type: gitea.HookTypeGitea, Events: []string{"push"}, Active: true,
		Config: map[string]string{"url": address, "content_type": "json", "secret": secret},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Reports returns the latest status of a commit for each context.
func (r *Repo) Reports(t testing.TB, commit string) map[string]gitea.Status {
	t.Helper()
	statuses, _, err := r.As(t, Other).ListStatuses(Owner, r.name, commit, gitea.ListStatusesOption{})
	if err != nil {
		t.Fatal(err)
	}
	reports := map[string]gitea.Status{}
	for _, s := range statuses {
		if known, ok := reports[s.Context]; !ok || s.ID > known.ID {
			reports[s.Context] = *s
		}
	}
	return reports
}

// Protect makes a branch accept no pushes, and only merges of approved requests.
func (r *Repo) Protect(t testing.TB, branch string) {
	t.Helper()
	if _, _, err := r.server.admin.CreateBranchProtection(Owner, r.name,
		gitea.CreateBranchProtectionOption{RuleName: branch, RequiredApprovals: 1}); err != nil {
		t.Fatal(err)
	}
}

// Name is the repository's name.
func (r *Repo) Name() string { return r.name }
