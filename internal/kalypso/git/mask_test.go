// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// A server that repeats the credential that it was sent does not bring it into a message:
// neither a password of the configuration nor a token that a forge has just given, and no
// part of one if the message is cut.
func TestCredentialRepeatedByServer(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		padding int
		login   bool
	}{
		"password": {0, false}, "token": {0, true}, "cut": {wording.MaxWords - 30, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := ""
			r := httpRemote(t, func(w http.ResponseWriter, request *http.Request, _ gittest.Repository) bool {
				_, said, _ = strings.Cut(request.Header.Get("Authorization"), " ")
				if said == "" {
					return false // asks for it
				}
				w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
				text := "ERR " + strings.Repeat("x", test.padding) + " no access with " + said
				_, _ = fmt.Fprintf(w, "001e# service=git-upload-pack\n0000%04x%s", len(text)+4, text)
				return true
			})
			credential := r.credential
			if test.login {
				credential = git.Credential{URLPrefix: r.url, TLS: credential.TLS,
					Login: func(context.Context, string) (string, string, error) { return user, password, nil }}
			}
			_, err := head(t.Context(), newClient(t, credential), r.branch("dev"))
			if err == nil || said == "" || !strings.Contains(err.Error(), "***") && !strings.Contains(err.Error(), "…") {
				t.Fatalf("the server was sent %q, error %v", said, err)
			}
			for i := range len(said) - 8 { // a part that holds some bytes of the password
				if part := said[i : i+8]; i*6/8 > len(user) && strings.Contains(err.Error(), part) {
					t.Errorf("the error holds %q of %q: %v", part, said, err)
				}
			}
		})
	}
}
