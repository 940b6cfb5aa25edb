package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"botarena/arena/listing"
	"botarena/arena/standings"
)

// outputFlags holds the flags of the output format of a reading command.
type outputFlags struct {
	json, csv, markdown bool
	notes               bool // all of them
}

func (o *outputFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	cmd.Flags().BoolVar(&o.csv, "csv", false, "print CSV")
	cmd.Flags().BoolVar(&o.markdown, "markdown", false, "print a Markdown table")
	cmd.MarkFlagsMutuallyExclusive("json", "csv", "markdown")
}

// registerNotes registers the flag --notes.
func (o *outputFlags) registerNotes(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.notes, "notes", false, "print all notes below the table")
}

// chart returns the chart with the requested notes.
func (o *outputFlags) chart(c standings.Chart) standings.Chart {
	t := o.noted(listing.Table{Notes: c.Notes, More: c.More})
	c.Notes, c.More = t.Notes, t.More
	return c
}

// noted returns the table with the requested notes.
func (o *outputFlags) noted(t listing.Table) listing.Table {
	if o.notes {
		return t.InFull()
	}
	return t.Hinted("--notes prints all notes.")
}

// format returns the requested format of tables.
func (o *outputFlags) format() listing.Format {
	switch {
	case o.csv:
		return listing.CSV
	case o.markdown:
		return listing.Markdown
	}
	return listing.Text
}

// print writes a value as JSON, or its table in the requested format.
func (o *outputFlags) print(a *app, value any, table func() listing.Table) error {
	if o.json {
		return a.printJSON(value)
	}
	return o.noted(table()).Write(a.out, o.format()) // CSV has no notes
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
