// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"encoding/binary"
	"reflect"
)

// maxKept bounds how many outputs of a block an executor keeps.
const maxKept = 1024

// kept are the outputs of one block, by what it reads. Where what it reads hardly ever
// comes back, it keeps nothing any more.
type kept struct {
	outputs    map[string]output
	hits       int
	isHopeless bool
}

// output is what a block has written, and what that cost.
type output struct {
	text        string
	steps, made int
	// maps are those that were read as a whole: as long as they are kept here, no other
	// map has their address.
	maps []reflect.Value
}

func (k *kept) find(key []byte) (output, bool) {
	o, found := k.outputs[string(key)]
	if found {
		k.hits++
	}
	return o, found
}

func (k *kept) add(key []byte, o output) {
	if len(k.outputs) == maxKept {
		k.isHopeless = k.hits < maxKept
		k.outputs, k.hits = nil, 0
	}
	if k.isHopeless {
		return
	}
	if k.outputs == nil {
		k.outputs = map[string]output{}
	}
	k.outputs[string(key)] = o
}

// missing stands in a key for what does not exist: no length of a text.
const missing = 0

// appendKey appends what a block reads of the data: texts themselves, maps by their
// addresses, since they do not change.
func (b *block) appendKey(key []byte, data reflect.Value) []byte {
	for _, r := range b.reads {
		if r.isMap {
			key = binary.LittleEndian.AppendUint64(key, uint64(data.FieldByIndex(r.index).Pointer()))
			continue
		}
		text, exists := r.of(data)
		if !exists {
			key = append(key, missing)
			continue
		}
		key = append(binary.AppendUvarint(key, 1+uint64(len(text))), text...)
	}
	return key
}

// maps returns the maps that a block reads as a whole.
func (b *block) maps(data reflect.Value) []reflect.Value {
	var maps []reflect.Value
	for _, r := range b.reads {
		if r.isMap {
			maps = append(maps, data.FieldByIndex(r.index))
		}
	}
	return maps
}
