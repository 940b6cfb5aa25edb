//! A complete first bot for arena. It needs no rules: arena sends the legal moves.
//! Copy this file, change choose(), and run:
//!     rustc -O -o first_bot first_bot.rs && arena check ./first_bot

use std::io::{self, BufRead, Write};

const NAME: &str = "first-rust";

/// Picks one of the legal moves. THIS IS THE FUNCTION TO CHANGE.
/// game is its name with its size, such as "breakthrough:6x6"; position is what
/// arena sent: "startpos moves a2a3 ..." or "fen ... moves ...".
fn choose<'a>(_game: &str, legal: &'a [String], _position: &str, random: &mut Random) -> &'a str {
    &legal[random.below(legal.len())]
}

/// Numbers that depend on nothing but the seed (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

fn main() -> io::Result<()> {
    let mut random = Random(1);
    let mut legal: Vec<String> = Vec::new();
    let mut game = String::new();
    let mut position = String::new();
    let mut out = io::stdout(); // flushes at each newline
    for line in io::stdin().lock().lines() {
        // ends when arena closes our input
        let line = line?;
        let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        match word {
            "ugi" => {
                writeln!(out, "id name {NAME}")?;
                writeln!(out, "id author me")?;
                writeln!(out, "option name UGI_Variant type string default breakthrough")?;
                writeln!(out, "option name UGI_LegalMoves type check default false")?;
                writeln!(out, "option name Seed type spin default 1 min 0 max 2147483647")?;
                writeln!(out, "ugiok")?;
            }
            "setoption" => {
                if let Some(value) = rest.strip_prefix("name Seed value ") {
                    random = Random(value.trim().parse().unwrap_or(1));
                } else if let Some(value) = rest.strip_prefix("name UGI_Variant value ") {
                    game = value.trim().to_string();
                }
            }
            "isready" => writeln!(out, "readyok")?,
            "position" => position = rest.to_string(),
            "legal" => legal = rest.split_whitespace().map(String::from).collect(),
            "go" => writeln!(out, "bestmove {}", choose(&game, &legal, &position, &mut random))?,
            "quit" => return Ok(()),
            _ => {}
        }
        out.flush()?;
    }
    Ok(())
}
