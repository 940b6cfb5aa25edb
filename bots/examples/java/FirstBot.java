// A complete first bot for arena. It needs no rules: arena sends the legal moves.
// Copy this file, change choose(), and run:  arena check java FirstBot.java

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.List;
import java.util.Random;

public class FirstBot {
    static final String NAME = "first-java";

    /**
     * Picks one of the legal moves. THIS IS THE FUNCTION TO CHANGE.
     * game is its name with its size, such as "breakthrough:6x6"; position is what
     * arena sent: "startpos moves a2a3 ..." or "fen ... moves ...".
     */
    static String choose(String game, List<String> legal, String position, Random random) {
        return legal.get(random.nextInt(legal.size()));
    }

    public static void main(String[] args) throws IOException {
        Random random = new Random(1);
        List<String> legal = List.of();
        String game = "";
        String position = "";
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) { // ends when arena closes our input
            String[] parts = line.trim().split(" ", 2);
            String rest = parts.length > 1 ? parts[1] : "";
            switch (parts[0]) {
                case "ugi" -> {
                    say("id name " + NAME);
                    say("id author me");
                    say("option name UGI_Variant type string default breakthrough");
                    say("option name UGI_LegalMoves type check default false");
                    say("option name Seed type spin default 1 min 0 max 2147483647");
                    say("ugiok");
                }
                case "setoption" -> { // setoption name Seed value 7
                    if (rest.startsWith("name Seed value ")) {
                        random = new Random(Long.parseLong(rest.substring(16).trim()));
                    } else if (rest.startsWith("name UGI_Variant value ")) {
                        game = rest.substring(23).trim();
                    }
                }
                case "isready" -> say("readyok");
                case "position" -> position = rest;
                case "legal" -> legal = List.of(rest.split(" "));
                case "go" -> say("bestmove " + choose(game, legal, position, random));
                case "quit" -> {
                    return;
                }
                default -> { }
            }
        }
    }

    /** Sends one line at once: a line kept in a buffer is a bot that hangs. */
    static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
