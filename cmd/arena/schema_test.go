package main

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena/analysis"
	"botarena/arena/check"
	"botarena/arena/exchange"
	"botarena/arena/openings"
	"botarena/arena/rating"
	"botarena/arena/rating/sprt"
	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/arena/web"
	"botarena/engine/rulebook"
	"botarena/engine/solve"
	"botarena/protocol/positions"
)

const outputsFile = "../../configs/schema/outputs.json"

// outputs are values of the types that commands print with --json.
func outputs() map[string][]any {
	played := []any{standings.Outcome{}, standings.SPRTOutcome{}, standings.TuningOutcome{}}
	checks := []any{[]check.Result{}, []checkedBot{}}
	return map[string][]any{
		"analyse":         {analysis.Report{}},
		"bots":            {[]builtinLine{}},
		"bots bench":      {[]store.Bench{}},
		"bots check":      checks,
		"bots list":       {[]registeredLine{}},
		"check":           checks,
		"crosstable":      {standings.Crosstable{}},
		"datagen":         {positionsWritten{}},
		"doctor":          {[]check.Result{}},
		"events":          {[]standings.EventLine{}},
		"fleet audit":     {auditJSON{}},
		"fleet list":      {[]standings.WorkerLine{}},
		"games":           {[]standings.GameLine{}},
		"games voided":    {[]standings.VoidedLine{}},
		"history":         {standings.History{}, []standings.EloLine{}},
		"host final":      played,
		"leaderboard":     {standings.Leaderboard{}},
		"host teams list": {[]teamLine{}},
		"match":           played,
		"moves":           {state{}, batchError{}},
		"openings check":  {bookJSON{}},
		"openings list":   {[]openings.Line{}},
		"perft":           {perftResult{}},
		"race":            played,
		"queue":           {[]web.ExperimentReport{}},
		"queue wait":      {web.ExperimentReport{}},
		"rate":            {rating.Table{}},
		"regress":         {standings.Regression{}},
		"rules":           {[]string{}, []rulebook.Block{}},
		"run":             played,
		"show":            {exchange.Line{}},
		"solve":           {solve.Probe{}, solve.BoardReport{}, solve.ProofReport{}, []solve.LayerReport{}},
		"sprt":            played,
		"sprt calc":       {sprt.Report{}},
		"sprt plan":       {sprt.Plan{}},
		"submit":          {web.SubmissionReport{}, web.TeamReport{}, store.Challenge{}},
		"tune":            {tuningJSON{}},
		"tune ask":        {askedParams{}, toldResult{}},
		"tune tell":       {toldResult{}},
		"version":         {versionJSON{}},
	}
}

// The schema of what commands print with --json, configs/schema/outputs.json, has all
// their fields, so that none goes unnoticed. UPDATE_SCHEMA=1 writes it anew.
func TestOutputSchema(t *testing.T) {
	t.Parallel()
	defs, commands := object{}, object{}
	known := outputs()
	walk((&app{out: io.Discard, err: io.Discard}).rootCommand(), func(cmd *cobra.Command) {
		name := strings.TrimPrefix(cmd.CommandPath(), "arena ")
		if f := cmd.LocalFlags().Lookup("json"); f != nil && f.Value.Type() == "bool" && known[name] == nil {
			t.Errorf("%s --json: outputs has no value of its type", name)
		}
	})
	known["export --format jsonl"] = []any{exchange.Line{}} // each line
	known["export --format positions --jsonl"] = []any{positions.Sample{}}
	for name, values := range known {
		var forms []object
		for _, v := range values {
			forms = append(forms, schemaOf(reflect.TypeOf(v), defs))
		}
		if commands[name] = forms[0]; len(forms) > 1 {
			commands[name] = object{"anyOf": forms}
		}
	}
	for name, schema := range commands {
		defs[name] = schema
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(object{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "What commands of arena print with --json",
		"$comment": "The output of a command is in $defs under its name, as in outputs.json#/$defs/bots%20list. " +
			"From version 1.0.0 on fields are added, and none is removed or changes its meaning within a major version.",
		"$defs": defs,
	})
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE_SCHEMA") != "" {
		if err := os.WriteFile(outputsFile, text.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(outputsFile)
	if err != nil || !bytes.Equal(kept, text.Bytes()) {
		t.Errorf("%s differs from what commands print (%v): UPDATE_SCHEMA=1 go test ./cmd/arena -run TestOutputSchema writes it anew; a field that is lost breaks the promise of the version", outputsFile, err)
	}
}

type object = map[string]any

// schemaOf returns the schema of a type as encoding/json writes it; structs are in defs.
func schemaOf(t reflect.Type, defs object) object {
	text, number := reflect.TypeFor[encoding.TextMarshaler](), reflect.TypeFor[json.Marshaler]()
	switch {
	case t == reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case t.Kind() != reflect.Pointer && t.Implements(number): // exchange's seconds
		return object{"type": "number"}
	case t.Kind() != reflect.Pointer && t.Implements(text):
		return object{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return object{"anyOf": []object{schemaOf(t.Elem(), defs), {"type": "null"}}}
	case reflect.Struct:
		name := strings.TrimPrefix(t.String(), "main.")
		if defs[name] == nil {
			defs[name] = object{} // it may hold itself
			defs[name] = structSchema(t, defs)
		}
		return object{"$ref": "#/$defs/" + name}
	case reflect.Slice:
		return object{"type": []string{"array", "null"}, "items": schemaOf(t.Elem(), defs)}
	case reflect.Array:
		return object{"type": "array", "items": schemaOf(t.Elem(), defs), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Map:
		return object{"type": []string{"object", "null"}, "additionalProperties": schemaOf(t.Elem(), defs)}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Float32, reflect.Float64:
		return object{"type": "number"}
	case reflect.Interface:
		return object{}
	}
	if !t.ConvertibleTo(reflect.TypeFor[int64]()) {
		panic(fmt.Sprintf("%v is nothing that JSON has", t))
	}
	return object{"type": "integer"}
}

func structSchema(t reflect.Type, defs object) object {
	properties, needed := object{}, []string{}
	var fields func(t reflect.Type)
	fields = func(t reflect.Type) {
		for i := range t.NumField() {
			f := t.Field(i)
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case name == "-" && options == "":
			case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
				fields(f.Type)
			case f.Anonymous && name == "" && f.Type.Kind() == reflect.Pointer:
				fields(f.Type.Elem())
			case f.IsExported():
				if name == "" {
					name = f.Name
				}
				if properties[name] = schemaOf(f.Type, defs); !strings.Contains(options, "omit") {
					needed = append(needed, name)
				}
			}
		}
	}
	fields(t)
	return object{"type": "object", "properties": properties, "required": needed}
}
