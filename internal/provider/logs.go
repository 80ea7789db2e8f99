// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// logVariables are how users ask for logs; Terraform passes them on.
var logVariables = []string{"TF_LOG", "TF_LOG_PROVIDER", "TF_LOG_SDK", frameworkLogVariable}

const frameworkLogVariable = "TF_LOG_SDK_FRAMEWORK"

// QuietFramework stops the plugin framework from tracing every element of every value if
// Terraform throws the traces away. If a user asks for logs, it changes nothing. For the
// 10,000 elements of packages, the traces take more than half of a plan's time.
func QuietFramework() error {
	for _, variable := range logVariables {
		if os.Getenv(variable) != "" {
			return nil
		}
	}
	return os.Setenv(frameworkLogVariable, "WARN")
}

// logger writes to a subsystem of Terraform's log, and masks all secrets.
func logger(masker *remote.Masker, subsystem string) remote.Logger {
	return func(ctx context.Context, message string, fields map[string]any) {
		masked := map[string]any{}
		for name, value := range fields {
			masked[name] = masker.Mask(fmt.Sprint(value))
		}
		tflog.SubsystemDebug(tflog.NewSubsystem(ctx, subsystem), subsystem, masker.Mask(message), masked)
	}
}
