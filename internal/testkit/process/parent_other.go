// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

//go:build unix && !linux

package process

import "syscall"

// dieWithParent does nothing: other kernels know no such thing.
func dieWithParent(*syscall.SysProcAttr) {}
