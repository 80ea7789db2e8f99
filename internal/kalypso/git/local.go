// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// localSettings win over the configuration of a local repository. Others may have written that
// configuration, so it must not make git start a program. More settings of git name programs;
// git reads them only from the user's own configuration.
var localSettings = [][2]string{
	{"safe.bareRepository", "explicit"},
	{"core.hooksPath", "/dev/null"},
	{"core.alternateRefsCommand", "true"},
	{"core.fsmonitor", "false"},
	// A push does not touch a checkout, whose filters are programs.
	{"receive.denyCurrentBranch", "refuse"},
	// A push does not collect garbage, because gc.recentObjectsHook is a program.
	{"receive.autogc", "false"},
}

// localVariables are the environment variables that git gets: for its programs, the user's
// configuration and temporary files. Git gets no tokens and keys.
var localVariables = []string{
	"PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
	"USERPROFILE", "HOMEDRIVE", "HOMEPATH", "SYSTEMROOT", "PATHEXT", "TEMP", "TMP", // Windows
}

func localEnvironment(lookup func(name string) (string, bool)) []string {
	// Git does not fetch what a partial clone lacks: the clone's configuration names the
	// program for the fetch.
	env := []string{"LC_ALL=C", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(localSettings))}
	for i, setting := range localSettings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, setting[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, setting[1]))
	}
	for _, name := range localVariables {
		if value, ok := lookup(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// newLocal returns go-git's transport to a repository on this machine, and changes the
// endpoint to fit. The git program of this machine serves the repository: it speaks the
// protocol of HTTP on its standard input and output.
func newLocal(repo remote.URL, ep *transport.Endpoint) transport.Transport {
	*ep = transport.Endpoint{Protocol: remote.HTTP, Host: "localhost"}
	return githttp.NewClient(&http.Client{Transport: remote.Bound(localGit{repo})})
}

// localGit answers requests for one repository by running git.
type localGit struct{ repo remote.URL }

// readTime is how long the reader of an answer has after git has ended. Under a high load, a reader may
// wait for seconds.
const readTime = time.Minute

// RoundTrip runs git for one request. Errors: git is not installed, or git refuses to serve
// the repository.
func (l localGit) RoundTrip(request *http.Request) (*http.Response, error) {
	service, how := request.URL.Query().Get("service"), []string{"--stateless-rpc", "--advertise-refs"}
	if service == "" {
		service, how = path.Base(request.URL.Path), how[:1]
	}
	args := append([]string{strings.TrimPrefix(service, "git-")}, append(how, "--", l.folder())...)
	//nolint:gosec // the service is go-git's, and the folder is an absolute path.
	cmd := exec.CommandContext(request.Context(), "git", args...)
	cmd.Env, cmd.WaitDelay = localEnvironment(os.LookupEnv), readTime
	var said progress
	answer, stdout := io.Pipe()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = request.Body, stdout, &said
	go func() {
		err := cmd.Run()
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			err = l.refused(&said)
		}
		_ = stdout.CloseWithError(err) // never fails
	}()
	buffered := bufio.NewReader(answer)
	if _, err := buffered.Peek(1); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	body := struct { // closing it ends the process
		io.Reader
		io.Closer
	}{buffered, answer}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: body, Request: request}, nil
}

// folder returns the path of the repository in the notation of this machine.
func (l localGit) folder() string {
	if below := strings.TrimPrefix(l.repo.Path, "/"); len(below) > 1 && below[1] == ':' && os.PathSeparator == '\\' {
		return below // file:///C:/folder
	}
	return l.repo.Path
}

// refused returns an error with git's reason for not serving the repository.
func (l localGit) refused(said *progress) error {
	words := remote.Words(said.String())
	if strings.Contains(words, "does not appear to be a git repository") {
		return remote.Errorf(remote.KindNotFound, "the repository %s does not exist. Check the URL, and create the "+
			"repository first if necessary", l.repo)
	}
	return remote.Errorf(remote.KindServer, "git cannot read %s: %s", l.repo, words)
}
