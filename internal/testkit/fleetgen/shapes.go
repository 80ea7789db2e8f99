// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleetgen

import (
	"embed"
	"path"
	"strings"
)

// Shape is a way of writing templates: a reconciler, a namespace and a config
// template of the same names in all shapes, which render the same sort of objects.
type Shape struct {
	// Name says what is special about the YAML that comes out.
	Name      string
	templates string
}

// Shapes are all shapes, sorted by name: what people write, and what is hard to read.
var Shapes = readShapes()

// Block is plain block style, as most write it.
var Block = shape("block")

//go:embed shapes
var shapeFiles embed.FS

func readShapes() []Shape {
	files, err := shapeFiles.ReadDir("shapes")
	if err != nil {
		panic(err) // they are part of the program
	}
	var shapes []Shape
	for _, f := range files {
		shapes = append(shapes, shape(strings.TrimSuffix(f.Name(), ".yaml")))
	}
	return shapes
}

func shape(name string) Shape {
	templates, err := shapeFiles.ReadFile(path.Join("shapes", name+".yaml"))
	if err != nil {
		panic(err) // they are part of the program
	}
	return Shape{Name: name, templates: string(templates)}
}
