// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package wording

import (
	"fmt"
	"strings"

	"github.com/agext/levenshtein"
)

// maxCompared is how many bytes of a word are compared.
const maxCompared = 80

// Nearest returns the known word that differs least from the word, in any case, or "" if no
// word is similar. A third of the letters may be wrong, two letters in short words, but
// never all letters.
func Nearest(word string, known []string) string {
	word = strings.ToLower(compared(word))
	nearest, distance := "", 0
	for _, k := range known {
		d := Distance(word, strings.ToLower(k))
		if nearest == "" || d < distance {
			nearest, distance = k, d
		}
	}
	if nearest == "" || distance > max(2, len(nearest)/3) || distance >= len(word) {
		return ""
	}
	return nearest
}

// Hint returns the nearest known word in parentheses, for a sentence. It returns "" if no
// word is similar.
func Hint(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return fmt.Sprintf(" (the nearest is %s)", near)
	}
	return ""
}

// DidYouMean is the sentence that offers the known word that was probably meant, with a
// space after it. It is empty if no word is similar.
func DidYouMean(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return fmt.Sprintf("Did you mean %.*q? ", maxCompared, near)
	}
	return ""
}

// Distance returns how many letters have to be put in, left out or replaced to make
// one word of the other.
func Distance(a, b string) int { return levenshtein.Distance(compared(a), compared(b), nil) }

func compared(word string) string { return word[:min(len(word), maxCompared)] }
