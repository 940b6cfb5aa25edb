#!/usr/bin/env node
// A complete first bot for arena. It needs no rules: arena sends the legal moves.
// Copy this file, change choose(), and run:  arena check first_bot.js
'use strict';

const NAME = 'first-javascript';

// Picks one of the legal moves. THIS IS THE FUNCTION TO CHANGE.
// game is its name with its size, such as "breakthrough:6x6"; position is what
// arena sent: "startpos moves a2a3 ..." or "fen ... moves ...".
function choose(game, legal, position, random) {
  return legal[Math.floor(random() * legal.length)];
}

// Numbers in 0..1 that depend on nothing but the seed (mulberry32).
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const say = (line) => process.stdout.write(line + '\n');
let random = generator(1);
let game = '';
let legal = [];
let position = '';

require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const [word, ...words] = line.trim().split(/\s+/);
  switch (word) {
    case 'ugi':
      say('id name ' + NAME);
      say('id author me');
      say('option name UGI_Variant type string default breakthrough');
      say('option name UGI_LegalMoves type check default false');
      say('option name Seed type spin default 1 min 0 max 2147483647');
      say('ugiok');
      break;
    case 'setoption': // setoption name Seed value 7
      if (words[1] === 'Seed') random = generator(Number(words[3]));
      if (words[1] === 'UGI_Variant') game = words[3];
      break;
    case 'isready':
      say('readyok');
      break;
    case 'position':
      position = words.join(' ');
      break;
    case 'legal':
      legal = words;
      break;
    case 'go':
      say('bestmove ' + choose(game, legal, position, random));
      break;
    case 'quit':
      process.exit(0);
  }
}).on('close', () => process.exit(0)); // arena closed our input
