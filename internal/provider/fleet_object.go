// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/history"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// deployedFleet is what a kalypso_deployments has read: a fleet, and the places of its environments.
type deployedFleet struct {
	Fleet  deployments.Fleet
	Places []history.Deployed
}

// maxContent is the largest size of an unpacked content, in bytes. The limit exists because
// some texts unpack to a thousand times their size.
const maxContent = 256 << 20

// packed returns the value of the attribute content. The same fleet always has the same
// content.
func (t deployedFleet) packed() (string, error) {
	content, err := json.Marshal(t)
	if err != nil {
		return "", err
	}
	if len(content) > maxContent {
		return "", fmt.Errorf("the packages, discrepancies and history have more than %s. Name fewer branches, or reduce "+
			"history", remote.Size(maxContent))
	}
	var b bytes.Buffer
	text := base64.NewEncoder(base64.StdEncoding, &b)
	w, _ := flate.NewWriter(text, flate.BestCompression) // a buffer takes everything
	_, _ = w.Write(content)
	_ = w.Close()
	_ = text.Close()
	return b.String(), nil
}

// unpacked is the inverse of packed. Errors: content does not come from packed, or has more
// than most bytes unpacked.
func unpacked(packed string, most int) (t deployedFleet, err error) {
	text := base64.NewDecoder(base64.StdEncoding, strings.NewReader(packed))
	content, err := io.ReadAll(io.LimitReader(flate.NewReader(text), int64(most)+1))
	if err != nil || len(content) > most || json.Unmarshal(content, &t) != nil {
		return t, errors.New("the attribute content does not come from a data source kalypso_deployments")
	}
	return t, nil
}

// fleetGiven reads a kalypso_deployments, or an object with its content. It leaves out environments
// that the user has removed from environments.
func fleetGiven(value cty.Value) (t deployedFleet, err error) {
	if !value.IsWhollyKnown() {
		return t, errors.New("a part of the argument is not known yet. First apply the resources that the argument depends on")
	}
	isObject := func(v cty.Value) bool { return !v.IsNull() && (v.Type().IsObjectType() || v.Type().IsMapType()) }
	var given map[string]cty.Value
	if isObject(value) {
		given = value.AsValueMap()
	}
	content, set := given["content"]
	if !set || content.IsNull() || content.Type() != cty.String {
		return t, errors.New("the argument is not a kalypso_deployments. Pass a data source, such as data.kalypso_deployments.fleet")
	}
	if t, err = unpacked(content.AsString(), maxContent); err != nil {
		return t, err
	}
	if chosen, set := given["environments"]; set && !chosen.IsNull() {
		if !isObject(chosen) {
			return t, errors.New("the attribute environments is not an object with environments by name. Write the environments " +
				"to show, such as { dev = data.kalypso_deployments.fleet.environments.dev }")
		}
		names := chosen.AsValueMap()
		isLeft := func(name string) bool { _, stays := names[name]; return !stays }
		t.Fleet.Environments = slices.DeleteFunc(t.Fleet.Environments, func(e deployments.Environment) bool { return isLeft(e.Name) })
		t.Fleet.Discrepancies = slices.DeleteFunc(t.Fleet.Discrepancies,
			func(d deployments.Discrepancy) bool { return isLeft(d.Left) || isLeft(d.Right) })
	}
	if at, set := given["time"]; set && !at.IsNull() {
		if at.Type() != cty.String {
			return t, errors.New("the attribute time is not a text, such as the result of plantimestamp()")
		}
		if t.Fleet.Time, err = time.Parse(time.RFC3339, at.AsString()); err != nil {
			return t, fmt.Errorf("time: %q is not a time such as 2026-11-20T09:00:00Z", at.AsString())
		}
	}
	return t, nil
}
