// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
)

// packagesObject is that of an object with packages between others.
var packagesObject = tftypes.Object{AttributeTypes: map[string]tftypes.Type{
	"commit": tftypes.String, "packages": tftypes.Map{ElementType: tftypes.String}, "summary": tftypes.String,
}}

// withPackagesOf is an object of Terraform's, with these packages in it.
func withPackagesOf(t *testing.T, packages any) *tfprotov6.DynamicValue {
	t.Helper()
	object, err := tfprotov6.NewDynamicValue(packagesObject, tftypes.NewValue(packagesObject, map[string]tftypes.Value{
		"commit": tftypes.NewValue(tftypes.String, nil), "summary": tftypes.NewValue(tftypes.String, tftypes.UnknownValue),
		"packages": tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, packages),
	}))
	if err != nil {
		t.Fatal(err)
	}
	return &object
}

// What goes to the framework is one element, and what comes back is what Terraform sent.
func TestPackages(t *testing.T) {
	t.Parallel()
	text := func(value string) tftypes.Value { return tftypes.NewValue(tftypes.String, value) }
	many := map[string]tftypes.Value{}
	for i := range 100_000 {
		many[strings.Repeat("x", i%300)+string(rune('a'+i%26))] = text("digest")
	}
	for name, c := range map[string]struct {
		packages any
		inside   int // elements that the framework sees
	}{
		"null":    {nil, 0},
		"unknown": {tftypes.UnknownValue, 0},
		"none":    {map[string]tftypes.Value{}, 1},
		"one":     {map[string]tftypes.Value{"large/shop": text("0123456789ab")}, 1},
		"some":    {map[string]tftypes.Value{"large/shop": text("0123456789ab"), "large/README.md": text("ß"), "a": text("")}, 1},
		"many":    {many, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object := withPackagesOf(t, c.packages)
			packed, err := pack(object)
			if err != nil {
				t.Fatal(err)
			}
			value, err := packed.Unmarshal(packagesObject)
			if err != nil {
				t.Fatal(err)
			}
			var attributes, inside map[string]tftypes.Value
			if err := value.As(&attributes); err != nil {
				t.Fatal(err)
			}
			if attributes["packages"].IsKnown() {
				if err := attributes["packages"].As(&inside); err != nil {
					t.Fatal(err)
				}
			}
			if len(inside) != c.inside {
				t.Errorf("the framework sees %d elements, want %d", len(inside), c.inside)
			}
			unpacked, err := unpack(packed)
			if err != nil {
				t.Fatal(err)
			}
			got, err := unpacked.Unmarshal(packagesObject)
			if err != nil {
				t.Fatal(err)
			}
			want, err := object.Unmarshal(packagesObject)
			if err != nil {
				t.Fatal(err)
			}
			if !got.Equal(want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// A value that is not packed, or is not an object, stays unchanged.
func TestUnpackLeavesAlone(t *testing.T) {
	t.Parallel()
	null, err := tfprotov6.NewDynamicValue(packagesObject, tftypes.NewValue(packagesObject, nil))
	if err != nil {
		t.Fatal(err)
	}
	for name, object := range map[string]*tfprotov6.DynamicValue{
		"nothing": nil, "null": &null, "json": {JSON: []byte(`{}`)},
		"a package under its own name": withPackagesOf(t, map[string]tftypes.Value{"a": tftypes.NewValue(tftypes.String, "b")}),
	} {
		for what, do := range map[string]func(*tfprotov6.DynamicValue) (*tfprotov6.DynamicValue, error){"unpack": unpack, "pack": pack} {
			got, err := do(object)
			if err != nil || what == "unpack" && !cmp.Equal(got, object) {
				t.Errorf("%s: %s gives %v, %v", name, what, got, err)
			}
		}
	}
}

// A state that is upgraded comes without being packed.
func TestDigestsOf(t *testing.T) {
	t.Parallel()
	want := engine.Digests{"large/shop": "0123456789ab", "small/shop": ""}
	plain := types.MapValueMust(types.StringType, map[string]attr.Value{"large/shop": types.StringValue("0123456789ab"),
		"small/shop": types.StringValue("")})
	for name, value := range map[string]types.Map{"packed": digestsValue(want), "plain": plain} {
		got, err := digestsOf(value)
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for name, value := range map[string]types.Map{"null": types.MapNull(types.StringType), "unknown": types.MapUnknown(types.StringType),
		"none": digestsValue(engine.Digests{})} {
		if got, err := digestsOf(value); err != nil || len(got) != 0 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// Bytes that Terraform never sends are errors and no panics.
func FuzzPackages(f *testing.F) {
	f.Add([]byte{0x81, 0xa8, 'p', 'a', 'c', 'k', 'a', 'g', 'e', 's', 0x81, 0xa1, 'a', 0xa1, 'b'})
	f.Add([]byte{0x81, 0xa8, 'p', 'a', 'c', 'k', 'a', 'g', 'e', 's', 0x81, 0xa0, 0xa1, 0x80})
	f.Add([]byte{0xdf, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, object []byte) {
		packed, err := pack(&tfprotov6.DynamicValue{MsgPack: object})
		if err != nil {
			return
		}
		unpacked, err := unpack(packed)
		if err != nil {
			t.Fatalf("%x is packed as %x, which cannot be unpacked: %v", object, packed.MsgPack, err)
		}
		again, err := pack(unpacked)
		if err != nil || !bytes.Equal(again.MsgPack, packed.MsgPack) {
			t.Errorf("%x is packed as %x, then as %x, %v", object, packed.MsgPack, again.MsgPack, err)
		}
	})
}
