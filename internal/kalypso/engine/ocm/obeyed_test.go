// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ocm_test

import (
	_ "embed"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
)

// obeyed are the fields of a Placement's spec that a decision uses, and those that manifests
// must not have: celSelector, spreadPolicy and tolerationSeconds.
//
//go:embed testdata/obeyed.txt
var obeyed string

// Decoding accepts a new field of the API, and decisions would ignore it. Use the field in
// decisions, or refuse it in manifest.check. Then add it here.
func TestFieldsOfPlacements(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(strings.Fields(obeyed), fieldsOf(reflect.TypeFor[clusterv1beta1.PlacementSpec](), "")); diff != "" {
		t.Errorf("fields (-obeyed +of the API):\n%s", diff)
	}
}

// fieldsOf returns the paths of all fields of a type, at any depth.
func fieldsOf(of reflect.Type, path string) (all []string) {
	switch {
	case of.Kind() == reflect.Slice:
		return fieldsOf(of.Elem(), path+"[]")
	case of.Kind() == reflect.Pointer:
		return fieldsOf(of.Elem(), path)
	case of.Kind() != reflect.Struct || of == reflect.TypeFor[intstr.IntOrString]():
		return []string{path}
	}
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		all = append(all, fieldsOf(field.Type, strings.TrimPrefix(path+"."+name, "."))...)
	}
	return all
}
