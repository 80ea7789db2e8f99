// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package markdown

import (
	"maps"
	"slices"
)

const (
	// maxColumns is how many columns a matrix has. With more, its rows list them.
	maxColumns = 12
	// maxRows is how many rows a table of a page has. Forges show pages up to half a
	// mebibyte.
	maxRows = 500
	// maxListed is how many names one cell contains.
	maxListed = 20
)

// Matrix is a table of the values at pairs of names: deployment targets are the rows, and
// cluster types are the columns. The zero value is an empty one.
type Matrix struct {
	columns map[string]bool
	rows    map[string]map[string]string
}

// Set sets the value at a pair, as Markdown.
func (m *Matrix) Set(row, column, cell string) {
	if m.rows == nil {
		m.columns, m.rows = map[string]bool{}, map[string]map[string]string{}
	}
	m.columns[column] = true
	if m.rows[row] == nil {
		m.rows[row] = map[string]string{}
	}
	m.rows[row][column] = cell
}

// Markdown returns the matrix as a table, sorted by names. It has a column for each cluster
// type, or one column with lists of cluster types if there are many. beside are more heads,
// with the cells of each row.
func (m *Matrix) Markdown(beside map[string]func(row string) string) string {
	columns := slices.Sorted(maps.Keys(m.columns))
	heads := []string{"Deployment target"}
	more := slices.Sorted(maps.Keys(beside))
	heads = append(heads, more...)
	if len(columns) > maxColumns {
		heads = append(heads, "Cluster types")
	} else {
		for _, column := range columns {
			heads = append(heads, Code(column))
		}
	}
	var table [][]string
	for _, row := range slices.Sorted(maps.Keys(m.rows)) {
		cells := []string{Code(row)}
		for _, head := range more {
			cells = append(cells, beside[head](row))
		}
		if len(columns) > maxColumns {
			cells = append(cells, Codes(slices.Sorted(maps.Keys(m.rows[row])), maxListed))
		} else {
			for _, column := range columns {
				cells = append(cells, m.rows[row][column])
			}
		}
		table = append(table, cells)
	}
	return Table(heads, table, maxRows)
}
