package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"botarena/arena/standings"
)

// chartFlags holds the flags of charts.
type chartFlags struct {
	chart bool
	svg   string
}

func (c *chartFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&c.chart, "chart", false, "draw the ratings with their intervals instead of a table")
	c.registerSVG(cmd, "draw the ratings with their intervals to this SVG `file` as well (- is stdout, and then nothing else)")
}

func (c *chartFlags) registerSVG(cmd *cobra.Command, usage string) {
	cmd.Flags().StringVar(&c.svg, "svg", "", usage)
}

// print writes the requested SVG, then the chart or, without one, what otherwise
// prints.
func (c *chartFlags) print(a *app, chart *standings.Chart, otherwise func() error) error {
	only, err := c.save(a, chart.WriteSVG)
	if err != nil || only {
		return err
	}
	if !c.chart {
		return otherwise()
	}
	width, ok := a.terminal(a.out)
	if !ok {
		width = 80
	}
	_, err = io.WriteString(a.out, chart.Text(width))
	return err
}

// save writes the requested SVG; only reports that it went to stdout, so that nothing
// else may be printed.
func (c *chartFlags) save(a *app, write func(io.Writer) error) (only bool, err error) {
	switch c.svg {
	case "":
		return false, nil
	case "-":
		return true, write(a.out)
	}
	if err := a.toFile(c.svg, write); err != nil {
		return false, err
	}
	fmt.Fprintf(a.err, "wrote %s\n", c.svg)
	return false, nil
}
