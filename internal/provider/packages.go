// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/vmihailenco/msgpack/v5"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
)

// The framework looks at every element of every map several times: at 10,000 packages that
// was half of a plan's time. So the attribute packages passes the framework packed, as a
// map of one element under a key that no package has. This element is the whole map in
// MessagePack, with its keys in order. Terraform never sees a packed value, because server
// unpacks the framework's answers. Packing is right only for a computed attribute that is a
// map of known texts. A null element would come back as "", and an unknown one cannot be
// packed. A configured value reaches the framework unpacked, so it would differ from the
// plan.
const (
	packagesName = "packages"
	packedKey    = ""
)

// digestsValue converts digests to a packages attribute, packed.
func digestsValue(d engine.Digests) types.Map {
	return types.MapValueMust(types.StringType, map[string]attr.Value{packedKey: types.StringValue(string(encodeDigests(d)))})
}

// digestsOf converts a packages attribute to digests. It returns no digests for null or
// unknown.
func digestsOf(value types.Map) (engine.Digests, error) {
	d := engine.Digests{}
	for key, element := range value.Elements() {
		text, _ := element.(types.String) // by the schema
		if key == packedKey {
			return d, msgpack.Unmarshal([]byte(text.ValueString()), &d)
		}
		d[key] = text.ValueString() // not packed while a state is upgraded
	}
	return d, nil
}

// encodeDigests writes digests as Terraform writes a map of texts.
func encodeDigests(d engine.Digests) []byte {
	var b bytes.Buffer
	e := msgpack.NewEncoder(&b)
	_ = e.EncodeMapLen(len(d)) // a buffer takes everything
	for _, key := range slices.Sorted(maps.Keys(d)) {
		_ = e.EncodeString(key)
		_ = e.EncodeString(d[key])
	}
	return b.Bytes()
}

// pack packs the packages in an object of Terraform's. It returns null, and an object
// without packages, unchanged.
func pack(object *tfprotov6.DynamicValue) (*tfprotov6.DynamicValue, error) {
	return withPackages(object, func(packages []byte) ([]byte, error) {
		var d engine.Digests
		if err := msgpack.Unmarshal(packages, &d); err != nil {
			return nil, err
		}
		return msgpack.Marshal(map[string]string{packedKey: string(encodeDigests(d))})
	})
}

// unpack is the inverse of pack. It returns a value that is not packed unchanged.
func unpack(object *tfprotov6.DynamicValue) (*tfprotov6.DynamicValue, error) {
	return withPackages(object, func(packages []byte) ([]byte, error) {
		d := msgpack.NewDecoder(bytes.NewReader(packages))
		if n, err := d.DecodeMapLen(); err != nil || n != 1 {
			return packages, err
		}
		if key, err := d.DecodeString(); err != nil || key != packedKey {
			return packages, err
		}
		content, err := d.DecodeString()
		return []byte(content), err
	})
}

// withPackages replaces the packages in an object, if there are any.
func withPackages(object *tfprotov6.DynamicValue, replace func([]byte) ([]byte, error)) (*tfprotov6.DynamicValue, error) {
	return withAttributes(object, func(name string, value []byte) ([]byte, error) {
		if name != packagesName || !isMap(value) {
			return value, nil
		}
		return replace(value)
	})
}

// withAttributes replaces the attributes of an object, which may be null.
func withAttributes(object *tfprotov6.DynamicValue, replace func(name string, value []byte) ([]byte, error)) (*tfprotov6.DynamicValue,
	error) {
	if object == nil || len(object.MsgPack) == 0 {
		return object, nil
	}
	d := msgpack.NewDecoder(bytes.NewReader(object.MsgPack))
	n, err := d.DecodeMapLen()
	if err != nil || n < 0 {
		return object, err
	}
	var b bytes.Buffer
	b.Grow(len(object.MsgPack))
	e := msgpack.NewEncoder(&b)
	_ = e.EncodeMapLen(n) // a buffer takes everything
	for range n {
		name, err := d.DecodeString()
		if err != nil {
			return nil, err
		}
		value, err := d.DecodeRaw()
		if err != nil {
			return nil, err
		}
		if value, err = replace(name, value); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		_ = e.EncodeString(name)
		b.Write(value)
	}
	return &tfprotov6.DynamicValue{MsgPack: b.Bytes()}, nil
}

// isMap reports whether a value in MessagePack is a map: neither null nor unknown.
func isMap(value []byte) bool {
	n, err := msgpack.NewDecoder(bytes.NewReader(value)).DecodeMapLen()
	return err == nil && n >= 0
}
