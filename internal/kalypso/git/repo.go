// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

type repo struct {
	client *Client
	url    remote.URL
	name   string // the URL for messages
	access *access
	// withheld says why the repository does not get credentials from environment variables;
	// empty if the repository gets them, or if no such credentials match.
	withheld string
	// stateless says that a session may fetch more than once, as over HTTP and on this machine.
	stateless bool
}

// repository checks the URL of a repository and finds the access for it.
func (c *Client) repository(ctx context.Context, url string) (*repo, error) {
	u, err := remote.Parse(url)
	if err != nil {
		return nil, err
	}
	if c.options.Trust.Bars(ctx, u) {
		return nil, remote.Errorf(remote.KindBarred, "%s is a folder of this machine, and only a manifest names it. To allow it, set "+
			"KALYPSO_GIT_URL_PREFIX to the beginning of such URLs (file:///folder). For a GitOpsRepo, exactly this URL in the attribute repo "+
			"allows it too", u)
	}
	r := &repo{client: c, url: u, name: u.String(), stateless: u.Protocol != remote.SSH}
	r.access, r.withheld = c.accessFor(ctx, u)
	return r, nil
}

// CheckRepo returns an error if a repository must not be used: its URL is malformed, or it is
// on this machine and the configuration does not name it. It connects to nothing.
func (c *Client) CheckRepo(ctx context.Context, url string) error {
	_, err := c.repository(ctx, url)
	return err
}

// references are the references of a repository, with the abilities of its server.
type references struct {
	repo       *repo
	advertised *packp.AdvRefs
}

func (r references) branch(name string) tree.ID {
	return tree.ID(r.advertised.References[string(plumbing.NewBranchReferenceName(name))])
}

// mistaken returns an error if a branch does not exist, and its name is that of something else: of a branch in a clone, or of a tag. A
// commit would create a branch of this name. Error: KindBranchNotFound.
func (r references) mistaken(name string) error {
	_, isTag := r.advertised.References[string(plumbing.NewTagReferenceName(name))]
	switch rest, ofClone := strings.CutPrefix(name, "origin/"); {
	case !r.branch(name).IsZero():
	case ofClone:
		return remote.Errorf(remote.KindBranchNotFound, "%s has no branch %q: in a clone, this is the name of its branch %s. Write %[3]q",
			r.repo.name, name, rest)
	case isTag:
		return remote.Errorf(remote.KindBranchNotFound, "%s has no branch %q: this is the name of a tag. Write the name of a branch", r.repo.name,
			name)
	}
	return nil
}

func (r references) branches() (names []string) {
	for reference := range r.advertised.References {
		if name, isBranch := strings.CutPrefix(reference, "refs/heads/"); isBranch {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// start returns the commit that a new branch starts from; zero if from is empty. Error: KindStartNotFound if from does not exist.
func (r references) start(from string) (tree.ID, error) {
	base := r.branch(from)
	if from != "" && base.IsZero() {
		return base, remote.Errorf(remote.KindStartNotFound, "%s has no branch %q to start the new branch from", r.repo.name, from)
	}
	return base, nil
}

// session is a session to fetch from a repository or to push to it, and the references that the server listed in it.
type session struct {
	references
	transport.Session
	allowance *remote.Allowance
}

// open opens a session for a service of git, and reads the references. The caller closes it.
func (r *repo) open(ctx context.Context, service string) (*session, error) {
	s := &session{references: references{repo: r}, allowance: remote.NewAllowance(r.name, r.client.options.MaxFetch+maxBeside)}
	err := s.connect(ctx, service)
	if err != nil {
		return nil, r.explain(ctx, s.allowance.Explain(err))
	}
	s.advertised, err = s.AdvertisedReferencesContext(s.allowance.With(ctx))
	if errors.Is(err, transport.ErrEmptyRemoteRepository) {
		s.advertised, err = packp.NewAdvRefs(), nil
	}
	if err = r.checkFormat(s.advertised, err); err != nil {
		s.close()
		return nil, r.explain(ctx, s.allowance.Explain(err))
	}
	r.client.options.Logger(ctx, "listed references", map[string]any{"repo": r.name, "references": len(s.advertised.References)})
	return s, nil
}

func (s *session) connect(ctx context.Context, service string) error {
	r := s.repo
	ep := r.url.Endpoint()
	t, auth, err := r.access.transport(ctx, r.url, ep)
	if err != nil {
		return err
	}
	if login, ok := auth.(*githttp.BasicAuth); ok {
		// A forge may have issued the token just now, and a server may repeat the header of basic authentication.
		r.client.options.Masker.Add(login.Password, login.Username+":"+login.Password)
	}
	if ep.Protocol == remote.SSH {
		defer dialBounded(ctx, ep, s.allowance)()
	}
	if service == transport.ReceivePackServiceName {
		s.Session, err = t.NewReceivePackSession(ep, auth)
	} else {
		s.Session, err = t.NewUploadPackSession(ep, auth)
	}
	return err
}

func (s *session) close() { _ = s.Close() } // an error has no effect: the answer was read

func (r *repo) head(ctx context.Context, branch string) (tree.ID, error) {
	s, err := r.open(ctx, transport.UploadPackServiceName)
	if err != nil {
		return tree.ID{}, err
	}
	defer s.close()
	return s.branch(branch), nil
}

// checkFormat returns an error of its own if listing the references failed because the
// repository has SHA-256 ids; otherwise err.
func (r *repo) checkFormat(advertised *packp.AdvRefs, err error) error {
	const sha256 = "sha256"
	var data *packp.ErrUnexpectedData
	switch {
	case err == nil && slices.Contains(advertised.Capabilities.Get(capability.ObjectFormat), sha256):
	// go-git fails at the long id, and its error has the rest of the line.
	case errors.As(err, &data) && bytes.Contains(data.Data, []byte(capability.ObjectFormat.String()+"="+sha256)):
	default:
		return err
	}
	return remote.Errorf(remote.KindRefused, "%s has SHA-256 object ids, which are not supported. Use a repository with SHA-1 ids: git "+
		"init without --object-format makes one", r.name)
}
