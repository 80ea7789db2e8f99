// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import "testing"

// A name has the letters that it has, also where a message begins with what is wrong with it.
func TestNamesKeepTheirCase(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files map[string]string
		words []string
	}{
		"a file in the place of a folder": {map[string]string{"large": "x"}, []string{"The path large of ", "has to be a folder, but is a file"}},
		"a folder that is there":          {map[string]string{"large/x": "x"}, []string{"already has folder large,"}},
		"a name in another case": {map[string]string{"Large/x": "x"},
			[]string{"Large exists in ", "large cannot be written beside it"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			s.edit(t, "prod", test.files)
			(&instance{server: s}).fails(t, s.settings(both("blue")), test.words...)
		})
	}
}
