// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"os"
	"testing"
)

func TestQuietFramework(t *testing.T) {
	for name, test := range map[string]struct{ variable, want string }{
		"nobody asks for logs": {"", "WARN"},
		"TF_LOG":               {"TF_LOG", ""},
		"the framework's own":  {frameworkLogVariable, "TRACE"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, variable := range logVariables {
				t.Setenv(variable, "")
			}
			if test.variable != "" {
				t.Setenv(test.variable, "TRACE")
			}
			if err := QuietFramework(); err != nil {
				t.Fatal(err)
			}
			if got := os.Getenv(frameworkLogVariable); got != test.want {
				t.Errorf("%s is %q, want %q", frameworkLogVariable, got, test.want)
			}
		})
	}
}
