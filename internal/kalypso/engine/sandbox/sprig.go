// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"text/template"
	"unicode"

	sprig2 "github.com/Masterminds/sprig"
	"github.com/Masterminds/sprig/v3"
)

// sprigFunctions returns Sprig's functions without the removed ones, and the functions of
// text/template, so that they are guarded too. It replaces functions whose result depends on
// the order of a map or on the machine, functions that changed after Sprig 2, and uniq. Each
// function depends on its arguments alone, so every run renders the same. It does not change
// its arguments, because executions share data. The exceptions are mutatingFunctions and
// sortingFunction.
func sprigFunctions() template.FuncMap {
	functions := sprig.TxtFuncMap()
	maps.Copy(functions, sprig2Functions())
	for name := range removedFunctions {
		delete(functions, name)
	}
	maps.Copy(functions, template.FuncMap{
		"keys":   sortedKeys,
		"values": sortedValues,
		"uniq":   uniq, "mustUniq": uniq,
		"osBase": path.Base, "osDir": path.Dir, "osClean": path.Clean, "osExt": path.Ext, "osIsAbs": path.IsAbs,

		"print":    fmt.Sprint,
		"println":  fmt.Sprintln,
		"printf":   fmt.Sprintf,
		"html":     template.HTMLEscaper,
		"js":       template.JSEscaper,
		"urlquery": template.URLQueryEscaper,
	})
	return functions
}

// sortedKeys is Sprig's keys with a stable order.
func sortedKeys(dicts ...map[string]any) []string {
	keys := []string{}
	for _, dict := range dicts {
		keys = slices.AppendSeq(keys, slices.Values(slices.Sorted(maps.Keys(dict))))
	}
	return keys
}

// sortedValues is Sprig's values in the order of the keys.
func sortedValues(dict map[string]any) []any {
	values := make([]any, 0, len(dict))
	for _, key := range slices.Sorted(maps.Keys(dict)) {
		values = append(values, dict[key])
	}
	return values
}

// Why a function of Sprig does not exist here. Each reason continues "it".
const (
	readsClock       = "reads the clock or the time zone"
	drawsRandom      = "draws random numbers"
	readsEnvironment = "reads environment variables"
	usesNetwork      = "uses the network"
)

// removedFunctions are the functions of Sprig whose results differ from run to run, with the
// reason.
var removedFunctions = map[string]string{
	"ago": readsClock, "date": readsClock, "date_in_zone": readsClock, "date_modify": readsClock,
	"dateInZone": readsClock, "dateModify": readsClock, "durationRound": readsClock,
	"htmlDate": readsClock, "htmlDateInZone": readsClock, "must_date_modify": readsClock,
	"mustDateModify": readsClock, "mustToDate": readsClock, "now": readsClock, "toDate": readsClock,
	"unixEpoch": readsClock,

	"randAlpha": drawsRandom, "randAlphaNum": drawsRandom, "randAscii": drawsRandom, "randBytes": drawsRandom,
	"randInt": drawsRandom, "randNumeric": drawsRandom, "shuffle": drawsRandom, "uuidv4": drawsRandom,
	"bcrypt": drawsRandom, "htpasswd": drawsRandom, "encryptAES": drawsRandom,
	"genCA": drawsRandom, "genCAWithKey": drawsRandom, "genPrivateKey": drawsRandom,
	"genSelfSignedCert": drawsRandom, "genSelfSignedCertWithKey": drawsRandom,
	"genSignedCert": drawsRandom, "genSignedCertWithKey": drawsRandom,

	"env": readsEnvironment, "expandenv": readsEnvironment,
	"getHostByName": usesNetwork,
}

// builtinFunctions are the functions of text/template that stay unchanged. Its other
// functions are guarded like Sprig's, or Sprig replaces them (slice).
var builtinFunctions = map[string]bool{
	"and": true, "or": true, "not": true, "len": true, "index": true, "call": true,
	"eq": true, "ne": true, "lt": true, "le": true, "gt": true, "ge": true,
}

// comparisons are the builtin functions whose work grows with texts among their arguments,
// with the position of the first such argument.
var comparisons = map[string]int{"eq": 1, "ne": 1, "lt": 1, "le": 1, "gt": 1, "ge": 1, "index": 2}

// mutatingFunctions change their first argument. All other functions, except
// sortingFunction, must not change their arguments.
var mutatingFunctions = map[string]bool{
	"set": true, "unset": true,
	"merge": true, "mustMerge": true, "mergeOverwrite": true, "mustMergeOverwrite": true,
}

// sortingFunction sorts a []string in place. Only functions make such a list: lists of the
// data are []any.
const sortingFunction = "sortAlpha"

// shallowFunctions read only the outermost level of their arguments, or pass the arguments
// on. The guard assumes that every other function reads all levels.
var shallowFunctions = map[string]bool{
	"all": true, "any": true, "append": true, "chunk": true, "coalesce": true, "compact": true, "concat": true,
	"default": true, "dict": true, "dig": true, "empty": true, "first": true, "get": true, "hasKey": true,
	"initial": true, "keys": true, "kindIs": true, "kindOf": true, "last": true, "list": true,
	"mustAppend": true, "mustChunk": true, "mustCompact": true, "mustFirst": true, "mustInitial": true,
	"mustLast": true, "mustPrepend": true, "mustPush": true, "mustRest": true, "mustReverse": true,
	"mustSlice": true, "omit": true, "pick": true, "pluck": true, "prepend": true, "push": true, "rest": true,
	"reverse": true, "set": true, "slice": true, "ternary": true, "tuple": true, "typeIs": true,
	"typeIsLike": true, "typeOf": true, "unset": true, "values": true,
}

// passingFunctions are the shallow functions that return an argument or a part of one, so
// they make nothing.
var passingFunctions = map[string]bool{
	"coalesce": true, "default": true, "dig": true, "first": true, "get": true, "last": true, "mustFirst": true, "mustLast": true,
	"mustSlice": true, "set": true, "slice": true, "ternary": true, "unset": true,
}

// changedFunctions are functions of Sprig 2, which Kalypso uses, whose results differ in
// Sprig 3: there "0777" is not a decimal number, and ">1.2" does not match 1.2.3.
var changedFunctions = []string{
	"int", "int64", "add", "add1", "sub", "mul", "div", "mod", "max", "min", "biggest",
	"slice", "semver", "semverCompare",
}

func sprig2Functions() template.FuncMap {
	all := sprig2.GenericFuncMap()
	functions := template.FuncMap{"camelcase": camelCase}
	for _, name := range changedFunctions {
		functions[name] = all[name]
	}
	return functions
}

// camelCase joins words that white space, hyphens and underscores separate, like xstrings
// before 1.5. The first letter of each word becomes upper case, and the others stay
// unchanged. Separators at the start and the end stay. Of several separators between words,
// only the last one disappears. A text of separators alone gets one more.
func camelCase(text string) string {
	runes := []rune(text)
	first := slices.IndexFunc(runes, func(r rune) bool { return !isSeparator(r) })
	if first < 0 && text != "" {
		return text + string(runes[len(runes)-1:])
	}
	var result strings.Builder
	for i, r := range runes {
		switch {
		case !isSeparator(r):
			if i == first || isSeparator(runes[i-1]) {
				r = unicode.ToUpper(r)
			}
			result.WriteRune(r)
		case i < first, i == len(runes)-1, isSeparator(runes[i+1]):
			result.WriteRune(r)
		}
	}
	return result.String()
}

func isSeparator(r rune) bool { return r == '-' || r == '_' || unicode.IsSpace(r) }

// uniq is Sprig's, except that it does not compare every text and number with every other
// one.
func uniq(list any) ([]any, error) {
	v := reflect.ValueOf(list)
	if v.Kind() != reflect.Slice && v.Kind() != reflect.Array {
		return nil, fmt.Errorf("cannot find uniq on type %s", v.Kind())
	}
	result, structures, seen := []any{}, []any{}, map[any]bool{}
	for i := range v.Len() {
		element := v.Index(i).Interface()
		if isPlain(element) {
			if !seen[element] {
				seen[element] = true
				result = append(result, element)
			}
		} else if !slices.ContainsFunc(structures, func(s any) bool { return reflect.DeepEqual(s, element) }) {
			structures, result = append(structures, element), append(result, element)
		}
	}
	return result, nil
}

// isPlain reports whether equal values of this type are also deeply equal.
func isPlain(v any) bool {
	switch v.(type) {
	case nil, bool, string, int, int64, float64:
		return true
	}
	return false
}

// countStructures returns how many elements of a list uniq compares with each other.
func countStructures(list any) (n int) {
	v := reflect.ValueOf(list)
	if v.Kind() != reflect.Slice && v.Kind() != reflect.Array {
		return 0 // the function reports the error
	}
	for i := range v.Len() {
		if !isPlain(v.Index(i).Interface()) {
			n++
		}
	}
	return n
}
