// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package remote_test

import (
	"encoding/base64"
	"math/rand/v2"
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
	m := remote.NewMasker("", secret)
	for name, text := range map[string]string{
		"as it is":                secret,
		"in a query":              url.QueryEscape(secret),
		"in a path":               url.PathEscape(secret),
		"in base64":               base64.StdEncoding.EncodeToString([]byte(secret)),
		"in base64 for URLs":      base64.URLEncoding.EncodeToString([]byte(secret)),
		"in base64, unpadded":     base64.RawStdEncoding.EncodeToString([]byte(secret)),
		"in base64, in a query":   url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(secret))),
		"in basic authentication": base64.StdEncoding.EncodeToString([]byte("deployer:" + secret)),
		"with a token's user":     base64.StdEncoding.EncodeToString([]byte("x-access-token:" + secret)),
		"in a document in base64": base64.StdEncoding.EncodeToString([]byte(`{"password":"` + secret + `","more":true}`)),
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
	if (*remote.Masker)(nil).Mask("text") != "text" {
		t.Error("a masker without secrets masks")
	}
}

// Any text can be before and after a secret. Of its base64, at most one character at each
// end is left, which depends on the text beside it.
func TestMaskWithinBase64(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	letters := func(n int) string {
		text := make([]byte, n)
		for i := range text {
			text[i] = byte(33 + random.IntN(94))
		}
		return string(text)
	}
	for range 2000 {
		secret, before, after := letters(5+random.IntN(40)), letters(random.IntN(8)), letters(random.IntN(8))
		for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			encoded := encoding.EncodeToString([]byte(before + secret + after))
			first, last := (len(before)*8+5)/6, (len(before)+len(secret))*8/6 // characters of the secret alone
			masked := remote.NewMasker(secret).Mask(encoded)
			if prefix, suffix, found := strings.Cut(masked, "***"); !found || len(prefix) > first || len(suffix) > len(encoded)-last {
				t.Fatalf("%q between %q and %q is masked as %s of %s", secret, before, after, masked, encoded)
			}
		}
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
