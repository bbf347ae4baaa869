//! A Battleships bot that places its ships at random and shoots beside its hits.
//!
//! The cell in column 4 and row 2 is "42" in requests, and the number 42 here. A step down is + 1
//! and one to the right + 10. Digits go from 0 to 7, so a step off the grid never ends on a cell.

use std::collections::BTreeSet;
use std::env;

type Cells = BTreeSet<i32>;

struct Luck(u64);

impl Luck {
    /// A number from 0 to n - 1 (the generator is splitmix64).
    fn draw(&mut self, n: usize) -> i32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % n as u64) as i32
    }
}

/// A fleet. Each ship is drawn by itself, and all again if two overlap.
fn place(luck: &mut Luck) -> String {
    loop {
        let mut taken = Cells::new();
        let mut ships = Vec::new();
        for size in 2..=5 {
            let (along, across) = (luck.draw(9 - size), luck.draw(8));
            let (start, step, way) = match luck.draw(2) {
                0 => (10 * along + across, 10, "horizontal"),
                _ => (10 * across + along, 1, "vertical"),
            };
            taken.extend((0..size as i32).map(|i| start + i * step));
            ships.push(format!(
                r#""{size}":{{"point":"{start:02}","orientation":"{way}"}}"#
            ));
        }
        if taken.len() == 2 + 3 + 4 + 5 {
            return format!("{{{}}}", ships.join(","));
        }
    }
}

/// A fresh cell beside a hit, or else any fresh one.
fn shoot(hit: &Cells, missed: &Cells, luck: &mut Luck) -> i32 {
    let is_fresh = |cell: &i32| cell % 10 < 8 && !hit.contains(cell) && !missed.contains(cell);
    let fresh: Vec<i32> = (0..78).filter(is_fresh).collect();
    let is_beside = |cell: &&i32| [-10, -1, 1, 10].iter().any(|step| hit.contains(&(**cell + step)));
    let beside: Vec<i32> = fresh.iter().filter(is_beside).copied().collect();
    let choice = if beside.is_empty() { fresh } else { beside };
    choice[luck.draw(choice.len()) as usize]
}

/// The cells that the request, JSON without any spaces, lists under a key.
fn cells(request: &str, key: &str) -> Cells {
    let list = request.split(&format!("\"{key}\":[")).nth(1).unwrap_or("");
    let list = list.split(']').next().unwrap_or("");
    list.split(',').filter_map(|cell| cell.trim_matches('"').parse().ok()).collect()
}

fn main() {
    let request = env::args().nth(1).expect("the request is the one argument");
    // All luck comes from BOT_SEED and the request, so that a game can be played again.
    let seed = env::var("BOT_SEED").unwrap_or_default() + &request;
    let hash = |luck: u64, byte| luck.wrapping_mul(1_099_511_628_211).wrapping_add(u64::from(byte));
    let mut luck = Luck(seed.bytes().fold(0, hash));
    if request.contains(r#""cmd":"init""#) {
        println!("{}", place(&mut luck));
    } else {
        let move_ = shoot(&cells(&request, "hit"), &cells(&request, "missed"), &mut luck);
        println!(r#"{{"move":"{move_:02}"}}"#);
    }
}
