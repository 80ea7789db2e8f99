// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import "os"

// logVariables are how users ask for logs; Terraform passes them on.
var logVariables = []string{"TF_LOG", "TF_LOG_PROVIDER", "TF_LOG_SDK", frameworkLogVariable}

const frameworkLogVariable = "TF_LOG_SDK_FRAMEWORK"

// QuietFramework keeps the plugin framework from tracing every element of every
// value to a Terraform that throws the traces away. Where logs are asked for,
// it changes nothing. For the 10,000 elements of packages, the traces are more
// than half of the time that a plan takes.
func QuietFramework() error {
	for _, variable := range logVariables {
		if os.Getenv(variable) != "" {
			return nil
		}
	}
	return os.Setenv(frameworkLogVariable, "WARN")
}
