package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"botarena/arena/report"
)

// outputFlags are the forms in which a reading command answers.
type outputFlags struct{ json, csv, markdown bool }

func (o *outputFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	cmd.Flags().BoolVar(&o.csv, "csv", false, "print CSV")
	cmd.Flags().BoolVar(&o.markdown, "markdown", false, "print a Markdown table")
	cmd.MarkFlagsMutuallyExclusive("json", "csv", "markdown")
}

// print writes a value as JSON, or its table in the form asked for.
func (o *outputFlags) print(a *app, value any, table func() report.Table) error {
	switch {
	case o.json:
		return a.printJSON(value)
	case o.csv:
		return table().Write(a.out, report.CSV)
	case o.markdown:
		return table().Write(a.out, report.Markdown)
	}
	return table().Write(a.out, report.Text)
}

func (a *app) printJSON(value any) error {
	e := json.NewEncoder(a.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(value); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}
