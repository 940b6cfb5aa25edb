package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"botarena/arena/text"
	"botarena/engine/draw"
	"botarena/engine/games"
	"botarena/engine/rulebook"
)

// manualWidth is the width of the rules' lines.
const manualWidth = 80

func (a *app) manualCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "rules [GAME]",
		Short: "Tell the rules of a game to a player",
		Long: `Tell the rules of a game to a player, with boards. Without GAME, list the games that
bring their rules. "arena serve" has them with pictures, on the page /rules.`,
		Example: `  arena rules owlman
  arena rules outwit:push`,
		RunE: func(_ *cobra.Command, args []string) error {
			catalog := games.All()
			if len(args) == 0 {
				names := rulebook.Names(catalog)
				if asJSON {
					return json.NewEncoder(a.out).Encode(names)
				}
				fmt.Fprintln(a.out, strings.Join(names, "\n"))
				return nil
			}
			blocks, err := rulebook.Of(catalog, args[0])
			if err != nil {
				return usageError(err)
			}
			if asJSON {
				return json.NewEncoder(a.out).Encode(blocks)
			}
			return a.printManual(blocks)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the parts of the text as JSON")
	return cmd
}

// printManual prints rules as text.
func (a *app) printManual(blocks []rulebook.Block) error {
	wrapped := func(label, words string) {
		fmt.Fprintln(a.out, strings.Join(text.Wrap(label, words, manualWidth), "\n"))
	}
	for i, b := range blocks {
		if i > 0 && (b.Kind != rulebook.Item || blocks[i-1].Kind != rulebook.Item) {
			fmt.Fprintln(a.out)
		}
		said := strings.ReplaceAll(b.Text, "`", "")
		switch b.Kind {
		case rulebook.Title, rulebook.Heading:
			fmt.Fprintln(a.out, strings.ToUpper(said))
		case rulebook.Item:
			wrapped("- ", said)
		case rulebook.Picture:
			if err := draw.Text(a.out, b.Board, draw.Options{}); err != nil {
				return err
			}
			wrapped("", said+".")
		case rulebook.Paragraph:
			wrapped("", said)
		}
	}
	return nil
}
