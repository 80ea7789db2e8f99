// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package remote_test

import (
	"encoding/base64"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// A secret is masked however a server writes it.
func TestMask(t *testing.T) {
	t.Parallel()
	const secret = "s3cr+t/pass word?"
	m := remote.NewMasker("", secret, "deployer:"+secret)
	for name, text := range map[string]string{
		"as it is":                secret,
		"in a query":              url.QueryEscape(secret),
		"in a path":               url.PathEscape(secret),
		"in base64":               base64.StdEncoding.EncodeToString([]byte(secret)),
		"in base64 for URLs":      base64.URLEncoding.EncodeToString([]byte(secret)),
		"in base64, unpadded":     base64.RawStdEncoding.EncodeToString([]byte(secret)),
		"in base64, in a query":   url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(secret))),
		"in basic authentication": base64.StdEncoding.EncodeToString([]byte("deployer:" + secret)),
	} {
		masked := m.Mask("before " + text + " after")
		if strings.Contains(masked, text) || !strings.Contains(masked, "***") || !strings.HasPrefix(masked, "before ") ||
			!strings.HasSuffix(masked, " after") {
			t.Errorf("%s: %s", name, masked)
		}
	}
	if text := "nothing of it, not even secret"; m.Mask(text) != text {
		t.Error(m.Mask(text))
	}
}

// What is added later is masked, too, while others mask.
func TestMaskAdded(t *testing.T) {
	t.Parallel()
	m := remote.NewMasker("first-secret")
	var done sync.WaitGroup
	for range 8 {
		done.Go(func() {
			m.Add("second-secret", "second-secret-and-more")
			if masked := m.Mask("first-secret second-secret-and-more"); masked != "*** ***" {
				t.Error(masked)
			}
		})
	}
	done.Wait()
}
