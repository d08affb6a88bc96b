//! Benchmarks of every OpenCL device that the ICD loader finds, with checked results, in one table.
//!
//! Each device is measured in a process of its own: a driver that crashes ends its own column only. Rows are told on stderr as they come.
//! `--json FILE` records the run.

mod images;
mod kernels;
mod latency;
mod limits;
mod record;
mod transfers;

use brolga_tests::Device;
use limits::{Limits, Resource};
use record::{Column, Kind};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

/// One measurement.
pub struct Row {
    pub name: String,
    /// The kind of programs that it stands for.
    pub family: &'static str,
    /// What a unit of it needs at least of the machine, as far as that is known.
    pub needs: &'static [(Resource, f64)],
    pub unit: &'static str,
    /// Is a bigger number better?
    pub more_is_better: bool,
    pub value: Result<f64, String>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--device", index, filter] => measure(index.parse().expect("an index"), filter),
        ["--first-result", index] => latency::first_result(index.parse().expect("an index")),
        [] => compare("", None),
        [filter] if !filter.starts_with('-') => compare(filter, None),
        ["--json", file] => compare("", Some(file)),
        ["--json", file, filter] => compare(filter, Some(file)),
        _ => eprintln!("usage: bench [--json FILE] [PART-OF-A-NAME]"),
    }
}

/// Everything on one device, a line a measurement.
fn measure(index: usize, filter: &str) {
    let device = Device::all()[index];
    let mut print = |row: Row| {
        let value = row.value.map_or_else(
            |error| format!("error {}", error.lines().next().unwrap_or_default()),
            |value| value.to_string(),
        );
        let needs = limits::to_word(row.needs);
        println!(
            "{}\t{}\t{}\t{}\t{needs}\t{value}",
            row.family, row.name, row.unit, row.more_is_better
        );
    };
    latency::run(device, index, filter, &mut print);
    transfers::run(device, filter, &mut print);
    kernels::run(device, filter, &mut print);
    images::run(device, filter, &mut print);
}

/// This program again, for one device, with every driver's cache off.
fn again(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(arguments).envs([
        ("BROLGA_CACHE", "0"),
        ("POCL_KERNEL_CACHE", "0"),
        ("CL_CACHE_DISABLE", "1"),
        ("MESA_SHADER_CACHE_DISABLE", "1"),
    ]);
    command
}

/// Measures a device in a process of its own; rows that no device before it had are added. Tells of each row as it comes.
fn column(index: usize, device: &Device, filter: &str, rows: &mut Vec<Kind>) -> Column {
    let mut column = Column::of(device);
    eprintln!("measuring {}: {}", column.platform, column.device);
    let begun = Instant::now();
    let mut child = again(&["--device", &index.to_string(), filter])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("this program runs");
    let output = BufReader::new(child.stdout.take().expect("a pipe"));
    for line in output.lines().map_while(Result::ok) {
        let [family, name, unit, more, needs, value] = line.split('\t').collect::<Vec<_>>()[..] else {
            continue;
        };
        if !rows.iter().any(|row| row.name == name) {
            rows.push(Kind {
                family: family.to_owned(),
                name: name.to_owned(),
                unit: unit.to_owned(),
                more_is_better: more == "true",
                needs: limits::from_word(needs),
                limit: None,
            });
        }
        eprintln!(
            "  {:>4} s  row {:>3}: {name}: {value} {unit}",
            begun.elapsed().as_secs(),
            column.values.len() + 1
        );
        column.values.insert(name.to_owned(), value.to_owned());
    }
    let _ = child.wait();
    column
}

fn compare(filter: &str, json: Option<&str>) {
    let devices = Device::all();
    let mut rows: Vec<Kind> = Vec::new();
    let mut columns: Vec<Column> = devices
        .iter()
        .enumerate()
        .map(|(index, device)| column(index, device, filter, &mut rows))
        .collect();
    let Some(first) = columns
        .iter()
        .position(|column| column.platform == "Brolga")
        .or((!columns.is_empty()).then_some(0))
    else {
        return eprintln!("no OpenCL device was found");
    };
    columns.swap(0, first);
    let mut limits = Limits::default();
    for row in &mut rows {
        row.limit = limits.most(&row.needs);
    }
    if let Some(file) = json
        && let Err(error) = std::fs::write(file, record::json(filter, &columns, &rows, &limits.rates))
    {
        eprintln!("{file}: {error}");
    }

    println!(
        "Numbers of {}; beside a peer's number, how many times better {} is; last, which share it is of what the machine can do at most, by what binds.\n",
        columns[0].platform, columns[0].platform
    );
    print!("{:34} {:>9} {:>12}", "", "unit", shorten(&columns[0].platform));
    columns[1..]
        .iter()
        .for_each(|column| print!(" {:>12} {:>8}", shorten(&column.platform), "ratio"));
    println!();
    let mut products = vec![(0.0, 0); columns.len()];
    let mut family = "";
    for Kind {
        family: of,
        name,
        unit,
        more_is_better: more,
        limit,
        ..
    } in &rows
    {
        if of != family {
            println!("{of}:");
            family = of;
        }
        print!("{name:34} {unit:>9}");
        let own = columns[0].number(name);
        for (i, column) in columns.iter().enumerate() {
            let value = column.values.get(name).map_or("crash", String::as_str);
            match value.parse::<f64>() {
                Ok(number) => print!(" {number:>12.2}"),
                Err(_) => print!(" {:>12}", value.split(' ').next().unwrap_or_default()),
            }
            if i == 0 {
                continue;
            }
            match (own, value.parse::<f64>()) {
                (Some(own), Ok(peer)) if own > 0.0 && peer > 0.0 => {
                    let ratio = if *more { own / peer } else { peer / own };
                    products[i].0 += ratio.ln();
                    products[i].1 += 1;
                    print!(" {ratio:>8.2}");
                }
                _ => print!(" {:>8}", "-"),
            }
        }
        if let (Some(own), Some((most, resource))) = (own, limit) {
            print!("  {:>3.0} % of {resource}", own / most * 100.0);
        }
        println!();
    }
    print!("{:34} {:>9} {:>12}", "geometric mean of the ratios", "", "");
    products[1..]
        .iter()
        .for_each(|(sum, count)| print!(" {:>12} {:>8.2}", "", (sum / f64::from((*count).max(1))).exp()));
    println!();
    for Column { platform, values, .. } in &columns {
        for Kind { name, .. } in &rows {
            match values.get(name).map(String::as_str) {
                Some(value) if value.starts_with("error") => println!("{platform}: {name}: {value}"),
                None => println!("{platform}: {name}: the process ended before"),
                _ => {}
            }
        }
    }
}

fn shorten(name: &str) -> &str {
    name.split([' ', '(']).next().unwrap_or(name)
}
