// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package page_test

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/page"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/deployed"
)

// The page has all texts of a fleet.
func TestPageHasAll(t *testing.T) {
	t.Parallel()
	full := deployed.Full()
	page := page.Page(full)
	for field, texts := range deployed.Texts(full) {
		for _, text := range texts {
			if !strings.Contains(page, `"`+text+`"`) {
				t.Errorf("the page lacks %s of %s", text, field)
			}
		}
	}
}

// No text contains invisible characters or reverses the text beside it.
func TestPageTexts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\x7fb":                             `"ab"`,
		"a\u202eb\u2066c\u200bd\ufeff":       `"abcd"`,
		"a\n\tb":                             `"a\n\tb"`,
		"a\xffb":                             `"a\ufffdb"`,
		"</script><script>alert(1)</script>": `"\u003c/script\u003e\u003cscript\u003ealert(1)\u003c/script\u003e"`,
	} {
		page := page.Page(inventory.Fleet{Environments: []inventory.Environment{{Name: "dev", Head: text}}})
		if !strings.Contains(page, want) {
			t.Errorf("%.40q: the page lacks %.40q", text, want)
		}
	}
}
